"""How routines are spoken of: their time spelled out."""

from datetime import datetime, timedelta
from itertools import pairwise

from home_words.phrases import listed
from voice_gateway.routines.model import Condition, Event, Every, Once, Routine, Sun, Trigger
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.builtin.durations import say_seconds

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = {"SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week"}


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
        said = f"{said}, {first}{on_day(routine.next.astimezone(place.zone), here)}"
    if routine.condition is not None:
        said += _condition(routine.condition)
    if routine.until is not None:
        said += f" until {date_of(routine.until.astimezone(place.zone), here)}"
    return said


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


def say_rule(rrule: str) -> str:
    """The rules that are made here; any other as it is written."""
    parts = dict(part.split("=", 1) for part in rrule.split(";") if "=" in part)
    count = parts.get("INTERVAL", "1")
    unit = _UNITS.get(parts.get("FREQ", ""), "")
    often = f"every {unit}" if count == "1" else f"every {count} {unit}s"
    hours, minutes = parts.get("BYHOUR", "").split(","), parts.get("BYMINUTE", "0").split(",")
    known = {"FREQ", "INTERVAL", "BYHOUR", "BYMINUTE", "BYSECOND", "BYDAY", "BYMONTHDAY"} >= parts.keys()
    if not known or not (unit or parts.get("FREQ") == "MONTHLY"):
        return f"by the rule {rrule}"
    if hours == [""]:
        return often
    if len(hours) * len(minutes) > 1:
        return f"{_days(parts, 'every day')}{_times(hours, minutes)}"
    at = clock(datetime(2000, 1, 1, int(hours[0]), int(minutes[0])))
    if parts["FREQ"] == "MONTHLY":
        day = int(parts.get("BYMONTHDAY", "1"))
        named = "last day" if day == -1 else ordinal(day)
        months = "every month" if count == "1" else f"every {count} months"
        return f"on the {named} of {months} at {at}"
    days = _days(parts, often)
    return (
        f"{days} at {at}" if parts["FREQ"] != "WEEKLY" or count == "1" else f"{often} on {days[6:]} at {at}"
    )


def _days(parts: dict[str, str], otherwise: str) -> str:
    days = [_CODES.index(code) for code in parts.get("BYDAY", "").split(",") if code in _CODES]
    if not days:
        return otherwise
    if days == [0, 1, 2, 3, 4]:
        return "every weekday"
    return f"every {listed([_DAYS[day] for day in days])}"


def _times(hours: list[str], minutes: list[str]) -> str:
    times = sorted(int(hour) * 60 + int(minute) for hour in hours for minute in minutes)
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


def say_event(trigger: Event) -> str:
    becomes = _VERBS.get(trigger.becomes)
    if becomes is None and (parts := trigger.becomes.split(" ")) and len(parts) == 3:
        side = "below" if parts[1] == "<" else "above"
        unit = (
            " percent"
            if parts[0] in ("battery", "humidity")
            else " degrees"
            if parts[0] == "temperature"
            else ""
        )
        becomes = f"tells a {parts[0]} {side} {parts[2]}{unit}"
    name = trigger.device or trigger.resource
    word = "the next time" if trigger.once else "whenever"
    held = f" and stays so for {say_seconds(trigger.seconds)}" if trigger.seconds else ""
    return f"{word} the {name.removeprefix('the ')} {becomes or f'becomes {trigger.becomes}'}{held}"


def _condition(condition: Condition) -> str:
    said = ""
    if condition.weekdays:
        codes = ",".join(_CODES[day] for day in condition.weekdays)
        said += f", {_days({'BYDAY': codes}, '')} only".replace("every ", "on ", 1)
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
