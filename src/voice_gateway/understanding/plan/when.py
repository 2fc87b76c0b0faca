"""`When` → what starts a routine: a moment, a rule, the sun or an event, and on what condition it counts."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from voice_gateway import languages
from voice_gateway.routines.model import WEEKDAYS, Every, Later, Missing, Once, Sun, later_of
from voice_gateway.routines.schedule import NoPlace, Place, check_rule, next_run, on_clock, sun_on
from voice_gateway.understanding.nodes import (
    Clock,
    Day,
    Event,
    Length,
    Repeat,
    Unread,
    When,
    altered,
    bare,
    opened,
    unread,
)
from voice_gateway.understanding.nodes import Sun as SaidSun
from voice_gateway.understanding.plan import Context, Refused, Say

if TYPE_CHECKING:
    from voice_gateway.understanding.reader import Reader

T = TypeVar("T")
LONGEST_DAYS: Final = 366 * 5  # what lies further ahead is a slip of the tongue
MOST_OFTEN: Final = 10  # seconds
# Hours at which a part of the day begins where no other is named.
PART_HOURS: Final = {"morning": 8, "noon": 12, "afternoon": 15, "evening": 19, "night": 22, "tonight": 21}
MINUTE, HOUR, DAY, WEEK, MONTH, YEAR = 60.0, 3600.0, 86400.0, 604800.0, 2629800.0, 31557600.0
FREQUENCIES: Final = {
    1.0: "SECONDLY", MINUTE: "MINUTELY", HOUR: "HOURLY", DAY: "DAILY", WEEK: "WEEKLY", MONTH: "MONTHLY",
}  # fmt: skip
DAYS_OF: Final = {"week": (0, 1, 2, 3, 4), "weekend": (5, 6)}
NOBODY_MEANS: Final = range(1, 4)  # of another day, the middle of the night
LEAP_YEAR: Final = 2024
EASTER, THANKSGIVING = 100, 200  # codes of `Day.feast`


class Unclear(Refused):
    """The time cannot be kept as it was said; `reply` says why or asks."""

    def __init__(self, key: str, **facts: Any) -> None:
        self.reply = Say(key, facts)
        super().__init__(f"when: {key}", self.reply)


@dataclass(frozen=True)
class Moment:
    """The clock and the day of now, and the place."""

    now: datetime
    place: Place

    @property
    def here(self) -> datetime:
        return self.now.astimezone(self.place.zone)

    @property
    def today(self) -> date:
        return self.here.date()

    @property
    def start(self) -> datetime:
        """The start of a rule that begins now."""
        return self.now.astimezone(UTC).replace(microsecond=0)

    def on(self, day: date, minutes: int) -> datetime:
        """The moment at this minute of the day; 1440 is the midnight after it."""
        day, minutes = day + timedelta(days=minutes // 1440), minutes % 1440
        return on_clock(datetime.combine(day, time(minutes // 60, minutes % 60)), self.place.zone, self.now)


@dataclass
class Said:
    """The days, times and repetitions of a `When`, gathered from all of its parts."""

    when: When
    part: str = ""
    day: date | None = None
    next_day: date | None = None  # meant where the time of the day itself has passed
    every: tuple[int, ...] | None = None  # weekdays; none of them: every day
    often: tuple[float, float] | None = None  # how many of which unit
    monthly: Repeat | None = None
    yearly: bool = False
    clocks: Sequence[Clock] = ()
    sun: SaidSun | None = None
    until: When | None = None
    event: Event | None = None

    @property
    def again(self) -> bool:
        return self.every is not None or self.often is not None or self.monthly is not None or self.yearly

    @property
    def is_moment(self) -> bool:
        """Whether it can start something by itself, unlike hours or days of the week alone."""
        days = self.day or self.often or self.monthly or self.yearly
        return bool(self.clocks or days or self.sun or self.when.after)


def meant(when: When, context: Context) -> Later:
    """The trigger and its condition. Raises `Unclear` where there is none, or it cannot be kept."""
    from voice_gateway.understanding.plan.events import condition_of, event_of

    moment = moment_of(context)
    try:
        said = gathered(when, moment)
        if said.event is not None and not (said.event.is_so and not said.event.held and said.is_moment):
            return event_of(said.event, said, context)
        later = _triggered(said, moment)
        condition = condition_of(when, context, said.event)
    except NoPlace:
        raise Unclear("when.no_place") from None
    if later.back and condition is not None:
        raise Unclear("when.from_now")
    later = replace(later, condition=condition, until=None if later.back else _end(said, moment))
    if isinstance(later.trigger, Once) and later.trigger.at - moment.now > timedelta(days=LONGEST_DAYS):
        raise Unclear("when.far")
    if not next_run(later.trigger, moment.now, moment.place):
        raise Unclear("when.never")
    return later


def moment_of(context: Context) -> Moment:
    if context.now is None or context.place is None:
        raise Unclear("when.nobody")
    return Moment(context.now, context.place)


def merged(first: When, second: When | None) -> When:
    """Joins two halves of one time ("tomorrow … at 8"); unclear if both say the same part differently."""
    changes: dict[str, Any] = {}
    for known in fields(When) if second is not None else ():
        mine, other = getattr(first, known.name), getattr(second, known.name)
        if other == known.default:
            continue
        if not isinstance(other, tuple) and mine not in (known.default, other):
            raise Unclear("when.two")
        changes[known.name] = (*mine, *other) if isinstance(other, tuple) else other
    return altered(first, **changes) if changes else first


# --- days


def gathered(when: When, moment: Moment) -> Said:
    said = Said(when, _only(when.part) or "", clocks=when.clock, sun=_only(when.sun))
    said.until, said.event = _only(when.until), _only(when.event)
    if when.today or said.part == "tonight":
        said.day = moment.today
    if (day := _only(when.day)) is not None:
        said.day, said.next_day = day_of(day, moment.today)
    for repeat in when.repeat:
        _take_repeat(said, repeat)
    without = {day for one in when.repeat for day in (*_days(one.without), *map(int, one.without_day))}
    if without:
        if said.every is None:
            raise Unclear("when.exactly")
        said.every = tuple(day for day in said.every or range(7) if day not in without)
        if not said.every:
            raise Unclear("when.no_day")
    return said


def _only(values: Sequence[Any]) -> Any:
    """The only value; None if there is none, unclear if there are two."""
    if len({bare(one) for one in values}) > 1:
        raise Unclear("when.two")
    return values[0] if values else None


def _days(sets: Sequence[str]) -> tuple[int, ...]:
    return tuple(day for one in sets for day in DAYS_OF[one])


def _take_repeat(said: Said, repeat: Repeat) -> None:
    said.part = repeat.part or said.part
    said.yearly = said.yearly or repeat.yearly
    if repeat.monthly:
        said.monthly = repeat
        return
    days = {*_days(repeat.days), *map(int, repeat.weekday)}
    if repeat.first is not None and repeat.last is not None:
        first, last = int(repeat.first), int(repeat.last)
        days = {(first + day) % 7 for day in range((last - first) % 7 + 1)}
    if days or repeat.daily or (repeat.number == 1 and repeat.unit == DAY):
        said.every = tuple(sorted({*(said.every or ()), *days}))
    elif repeat.number is None:
        return
    if repeat.number is not None and (repeat.number, repeat.unit) != (1, DAY):
        said.often = _often_of(repeat.number, repeat.unit)


def _often_of(number: float, unit: float) -> tuple[float, float]:
    smaller = {HOUR: MINUTE, MINUTE: 1.0}
    if unit == YEAR:
        raise Unclear("when.which_day")
    if not number % 1:
        return number, unit
    if unit not in smaller or number * 60 % 1:
        raise Unclear("when.exactly")
    return number * 60, smaller[unit]


def day_of(day: Day, today: date) -> tuple[date, date | None]:
    """The day, and the following such day, which is meant if the time has passed today."""
    if day.ahead is not None:
        return today + timedelta(days=min(day.ahead + 7 * day.weeks, 99_999)), None
    if day.feast is not None and day.feast >= EASTER - 10:
        feasts = [_moved_feast(day.feast, today.year + later) for later in (0, 1)]
        return next(one for one in feasts if one >= today), None
    if day.weekday is not None:
        return _weekday(day, int(day.weekday), today)
    if day.feast is not None:
        month, number = divmod(round(day.feast * 100), 100)
        return _dated(today, number, month)
    if day.date is None:
        raise Unclear("when.exactly")
    return _dated(today, day.date, day.month, day.year if day.month is not None else None)


def _dated(
    today: date, number: float, month: float | None = None, year: float | None = None
) -> tuple[date, date | None]:
    """The next two days with this date, starting today; with a year there is only one."""
    from dateutil.rrule import MONTHLY, YEARLY, rrule

    number, month = int(number), None if month is None else int(month)
    try:
        found = date(int(year or LEAP_YEAR), month or 1, number)
    except ValueError:
        raise Unclear("when.no_such_day") from None
    if year is not None:
        if found < today:
            raise Unclear("when.over")
        return found, None
    midnight = datetime.combine(today, time())
    days = rrule(YEARLY if month else MONTHLY, bymonth=month, bymonthday=number, dtstart=midnight)
    first, second = islice(days, 2)
    return first.date(), second.date()


def _moved_feast(number: float, year: int) -> date:
    from dateutil import easter, relativedelta

    if number < THANKSGIVING:
        found: date = easter.easter(year) + timedelta(days=number - EASTER)
    else:
        found = date(year, 11, 1) + relativedelta.relativedelta(weekday=relativedelta.TH(4))
    return found


def _weekday(day: Day, number: int, today: date) -> tuple[date, date | None]:
    if day.date is not None:
        found, _ = _dated(today, day.date)
        if found.weekday() != number:
            raise Unclear(
                "when.other_weekday",
                text=languages.dated(found, "%-d %B"),
                weekday=languages.dated(found, "%A"),
            )
        return found, None
    following = 7 if day.next else 0  # of today
    ahead = (number - today.weekday()) % 7 or following
    ahead += 7 if day.week and ahead <= 6 - today.weekday() else 0
    found = today + timedelta(days=ahead + 7 * min(day.weeks, 9_999))
    return found, found + timedelta(days=7)


def offset(when: When, moment: Moment) -> datetime:
    """The moment so long from now, in the zone of the home. Days keep the time of day, hours are absolute."""
    if not when.after:
        day = gathered(when, moment).day
        if day is None or when.past:
            raise Unclear("when.exactly")
        return _wall(day, moment)
    sign = -1 if when.past else 1
    parts = [Length(sign * part.number, part.unit, sign * part.plus) for part in when.after]
    try:
        day, seconds = _shifted(moment.today, parts), seconds_of([one for one in parts if one.unit < DAY])
        at = moment.here if day == moment.today else _wall(day, moment)
        return (at.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(moment.place.zone)
    except (OverflowError, ValueError):
        raise Unclear("when.far") from None


def _wall(day: date, moment: Moment) -> datetime:
    wall = datetime.combine(day, moment.here.time())
    return on_clock(wall, moment.place.zone).astimezone(moment.place.zone)


# --- lengths and clocks


def seconds_of(parts: Sequence[Length]) -> float:
    """The sum in seconds; a month and a year count as their average."""
    return sum((part.number + part.plus) * part.unit for part in parts)


def _shifted(day: date, parts: Sequence[Length]) -> date:
    from dateutil.relativedelta import relativedelta

    months = sum(part.number * (12 if part.unit == YEAR else 1) for part in parts if part.unit >= MONTH)
    days = sum(part.number * part.unit / DAY for part in parts if DAY <= part.unit < MONTH)
    if months % 1 or days % 1:
        raise Unclear("when.exactly")
    found: date = day + relativedelta(months=int(months), days=int(days))
    return found


def minutes_of(clock: Clock, part: str = "") -> list[int]:
    """The minutes of the day that can be meant, in order; 1440 is midnight."""
    hour, minute, half = clock.hour, clock.minute, clock.half or part
    if clock.text:
        hour, minute = map(float, clock.text.split(":"))
    if hour is not None and hour >= 100 and not minute:  # "1030", "1800 hours"
        hour, minute = divmod(hour, 100)
    whole = hour is not None and not hour % 1 and not minute % 1 and minute < 60 and clock.before < 60
    if not whole or hour is None or hour > (12 if clock.half == "am" else 24):
        raise Unclear("when.no_such_time")
    if hour == 24 and minute and not clock.named:
        raise Unclear("when.no_such_time")
    hours = [0 if hour == 24 and minute else int(hour)]
    if not clock.named and 1 <= hour <= 12 and clock.text[:1] != "0":
        hours = _halves(int(hour), half)
    found = [one * 60 + int(minute) - int(clock.before) for one in hours]
    return sorted(one + 1440 if one < 0 else one for one in found)


def _halves(hour: int, half: str) -> list[int]:
    """The hours of the day that "8" can be: in this half, or in both."""
    early, late = hour % 12, hour % 12 + 12
    if half in ("am", "morning"):
        return [early]
    if half in ("pm", "afternoon", "evening"):
        return [late]
    if half == "noon":
        return [late if hour == 12 or hour < 6 else hour]
    if half in ("night", "tonight"):
        return [24 if hour == 12 else hour if hour < 5 else late]
    return [12, 24] if hour == 12 else [early, late]


def _minutes(said: Said, clock: Clock | None = None) -> list[int]:
    """Minutes of the day of the clock time, else of the part of the day."""
    if clock is None and not said.clocks:
        if not said.part:
            raise Unclear("when.at_what_time")
        return [PART_HOURS[said.part] * 60]
    found = minutes_of(clock or said.clocks[0], said.part)
    other_day = said.day is not None or said.every is not None or said.monthly is not None
    return found[1:] if len(found) == 2 and other_day and found[0] // 60 in NOBODY_MEANS else found


def hours_between(between: Sequence[Clock], part: str) -> tuple[int, int]:
    """First and last minute of the day: "8 and 10 pm" are in one half of the day, "8 and 6" in both."""
    start, end, *_ = between
    starts, ends = minutes_of(start), minutes_of(end, part)
    first, last = starts[0], ends[0]
    if last <= first and len(ends) > 1:
        last = ends[1]
    if len(ends) == 1 and len(starts) > 1 and starts[1] < last and (end.half or part):
        first = starts[1]
    return first, last


# --- what starts it


def _triggered(said: Said, moment: Moment) -> Later:
    when = said.when
    if when.vague or when.past:
        raise Unclear("when.exactly")
    if len(said.clocks) > 1 and (not said.again or said.often is not None):
        raise Unclear("when.two")
    if when.during or (said.until is not None and not said.again):
        return _for_a_while(said, moment)
    if said.often is not None and said.often[1] < DAY:
        return _ticking(said, *said.often, moment)
    if said.sun is not None:
        return _sun(said, said.sun, moment)
    if said.again:
        return _again(said, moment)
    if when.after:
        return _after(said, when.after, moment)
    if said.clocks or said.part or said.day:
        return _at(said, moment)
    raise Unclear("when.between" if when.between else "when.exactly")


def _for_a_while(said: Said, moment: Moment) -> Later:
    """The moment at which what is done now is taken back."""
    when = said.when
    if said.clocks or said.day or when.after or said.sun or said.again or said.event:
        raise Unclear("when.from_now")
    if when.during:
        back = _after(said, when.during, moment)
    else:
        assert said.until is not None
        end = gathered(said.until, moment)
        back = _sun(end, end.sun, moment) if end.sun is not None else _at(end, moment)
    return replace(back, back=True, note="")


def _sun(said: Said, sun: SaidSun, moment: Moment) -> Later:
    seconds = round(seconds_of(sun.ahead)) * (-1 if sun.before else 1)
    if said.often or said.monthly or said.yearly:
        raise Unclear("when.exactly")
    if said.day is None or said.again:
        if not moment.place.has_sun:
            raise NoPlace
        days = said.every or ()
        return Later(Sun(sun.event, seconds, days=days if len(days) < 7 else (), once=not said.again))
    found = sun_on(sun.event, said.day, moment.place)
    if found is None:
        raise Unclear("when.never")
    at = found + timedelta(seconds=seconds)
    if at <= moment.now:
        raise Unclear("when.over_today")
    return Later(Once(at))


def _after(said: Said, span: Sequence[Length], moment: Moment) -> Later:
    if any(part.unit >= DAY for part in span) and (said.clocks or said.part):
        return _at(replace(said, day=_shifted(moment.today, span)), moment)
    if any(part.unit >= MONTH for part in span):
        return Later(Once(_wall(_shifted(moment.today, span), moment)))
    seconds = seconds_of(span)
    if seconds < 1:
        raise Unclear("when.exactly")
    if seconds > LONGEST_DAYS * DAY:
        raise Unclear("when.far")
    at = moment.now + timedelta(seconds=seconds)
    # Its microseconds say that time must pass, whatever the clock shows.
    return Later(Once(at if at.microsecond else at.replace(microsecond=1), seconds))


def _at(said: Said, moment: Moment) -> Later:
    found, note = _minutes(said), ""
    days = [said.day] if said.day else [moment.today, moment.today + timedelta(days=1)]
    moments = [moment.on(day, minutes) for day in days for minutes in found]
    at = next((one for one in moments if one > moment.now), None)
    instead = said.next_day or moment.today + timedelta(days=1)
    if at is None and said.day == moment.today:
        at = moment.on(instead, found[0])
    if at is None:
        raise Unclear("when.over")
    passed = moments[0] <= moment.now and (len(found) == 1 or said.day == moment.today)
    if passed and at.astimezone(moment.place.zone).date() > moment.today:
        key = "when.passed_day" if said.day and said.next_day else "when.passed"
        note = languages.say(key, text=languages.dated(instead, languages.say("clock.day")))
    return Later(Once(at), note=note)


def _again(said: Said, moment: Moment) -> Later:
    """A rule with times of the day."""
    amount, unit = said.often or (1, DAY)
    if amount < 1:
        raise Unclear("when.too_often")
    days, monthly, day = said.every or (), said.monthly, said.day or moment.today
    times = [_minutes(said, clock)[0] for clock in said.clocks or (None,)]
    if times == [1440] and days:  # the midnight behind the day, as always
        days = tuple(sorted((number + 1) % 7 for number in days))
    rule, by = FREQUENCIES[unit], f"BYDAY={_codes(days)}" if 0 < len(days) < 7 else ""
    if said.yearly:
        if said.day is None:
            raise Unclear("when.which_day")
        rule, by = "YEARLY", f"BYMONTH={day.month};BYMONTHDAY={day.day}"
    elif monthly is not None and monthly.nth is not None:
        rule, by = "MONTHLY", f"BYDAY={monthly.nth:g}{_codes([int(monthly.weekday[0])])}"
    elif monthly is not None or unit == MONTH:
        rule, by = "MONTHLY", f"BYMONTHDAY={(monthly.date or 1) if monthly else day.day:g}"
    elif unit == WEEK or (by and amount == 1):
        rule, by = "WEEKLY", by or f"BYDAY={_codes([day.weekday()])}"
    interval = f"INTERVAL={amount:g}" if amount > 1 else ""
    at = times_rule([one % 1440 for one in times])
    start = moment.on(day, 0) if said.day and not said.yearly else moment.start
    plain, spaced = (";".join(filter(None, (f"FREQ={rule}", n, by, at))) for n in ("", interval))
    if interval and said.day is None:  # counted from the first that comes
        start = next_run(Every(plain, moment.on(day, 0)), moment.now, moment.place) or start
    return Later(Every(spaced, start))


def _codes(days: Sequence[int]) -> str:
    return ",".join(WEEKDAYS[day] for day in days)


def times_rule(times: Sequence[int]) -> str:
    """The part of a rule for these minutes of the day."""
    hours, minutes = sorted({at // 60 for at in times}), sorted({at % 60 for at in times})
    every = [hour * 60 + minute for hour in hours for minute in minutes]
    rule = f"BYHOUR={','.join(map(str, hours))};BYMINUTE={','.join(map(str, minutes))};BYSECOND=0"
    chosen = [place for place, at in enumerate(every, start=1) if at in times]
    return rule if len(chosen) == len(every) else f"{rule};BYSETPOS={','.join(map(str, chosen))}"


def _ticking(said: Said, amount: float, unit: float, moment: Moment) -> Later:
    """A rule for every so many minutes: all day, or between two times of each day."""
    days = said.every or ()
    by_day = f";BYDAY={_codes(days)}" if 0 < len(days) < 7 else ""
    if amount < 1 or (unit == 1 and amount < MOST_OFTEN):
        raise Unclear("when.too_often")
    if not said.when.between:
        if by_day or said.clocks or said.sun:
            raise Unclear("when.from_to")
        interval = f";INTERVAL={amount:g}" if amount > 1 else ""
        return Later(Every(f"FREQ={FREQUENCIES[unit]}{interval}", moment.start))
    first, last = hours_between(said.when.between, said.part)
    step = int(amount * unit // MINUTE)
    if not step or last <= first:
        raise Unclear("when.from_to")
    times = list(range(first, last + 1, step))
    if 60 % step == 0 and step < 60:  # a quarter of an hour goes on up to the hour, without it
        times = [at for at in times if at < last]
    return Later(Every(f"FREQ=DAILY{by_day};{times_rule(times)}", moment.start))


def _end(said: Said, moment: Moment) -> datetime | None:
    """The last moment of the day until which a rule holds."""
    if said.until is None:
        return None
    day = gathered(said.until, moment).day
    if day is None:
        raise Unclear("when.until_day")
    return on_clock(datetime.combine(day, time(23, 59, 59)), moment.place.zone)


# --- words of a tool call


def written(text: str, moment: Moment) -> Later | Missing | None:
    """An ISO time, a rule or what `later_text` has written; None where it is none of these."""
    try:
        if text.startswith("{"):
            return later_of(text)
        if text.startswith("RRULE:"):
            check_rule(text.removeprefix("RRULE:"))
            return Later(Every(text.removeprefix("RRULE:"), moment.start))
        if len(text) > 10 and text[:4].isdecimal() and text[10] == "T":
            at = datetime.fromisoformat(text)
            at = at if at.tzinfo is not None else on_clock(at, moment.place.zone)
            key = "when.time_over"
            return Later(Once(at.astimezone(UTC))) if at > moment.now else Missing(languages.say(key))
    except (ValueError, json.JSONDecodeError):
        return Missing(languages.say("when.never"))
    return None


def when_of(text: str, reader: "Reader", context: Context) -> Later | Missing | None:
    """The meaning of the parameter `when` of the routine tools: words, or what a program wrote."""
    known = written(text.strip(), moment_of(context))
    return known or first_meant(text, reader, "When.spoken", lambda node: meant(node, context))


def first_meant(text: str, reader: "Reader", rule: str, take: Callable[[When], T]) -> T | Missing | None:
    """The meaning of the first reading that has one, else the problem of the first reading."""
    problem: Missing | None = None
    said = reader.tokens(text)
    for readings in reader.passes(said, rule) if not said.cut else ():
        for reading in readings:
            node = opened(reading.node)
            assert isinstance(node, When)
            try:
                taken = take(node)
            except Unclear as unclear:
                from voice_gateway.understanding.wording import say

                problem = problem or Missing(say(unclear.reply, reader.index.home))
                continue
            except Unread:
                continue
            if not unread(node):
                return taken
    return problem
