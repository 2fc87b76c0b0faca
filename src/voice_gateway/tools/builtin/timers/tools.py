"""The tools `set_timer`, `list_timers` and `cancel_timer`, and how timers are spoken of."""

import asyncio
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.tools.builtin.clock_times import parse_moment
from voice_gateway.tools.builtin.durations import parse_span, say_seconds
from voice_gateway.tools.builtin.timers.store import Timer, TimerStore
from voice_gateway.tools.builtin.zones import local_zone
from voice_gateway.turn import ToolTraits

MAX_DAYS = 366  # a timer or reminder lies at most a year ahead
MAX_NAME, MAX_MESSAGE = 60, 300  # characters

_FILLERS = {"the", "my", "timer", "timers", "alarm", "alarms", "reminder", "reminders", "of", "one"}

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


# Said behind what was set, while nobody is there to let it ring.
NOBODY_RINGS = "It will ring only when a gateway is running: start one with voice-gateway run."


def timer_tools(
    store: TimerStore, now: Callable[[], datetime], rings: Callable[[], bool] = lambda: True
) -> list[BaseTool]:
    """They work on the file alone; a `TimerClock` on the same file lets the timers ring.

    `rings` says whether there is one, in this process or in another.
    """

    async def set_timer(
        duration: str | float | None = None,
        at: str | None = None,
        name: str | None = None,
        message: str | None = None,
    ) -> tuple[str, dict[str, Any]]:
        moment = now()
        due = _due(duration, at, moment)
        label, text = _short("name", name, MAX_NAME), _short("message", message, MAX_MESSAGE)
        timer = await asyncio.to_thread(store.add, due=due, now=moment, name=label, message=text)
        said = _say_set(timer, moment, absolute=bool(at))
        if not await asyncio.to_thread(rings):
            said = f"{said} {NOBODY_RINGS}"
        again = [{"name": "cancel_timer", "args": {"name": str(timer.id)}}]
        return said, {"structured": {**_facts(timer, moment), "before": again}}

    async def list_timers() -> tuple[str, dict[str, Any]]:
        moment = now()
        timers = await asyncio.to_thread(store.all)
        return _say_list(timers, moment), {
            "structured": {"timers": [_facts(timer, moment) for timer in timers]}
        }

    async def cancel_timer(name: str | None = None) -> tuple[str, dict[str, Any]]:
        moment = now()
        timers = await asyncio.to_thread(store.all)
        chosen = _choose(name, timers, moment)
        gone = await asyncio.to_thread(store.remove, [timer.id for timer in chosen])
        if not gone:
            raise ToolError("That timer has just ended.")
        facts = {"cancelled": [_facts(timer, moment) for timer in gone], **_set_again(gone, moment)}
        return _say_gone(gone), {"structured": facts}

    return [
        _tool(
            "set_timer",
            SET,
            SET_PARAMETERS,
            set_timer,
            ToolTraits(
                title="Set a timer or reminder",
                summary="Rings after a while or at a time of day, and says what you wanted to remember.",
            ),
        ),
        _tool(
            "list_timers",
            LIST,
            NO_PARAMETERS,
            list_timers,
            ToolTraits(
                title="Timers",
                summary="Which timers run, and how long they have left.",
                read_only=True,
                idempotent=True,
            ),
        ),
        _tool(
            "cancel_timer",
            CANCEL,
            CANCEL_PARAMETERS,
            cancel_timer,
            ToolTraits(title="Cancel or stop a timer", summary="Ends one timer, or all of them."),
        ),
    ]


def _text(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


SET_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "duration": _text('From now, for example "10 minutes" or "90" for seconds. Or use at'),
        "at": _text('Local time, for example "7 pm" or "tomorrow at 9 am"'),
        "name": _text(f'If named, for example "pasta"; up to {MAX_NAME} characters'),
        "message": _text(f'Of what to remind, for example "call Ann"; up to {MAX_MESSAGE} characters'),
    },
}
CANCEL_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": _text('For example "pasta" or "10 minutes"; "all" for all; the only one if left out')
    },
}
NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


def _tool(
    name: str, description: str, schema: dict[str, Any], coroutine: Callable[..., Any], traits: ToolTraits
) -> BaseTool:
    return StructuredTool(
        name=name,
        description=description,
        args_schema=schema,
        coroutine=coroutine,
        response_format="content_and_artifact",
        metadata={"traits": traits},
    )


def _short(parameter: str, text: str | None, limit: int) -> str:
    words = " ".join((text or "").split())
    if len(words) > limit:
        raise BadArguments(f"{parameter} must have at most {limit} characters.")
    return words


def _due(duration: str | float | None, at: str | None, now: datetime) -> datetime:
    if (duration in (None, "")) == (not at):
        raise BadArguments('Give either duration, for example "10 minutes", or at, for example "7 pm".')
    if at:
        moment = parse_moment(at, now, local_zone()[0])
        if moment is None:
            raise BadArguments(
                f'I cannot read the time "{at[:60]}". Use a form such as "7 pm" or "tomorrow at 9".'
            )
        if moment <= now:
            raise BadArguments(f'"{at[:60]}" is in the past.')
    else:
        moment = now + timedelta(seconds=_seconds(duration))
    if moment - now > timedelta(days=MAX_DAYS):
        raise BadArguments("A timer lies at most one year ahead.")
    return moment


def _seconds(duration: str | float | None) -> float:
    spoken = str(duration).strip()
    seconds = float(spoken) if re.fullmatch(r"\d{1,9}(?:\.\d+)?", spoken) else None
    if seconds is None and (span := parse_span(spoken)) is not None:
        seconds = span.total_seconds
    if seconds is None or not 1 <= seconds <= MAX_DAYS * 86400:
        raise BadArguments(
            f'I cannot set a timer for "{spoken[:60]}". '
            'Use 1 second to one year, such as "10 minutes", "1 h 30" or "90" for seconds.'
        )
    return seconds


def _choose(name: str | None, timers: Sequence[Timer], now: datetime) -> Sequence[Timer]:
    """Never more than was meant: what is not clear is asked."""
    if not timers:
        raise ToolError("No timers are running.", structured={"timers": []})
    wanted = _plain(name or "")
    if wanted in {"all", "every", "everything"}:
        return timers
    ringing = [timer for timer in timers if timer.rang is not None]
    if not wanted and ringing:
        return ringing  # "stop" while it rings means what is heard
    found = [timer for timer in timers if not wanted or _matches(wanted, timer)]
    found = found or [timer for timer in timers if set(wanted.split()) <= set(_plain(timer.name).split())]
    if len(found) == 1:
        return found
    known = "; ".join(f"{called(timer)}, {_left(timer, now)}" for timer in (found or timers)[:5])
    structured = {"timers": [_facts(timer, now) for timer in found or timers]}
    if not found:
        raise ToolError(
            f'There is no timer "{(name or "")[:MAX_NAME]}". Running: {known}.', structured=structured
        )
    raise ToolError(f"Which timer do you mean? {known}.", structured={"outcome": "ambiguous", **structured})


def _plain(name: str) -> str:
    words = re.sub(r"[^\w\s]", " ", name.lower()).split()
    if not words:
        return " ".join(name.lower().split())  # a name of signs only is still a name
    return " ".join(word for word in words if word not in _FILLERS)


def _matches(wanted: str, timer: Timer) -> bool:
    if wanted in {_plain(timer.name), _plain(timer.message), str(timer.id)}:
        return True
    span = parse_span(wanted)
    return span is not None and span.total_seconds == round(timer.seconds)


# how timers are spoken of, and their facts for programs


def _facts(timer: Timer, now: datetime) -> dict[str, Any]:
    return {
        "id": timer.id,
        "name": timer.name,
        "message": timer.message,
        "seconds": round(timer.seconds),
        "due": timer.due.astimezone(local_zone()[0]).isoformat(timespec="seconds"),
        "remaining_seconds": timer.remaining_seconds(now),
        "ringing": timer.rang is not None,
    }


def _set_again(gone: Sequence[Timer], now: datetime) -> dict[str, Any]:
    """The calls that put cancelled timers back (docs/tools.md): a time of day stays that time, and of a
    duration it is what was left."""
    waiting = [timer for timer in gone if timer.rang is None and timer.remaining_seconds(now)]
    calls = []
    for timer in waiting:
        label = {"name": timer.name, "message": timer.message}
        at = {"at": timer.due.astimezone(local_zone()[0]).isoformat(timespec="seconds")}
        left = {"duration": str(timer.remaining_seconds(now))}
        when = at if timer.at_clock_time else left
        calls.append({"name": "set_timer", "args": {**when, **{k: v for k, v in label.items() if v}}})
    over = [called(timer) for timer in gone if timer not in waiting]
    undo = {"undo": f"The {' and the '.join(over)} had run out already."} if over else {}
    return {"before": calls, **undo}


def called(timer: Timer) -> str:
    """How to speak of it: "pasta timer", "10 minute timer", "reminder to call Ann"."""
    if timer.name:
        named = timer.name.lower().endswith(("timer", "alarm", "reminder"))
        return timer.name if named else f"{timer.name} {'reminder' if timer.message else 'timer'}"
    if timer.message:
        return f'reminder "{timer.message}"'
    return re.sub(r"(day|hour|minute|second)s", r"\1", f"{say_seconds(timer.seconds)} timer")


def _left(timer: Timer, now: datetime) -> str:
    if timer.rang is not None:
        return "ringing"
    left = timer.remaining_seconds(now)
    return f"{say_seconds(left)} left" if left else "ran out"


def _say_set(timer: Timer, now: datetime, *, absolute: bool) -> str:
    what = called(timer) if timer.name else "reminder" if timer.message else "timer"
    when = _clock(timer.due, now) if absolute else say_seconds(timer.seconds)
    note = f": {timer.message}" if timer.message else ""
    return f"{what[0].upper()}{what[1:]} set for {when}{note}."


def _say_list(timers: Sequence[Timer], now: datetime) -> str:
    if not timers:
        return "No timers are running."
    each = "; ".join(f"{called(timer)}, {_left(timer, now)}" for timer in timers)
    return f"{len(timers)} timer{'' if len(timers) == 1 else 's'}: {each}."


def _say_gone(gone: Sequence[Timer]) -> str:
    if len(gone) == 1:
        return f"The {called(gone[0])} is {'stopped' if gone[0].rang else 'cancelled'}."
    return f"{len(gone)} timers are cancelled: {'; '.join(called(timer) for timer in gone)}."


def _clock(due: datetime, now: datetime) -> str:
    zone = local_zone()[0]
    there, here = due.astimezone(zone), now.astimezone(zone)
    days = (there.date() - here.date()).days
    day = {0: "", 1: " tomorrow"}.get(days, f" on {there:%A}, {there.day} {there:%B}")
    return f"{there:%I:%M %p}".lstrip("0") + day
