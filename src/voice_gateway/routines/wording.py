"""Routines in words: their time, their event and their condition, spelled out."""

import re
from datetime import datetime, timedelta
from itertools import pairwise

from home_names.phrases import listed
from voice_gateway.routines.model import WEEKDAYS, Condition, Event, Every, Once, Routine, Sun, Trigger
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.builtin.times import say_seconds

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_UNITS = {
    "SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week",
    "MONTHLY": "month", "YEARLY": "year",
}  # fmt: skip
_KNOWN = frozenset("FREQ INTERVAL BYHOUR BYMINUTE BYSECOND BYDAY BYMONTHDAY BYMONTH BYSETPOS".split())
_VERBS = {
    "open": "opens", "closed": "closes", "locked": "is locked", "unlocked": "is unlocked",
    "on": "is switched on", "off": "is switched off", "motion": "sees motion", "no motion": "sees no motion",
}  # fmt: skip
_MEASURED_IN = {
    "battery": " percent", "humidity": " percent", "temperature": " degrees", "power": " watts",
    "light": " lux",
}  # fmt: skip
SHORT_SECONDS = 3600.0  # of a shorter time the clock time is not said
_STATES = ("open", "closed", "locked", "unlocked", "on", "off")
_PRESSED = re.compile(r"(?P<button>button \d )?(?:button )?(?P<how>pressed.*|held|released)")


def clock(moment: datetime) -> str:
    """ "7 AM", "7:30 PM", "8:00:45 PM" """
    if moment.second:
        return f"{moment:%-I:%M:%S %p}"
    return f"{moment:%-I:%M %p}".replace(":00 ", " ")


def on_day(moment: datetime, now: datetime) -> str:
    """ "at 7 PM today", "tomorrow at 7 AM", "on Friday, 20 November at 5 PM"; both in local time."""
    days = (moment.date() - now.date()).days
    if days == 0:
        return f"at {clock(moment)} today"
    return f"{'tomorrow' if days == 1 else f'on {date_of(moment, now)}'} at {clock(moment)}"


def date_of(moment: datetime, now: datetime) -> str:
    year = f" {moment.year}" if moment.year != now.year else ""
    return f"{moment:%A}, {moment.day} {moment:%B}{year}"


def say_when(routine: Routine, now: datetime, place: Place, *, absolute: bool = False) -> str:
    """When it comes; `absolute` is for a text that is read on another day."""
    here, trigger = now.astimezone(place.zone), routine.trigger
    text = _say_trigger(trigger, here, place, absolute=absolute)
    # Every other day: only the next time says which of the two.
    counted = isinstance(trigger, Every) and "INTERVAL=" in trigger.rrule and "BYHOUR=" in trigger.rrule
    if routine.next and not absolute and (isinstance(trigger, Sun) or counted):
        first = "" if isinstance(trigger, Sun) and trigger.once else "the next time "
        at = routine.next.astimezone(place.zone)
        text += f", {first}{on_day(at.replace(second=0) if isinstance(trigger, Sun) else at, here)}"
    if routine.condition is not None:
        text += _say_condition(routine.condition)
    if routine.until is not None:
        text += f" until {date_of(routine.until.astimezone(place.zone), here)}"
    return text


def when_text(routine: Routine) -> str:
    """A "when" that is read as the same trigger."""
    trigger = routine.trigger
    if isinstance(trigger, Once):
        return trigger.at.isoformat()
    if isinstance(trigger, Every):
        return f"RRULE:{trigger.rrule}"
    text = _say_sun(trigger) if isinstance(trigger, Sun) else say_event(trigger)
    return text + (_say_condition(routine.condition).replace(",", "") if routine.condition else "")


def _say_trigger(trigger: Trigger, here: datetime, place: Place, *, absolute: bool) -> str:
    if isinstance(trigger, Every):
        return say_rule(trigger.rrule)
    if isinstance(trigger, Sun):
        return _say_sun(trigger)
    if isinstance(trigger, Event):
        return say_event(trigger)
    at = trigger.at.astimezone(place.zone)
    if absolute:
        return f"on {date_of(at, here)} at {clock(at)}"
    if trigger.seconds is None:
        return on_day(at, here)
    at = (at + timedelta(microseconds=500_000)).replace(microsecond=0, second=0)
    shown = f", {on_day(at, here)}" if trigger.seconds >= SHORT_SECONDS else ""
    return f"in {say_seconds(trigger.seconds)}{shown}"


# --- rules


def say_rule(rrule: str) -> str:
    """Rules of the kinds that are made here; any other as it is written."""
    parts = dict(part.split("=", 1) for part in rrule.split(";") if "=" in part)
    count, freq = parts.get("INTERVAL", "1"), parts.get("FREQ", "")
    if not parts.keys() <= _KNOWN or freq not in _UNITS:
        return f"by the rule {rrule}"
    often = f"every {_UNITS[freq]}" if count == "1" else f"every {count} {_UNITS[freq]}s"
    times = _times_of(parts)
    if not times:
        return often
    if freq in ("MONTHLY", "YEARLY"):
        of = "of " if freq == "MONTHLY" and count == "1" else ""
        return f"on {_date_in(parts)} {of}{often}{_say_times(times)}"
    codes = parts.get("BYDAY", "").split(",")
    days = _say_days([WEEKDAYS.index(code) for code in codes if code in WEEKDAYS], often)
    if freq == "WEEKLY" and count != "1":
        days = f"{often} on {days.removeprefix('every ')}"
    return f"{days}{_say_times(times)}"


def _date_in(parts: dict[str, str]) -> str:
    """ "the 1st", "the last Friday", "24 December"."""
    if nth := re.fullmatch(r"(-1|[1-5])([A-Z]{2})", parts.get("BYDAY", "")):
        which = "last" if nth[1] == "-1" else ordinal(int(nth[1]))
        return f"the {which} {_DAYS[WEEKDAYS.index(nth[2])]}"
    day = int(parts.get("BYMONTHDAY", "1"))
    if "BYMONTH" in parts:
        return f"{day} {datetime(2000, int(parts['BYMONTH']), 1):%B}"
    return "the last day" if day == -1 else f"the {ordinal(day)}"


def ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _times_of(parts: dict[str, str]) -> list[int]:
    """Minutes of the day."""
    hours, minutes, chosen = (
        [int(value) for value in parts.get(key, "").split(",") if value]
        for key in ("BYHOUR", "BYMINUTE", "BYSETPOS")
    )
    times = sorted(hour * 60 + minute for hour in hours for minute in minutes or [0])
    return [at for place, at in enumerate(times, start=1) if not chosen or place in chosen]


def _say_times(times: list[int]) -> str:
    steps = {after - before for before, after in pairwise(times)}
    shown = [clock(datetime(2000, 1, 1, at // 60, at % 60)) for at in times]
    if len(steps) == 1 and len(times) > 3:
        return f", every {say_seconds(steps.pop() * 60)} from {shown[0]} to {shown[-1]}"
    return f" at {listed(shown)}"


def _say_days(days: list[int], otherwise: str) -> str:
    if not days:
        return "every day" if otherwise == "every week" else otherwise
    return "every weekday" if days == [0, 1, 2, 3, 4] else f"every {listed([_DAYS[day] for day in days])}"


def _say_sun(trigger: Sun) -> str:
    offset = trigger.offset_seconds
    side = "before" if offset < 0 else "after"
    at = f"{say_seconds(abs(offset))} {side} {trigger.event}" if offset else f"at {trigger.event}"
    return at if trigger.once else f"{_say_days([*trigger.days], 'every day')} {at}"


# --- events


def _say_happening(trigger: Event) -> str:
    """An event that is over at once: "button 2 of the Wall Remote is pressed twice"; empty for a state."""
    if not trigger.resource.startswith("zwave://events"):
        return ""
    what, name = trigger.becomes, f"the {trigger.device}" if trigger.device else ""
    if pressed := _PRESSED.fullmatch(what):
        return f"{pressed['button'] + 'of ' if pressed['button'] else ''}{name} is {pressed['how']}"
    kind = what.removesuffix(" on").replace("_", " ")
    special = {"doorbell": f"{name or 'the doorbell'} rings", "tamper": f"somebody tampers with {name}"}
    if kind in special or not what.endswith(" on"):
        return special.get(kind, f"{name} is {kind.removeprefix('lock ')}")
    return f"{name} detects {kind}" if name else f"{kind} is detected"


def say_news(trigger: Event) -> str:
    """The sentence for when it has happened: "The Back Door is open." """
    if text := _say_happening(trigger):
        return f"{text[0].upper()}{text[1:]}."
    becomes = trigger.becomes
    return f"The {_name(trigger)} {f'is {becomes}' if becomes in _STATES else say_becoming(becomes)}."


def say_event(trigger: Event) -> str:
    word = "the next time" if trigger.once else "whenever"
    if text := _say_happening(trigger):
        return f"{word} {text}"
    held = f" and stays so for {say_seconds(trigger.seconds)}" if trigger.seconds else ""
    return f"{word} the {_name(trigger)} {say_becoming(trigger.becomes)}{held}"


def say_becoming(becomes: str) -> str:
    """ "opens", "tells a temperature below 18 degrees" """
    if becomes not in _VERBS and len(parts := becomes.split(" ")) == 3:
        side = "below" if parts[1] == "<" else "above"
        return f"tells a {parts[0]} {side} {parts[2]}{_MEASURED_IN.get(parts[0], '')}"
    return _VERBS.get(becomes, f"becomes {becomes}")


def _name(part: Event | Condition) -> str:
    return (part.device or part.resource).removeprefix("the ")


def _say_condition(condition: Condition) -> str:
    text = ""
    if condition.weekdays:
        days = listed([f"{_DAYS[day]}s" for day in condition.weekdays])
        text += f", only on {'weekdays' if condition.weekdays == (0, 1, 2, 3, 4) else days}"
    after, before = _say_bound(condition.after), _say_bound(condition.before)
    if after and before:
        text += f", between {after} and {before}"
    elif after or before:
        text += f", after {after}" if after else f", before {before}"
    if condition.resource:
        text += f", if the {_name(condition)} is {'not ' if condition.unless else ''}{condition.state}"
    return text


def _say_bound(text: str) -> str:
    return clock(datetime.fromisoformat(f"2000-01-01T{text}")) if ":" in text else text
