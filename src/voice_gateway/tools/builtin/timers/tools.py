"""The tools that set, list, cancel and extend timers, alarms and reminders."""

import asyncio
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol

from langchain_core.tools import BaseTool

from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.tools.builtin.timers.store import Kind, Timer, TimerStore, kind_of
from voice_gateway.tools.builtin.timers.wording import (
    called,
    render_timer,
    say_gone,
    say_list,
    say_moved,
    say_paused,
    say_remaining,
    say_set,
)
from voice_gateway.tools.builtin.times import Times, local_zone, say_seconds
from voice_gateway.tools.gateway_tool import declared_tool, parameters, short_text
from voice_gateway.turn import OutcomeStatus, ToolTraits

MAX_DAYS = 366  # a timer or reminder lies at most a year ahead
RINGING = "ringing"  # a name that stands for whatever rings
MAX_NAME = 60  # characters
SNOOZE = "10 minutes"
NOW = "now"  # a time at which it rings at once: of what comes again and again

_FILLERS = frozenset("the my timer timers alarm alarms reminder reminders of one at for".split())
_CLOCK = re.compile(r"(\d{1,2})(?:[: ](\d{2}))?(?: ?(am|pm))?")

SET = (
    "REQUIRED for timers, alarms and reminders: you MUST call this whenever the user asks about being told "
    "later. DO NOT use for the time, or for devices.\n"
    'Good: "timer for 10 minutes", "wake me at 7", "remind me at 6 pm to call Ann". '
    'Bad: "lamp off in 5 minutes".'
)
LIST = (
    "REQUIRED to know running timers: you MUST call this whenever the user asks about timers, alarms or "
    'reminders. DO NOT use for the time.\nGood: "how long is left". Bad: "what time is it".'
)
CANCEL = (
    "REQUIRED to end a timer: you MUST call this whenever the user asks about stopping a timer, alarm or "
    'reminder. DO NOT use for music or devices.\nGood: "cancel the pasta timer". Bad: "stop the music".'
)
EXTEND = (
    "REQUIRED to give a timer more time, or to snooze: you MUST call this whenever the user asks about that. "
    'DO NOT use for a new timer.\nGood: "five more minutes", "snooze". Bad: "timer for 5 minutes".'
)


PAUSE = (
    "REQUIRED to pause a timer or to let it run on: you MUST call this whenever the user asks about that. "
    'DO NOT use to end a timer.\nGood: "pause the pasta timer", "resume it". Bad: "stop the timer".'
)
PAUSED_DAYS = 366 * 50  # a paused timer is due after so long, so that nothing rings it


ENDED = "That timer has just ended."
# Added to the reply while no gateway is running that would let it ring.
NOBODY_RINGS = "It only rings while the gateway is running."


class RepeatedTimers(Protocol):
    """The timers that ring again and again, which routines keep. Both methods wait for the disk."""

    def all(self) -> Sequence[Timer]: ...

    def cancel(self, timers: Sequence[Timer]) -> Sequence[dict[str, Any]]:
        """The calls that put them back."""
        ...


def _kind(description: str = "Only of this kind") -> dict[str, Any]:
    return {"type": "string", "enum": [kind.value for kind in Kind], "description": description}


SET_PARAMETERS = parameters(
    duration='From now, for example "10 minutes" or "90" for seconds. Or use at',
    at='Local time, for example "7 pm" or "tomorrow at 9 am"',
    name=short_text('If named, for example "pasta"', MAX_NAME),
    message=short_text('Of what to remind, for example "call Ann"', 300),
    kind=_kind("What it is"),
)
LIST_PARAMETERS = parameters(name='For example "pasta"; all if left out', kind=_kind())
CANCEL_PARAMETERS = parameters(
    name='For example "pasta" or "10 minutes"; "all" for all; the only one if left out',
    kind=_kind(),
)
EXTEND_PARAMETERS = parameters(
    duration='For example "5 minutes", or "-1 minute" for less',
    name='For example "pasta"; the only one if left out',
    kind=_kind(),
)
PAUSE_PARAMETERS = parameters(
    name='For example "pasta"; the only one if left out',
    action={"type": "string", "enum": ["pause", "resume"], "description": "What to do; pause if left out"},
    kind=_kind(),
)


def timer_tools(
    store: TimerStore,
    now: Callable[[], datetime],
    rings: Callable[[], bool] = lambda: True,
    repeated: RepeatedTimers | None = None,
    times: Times | None = None,
) -> list[BaseTool]:
    """They work on the store alone; a `TimerClock` on the same store lets the timers ring.

    `rings` says whether there is one, in this process or in another.
    """
    own = _Tools(store, now, rings, repeated, times or Times())
    about = "Rings after a while or at a time of day, and says what you wanted to remember."
    setting = ToolTraits(title="Set a timer, alarm or reminder", summary=about)
    about = "Which timers, alarms and reminders there are, and how long they have left."
    looking = ToolTraits(title="Timers", summary=about, read_only=True, idempotent=True)
    about = "Ends a timer, an alarm or a reminder, or all of a kind."
    ending = ToolTraits(title="Cancel or stop a timer", summary=about)
    moving = ToolTraits(title="More time", summary="Gives a timer more time, and lets an alarm snooze.")
    about = "Pauses a timer, and lets it run on."
    pausing = ToolTraits(title="Pause a timer", summary=about, called_for=("pause", "resume", "unpause"))
    return [
        declared_tool("set_timer", SET, SET_PARAMETERS, own.set, setting),
        declared_tool("list_timers", LIST, LIST_PARAMETERS, own.list, looking),
        declared_tool("cancel_timer", CANCEL, CANCEL_PARAMETERS, own.cancel, ending),
        declared_tool("extend_timer", EXTEND, EXTEND_PARAMETERS, own.extend, moving),
        declared_tool("pause_timer", PAUSE, PAUSE_PARAMETERS, own.pause, pausing),
    ]


Answer = tuple[str, dict[str, Any]]


class _Tools:
    def __init__(
        self,
        store: TimerStore,
        now: Callable[[], datetime],
        rings: Callable[[], bool],
        repeated: RepeatedTimers | None,
        read: Times,
    ) -> None:
        self._store, self._now, self._rings, self._repeated, self._read = store, now, rings, repeated, read
        self._warned = False  # that nothing rings; once is enough

    async def set(
        self,
        duration: str | float | None = None,
        at: str | None = None,
        name: str | None = None,
        message: str | None = None,
        kind: str | None = None,
    ) -> Answer:
        now = self._now()
        label, reminder = (" ".join((words or "").split()) for words in (name, message))
        known = Kind(kind) if kind else kind_of(reminder, at_clock_time=bool(at))
        due = self._due(duration, at, now, known)
        add = partial(self._store.add, due=due, now=now, name=label, message=reminder, kind=known)
        timer = await asyncio.to_thread(add)
        reply = say_set(timer, now)
        if not self._warned and not await asyncio.to_thread(self._rings):
            self._warned, reply = True, f"{reply} {NOBODY_RINGS}"
        return reply, {"structured": {**_facts(timer, now), "before": [_cancel(timer)]}}

    async def list(self, name: str | None = None, kind: str | None = None) -> Answer:
        now, wanted = self._now(), Kind(kind) if kind else None
        timers = [timer for timer in await asyncio.to_thread(self._all) if wanted in (None, timer.kind)]
        if name and timers:
            timers = [*self._choose(name, timers, now, wanted)]
        only = len(timers) == 1 and (name or wanted is Kind.TIMER)
        reply = say_remaining(timers, now) if only else say_list(timers, now, wanted)
        return reply, {"structured": {"timers": [_facts(timer, now) for timer in timers]}}

    async def cancel(self, name: str | None = None, kind: str | None = None) -> Answer:
        now = self._now()
        chosen = self._choose(name, await asyncio.to_thread(self._all), now, Kind(kind) if kind else None)
        repeated = [timer for timer in chosen if timer.again]
        wanted = [timer.id for timer in chosen if not timer.again]
        gone, back = await asyncio.to_thread(self._store.remove, wanted), []
        if repeated and self._repeated is not None:
            back = [*await asyncio.to_thread(self._repeated.cancel, repeated)]
        if not gone and not repeated:
            raise ToolError(ENDED)
        again, gone = _set_again(gone, now), gone + repeated
        facts = {"cancelled": [_facts(timer, now) for timer in gone], **again}
        return say_gone(gone), {"structured": {**facts, "before": [*again["before"], *back]}}

    async def extend(
        self, duration: str | float | None = None, name: str | None = None, kind: str | None = None
    ) -> Answer:
        now, timers = self._now(), await asyncio.to_thread(self._store.all)
        if name == RINGING or not (duration or name):
            timers = [timer for timer in timers if timer.rang is not None]
            if not timers:
                raise ToolError("Nothing is ringing.")
        else:
            timers = [*self._choose(name, timers, now, Kind(kind) if kind else None)]
        timer, snoozed = timers[0], timers[0].rang is not None
        if not snoozed and not duration:
            raise BadArguments(f"How much time shall I add to the {called(timer)}?")
        due, seconds, left = self._later(timer, str(duration or SNOOZE), now)
        moved = await asyncio.to_thread(self._store.move, timer, due, seconds, left)
        if moved is None:
            raise ToolError(ENDED)
        again = _set_again([timer], now)
        facts = {**_facts(moved, now), **again, "before": [_cancel(moved), *again["before"]]}
        return say_moved(moved, now, snoozed=snoozed), {"structured": facts}

    async def pause(self, name: str | None = None, action: str = "pause", kind: str | None = None) -> Answer:
        now, resumes = self._now(), action == "resume"
        timers = await asyncio.to_thread(self._store.all)
        fitting = [timer for timer in timers if (timer.left is not None) is resumes]
        [timer] = self._choose(name, fitting or timers, now, Kind(kind) if kind else None)[:1]
        if (timer.left is not None) is not resumes:
            raise ToolError(f"The {called(timer)} is {'paused already' if timer.left else 'not paused'}.")
        if timer.rang is not None or timer.at_clock_time:
            raise ToolError(f"The {called(timer)} can't be paused.")
        left = timer.left if timer.left is not None else (timer.due - now).total_seconds()
        due = now + (timedelta(seconds=left) if resumes else timedelta(days=PAUSED_DAYS))
        due = due.replace(microsecond=due.microsecond or 1)  # it stays a duration
        kept = None if resumes else left
        moved = await asyncio.to_thread(self._store.move, timer, due, timer.seconds, kept)
        if moved is None:
            raise ToolError(ENDED)
        back = {"name": str(moved.id), "action": "pause" if resumes else "resume"}
        facts = {**_facts(moved, now), "before": [{"name": "pause_timer", "args": back}]}
        return say_paused(moved, now), {"structured": facts}

    def _all(self) -> "Sequence[Timer]":
        return [*self._store.all(), *(self._repeated.all() if self._repeated is not None else ())]

    # --- times

    def _due(self, duration: str | float | None, at: str | None, now: datetime, kind: Kind) -> datetime:
        if (duration in (None, "")) == (not at):
            raise BadArguments('Give either duration, for example "10 minutes", or at, for example "7 pm".')
        if not at:
            return now + timedelta(seconds=self._seconds(str(duration).strip()))
        if at == NOW:
            return now.replace(microsecond=0)
        moment = self._read.moment(at, now, kind.value)
        if moment is None:
            hint = 'Use a form such as "7 pm" or "tomorrow at 9".'
            raise BadArguments(f'I cannot read the time "{at[:60]}". {hint}')
        if moment <= now:
            raise BadArguments(f'"{at[:60]}" is in the past.')
        return _in_reach(moment, now)

    def _later(self, timer: Timer, duration: str, now: datetime) -> tuple[datetime, float, float | None]:
        """When it is due then, how long it is in all, and what is left of it while it is paused."""
        sign, snoozed = -1 if duration.startswith("-") else 1, timer.rang is not None
        more = sign * self._seconds(duration.removeprefix("-").strip())
        if timer.remaining_seconds(now) + more <= 0:
            left = say_seconds(timer.remaining_seconds(now))
            raise BadArguments(f"The {called(timer)} has only {left} left.")
        if timer.left is not None:
            return timer.due, timer.seconds + more, timer.left + more
        due = (now if snoozed else timer.due) + timedelta(seconds=more)
        return _in_reach(due, now), more if snoozed else timer.seconds + more, None

    def _seconds(self, spoken: str) -> float:
        seconds = self._read.length(spoken)
        if seconds is None:
            hint = 'Use a length such as "10 minutes", "1 h 30" or "90" for seconds.'
            raise BadArguments(f'I cannot set a timer for "{spoken[:60]}". {hint}')
        if not 1 <= seconds <= MAX_DAYS * 86400:
            raise BadArguments("A timer takes 1 second to one year.")
        return seconds

    # --- which are meant

    def _choose(
        self, name: str | None, every: Sequence[Timer], now: datetime, kind: Kind | None
    ) -> Sequence[Timer]:
        """Never more than was meant: what is not clear is asked."""
        ringing = [timer for timer in every if timer.rang is not None]
        # All that rings is an alarm to a sleeper.
        timers = [timer for timer in every if kind in (None, timer.kind)] or ringing
        if not timers:
            raise ToolError(say_list([], now, kind), structured={"timers": []})
        wanted = _plain(name or "")
        if wanted in {"all", "every", "everything"}:
            return timers
        if not wanted and ringing:
            return ringing  # "stop" while it rings means what is heard
        words = _singular(wanted)  # "the eggs" are what the egg timer is for
        matches = [timer for timer in timers if not wanted or self._matches(wanted, timer, now)]
        matches = matches or [timer for timer in timers if words <= _singular(_words_of(timer))]
        matches = [timer for timer in matches if timer.rang is not None] or matches
        if len(matches) == 1:
            return matches
        shown, noun = matches or timers, kind or Kind.TIMER
        known = "; ".join(render_timer(timer, now) for timer in shown[:5])
        facts: dict[str, Any] = {"timers": [_facts(timer, now) for timer in shown]}
        if matches:
            facts["outcome"] = OutcomeStatus.AMBIGUOUS.value
            raise ToolError(f"Which {noun} do you mean? {known}.", structured=facts)
        there = "Running" if noun is Kind.TIMER else "Set"
        no_such = f'There is no {noun} "{(name or "")[:MAX_NAME]}". {there}: {known}.'
        raise ToolError(no_such, structured=facts)

    def _matches(self, wanted: str, timer: Timer, now: datetime) -> bool:
        """By its name, its number, its length; an alarm by its time of day, its day or both."""
        if wanted in {_plain(timer.name), _plain(timer.message), str(timer.id)}:
            return True
        if not wanted.isdecimal() and (seconds := self._read.length(wanted)) is not None:
            return seconds == round(timer.seconds)
        if timer.kind is Kind.TIMER:
            return False
        zone = local_zone()[0]
        there = timer.due.astimezone(zone)
        if clock := _CLOCK.fullmatch(wanted):
            hour, minute = int(clock[1]), int(clock[2] or 0)
            half = clock[3] or ("pm" if hour > 12 else "")
            fits = half in ("", f"{there:%p}".lower())
            return (there.hour % 12, there.minute) == (hour % 12, minute) and fits
        try:
            day = self._read.day(wanted, now.astimezone(zone).date())
            return (day or self._read.moment(wanted, now, timer.kind.value)) in (there.date(), timer.due)
        except BadArguments:
            return False


def _in_reach(moment: datetime, now: datetime) -> datetime:
    if moment - now > timedelta(days=MAX_DAYS):
        raise BadArguments("A timer lies at most one year ahead.")
    return moment


def _singular(words: str) -> set[str]:
    return {word.removesuffix("s") for word in words.split()}


def _words_of(timer: Timer) -> str:
    message = timer.message if timer.kind is Kind.REMINDER else ""
    again = f"{timer.again} repeating recurring regular".replace("every day", "every day daily")
    return _plain(f"{timer.name} {message} {again if timer.again else ''}")


def _plain(name: str) -> str:
    words = re.sub(r"[^\w\s]", " ", name.lower()).split()
    if not words:
        return " ".join(name.lower().split())  # a name of signs only is still a name
    return " ".join(word for word in words if word not in _FILLERS)


def _facts(timer: Timer, now: datetime) -> dict[str, Any]:
    return {
        "id": timer.id,
        "kind": timer.kind.value,
        "name": timer.name,
        "message": timer.message,
        "seconds": round(timer.seconds),
        "due": timer.rings_at(local_zone()[0]),
        "remaining_seconds": timer.remaining_seconds(now),
        "ringing": timer.rang is not None,
        "paused": timer.left is not None,
    }


def _cancel(timer: Timer) -> dict[str, Any]:
    return {"name": "cancel_timer", "args": {"name": str(timer.id)}}


def _set_again(gone: Sequence[Timer], now: datetime) -> dict[str, Any]:
    """The calls that put cancelled timers back (docs/tools.md): a time of day stays that time, and of a
    duration it is what was left."""
    calls, over = [], []
    for timer in gone:
        left = timer.remaining_seconds(now)
        if timer.rang is not None or not left:
            over.append(called(timer))
            continue
        when = {"at": timer.rings_at(local_zone()[0])} if timer.at_clock_time else {"duration": str(left)}
        guessed = kind_of(timer.message, at_clock_time=timer.at_clock_time)
        kind = "" if timer.kind is guessed else timer.kind.value
        label = {"name": timer.name, "message": timer.message, "kind": kind}
        calls.append({"name": "set_timer", "args": {**when, **{k: v for k, v in label.items() if v}}})
    undo = {"undo": f"The {' and the '.join(over)} had run out already."} if over else {}
    return {"before": calls, **undo}
