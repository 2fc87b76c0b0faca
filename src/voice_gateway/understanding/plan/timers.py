"""Timers, alarms and reminders: a moment or a length as plain values for the timer tools."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from voice_gateway.errors import BadArguments
from voice_gateway.integrations.home import Request
from voice_gateway.routines.model import MAKE, Missing, Once, calls_text, later_text
from voice_gateway.routines.model import Later as Kept
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.builtin.times import MAX_TEXT, Times, local_zone
from voice_gateway.understanding.nodes import Clock, Everyday, Length, Name, Node, When, altered, bare, closed
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step
from voice_gateway.understanding.plan.everyday import given, plans_tool
from voice_gateway.understanding.plan.intents import Slots, means
from voice_gateway.understanding.plan.when import (
    MONTH,
    Unclear,
    first_meant,
    gathered,
    meant,
    merged,
    offset,
    seconds_of,
)
from voice_gateway.understanding.plan.when import Moment as _Moment

if TYPE_CHECKING:
    from voice_gateway.understanding.reader import Reader

T = TypeVar("T")

RINGING: Final = "ringing"  # instead of a name: whatever rings
UNCLEAR_HOURS: Final = (12, 1, 2, 3)  # of an alarm: by day or by night
WAKING: Final = range(4, 12)  # hours at which people are woken: without am or pm they mean the morning
BY_DAY: Final = range(7, 12)  # of another day: "tomorrow at 8" is in the morning, "tomorrow at 3" is not
# Of a reminder, where only a part of the day is said.
USUAL: Final = {
    "morning": Clock(hour=9, half="am"), "afternoon": Clock(hour=3, half="pm"),
    "evening": Clock(hour=7, half="pm"), "night": Clock(hour=8, half="pm"),
    "tonight": Clock(hour=8, half="pm"),
}  # fmt: skip
AMOUNTS: Final = (("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))


@plans_tool("set_timer")
def set_timer(node: Everyday, context: Context) -> Plan:
    """Sets a timer, or a timer for each part of the sentence."""
    if node.it and context.topic != "timer":
        raise Refused("no timer was spoken of")
    if not node.other:
        return _one(node, context)
    plans = [_one(part, context, node.kind) for part in node.other]
    for part in plans:
        if isinstance(part, Question):
            return part
    if node.number not in (None, len(plans)):
        raise Refused("another number of timers was said")
    requests = tuple(request for part in plans if isinstance(part, Step) for request in part.requests)
    return Step(bare(node), requests, acts=True, topic="timer")


def _one(node: Everyday, context: Context, kind: str = "") -> Plan:
    kind, place = node.kind or kind, context.place or Place(local_zone()[0])
    args: dict[str, Any] = {"name": node.name, "message": node.message, "kind": kind}
    when = merged(node.when, node.more) if node.when is not None else node.more
    when = when or (_told_time(node.message, context) if node.message else None)
    if node.span:
        if when is not None:
            raise Refused("a length and a time")
        return _set(node, "timer", "set_timer", {"duration": spoken_length(node.span), **args})
    if when is None:
        return Question(Say("ask.at" if kind else "ask.duration"), bare(node), expects="at")
    if (when.repeat or when.event) and context.tools and MAKE not in context.tools:
        return Step(closed(node), say=Say("timer.cannot_repeat"), topic="")
    try:
        later = moment_for(when, kind, replace(context, place=place))
    except Unclear as unclear:
        if unclear.reply.key.startswith("ask."):
            return Question(unclear.reply, bare(node), expects=unclear.reply.key.removeprefix("ask."))
        raise
    if not isinstance(later.trigger, Once):  # a routine lets it ring each time
        call = {"name": "set_timer", "args": given({"at": "now", **args, "kind": kind or "alarm"})}
        return _set(node, "routine", MAKE, {"when": later_text(later), "calls": calls_text([call])})
    if later.condition is not None:
        raise Refused("a reminder has no condition")
    if later.trigger.seconds is not None:
        args["duration"] = spoken_length((Length(later.trigger.seconds, 1.0),))
    else:
        args["at"] = later.trigger.at.astimezone(place.zone).isoformat(timespec="seconds")
    return _set(node, "timer", "set_timer", args)


def _set(node: Everyday, topic: str, tool: str, args: dict[str, Any]) -> Step:
    return Step(bare(node), (Request(tool, given(args)),), acts=True, topic=topic)


def _told_time(message: str, context: Context) -> When | None:
    """The time inside the message of a reminder: "remind me that dinner is at 7"."""
    words, reader = message.split(), context.reader
    tails = (reader.tokens(" ".join(words[start:])) for start in range(1, len(words))) if reader else ()
    return next((found[0].node for tail in tails if (found := reader.read(tail, "When.spoken", 0))), None)


def _open_hour(clock: Clock, when: When) -> int:
    """The hour if it may be of either half of the day, else 0."""
    part = when.part or any(one.part for one in when.repeat)
    hour = int(clock.text.split(":")[0]) if clock.text else int(clock.hour or 0)
    known = clock.half or clock.named or part or clock.text[:1] == "0" or hour > 12
    return 0 if known else hour


def moment_for(when: When, kind: str, context: Context) -> Kept:
    """The moment of a timer, an alarm or a reminder, with the usual meaning of what was left out."""
    unclear = [hour for clock in when.clock if (hour := _open_hour(clock, when)) in UNCLEAR_HOURS]
    if kind == "alarm" and unclear:
        raise Unclear("ask.half_day", at=str(unclear[0]))
    ticks = any(one.number is not None and one.unit < 86400 for one in when.repeat)
    if not (when.clock or when.part or when.after or when.event or when.sun or ticks):
        if kind != "reminder" or when.repeat or not when.day:
            raise Unclear("ask.at")
        when = altered(when, clock=(USUAL["morning"],))
    if kind == "reminder" and not when.clock and len(when.part) == 1 and when.part[0] in USUAL:
        when = altered(when, clock=(USUAL[when.part[0]],))
    when = altered(when, clock=tuple(_likely(clock, when, kind) for clock in when.clock))
    later = meant(when, context)
    if later.back:
        raise Unclear("when.exactly")
    return later


def _likely(clock: Clock, when: When, kind: str) -> Clock:
    """The clock with am or pm added as people usually mean it."""
    hour = _open_hour(clock, when)
    if not hour or not ((kind == "alarm" and hour in WAKING) or when.day or when.repeat):
        return clock
    return altered(clock, half="am" if hour in (WAKING if kind == "alarm" else BY_DAY) else "pm")


def spoken_length(parts: Sequence[Length]) -> str:
    """A length as the timer tools take it."""
    seconds = seconds_of(parts)
    name, size = next(pair for pair in AMOUNTS if seconds % pair[1] == 0 or pair[1] == 1)
    return f"{seconds / size:g} {name}"


# --- asking, ending, more time


def _called(node: Everyday, context: Context) -> str:
    """What the timer tools find a timer by: its name, its length, or its time of day."""
    if node.it:
        if context.topic != "timer":
            raise Refused("no timer was spoken of")
        return node.name or context.timer
    if node.of:
        length = spoken_length(node.of)
        return node.name or length
    return node.name if node.clock is None else _clock_text(node.clock)


def _clock_text(clock: Clock) -> str:
    """A time of day as an alarm is found by it: "6:45", "7 pm"."""
    text, hour, minute, before = clock.text, clock.hour or 0, clock.minute, clock.before
    if before:  # "a quarter to 1" is 12:45
        hour, minute = divmod((hour * 60 - before - 60) % 720 + 60, 60)
    text = text or f"{hour:g}{f':{minute:02g}' if minute else ''}"
    return f"{text} {clock.half}".strip()


@plans_tool("list_timers", "cancel_timer", "pause_timer")
def find_timer(node: Everyday, context: Context) -> Plan:
    name, acts = _called(node, context), node.tool != "list_timers"
    action = node.action if node.tool == "pause_timer" else ""
    kinds = dict.fromkeys(kind for kind in (node.kind, node.also) if kind) or {"": None}
    requests = []
    for kind in kinds:
        # "The timer" may be an alarm; all timers are no alarms.
        known = "" if kind == "timer" and not node.also and (not acts or name != "all") else kind
        requests.append(Request(node.tool, given({"name": name, "kind": known, "action": action})))
    return Step(bare(node), tuple(requests), acts=acts, topic="timer" if acts else "")


@plans_tool("extend_timer")
def extend_timer(node: Everyday, context: Context) -> Plan:
    if node.snooze:
        args = {"duration": spoken_length(node.span), "name": RINGING} if node.span else {}
        return _set(node, "timer", "extend_timer", args)
    sign, kind = "-" if node.action == "less" else "", "" if node.kind == "timer" else node.kind
    args = {"duration": f"{sign}{spoken_length(node.span)}", "name": _called(node, context), "kind": kind}
    return _set(node, "timer", "extend_timer", args)


# --- sentences of home-assistant-intents

_TOOLS: Final = {
    "HassStartTimer": "set_timer", "HassCancelTimer": "cancel_timer", "HassTimerStatus": "list_timers",
    "HassIncreaseTimer": "extend_timer", "HassDecreaseTimer": "extend_timer",
    "HassPauseTimer": "pause_timer", "HassUnpauseTimer": "pause_timer",
}  # fmt: skip


@means(*_TOOLS)
def timer(slots: Slots, context: Context) -> Node:
    """The timer by its name, its length or its room."""
    if "conversation_command" in slots.known:
        raise Refused("an order for later is read by our own templates")
    span, of = _taken(slots, ""), _taken(slots, "start_")
    name, area = slots.take("name", ""), slots.take("area", "")
    called = name.text if isinstance(name, Name) else str(name or area)
    actions = {"HassDecreaseTimer": "less", "HassUnpauseTimer": "resume"}
    return Everyday(
        tool=_TOOLS[slots.intent], span=span, of=of, name=called.lower(), action=actions.get(slots.intent, "")
    )


def _taken(slots: Slots, before: str) -> tuple[Length, ...]:
    found = ((slots.take(f"{before}{name}"), unit) for name, unit in AMOUNTS)
    return tuple(Length(float(number), unit) for number, unit in found if number is not None)


# --- times in words, for the tools


class SpokenTimes(Times):
    """Times in words, read by the grammar."""

    def __init__(self, reader: "Callable[[], Reader]") -> None:
        self._reader = reader

    def length(self, text: str) -> float | None:
        def take(node: When) -> float | None:
            calendar = any(part.unit >= MONTH for part in node.after)
            return None if calendar or not node.after else seconds_of(node.after)

        known = super().length(text)
        return known if known is not None or text.startswith("-") else self._read(text, "When.span", take)

    def moment(self, text: str, now: datetime, kind: str = "") -> datetime | None:
        def take(node: When) -> datetime | None:
            trigger = moment_for(node, kind, context).trigger
            return trigger.at if isinstance(trigger, Once) else None

        context = Context(now=now, place=Place(local_zone()[0]))
        return super().moment(text, now) or self._read(text, "When.spoken", take)

    def day(self, text: str, today: date) -> date | None:
        at = _Moment(datetime.combine(today, time(12), UTC), Place(UTC))
        return super().day(text, today) or self._read(text, "When.day", lambda node: gathered(node, at).day)

    def offset(self, text: str, here: datetime) -> datetime | None:
        text = re.sub(r"^\+|^-(?P<ago>.*)", lambda sign: f"{sign['ago']} ago" if sign["ago"] else "", text)
        at = _Moment(here, Place(here.tzinfo or UTC))
        return super().offset(text, here) or self._read(text, "When.offset", lambda node: offset(node, at))

    def _read(self, text: str, rule: str, take: Callable[[When], T]) -> T | None:
        found = first_meant(text, self._reader(), rule, take) if len(text) <= MAX_TEXT else None
        if isinstance(found, Missing):
            raise BadArguments(found.text)
        return found
