"""What starts a routine when something happens, and on what condition."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from home_words import event_words
from home_words import when_words as words
from voice_gateway.brain.local.command.when.moments import hours_between, read_clock, read_seconds
from voice_gateway.brain.local.command.when.phrases import Found, phrases
from voice_gateway.brain.local.command.when.said import SaidWhen, gathered
from voice_gateway.brain.local.command.when.sentences import HOURS_OF_EVENT
from voice_gateway.routines.model import SUN_EVENTS, Condition, Event, Later, Missing
from voice_gateway.routines.schedule import Place

LOW_BATTERY = 20  # percent


class Watched(NamedTuple):
    """A device that tells of its changes, and what it becomes."""

    server: str
    resource: str
    becomes: str
    device: str


# Of a thing and what it becomes ("open", "temperature < 18"); or why nobody can tell.
EventBus = Callable[[str, str], Watched | str]


_OF_NOW = re.compile(rf"^(?:if|in case|should) .+ (?:is|are) (?!opened\b)(?:{words.STATE})$")
_SO_THEN = re.compile(
    rf"^(?:if|when|in case) (?P<so>.+? (?:is|are) (?:still )?(?:{words.STATE}))(?P<then> .+)$"
)


def read_event(
    text: str, condition: Condition | None, now: datetime, place: Place, watch: EventBus
) -> Later | Missing | None:
    once, begins = bool(words.NEXT_TIME.match(text)), words.HAPPENING.match(text)
    assert begins is not None
    rest = text[begins.end() :]
    if begins["span"]:
        rest = f"{rest} for {begins['span']}"
    if _OF_NOW.match(text) and " for " not in text:
        return None  # how it is now: whoever looks first does it
    rest, condition = _with_hours(rest, condition, now, place)
    if isinstance(told := _happens(rest, watch), Watched):
        return Later(Event(told.server, told.resource, told.becomes, 0.0, told.device, once), condition)
    for kind, pattern in words.EVENTS:
        if not (found := pattern.match(rest)):
            continue
        given = {name: value for name, value in found.groupdict().items() if value}
        if given.get("thing", "").strip() in ("there", "it", "nobody", "everyone", "home", "back"):
            continue
        seen = watch(given.get("thing", ""), _becomes(kind, given))
        if isinstance(seen, str):
            return Missing(seen)
        held = read_seconds(given["held"]) if "held" in given else 0.0
        return Later(Event(seen.server, seen.resource, seen.becomes, held, seen.device, once), condition)
    return Missing(told) if told else None


def moment_first(text: str, now: datetime, place: Place) -> str:
    """ "If the door is unlocked at 11 pm" is a moment with a condition: "at 11 pm if it is unlocked"."""
    said = _SO_THEN.match(text)
    found = phrases(said["then"].strip()) if said else None
    if said is None or not found or not gathered(found, now, place).is_moment:
        return text
    return f"{said['then'].strip()} if {said['so'].replace(' still ', ' ')}"


def _happens(text: str, watch: EventBus) -> Watched | str:
    """A press, a bell, smoke: what is over when it is told. Else why nobody can tell; empty: it is none."""
    problem = ""
    for kind, pattern in event_words.EVENTS:
        if found := pattern.match(text):
            given = {name: value for name, value in found.groupdict().items() if value}
            seen = watch(given.get("thing", ""), event_words.happening(kind, given))
            if isinstance(seen, Watched):
                return seen
            problem = problem or seen
    return problem


def _becomes(kind: str, given: Found) -> str:
    if kind == "motion":
        return "motion"
    if kind == "still":
        return "no motion"
    if kind == "battery":
        return f"battery < {LOW_BATTERY}"
    if kind == "measure":
        usual = "power" if given.keys() & {"watts", "draws"} else "light" if "lux" in given else "temperature"
        measure = given.get("measure", usual)
        name = next(
            (short for short in ("battery", "power", "humidity", "temperature") if measure.startswith(short)),
            "light",
        )
        name = "battery" if measure == "charge" else name
        return f"{name} {'<' if 'below' in given else '>'} {float(given['number']):g}"
    said = given.get("state") or given["verb"]
    return words.BECOMES.get(said) or words.BECOMES[f"{said}s"]


def with_beside(text: str, watch: EventBus) -> tuple[str, Condition | Missing | None]:
    if found := words.AT_DARK.search(text):
        dark = (found["dark"] in ("dark", "night")) != (bool(found["not"]) or found["if"] == "unless")
        hours = Condition(after="sunset") if dark else Condition(after="sunrise", before="sunset")
        return text[: found.start()].strip(), hours
    found = words.BESIDE.search(text)
    if found is None and (also := words.ALSO.search(text)) and _is_event(text[: also.start()]):
        found = also
    if found and found.start():
        seen = watch(found["thing"], words.BECOMES[found["state"]])
        if isinstance(seen, str):
            return text, Missing(seen)
        unless = (found.groupdict().get("if") == "unless") != bool(found["not"])
        own = Condition(
            server=seen.server, resource=seen.resource, device=seen.device, state=seen.becomes, unless=unless
        )
        return text[: found.start()].strip(), own
    return text, None


def _is_event(text: str) -> bool:
    rest = words.HAPPENING.sub("", text)
    return rest != text and any(pattern.match(rest) for _, pattern in words.EVENTS)


def _with_hours(
    text: str, condition: Condition | None, now: datetime, place: Place
) -> tuple[str, Condition | None]:
    """Hours and weekdays behind an event are when it counts; "for ten minutes" is how long."""
    said = text.split()
    for cut in range(1, len(said)):
        found = phrases(" ".join(said[cut:]))
        if not found or any(kind in ("for", "in") for kind, _ in found):
            continue
        when = gathered(found, now, place)
        if when.is_moment:
            raise ValueError(HOURS_OF_EVENT)
        after, before = _bounds(when)
        known = condition or Condition()
        hours = replace(
            known, weekdays=when.every or (), after=after or known.after, before=before or known.before
        )
        return " ".join(said[:cut]), hours
    return text, condition


def _bounds(when: SaidWhen) -> tuple[str, str]:
    """After what hour, and before which."""
    if when.between is not None:
        first, last = hours_between(*when.between)
        return _hhmm(first), _hhmm(last)
    found: dict[str, str] = {}
    for side, clock in when.side:
        sun = words.SUN_NAMES.get(clock, clock)
        found[side] = sun if sun in SUN_EVENTS else _hhmm(_side(side, clock))
    if when.part and not found:
        return _PART_BOUNDS.get(when.part, ("", ""))
    return found.get("after", ""), found.get("before", "")


_PART_BOUNDS = {
    "morning": ("06:00", "12:00"),
    "afternoon": ("12:00", "18:00"),
    "evening": ("18:00", "23:00"),
    "night": ("22:00", "06:00"),
    "tonight": ("18:00", "06:00"),
}


def _side(side: str, clock: str) -> int:
    """ "After 10" is in the evening, "before 7" in the morning."""
    hours, minute = read_clock(clock)
    hour = hours[-1] if side == "after" and hours[0] >= 6 else hours[0]
    return hour % 24 * 60 + minute


def _hhmm(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"
