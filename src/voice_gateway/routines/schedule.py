"""When a routine is due next: rules, the sun, and the hours that daylight saving skips or repeats."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice

from voice_gateway.routines.model import Condition, Every, Once, Routine, Sun, Trigger

DAYS_AHEAD = 400  # how far the next sunset is looked for; in the far north it may be months away
MOST_LOOKED_AT = 5000  # occurrences of a rule, which may never come
_WEEK = timedelta(weeks=1)
_SIZES = {
    "WEEKLY": _WEEK,
    "DAILY": timedelta(days=1),
    "HOURLY": timedelta(hours=1),
    "MINUTELY": timedelta(minutes=1),
    "SECONDLY": timedelta(seconds=1),
}
_TICKING = ("FREQ=HOURLY", "FREQ=MINUTELY", "FREQ=SECONDLY")


class NoPlace(Exception):
    """The home's latitude and longitude are not set, so its sunrise and sunset are unknown."""


@dataclass(frozen=True, slots=True)
class Place:
    """The home's time zone, and its coordinates if they are set."""

    zone: tzinfo
    latitude: float | None = None
    longitude: float | None = None

    @property
    def coordinates(self) -> tuple[float, float] | None:
        return None if self.latitude is None or self.longitude is None else (self.latitude, self.longitude)

    @property
    def has_sun(self) -> bool:
        return self.coordinates is not None


def next_run(trigger: Trigger, after: datetime, place: Place) -> datetime | None:
    """The first moment after `after`, in UTC; None if there is none, or an event starts the routine."""
    if isinstance(trigger, Once):
        return trigger.at if trigger.at > after else None
    if isinstance(trigger, Every):
        return next(_of_rule(trigger, after, place.zone), None)
    if isinstance(trigger, Sun):
        return next(_of_sun(trigger, after, place), None)
    return None


def due_next(routine: Routine, after: datetime, place: Place) -> datetime | None:
    """The same for a routine, up to its end and without the days that are left out."""
    moment = next_run(routine.trigger, after, place)
    while moment is not None and moment.astimezone(place.zone).date() in routine.left_out:
        moment = next_run(routine.trigger, moment, place)
    return None if moment is None or (routine.until and moment > routine.until) else moment


# --- local time


def on_clock(wall: datetime, zone: tzinfo, not_before: datetime | None = None) -> datetime:
    """The moment in UTC at which a clock on the wall shows this.

    What the clocks skip is the first moment behind the gap. What they show twice is the first of the two,
    or the second where the first is not behind `not_before`.
    """
    for fold in (0, 1):
        moment = wall.replace(tzinfo=zone, fold=fold).astimezone(UTC)
        if moment.astimezone(zone).replace(tzinfo=None, fold=0) != wall:
            return _behind_gap(wall, zone)
        if not_before is None or moment > not_before:
            return moment
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _behind_gap(wall: datetime, zone: tzinfo) -> datetime:
    """The first moment after the hour that the clocks skip; they change at whole minutes."""
    moment = wall.replace(second=0, microsecond=0, tzinfo=zone, fold=1).astimezone(UTC)
    offset = moment.astimezone(zone).utcoffset()
    while moment.astimezone(zone).utcoffset() == offset:
        moment += timedelta(minutes=1)
    return moment


# --- rules


def _of_rule(trigger: Every, after: datetime, zone: tzinfo) -> Iterator[datetime]:
    from dateutil.rrule import rrulestr

    ticking = trigger.rrule.startswith(_TICKING) and "BYHOUR" not in trigger.rrule
    there = UTC if ticking else zone  # every twenty minutes: daylight saving does not matter
    start = trigger.start.astimezone(there).replace(tzinfo=None, microsecond=0)
    # From a day before, because a skipped time is later than the rule has it.
    since = max(after.astimezone(there).replace(tzinfo=None) - timedelta(days=0 if ticking else 1), start)
    rule = rrulestr(trigger.rrule, dtstart=_nearer(start, since, trigger.rrule))
    for wall in islice(rule.xafter(since, inc=True), MOST_LOOKED_AT):
        moment = wall.replace(tzinfo=UTC) if ticking else on_clock(wall, zone)
        if moment > after:
            yield moment


def _nearer(start: datetime, since: datetime, rrule: str) -> datetime:
    """A later start with the same occurrences after `since`, so that years are not counted each time."""
    parts = dict(part.split("=", 1) for part in rrule.upper().split(";") if "=" in part)
    size = _SIZES.get(parts.get("FREQ", ""))
    anchored = {"COUNT", "BYSETPOS"} & parts.keys() or (size == _WEEK and "BYDAY" not in parts)
    if size is None or anchored or not parts.get("INTERVAL", "1").isdecimal():
        return start
    step = size * int(parts.get("INTERVAL", "1"))
    return start + max(0, (since - start) // step - 1) * step if step else start


def check_rule(rrule: str) -> None:
    """ValueError if it is no rule."""
    from dateutil.rrule import rrulestr

    rrulestr(rrule, dtstart=datetime(2000, 1, 1))


# --- the sun


def _of_sun(trigger: Sun, after: datetime, place: Place) -> Iterator[datetime]:
    offset = timedelta(seconds=trigger.offset_seconds)
    first = (after.astimezone(place.zone) - offset).date()
    for day in (first + timedelta(days=days) for days in range(-1, DAYS_AHEAD)):
        if trigger.days and day.weekday() not in trigger.days:
            continue
        moment = sun_on(trigger.event, day, place)
        if moment is not None and moment + offset > after:
            yield moment + offset


def sun_on(event: str, day: date, place: Place) -> datetime | None:
    """To the second; None if the sun does not rise or set on that day."""
    if place.coordinates is None:
        raise NoPlace
    from astral import Observer
    from astral import sun as of_sun

    try:
        moment = getattr(of_sun, event)(Observer(*place.coordinates), date=day, tzinfo=place.zone)
    except ValueError:
        return None
    return moment.astimezone(UTC).replace(microsecond=0)  # type: ignore[no-any-return]


# --- conditions of the clock


def holds_at(condition: Condition, now: datetime, place: Place) -> bool:
    here = now.astimezone(place.zone)
    if condition.weekdays and here.weekday() not in condition.weekdays:
        return False
    after, before = (_bound(text, here, place) for text in (condition.after, condition.before))
    if before is None and condition.after in ("sunset", "dusk"):  # it is dark until the sun rises
        before = _bound("sunrise" if condition.after == "sunset" else "dawn", here, place)
    is_after, is_before = after is None or here.time() >= after, before is None or here.time() < before
    over_midnight = after is not None and before is not None and after > before
    return is_after or is_before if over_midnight else is_after and is_before


def _bound(text: str, here: datetime, place: Place) -> time | None:
    if not text:
        return None
    if ":" in text:
        return time.fromisoformat(text)
    moment = sun_on(text, here.date(), place)
    return moment.astimezone(place.zone).time() if moment else None
