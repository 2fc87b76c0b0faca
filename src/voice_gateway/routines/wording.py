"""How routines are spoken of: their time spelled out."""

import re
from datetime import datetime, timedelta
from itertools import pairwise

from home_words.phrases import listed
from voice_gateway.routines.model import Condition, Event, Every, Once, Routine, Sun, Trigger
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.builtin.durations import say_seconds

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = {
    "SECONDLY": "second",
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}


def clock(moment: datetime) -> str:
    seconds = f":{moment:%S}" if moment.second else ""
    text = f"{moment:%I:%M}{seconds} {moment:%p}".lstrip("0")
    return text.replace(":00 ", " ") if not seconds else text


def on_day(moment: datetime, now: datetime) -> str:
    """ "at 7 PM today", "tomorrow at 7 AM", "on Friday, 20 November at 5 PM"; both in local time."""
    days = (moment.date() - now.date()).days
    if days == 0:
        return f"at {clock(moment)} today"
    if days == 1:
        return f"tomorrow at {clock(moment)}"
    return f"on {date_of(moment, now)} at {clock(moment)}"


def date_of(moment: datetime, now: datetime) -> str:
    year = f" {moment.year}" if moment.year != now.year else ""
    return f"{moment:%A}, {moment.day} {moment:%B}{year}"


def say_when(routine: Routine, now: datetime, place: Place, *, absolute: bool = False) -> str:
    """With the time spelled out; `absolute` is for what is read another day."""
    here = now.astimezone(place.zone)
    said = _trigger(routine.trigger, here, place, absolute=absolute)
    if isinstance(routine.trigger, Sun) and routine.next and not absolute:
        first = "" if routine.trigger.once else "the next time "
        said = f"{said}, {first}{on_day(routine.next.astimezone(place.zone).replace(second=0), here)}"
    if isinstance(routine.trigger, Every) and routine.next and _counted(routine.trigger) and not absolute:
        said += f", the next time {on_day(routine.next.astimezone(place.zone), here)}"
    if routine.condition is not None:
        said += _condition(routine.condition)
    if routine.until is not None:
        said += f" until {date_of(routine.until.astimezone(place.zone), here)}"
    return said


def _counted(trigger: Every) -> bool:
    """Every other day: which of the two, only the next time tells."""
    return "INTERVAL=" in trigger.rrule and "BYHOUR=" in trigger.rrule


def when_text(routine: Routine) -> str:
    """What is read as the same "when" again."""
    trigger = routine.trigger
    if isinstance(trigger, Once):
        return trigger.at.isoformat()
    if isinstance(trigger, Every):
        return f"RRULE:{trigger.rrule}"
    said = _sun(trigger) if isinstance(trigger, Sun) else say_event(trigger)
    return said + (_condition(routine.condition).replace(",", "") if routine.condition else "")


def _trigger(trigger: Trigger, here: datetime, place: Place, *, absolute: bool) -> str:
    if isinstance(trigger, Once):
        at = trigger.at.astimezone(place.zone)
        if absolute:
            return f"on {date_of(at, here)} at {clock(at)}"
        return on_day(at, here) if trigger.seconds is None else _after(trigger.seconds, at, here)
    if isinstance(trigger, Every):
        return say_rule(trigger.rrule)
    if isinstance(trigger, Sun):
        return _sun(trigger)
    return say_event(trigger)


def _after(seconds: float, at: datetime, here: datetime) -> str:
    at = (at + timedelta(microseconds=500_000)).replace(microsecond=0)
    shown = at if seconds < 120 else at.replace(second=0)
    return f"in {say_seconds(seconds)}, {on_day(shown, here)}"


_KNOWN = frozenset("FREQ INTERVAL BYHOUR BYMINUTE BYSECOND BYDAY BYMONTHDAY BYMONTH BYSETPOS".split())


def say_rule(rrule: str) -> str:
    """The rules that are made here; any other as it is written."""
    parts = dict(part.split("=", 1) for part in rrule.split(";") if "=" in part)
    count, freq = parts.get("INTERVAL", "1"), parts.get("FREQ", "")
    unit = _UNITS.get(freq, "")
    if not parts.keys() <= _KNOWN or not unit:
        return f"by the rule {rrule}"
    often = f"every {unit}" if count == "1" else f"every {count} {unit}s"
    times = _times_of(parts)
    if not times:
        return often
    if freq in ("MONTHLY", "YEARLY"):
        return f"on {_date_in(parts)} {often}{_times(times)}".replace(" every month", " of every month", 1)
    days = _days(parts, often)
    if freq == "WEEKLY" and count != "1":
        days = f"{often} on {days[6:]}"
    return f"{days}{_times(times)}"


def _date_in(parts: dict[str, str]) -> str:
    """ "the 1st", "the last Friday", "24 December"."""
    if found := re.fullmatch(r"(-1|[1-5])([A-Z]{2})", parts.get("BYDAY", "")):
        which = "last" if found[1] == "-1" else ordinal(int(found[1]))
        return f"the {which} {_DAYS[_CODES.index(found[2])]}"
    day = int(parts.get("BYMONTHDAY", "1"))
    if "BYMONTH" in parts:
        return f"{day} {datetime(2000, int(parts['BYMONTH']), 1):%B}"
    return f"the {'last day' if day == -1 else ordinal(day)}"


def _times_of(parts: dict[str, str]) -> list[int]:
    """Minutes of the day."""
    hours, minutes = (
        [int(one) for one in parts.get(key, "").split(",") if one] for key in ("BYHOUR", "BYMINUTE")
    )
    times = sorted(hour * 60 + minute for hour in hours for minute in minutes or [0])
    chosen = [int(one) for one in parts.get("BYSETPOS", "").split(",") if one]
    return [at for place, at in enumerate(times, start=1) if not chosen or place in chosen]


def _days(parts: dict[str, str], otherwise: str) -> str:
    days = [_CODES.index(code) for code in parts.get("BYDAY", "").split(",") if code in _CODES]
    if not days:
        return "every day" if otherwise == "every week" else otherwise
    if days == [0, 1, 2, 3, 4]:
        return "every weekday"
    return f"every {listed([_DAYS[day] for day in days])}"


def _times(times: list[int]) -> str:
    steps = {after - before for before, after in pairwise(times)}
    shown = [clock(datetime(2000, 1, 1, at // 60, at % 60)) for at in times]
    if len(steps) == 1 and len(times) > 3:
        return f", every {say_seconds(steps.pop() * 60)} from {shown[0]} to {shown[-1]}"
    return f" at {listed(shown)}"


def ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _sun(trigger: Sun) -> str:
    offset = trigger.offset_seconds
    side = "before" if offset < 0 else "after"
    at = f"{say_seconds(abs(offset))} {side} {trigger.event}" if offset else f"at {trigger.event}"
    if trigger.once:
        return at
    days = _days({"BYDAY": ",".join(_CODES[day] for day in trigger.days)}, "every day")
    return f"{days} {at}"


_VERBS = {
    "open": "opens", "closed": "closes", "locked": "is locked", "unlocked": "is unlocked",
    "on": "is switched on", "off": "is switched off", "motion": "sees motion", "no motion": "sees no motion",
}  # fmt: skip


_MEASURED_IN = {
    "battery": " percent", "humidity": " percent", "temperature": " degrees", "power": " watts",
    "light": " lux",
}  # fmt: skip
_STATES = ("open", "closed", "locked", "unlocked", "on", "off")


_PRESSED = re.compile(r"(?P<button>button \d )?(?:button )?(?P<how>pressed.*|held|released)")


def _happening(trigger: Event) -> str:
    """Of what is over when it is told: "button 2 of the Wall Remote is pressed twice"; "" of a state."""
    if not trigger.resource.startswith("zwave://events"):
        return ""
    what, name = trigger.becomes, f"the {trigger.device}" if trigger.device else ""
    if pressed := _PRESSED.fullmatch(what):
        button = f"{pressed['button']}of " if pressed["button"] else ""
        return f"{button}{name} is {pressed['how']}"
    kind = what.removesuffix(" on").replace("_", " ")
    told = {"doorbell": f"{name or 'the doorbell'} rings", "tamper": f"somebody tampers with {name}"}
    if kind in told or not what.endswith(" on"):
        return told.get(kind, f"{name} is {kind.removeprefix('lock ')}")
    return f"{name} detects {kind}" if name else f"{kind} is detected"


def say_news(trigger: Event) -> str:
    """What is told when it has happened: "The Back Door is open." """
    if told := _happening(trigger):
        return f"{told[0].upper()}{told[1:]}."
    name = (trigger.device or trigger.resource).removeprefix("the ")
    becomes = trigger.becomes
    return f"The {name} {f'is {becomes}' if becomes in _STATES else say_becoming(becomes)}."


def say_event(trigger: Event) -> str:
    name = trigger.device or trigger.resource
    word = "the next time" if trigger.once else "whenever"
    if told := _happening(trigger):
        return f"{word} {told}"
    held = f" and stays so for {say_seconds(trigger.seconds)}" if trigger.seconds else ""
    return f"{word} the {name.removeprefix('the ')} {say_becoming(trigger.becomes)}{held}"


def say_becoming(becomes: str) -> str:
    """ "opens", "tells a temperature below 18 degrees" """
    if becomes not in _VERBS and len(parts := becomes.split(" ")) == 3:
        side = "below" if parts[1] == "<" else "above"
        return f"tells a {parts[0]} {side} {parts[2]}{_MEASURED_IN.get(parts[0], '')}"
    return _VERBS.get(becomes, f"becomes {becomes}")


def _condition(condition: Condition) -> str:
    said = ""
    if condition.weekdays:
        days = [f"{_DAYS[day]}s" for day in condition.weekdays]
        said += f", only on {'weekdays' if condition.weekdays == (0, 1, 2, 3, 4) else listed(days)}"
    if condition.after and condition.before:
        said += f", between {_bound(condition.after)} and {_bound(condition.before)}"
    elif condition.after:
        said += f", after {_bound(condition.after)}"
    elif condition.before:
        said += f", before {_bound(condition.before)}"
    if condition.resource:
        name = (condition.device or condition.resource).removeprefix("the ")
        said += f", if the {name} is {'not ' if condition.unless else ''}{condition.state}"
    return said


def _bound(text: str) -> str:
    return clock(datetime.fromisoformat(f"2000-01-01T{text}")) if ":" in text else text
