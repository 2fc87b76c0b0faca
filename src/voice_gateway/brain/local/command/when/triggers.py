"""What starts a routine: a moment, a rule or the sun, of what the phrases say."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from home_words import when_words as words
from voice_gateway.brain.local.command.when.moments import hours_between, read_clock, shifted, wall_time
from voice_gateway.brain.local.command.when.phrases import Found, phrases
from voice_gateway.brain.local.command.when.said import SaidWhen, gathered
from voice_gateway.brain.local.command.when.sentences import AT_WHAT_TIME, NEVER, WHEN_EXACTLY
from voice_gateway.routines.model import WEEKDAYS, Every, Later, Missing, Once, Sun
from voice_gateway.routines.schedule import NoPlace, Place, next_run, on_clock, sun_on

LONGEST_DAYS = 366 * 5  # what lies further ahead is a slip of the tongue


def meant(when: SaidWhen, now: datetime, place: Place) -> Later | Missing:
    later = _triggered(when, now, place)
    if isinstance(later, Missing):
        return later
    later = later if later.back else replace(later, until=_end(when, now, place))
    if isinstance(later.trigger, Once) and later.trigger.at - now > timedelta(days=LONGEST_DAYS):
        return Missing("That is more than five years ahead, so I kept nothing.")
    return later if next_run(later.trigger, now, place) else Missing(NEVER)


def _triggered(when: SaidWhen, now: datetime, place: Place) -> Later | Missing:  # noqa: PLR0911 (one for each kind)
    if when.vague:
        return Missing(WHEN_EXACTLY)
    again = (
        when.every is not None or when.month_day is not None or when.often is not None
        or bool(when.nth) or when.yearly
    )  # fmt: skip
    if when.more_clocks and (not again or when.often is not None):
        return Missing("I heard two times. Which one do you mean?")
    if when.while_seconds is not None or (when.until and not again):
        return _for_a_while(when, now, place)
    if when.often is not None:
        return _often(when, now, place)
    if again:
        return _again(when, now, place)
    if when.sun is not None:
        return _sun(when, now, place)
    if when.span is not None:
        return _after(when, now, place)
    if when.clock or when.part or when.day:
        return _at(when, now, place)
    if when.between is not None:
        return Missing("Say the two times one by one: when it shall begin, and when it shall end.")
    return Missing(WHEN_EXACTLY)


def _for_a_while(when: SaidWhen, now: datetime, place: Place) -> Later | Missing:
    """Now, and taken back then."""
    if when.clock or when.day or when.span or when.sun or when.every or when.often:
        return Missing("I can do something for a while only from now on. Say the two times one by one.")
    given = when.until
    if when.while_seconds is not None:
        back = _after(SaidWhen(span=when.while_seconds), now, place)
    elif given and "sun_end" in given:
        name = given["sun_end"].removeprefix("the ")
        back = _sun(SaidWhen(sun=(words.SUN_NAMES.get(name, name), 0)), now, place)
    elif given and "clock_end" in given and "clock_day" not in given:
        back = _at(SaidWhen(clock=given["clock_end"], part=when.part), now, place)
    else:
        found = phrases(_until(given)) if given else None
        back = _at(gathered(found, now, place), now, place) if found else Missing(WHEN_EXACTLY)
    return replace(back, back=True, note="") if isinstance(back, Later) else back


def _until(given: Found) -> str:
    """ "7 tomorrow morning", "friday at 8": as phrases are written."""
    if "clock_end" in given:
        return f"at {given['clock_end']}{given['clock_day']}"
    clock = given.get("day_clock", "").removeprefix(" at").strip()
    return f"{given['day_end']}{f' at {clock}' if clock else ''}"


def _sun(when: SaidWhen, now: datetime, place: Place) -> Later | Missing:
    assert when.sun is not None
    event, offset = when.sun
    if when.day is None:
        if not place.has_sun:
            raise NoPlace
        return Later(Sun(event, offset, once=True))
    moment = sun_on(event, when.day, place)
    if moment is None:
        return Missing(NEVER)
    at = moment + timedelta(seconds=offset)
    return Later(Once(at)) if at > now else Missing("That is over for today.")


def _after(when: SaidWhen, now: datetime, place: Place) -> Later | Missing:
    span = when.span
    assert span is not None
    if (span.days or span.months) and (when.clock or when.part):
        day = shifted(now.astimezone(place.zone).date(), span)
        return _at(replace(when, span=None, day=day), now, place)
    if span.months:
        here = now.astimezone(place.zone).replace(tzinfo=None)
        wall = datetime.combine(shifted(here.date(), span), here.time())
        return Later(Once(on_clock(wall, place.zone)))
    seconds = span.total_seconds or 0.0
    if seconds < 1:
        return Missing(WHEN_EXACTLY)
    at = now + timedelta(seconds=seconds)
    # Its microseconds say that time must pass, whatever the clock shows.
    return Later(Once(at if at.microsecond else at.replace(microsecond=1), seconds))


def _at(when: SaidWhen, now: datetime, place: Place) -> Later | Missing:
    here, note = now.astimezone(place.zone), ""
    hours, minute = _clock(when)
    days = [when.day] if when.day else [here.date(), here.date() + timedelta(days=1)]
    moments = [on_clock(wall_time(day, hour, minute), place.zone, now) for day in days for hour in hours]
    at = next((moment for moment in moments if moment > now), None)
    instead = when.next_day or here.date() + timedelta(days=1)
    if at is None and when.day == here.date():
        at = on_clock(wall_time(instead, hours[0], minute), place.zone, now)
    if at is None:
        return Missing("That day is over.")
    passed = moments[0] <= now and (len(hours) == 1 or when.day == here.date())
    if passed and at.astimezone(place.zone).date() > here.date():
        day = f"{instead:%A}, {instead.day} {instead:%B}" if when.day and when.next_day else "tomorrow"
        note = f"That time has passed today, so I take {day}."
    return Later(Once(at), note=note)


def _again(when: SaidWhen, now: datetime, place: Place) -> Later | Missing:
    days = when.every or ()
    if when.sun is not None:
        if not place.has_sun:
            raise NoPlace
        return Later(Sun(*when.sun, days=days if len(days) < 7 else ()))
    if not when.clock and not when.part:
        return Missing(AT_WHAT_TIME)
    at = _times(when)
    if when.clock == "midnight" and when.every:  # the one behind the day, as always
        days = tuple(sorted((day + 1) % 7 for day in days))
    if when.yearly:
        if when.day is None:
            return Missing("On which day of the year?")
        rule = f"FREQ=YEARLY;BYMONTH={when.day.month};BYMONTHDAY={when.day.day};{at}"
        when = replace(when, day=None)
    elif when.nth:
        rule = f"FREQ=MONTHLY;BYDAY={when.nth};{at}"
    elif when.month_day is not None:
        rule = f"FREQ=MONTHLY;BYMONTHDAY={when.month_day};{at}"
    elif days and len(days) < 7:
        rule = f"FREQ=WEEKLY;BYDAY={','.join(WEEKDAYS[day] for day in days)};{at}"
    else:
        rule = f"FREQ=DAILY;{at}"
    return Later(Every(rule, _first_moment(when, now, place)))


def _times(when: SaidWhen) -> str:
    """As a rule has them."""
    clocks = [_clock(replace(when, clock=clock)) for clock in (when.clock, *when.more_clocks)]
    return times_rule([hours[0] % 24 * 60 + minute for hours, minute in clocks])


def times_rule(times: Sequence[int]) -> str:
    """Minutes of the day: of all hours with all minutes, where they are more, only those."""
    hours, minutes = sorted({at // 60 for at in times}), sorted({at % 60 for at in times})
    every = [hour * 60 + minute for hour in hours for minute in minutes]
    rule = f"BYHOUR={','.join(map(str, hours))};BYMINUTE={','.join(map(str, minutes))};BYSECOND=0"
    chosen = [place for place, at in enumerate(every, start=1) if at in times]
    return rule if len(chosen) == len(every) else f"{rule};BYSETPOS={','.join(map(str, chosen))}"


_FREQUENCIES = {
    "second": "SECONDLY", "minute": "MINUTELY", "hour": "HOURLY", "day": "DAILY",
    "week": "WEEKLY", "month": "MONTHLY",
}  # fmt: skip


def _often(when: SaidWhen, now: datetime, place: Place) -> Later | Missing:
    assert when.often is not None
    unit, amount = when.often
    if amount < 1 or (unit == "second" and amount < 10):
        return Missing("That is too often: ten seconds is the least.")
    interval = f";INTERVAL={amount}" if amount > 1 else ""
    days = when.every or ()
    by_day = f";BYDAY={','.join(WEEKDAYS[day] for day in days)}" if days and len(days) < 7 else ""
    if unit in ("hour", "minute", "second"):
        if when.between is not None:
            return _often_between(when, unit, amount, by_day, now)
        if by_day or when.clock:
            return Missing("From when to when each day?")
        return Later(Every(f"FREQ={_FREQUENCIES[unit]}{interval}", now.replace(microsecond=0)))
    if not when.clock and not when.part:
        return Missing(AT_WHAT_TIME)
    hours, minute = _clock(when)
    at = f"BYHOUR={hours[0] % 24};BYMINUTE={minute};BYSECOND=0"
    here = now.astimezone(place.zone)
    day = when.day or here.date()
    if unit == "week" and not by_day:
        by_day = f";BYDAY={WEEKDAYS[day.weekday()]}"
    if unit == "month":
        by_day = f";BYMONTHDAY={day.day}"
    rule = f"FREQ={_FREQUENCIES[unit]}{interval}{by_day};{at}"
    start = on_clock(wall_time(day, 0, 0), place.zone)
    plain = Every(rule.replace(interval, "", 1), start)
    if interval and when.day is None and (first := next_run(plain, now, place)):
        start = first  # counted from the first that comes
    return Later(Every(rule, start))


def _often_between(when: SaidWhen, unit: str, amount: int, by_day: str, now: datetime) -> Later | Missing:
    """At fixed times of each day, so that it begins anew every morning."""
    assert when.between is not None
    first, last = hours_between(*when.between)
    step = amount * {"hour": 60, "minute": 1}.get(unit, 0)
    if not step or last <= first:
        return Missing("From when to when each day?")
    times = list(range(first, last + 1, step))
    if 60 % step == 0 and step < 60:  # a quarter of an hour goes on up to the hour, without it
        times = [at for at in times if at < last]
    return Later(Every(f"FREQ=DAILY{by_day};{times_rule(times)}", now.replace(microsecond=0)))


def _clock(when: SaidWhen) -> tuple[list[int], int]:
    if not when.clock:
        if not when.part:
            raise ValueError(AT_WHAT_TIME)
        return [words.PART_HOURS[when.part]], 0
    hours, minute = read_clock(when.clock, when.part)
    other_day = when.day is not None or when.every is not None or when.month_day is not None
    if len(hours) == 2 and other_day and 1 <= hours[0] <= 3:  # nobody means the middle of the night
        hours = hours[1:]
    return hours, minute


def _first_moment(when: SaidWhen, now: datetime, place: Place) -> datetime:
    return (
        on_clock(wall_time(when.day, 0, 0), place.zone)
        if when.day
        else now.astimezone(UTC).replace(microsecond=0)
    )


def _end(when: SaidWhen, now: datetime, place: Place) -> datetime | None:
    """Until a day: its last moment counts."""
    given = when.until
    if not given:
        return None
    day_end = given.get("day_end", "")
    if not day_end:
        raise ValueError("Until which day?")
    found = phrases(day_end) or phrases(f"on {day_end}")
    day = gathered(found, now, place).day if found else None
    if day is None:
        raise ValueError("Until which day?")
    return on_clock(datetime.combine(day, time(23, 59, 59)), place.zone)
