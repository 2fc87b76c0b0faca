"""The tools that set, list, cancel and extend timers, alarms and reminders."""

import asyncio
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
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
    say_remaining,
    say_set,
)
from voice_gateway.tools.builtin.times import Times, say_seconds
from voice_gateway.tools.builtin.zones import local_zone
from voice_gateway.tools.gateway_tool import declared_tool
from voice_gateway.turn import OutcomeStatus, ToolTraits

MAX_DAYS = 366  # a timer or reminder lies at most a year ahead
RINGING = "ringing"  # a name that stands for whatever rings
MAX_NAME, MAX_MESSAGE = 60, 300  # characters
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


# Added to the reply while no gateway is running that would let it ring.
NOBODY_RINGS = "It only rings while the gateway is running."


class RepeatedTimers(Protocol):
    """The timers that ring again and again, which routines keep. Both methods wait for the disk."""

    def all(self) -> Sequence[Timer]: ...

    def cancel(self, timers: Sequence[Timer]) -> Sequence[dict[str, Any]]:
        """The calls that put them back."""
        ...


def timer_tools(
    store: TimerStore,
    now: Callable[[], datetime],
    rings: Callable[[], bool] = lambda: True,
    repeated: RepeatedTimers | None = None,
    times: Times | None = None,
) -> list[BaseTool]:
    """They work on the file alone; a `TimerClock` on the same file lets the timers ring.

    `rings` says whether there is one, in this process or in another.
    """
    told: list[str] = []
    read = times or Times()

    async def set_timer(
        duration: str | float | None = None,
        at: str | None = None,
        name: str | None = None,
        message: str | None = None,
        kind: str | None = None,
    ) -> tuple[str, dict[str, Any]]:
        moment = now()
        label, text = _short("name", name, MAX_NAME), _short("message", message, MAX_MESSAGE)
        known = _kind(kind) or kind_of(text, at_clock_time=bool(at))
        due = _due(duration, at, moment, known, read)
        timer = await asyncio.to_thread(store.add, due=due, now=moment, name=label, message=text, kind=known)
        reply = say_set(timer, moment)
        if not told and not await asyncio.to_thread(rings):
            told.append(NOBODY_RINGS)  # once is enough
            reply = f"{reply} {NOBODY_RINGS}"
        return reply, {"structured": {**_facts(timer, moment), "before": [_cancel(timer)]}}

    async def list_timers(name: str | None = None, kind: str | None = None) -> tuple[str, dict[str, Any]]:
        moment, wanted = now(), _kind(kind)
        timers = [
            timer for timer in await asyncio.to_thread(_all, store, repeated) if wanted in (None, timer.kind)
        ]
        if name and timers:
            timers = list(_choose(name, timers, moment, read, wanted))
        only = len(timers) == 1 and (name or wanted is Kind.TIMER)
        text = say_remaining(timers, moment) if only else say_list(timers, moment, wanted)
        return text, {"structured": {"timers": [_facts(timer, moment) for timer in timers]}}

    async def cancel_timer(name: str | None = None, kind: str | None = None) -> tuple[str, dict[str, Any]]:
        moment = now()
        timers = await asyncio.to_thread(_all, store, repeated)
        chosen = _choose(name, timers, moment, read, _kind(kind))
        gone, back = await asyncio.to_thread(_remove, store, repeated, chosen)
        if not gone:
            raise ToolError("That timer has just ended.")
        again = _set_again([timer for timer in gone if not timer.again], moment)
        facts = {"cancelled": [_facts(timer, moment) for timer in gone], **again}
        facts["before"] = [*again["before"], *back]
        return say_gone(gone), {"structured": facts}

    async def extend_timer(
        duration: str | float | None = None, name: str | None = None, kind: str | None = None
    ) -> tuple[str, dict[str, Any]]:
        moment = now()
        timers = await asyncio.to_thread(store.all)
        snooze = name == RINGING or not (duration or name)
        [timer, *_] = _ringing(timers) if snooze else _choose(name, timers, moment, read, _kind(kind))
        snoozed = timer.rang is not None
        if not snoozed and not duration:
            raise BadArguments(f"How much time shall I add to the {called(timer)}?")
        due, seconds = _later(timer, str(duration or SNOOZE), moment, read, snoozed=snoozed)
        moved = await asyncio.to_thread(store.move, timer, due, seconds)
        if moved is None:
            raise ToolError("That timer has just ended.")
        again = _set_again([timer], moment)
        facts = {**_facts(moved, moment), **again, "before": [_cancel(moved), *again["before"]]}
        return say_moved(moved, moment, snoozed=snoozed), {"structured": facts}

    return [
        declared_tool("set_timer", SET, SET_PARAMETERS, set_timer, SET_TRAITS),
        declared_tool("list_timers", LIST, LIST_PARAMETERS, list_timers, LIST_TRAITS),
        declared_tool("cancel_timer", CANCEL, CANCEL_PARAMETERS, cancel_timer, CANCEL_TRAITS),
        declared_tool("extend_timer", EXTEND, EXTEND_PARAMETERS, extend_timer, EXTEND_TRAITS),
    ]


SET_TRAITS = ToolTraits(
    title="Set a timer, alarm or reminder",
    summary="Rings after a while or at a time of day, and says what you wanted to remember.",
)
LIST_TRAITS = ToolTraits(
    title="Timers",
    summary="Which timers, alarms and reminders there are, and how long they have left.",
    read_only=True,
    idempotent=True,
)
CANCEL_TRAITS = ToolTraits(
    title="Cancel or stop a timer", summary="Ends a timer, an alarm or a reminder, or all of a kind."
)
EXTEND_TRAITS = ToolTraits(title="More time", summary="Gives a timer more time, and lets an alarm snooze.")


def _all(store: TimerStore, repeated: RepeatedTimers | None) -> list[Timer]:
    return [*store.all(), *(repeated.all() if repeated is not None else ())]


def _remove(
    store: TimerStore, repeated: RepeatedTimers | None, chosen: Sequence[Timer]
) -> tuple[list[Timer], list[dict[str, Any]]]:
    """(the timers that were still there, the calls that make the repeated timers again)."""
    once = [timer.id for timer in chosen if not timer.again]
    again = [timer for timer in chosen if timer.again]
    gone = list(store.remove(once)) if once else []
    back = repeated.cancel(again) if again and repeated is not None else []
    return [*gone, *again], list(back)


def _text(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


_KIND_PARAMETER = {
    "type": "string",
    "enum": [kind.value for kind in Kind],
    "description": "Only of this kind",
}
SET_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "duration": _text('From now, for example "10 minutes" or "90" for seconds. Or use at'),
        "at": _text('Local time, for example "7 pm" or "tomorrow at 9 am"'),
        "name": _text(f'If named, for example "pasta"; up to {MAX_NAME} characters'),
        "message": _text(f'Of what to remind, for example "call Ann"; up to {MAX_MESSAGE} characters'),
        "kind": {**_KIND_PARAMETER, "description": "What it is"},
    },
}
LIST_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"name": _text('For example "pasta"; all if left out'), "kind": _KIND_PARAMETER},
}
CANCEL_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": _text('For example "pasta" or "10 minutes"; "all" for all; the only one if left out'),
        "kind": _KIND_PARAMETER,
    },
}
EXTEND_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "duration": _text('For example "5 minutes", or "-1 minute" for less'),
        "name": _text('For example "pasta"; the only one if left out'),
        "kind": _KIND_PARAMETER,
    },
}


def _short(parameter: str, text: str | None, limit: int) -> str:
    words = " ".join((text or "").split())
    if len(words) > limit:
        raise BadArguments(f"{parameter} must have at most {limit} characters.")
    return words


def _kind(given: str | None) -> Kind | None:
    return Kind(given) if given else None


def _due(duration: str | float | None, at: str | None, now: datetime, kind: Kind, read: Times) -> datetime:
    if (duration in (None, "")) == (not at):
        raise BadArguments('Give either duration, for example "10 minutes", or at, for example "7 pm".')
    if not at:
        return _in_reach(now + timedelta(seconds=_seconds(duration, read)), now)
    if at == NOW:
        return now.replace(microsecond=0)
    moment = read.moment(at, now, kind.value)
    if moment is None:
        raise BadArguments(
            f'I cannot read the time "{at[:60]}". Use a form such as "7 pm" or "tomorrow at 9".'
        )
    if moment <= now:
        raise BadArguments(f'"{at[:60]}" is in the past.')
    return _in_reach(moment, now)


def _in_reach(moment: datetime, now: datetime) -> datetime:
    if moment - now > timedelta(days=MAX_DAYS):
        raise BadArguments("A timer lies at most one year ahead.")
    return moment


def _later(
    timer: Timer, duration: str, now: datetime, read: Times, *, snoozed: bool
) -> tuple[datetime, float]:
    """When it is due then, and how long it is in all."""
    less = duration.startswith("-")
    more = _seconds(duration.removeprefix("-").strip(), read) * (-1 if less else 1)
    due = (now if snoozed else timer.due) + timedelta(seconds=more)
    if due <= now:
        left = say_seconds(timer.remaining_seconds(now))
        raise BadArguments(f"The {called(timer)} has only {left} left.")
    return _in_reach(due, now), more if snoozed else timer.seconds + more


def _seconds(duration: str | float | None, read: Times) -> float:
    spoken = str(duration).strip()
    seconds = read.length(spoken)
    if seconds is None or not 1 <= seconds <= MAX_DAYS * 86400:
        raise BadArguments(
            f'I cannot set a timer for "{spoken[:60]}". '
            'Use 1 second to one year, such as "10 minutes", "1 h 30" or "90" for seconds.'
        )
    return seconds


def _choose(
    name: str | None, every: Sequence[Timer], now: datetime, read: Times, kind: Kind | None = None
) -> Sequence[Timer]:
    """Never more than was meant: what is not clear is asked."""
    ringing = [timer for timer in every if timer.rang is not None]
    timers = [timer for timer in every if kind in (None, timer.kind)] or ringing  # all that rings is an alarm
    if not timers:
        raise ToolError(say_list([], now, kind), structured={"timers": []})
    wanted = _plain(name or "")
    if wanted in {"all", "every", "everything"}:
        return timers
    if not wanted and ringing:
        return ringing  # "stop" while it rings means what is heard
    found = [timer for timer in timers if not wanted or _matches(wanted, timer, now, read)]
    found = found or [timer for timer in timers if set(wanted.split()) <= _words_of(timer)]
    singular = {word.removesuffix("s") for word in wanted.split()}  # "the eggs" are what the egg timer is for
    found = found or [
        timer for timer in timers if singular <= {word.removesuffix("s") for word in _words_of(timer)}
    ]
    found = [timer for timer in found if timer.rang is not None] or found
    if len(found) == 1:
        return found
    known = "; ".join(render_timer(timer, now) for timer in (found or timers)[:5])
    structured = {"timers": [_facts(timer, now) for timer in found or timers]}
    noun = kind or Kind.TIMER
    if not found:
        there = "Running" if noun is Kind.TIMER else "Set"
        no_such = f'There is no {noun} "{(name or "")[:MAX_NAME]}". {there}: {known}.'
        raise ToolError(no_such, structured=structured)
    raise ToolError(
        f"Which {noun} do you mean? {known}.",
        structured={"outcome": OutcomeStatus.AMBIGUOUS.value, **structured},
    )


def _ringing(timers: Sequence[Timer]) -> Sequence[Timer]:
    found = [timer for timer in timers if timer.rang is not None]
    if not found:
        raise ToolError("Nothing is ringing.")
    return found


def _words_of(timer: Timer) -> set[str]:
    message = timer.message if timer.kind is Kind.REMINDER else ""
    again = _plain(f"{timer.again} repeating recurring regular") if timer.again else ""
    again = again.replace("every day", "every day daily")
    return {*_plain(timer.name).split(), *_plain(message).split(), *again.split()}


def _plain(name: str) -> str:
    words = re.sub(r"[^\w\s]", " ", name.lower()).split()
    if not words:
        return " ".join(name.lower().split())  # a name of signs only is still a name
    return " ".join(word for word in words if word not in _FILLERS)


def _matches(wanted: str, timer: Timer, now: datetime, read: Times) -> bool:
    """By its name, its number, its length; an alarm by its time of day, its day or both."""
    if wanted in {_plain(timer.name), _plain(timer.message), str(timer.id)}:
        return True
    if not wanted.isdecimal() and (seconds := read.length(wanted)) is not None:
        return seconds == round(timer.seconds)
    return timer.kind is not Kind.TIMER and _is_at(wanted, timer, now, read)


def _is_at(wanted: str, timer: Timer, now: datetime, read: Times) -> bool:
    zone = local_zone()[0]
    there = timer.due.astimezone(zone)
    if clock := _CLOCK.fullmatch(wanted):
        hour, minute = int(clock[1]), int(clock[2] or 0)
        half = clock[3] or ("pm" if hour > 12 else "")
        return (there.hour % 12, there.minute) == (hour % 12, minute) and half in ("", f"{there:%p}".lower())
    if (day := read.day(wanted, now.astimezone(zone).date())) is not None:
        return day == there.date()
    try:
        return read.moment(wanted, now, timer.kind.value) == timer.due
    except BadArguments:
        return False


# their facts for programs


def _facts(timer: Timer, now: datetime) -> dict[str, Any]:
    return {
        "id": timer.id,
        "kind": timer.kind.value,
        "name": timer.name,
        "message": timer.message,
        "seconds": round(timer.seconds),
        "due": timer.due.astimezone(local_zone()[0]).isoformat(timespec="seconds"),
        "remaining_seconds": timer.remaining_seconds(now),
        "ringing": timer.rang is not None,
    }


def _cancel(timer: Timer) -> dict[str, Any]:
    return {"name": "cancel_timer", "args": {"name": str(timer.id)}}


def _set_again(gone: Sequence[Timer], now: datetime) -> dict[str, Any]:
    """The calls that put cancelled timers back (docs/tools.md): a time of day stays that time, and of a
    duration it is what was left."""
    waiting = [timer for timer in gone if timer.rang is None and timer.remaining_seconds(now)]
    calls = []
    for timer in waiting:
        guessed = kind_of(timer.message, at_clock_time=timer.at_clock_time)
        kind = "" if timer.kind is guessed else timer.kind.value
        label = {"name": timer.name, "message": timer.message, "kind": kind}
        at = {"at": timer.due.astimezone(local_zone()[0]).isoformat(timespec="seconds")}
        left = {"duration": str(timer.remaining_seconds(now))}
        when = at if timer.at_clock_time else left
        calls.append({"name": "set_timer", "args": {**when, **{k: v for k, v in label.items() if v}}})
    over = [called(timer) for timer in gone if timer not in waiting]
    undo = {"undo": f"The {' and the '.join(over)} had run out already."} if over else {}
    return {"before": calls, **undo}
