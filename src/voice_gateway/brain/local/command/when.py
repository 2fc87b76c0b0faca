"""When: the words of a time, a rule, the sun or an event, read as what starts a routine."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from home_words import when_words as words
from home_words.command_words import VERB
from voice_gateway.routines.model import (
    SUN_EVENTS,
    WEEKDAYS,
    Condition,
    Event,
    Every,
    Later,
    Missing,
    Once,
    Sun,
)
from voice_gateway.routines.schedule import NoPlace, Place, next_run, on_clock, sun_on
from voice_gateway.tools.builtin.clock_times import time_of_day
from voice_gateway.tools.builtin.durations import Span, parse_span

LONGEST_DAYS = 366 * 5  # what lies further ahead is a slip of the tongue
LOW_BATTERY = 20  # percent

NO_PLACE = (
    "I don't know where your home is, so I can't tell when the sun rises and sets. Set home.latitude and "
    "home.longitude in voice-gateway.toml, for example latitude = 52.5 and longitude = 13.4 below [home]."
)
AT_WHAT_TIME = "At what time?"
WHEN_EXACTLY = "When exactly? Tell me a time, or in how many minutes."
NEVER = "That never comes, so I kept nothing."


class Watched(NamedTuple):
    """A device that tells of its changes, and what it becomes."""

    server: str
    resource: str
    becomes: str
    device: str


# Of a thing and what it becomes ("open", "temperature < 18"); or why nobody can tell.
Watch = Callable[[str, str], Watched | str]


Found = Mapping[str, str]


@dataclass
class _When:
    """What the phrases of one "when" say together."""

    clock: str = ""
    part: str = ""
    day: date | None = None
    every: tuple[int, ...] | None = None  # weekdays; none of them: every day
    often: tuple[str, int] | None = None  # the unit and how many of them
    month_day: int | None = None  # -1 is the last
    span: Span | None = None
    sun: tuple[str, int] | None = None
    between: tuple[str, str] | None = None
    side: list[tuple[str, str]] = field(default_factory=list)  # "after", "before": a clock time or the sun
    until: Found | None = None
    vague: bool = False
    while_seconds: Span | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """An utterance in two: when, and what."""

    when: str
    order: str


# --- where the words are


def phrases(text: str) -> list[tuple[str, Found]] | None:
    """All words as phrases of time, one behind the other; None where a word is over."""
    found = _matches(text)
    return None if found is None else [(kind, _given(match)) for kind, match in found]


def _matches(text: str) -> list[tuple[str, re.Match[str]]] | None:
    found: list[tuple[str, re.Match[str]]] = []
    while text:
        for kind, pattern in words.PHRASES:
            if match := pattern.match(text):
                found.append((kind, match))
                text = text[match.end() :].strip()
                break
        else:
            return None
    return found


def _given(match: re.Match[str]) -> Found:
    return {name: value for name, value in match.groupdict().items() if value}


_REPEATING = frozenset({"days", "monthly", "often", "every"})


class Repeated(NamedTuple):
    """What comes again and again: on which days or how often, and the clock time, where one is said."""

    days: str
    clock: str


def repeated(text: str) -> Repeated | None:
    """None: it comes once, or it is no time at all."""
    found = _matches(text) or []
    if not any(kind in _REPEATING for kind, _ in found):
        return None
    clocks = [_given(match) for kind, match in found if kind == "clock"]
    days = " ".join(match[0].strip() for kind, match in found if kind != "clock")
    return Repeated(days, next((one.get("clock") or one["sure"] for one in clocks), ""))


def splits(text: str) -> Iterator[Split]:
    """Every way to part it into when and what, the longest "when" first."""
    for pattern in (words.AT_DARK, words.BESIDE):
        if (beside := pattern.search(text)) and beside.start():
            parts = splits(text[: beside.start()])
            yield from (replace(one, when=f"{one.when} {beside[0].strip()}") for one in parts)
            return
    said = text.split()
    front = max((size for size in range(1, len(said)) if phrases(" ".join(said[:size]))), default=0)
    for start in (front, 0) if front else (0,):
        rest = said[start:]
        cut = _cut(rest)
        when = " ".join((*said[:start], *rest[cut:]))
        if when and rest[:cut]:
            yield Split(when, _order(" ".join(rest[:cut])))
    yield from _of_events(text)


def _cut(said: Sequence[str]) -> int:
    """Where the longest phrases at its end begin."""
    return next((at for at in range(1, len(said)) if phrases(" ".join(said[at:]))), len(said))


_ASIDE = re.compile(r"^(?:then |please |also |i want you to |you should |you can )+")
_THING = re.compile(r"(?:say|tell|announce|let me know|the|all|my)\b")


def _of_events(text: str) -> Iterator[Split]:
    """ "When the door opens turn on the lamp", and the other way round."""
    said = text.split()
    if words.HAPPENING.match(text):
        for cut in range(2, len(said)):
            rest = _ASIDE.sub("", " ".join(said[cut:])).split()
            if VERB.match(f"{' '.join(rest)} ") or _THING.match(" ".join(rest)):
                end = _cut(rest)
                yield Split(" ".join((*said[:cut], *rest[end:])), _order(" ".join(rest[:end])))
    for cut in range(1, len(said)):
        tail = " ".join(said[cut:])
        if words.HAPPENING.match(tail) and not phrases(" ".join(said[:cut])):
            front = max((size for size in range(1, cut) if phrases(" ".join(said[:size]))), default=0)
            yield Split(" ".join((tail, *said[:front])), _order(" ".join(said[front:cut])))


def _order(text: str) -> str:
    return re.sub(r"^(?:then|and|please|also|to) |(?<=\S) (?:then|and|please|but|only|again)$", "", text)


# --- what they mean


def read_when(text: str, now: datetime, place: Place, watch: Watch) -> Later | Missing | None:
    """None where the words are no "when"."""
    try:
        bare, condition = _with_beside(text, watch)
        if isinstance(condition, Missing):
            return condition
        if words.HAPPENING.match(bare) and not phrases(bare):
            return _event(bare, condition, now, place, watch)
        found = phrases(bare)
        later = _meant(_gathered(found, now, place), now, place) if found else None
        return replace(later, condition=condition) if isinstance(later, Later) else later
    except NoPlace:
        return Missing(NO_PLACE)
    except ValueError as error:
        return Missing(str(error))


def _gathered(found: Sequence[tuple[str, Found]], now: datetime, place: Place) -> _When:
    when = _When()
    today = now.astimezone(place.zone).date()
    for kind, given in found:
        _GATHER[kind](when, given, today)
        when.part = given.get("part") or when.part
    return when


def _take_sun(when: _When, given: Found, _today: date) -> None:
    name = words.SUN_NAMES.get(given["sun"], given["sun"])
    if side := given.get("bare_side"):
        when.side.append((side, name))
        return
    seconds = _seconds(given["ahead"]) if "ahead" in given else 0.0
    when.sun = name, round(-seconds if given.get("side") == "before" else seconds)


def _take_days(when: _When, given: Found, _today: date) -> None:
    first, last = (words.WEEKDAY_NAMES.index(given[key]) for key in ("first", "last"))
    when.every = tuple((first + day) % 7 for day in range((last - first) % 7 + 1))


def _take_monthly(when: _When, given: Found, _today: date) -> None:
    when.month_day = -1 if given["date"] == "last day" else _date_number(given["date"])


_AMOUNTS = {"other": 2, "second": 2, "third": 3, "couple of": 2}


def _take_often(when: _When, given: Found, _today: date) -> None:
    if "word" in given:
        when.often = ("hour", 1)
        return
    unit, amount = given["unit"].removesuffix("s"), given.get("amount", "1")
    unit = {"sec": "second", "min": "minute", "hr": "hour"}.get(unit, unit)
    if amount.startswith(("half", "quarter")):
        if unit != "hour":
            raise ValueError(WHEN_EXACTLY)
        when.often = ("minute", 30 if amount.startswith("half") else 15)
    elif unit == "day" and amount == "1":
        when.every = when.every or ()
    else:
        when.often = (unit, _AMOUNTS.get(amount) or int(amount))


def _take_every(when: _When, given: Found, _today: date) -> None:
    what = given.get("what", "")
    if "week" in what.replace("weekday", "") or "end" in what.split():
        days: tuple[int, ...] = (5, 6)
    elif "weekday" in what or "work" in what:
        days = (0, 1, 2, 3, 4)
    else:
        days = tuple(number for number, name in enumerate(words.WEEKDAY_NAMES) if name in what)
    when.every = tuple(sorted({*(when.every or ()), *days}))
    if given.get("word") == "nightly":
        when.part = "night"


def _take_day(when: _When, given: Found, today: date) -> None:
    day = given["day"].removeprefix("the ")
    when.day = today + timedelta(days={"tomorrow": 1, "day after tomorrow": 2}.get(day, 0))
    if day == "tonight" or day.startswith("this "):
        when.part = day.removeprefix("this ")


def _take_date(when: _When, given: Found, today: date) -> None:
    if "iso" in given:
        when.day = _checked_date(*map(int, given["iso"].split()))
        return
    number, year = _date_number(given["date"]), int(given.get("year", 0))
    if "month" not in given:
        when.day = _next_month_day(number, today)
        return
    month = words.MONTH_NAMES.index(given["month"]) + 1
    when.day = _checked_date(year or today.year, month, number)
    if when.day < today and not year:
        when.day = _checked_date(today.year + 1, month, number)
    if when.day < today:
        raise ValueError("That day is over.")


def _take_weekday(when: _When, given: Found, today: date) -> None:
    number = words.WEEKDAY_NAMES.index(given["weekday"])
    days = (number - today.weekday()) % 7
    when.day = today + timedelta(days=days + (7 if "week" in given and days <= 6 - today.weekday() else 0))


def _take_far(_when: _When, given: Found, _today: date) -> None:
    raise ValueError(f"On which day {given['far']}, and at what time?")


def _take_span(when: _When, given: Found, _today: date) -> None:
    when.span = _span(given.get("span") or given["later"])


def _take_while(when: _When, given: Found, _today: date) -> None:
    when.while_seconds = _span(given["span"])


def _take_side(when: _When, given: Found, _today: date) -> None:
    when.side.append((given["side"], given["clock"]))


def _take_until(when: _When, given: Found, _today: date) -> None:
    when.until = given


def _take_clock(when: _When, given: Found, _today: date) -> None:
    if when.clock:
        raise ValueError("I heard two times. Which one do you mean?")
    when.clock = given.get("clock") or given["sure"]


def _take_part(when: _When, given: Found, _today: date) -> None:
    when.part = given.get("part") or "night"


def _take_vague(when: _When, _given: Found, _today: date) -> None:
    when.vague = True


def _take_between(when: _When, given: Found, _today: date) -> None:
    when.between = given["from"], given["to"]


_GATHER: Mapping[str, Callable[[_When, Found, date], None]] = {
    "sun": _take_sun, "between": _take_between, "days": _take_days, "monthly": _take_monthly,
    "often": _take_often, "every": _take_every, "day": _take_day, "date": _take_date,
    "weekday": _take_weekday, "week": _take_far,
    "in": _take_span, "for": _take_while, "after": _take_side, "until": _take_until, "clock": _take_clock,
    "part": _take_part, "vague": _take_vague,
}  # fmt: skip


def _meant(when: _When, now: datetime, place: Place) -> Later | Missing:
    later = _triggered(when, now, place)
    if isinstance(later, Missing):
        return later
    later = later if later.back else replace(later, until=_end(when, now, place))
    if isinstance(later.trigger, Once) and later.trigger.at - now > timedelta(days=LONGEST_DAYS):
        return Missing("That is more than five years ahead, so I kept nothing.")
    return later if next_run(later.trigger, now, place) else Missing(NEVER)


def _triggered(when: _When, now: datetime, place: Place) -> Later | Missing:  # noqa: PLR0911 (one for each kind)
    if when.vague:
        return Missing(WHEN_EXACTLY)
    again = when.every is not None or when.month_day is not None or when.often is not None
    if when.while_seconds is not None or (when.until and not again):
        return _for_a_while(when, now, place)
    if when.often is not None:
        return _often(when, now, place)
    if when.every is not None or when.month_day is not None:
        return _again(when, now, place)
    if when.sun is not None:
        return _sun(when, now, place)
    if when.span is not None:
        return _after(when, now, place)
    if when.clock or when.part or when.day:
        return _at(when, now, place)
    return Missing(WHEN_EXACTLY)


def _for_a_while(when: _When, now: datetime, place: Place) -> Later | Missing:
    """Now, and taken back then."""
    if when.clock or when.day or when.span or when.sun or when.every or when.often:
        return Missing("I can do something for a while only from now on. Say the two times one by one.")
    given = when.until
    if when.while_seconds is not None:
        back = _after(_When(span=when.while_seconds), now, place)
    elif given and "sun_end" in given:
        name = given["sun_end"].removeprefix("the ")
        back = _sun(_When(sun=(words.SUN_NAMES.get(name, name), 0)), now, place)
    elif given and "clock_end" in given:
        back = _at(_When(clock=given["clock_end"], part=when.part), now, place)
    else:
        found = phrases(given["day_end"]) if given else None
        back = _at(_gathered(found, now, place), now, place) if found else Missing(WHEN_EXACTLY)
    return replace(back, back=True, note="") if isinstance(back, Later) else back


def _sun(when: _When, now: datetime, place: Place) -> Later | Missing:
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


def _after(when: _When, now: datetime, place: Place) -> Later | Missing:
    span = when.span
    assert span is not None
    if (span.days or span.months) and (when.clock or when.part):
        day = _shifted(now.astimezone(place.zone).date(), span)
        return _at(replace(when, span=None, day=day), now, place)
    if span.months:
        here = now.astimezone(place.zone).replace(tzinfo=None)
        wall = datetime.combine(_shifted(here.date(), span), here.time())
        return Later(Once(on_clock(wall, place.zone)))
    seconds = span.total_seconds or 0.0
    if seconds < 1:
        return Missing(WHEN_EXACTLY)
    at = now + timedelta(seconds=seconds)
    # Its microseconds say that time must pass, whatever the clock shows.
    return Later(Once(at if at.microsecond else at.replace(microsecond=1), seconds))


def _at(when: _When, now: datetime, place: Place) -> Later | Missing:
    here, note = now.astimezone(place.zone), ""
    hours, minute = _clock(when)
    days = [when.day] if when.day else [here.date(), here.date() + timedelta(days=1)]
    moments = [on_clock(_wall(day, hour, minute), place.zone, now) for day in days for hour in hours]
    at = next((moment for moment in moments if moment > now), None)
    if at is None and when.day == here.date():
        at = on_clock(_wall(here.date() + timedelta(days=1), hours[0], minute), place.zone, now)
    if at is None:
        return Missing("That day is over.")
    passed = moments[0] <= now and (len(hours) == 1 or when.day == here.date())
    if passed and at.astimezone(place.zone).date() > here.date():
        note = "That time has passed today, so I take tomorrow."
    return Later(Once(at), note=note)


def _again(when: _When, now: datetime, place: Place) -> Later | Missing:
    days = when.every or ()
    if when.sun is not None:
        if not place.has_sun:
            raise NoPlace
        return Later(Sun(*when.sun, days=days if len(days) < 7 else ()))
    if not when.clock and not when.part:
        return Missing(AT_WHAT_TIME)
    hours, minute = _clock(when)
    at = f"BYHOUR={hours[0] % 24};BYMINUTE={minute};BYSECOND=0"
    if when.month_day is not None:
        rule = f"FREQ=MONTHLY;BYMONTHDAY={when.month_day};{at}"
    elif days and len(days) < 7:
        rule = f"FREQ=WEEKLY;BYDAY={','.join(WEEKDAYS[day] for day in days)};{at}"
    else:
        rule = f"FREQ=DAILY;{at}"
    return Later(Every(rule, _first_moment(when, now, place)))


_FREQUENCIES = {
    "second": "SECONDLY", "minute": "MINUTELY", "hour": "HOURLY", "day": "DAILY",
    "week": "WEEKLY", "month": "MONTHLY",
}  # fmt: skip


def _often(when: _When, now: datetime, place: Place) -> Later | Missing:
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
    return Later(Every(rule, on_clock(_wall(day, 0, 0), place.zone)))


def _often_between(when: _When, unit: str, amount: int, by_day: str, now: datetime) -> Later | Missing:
    """At fixed times of each day, so that it begins anew every morning."""
    assert when.between is not None
    first, last = _hours_between(*when.between)
    step = amount * {"hour": 60, "minute": 1}.get(unit, 0)
    if not step or last <= first:
        return Missing("From when to when each day?")
    times = list(range(first, last + 1, step))
    hours, minutes = sorted({at // 60 for at in times}), sorted({at % 60 for at in times})
    if len(times) != len(hours) * len(minutes) and minutes != [first % 60]:
        times = [at for at in times if at < last or at % 60 == first % 60]
        hours = sorted({at // 60 for at in times if at < last})
        minutes = sorted({at % 60 for at in times})
    listed = (",".join(map(str, part)) for part in (hours, minutes))
    rule = "FREQ=DAILY{};BYHOUR={};BYMINUTE={};BYSECOND=0".format(by_day, *listed)
    return Later(Every(rule, now.replace(microsecond=0)))


def _hours_between(start: str, end: str) -> tuple[int, int]:
    """Minutes of the day. "Between 8 and 10 pm" is one half of the day, "between 8 and 6" both."""
    ends, minute_end = _read_clock(end)
    starts, minute_start = _read_clock(start)
    first, last = starts[0] * 60 + minute_start, ends[0] * 60 + minute_end
    if last <= first and len(ends) > 1:
        last = ends[1] * 60 + minute_end
    if (
        len(ends) == 1
        and len(starts) > 1
        and starts[1] * 60 + minute_start < last
        and re.search("[ap]m", end)
    ):
        first = starts[1] * 60 + minute_start
    return first, last


# --- what happens


_OF_NOW = re.compile(rf"^(?:if|in case|should) .+ (?:is|are) (?:{words.STATE})$")


def _event(
    text: str, condition: Condition | None, now: datetime, place: Place, watch: Watch
) -> Later | Missing | None:
    once = bool(words.NEXT_TIME.match(text))
    rest = text[words.HAPPENING.match(text).end() :]  # type: ignore[union-attr]
    if _OF_NOW.match(text) and " for " not in text:
        return None  # how it is now: whoever looks first does it
    rest, condition = _with_hours(rest, condition, now, place)
    for kind, pattern in words.EVENTS:
        if not (found := pattern.match(rest)):
            continue
        given = {name: value for name, value in found.groupdict().items() if value}
        if given.get("thing") in ("there", "it", "nobody", "everyone"):
            continue
        seen = watch(given.get("thing", ""), _becomes(kind, given))
        if isinstance(seen, str):
            return Missing(seen)
        held = _seconds(given["held"]) if "held" in given else 0.0
        return Later(Event(seen.server, seen.resource, seen.becomes, held, seen.device, once), condition)
    return None


def _becomes(kind: str, given: Found) -> str:
    if kind == "motion":
        return "motion"
    if kind == "still":
        return "no motion"
    if kind == "battery":
        return f"battery < {LOW_BATTERY}"
    if kind == "measure":
        measure = given.get("measure", "temperature")
        name = next(
            (short for short in ("battery", "power", "humidity", "temperature") if measure.startswith(short)),
            "light",
        )
        name = "battery" if measure == "charge" else name
        return f"{name} {'<' if 'below' in given else '>'} {float(given['number']):g}"
    said = given.get("state") or given["verb"]
    return words.BECOMES.get(said) or words.BECOMES[f"{said}s"]


def _with_beside(text: str, watch: Watch) -> tuple[str, Condition | Missing | None]:
    if found := words.AT_DARK.search(text):
        dark = (found["dark"] in ("dark", "night")) != (bool(found["not"]) or found["if"] == "unless")
        hours = Condition(after="sunset") if dark else Condition(after="sunrise", before="sunset")
        return text[: found.start()].strip(), hours
    if found := words.BESIDE.search(text):
        seen = watch(found["thing"], words.BECOMES[found["state"]])
        if isinstance(seen, str):
            return text, Missing(seen)
        unless = (found["if"] == "unless") != bool(found["not"])
        own = Condition(
            server=seen.server, resource=seen.resource, device=seen.device, state=seen.becomes, unless=unless
        )
        return text[: found.start()].strip(), own
    return text, None


def _with_hours(
    text: str, condition: Condition | None, now: datetime, place: Place
) -> tuple[str, Condition | None]:
    """Hours and weekdays behind an event are when it counts; "for ten minutes" is how long."""
    said = text.split()
    for cut in range(1, len(said)):
        found = phrases(" ".join(said[cut:]))
        if not found or any(kind in ("for", "in") for kind, _ in found):
            continue
        when = _gathered(found, now, place)
        after, before = _bounds(when)
        known = condition or Condition()
        hours = replace(
            known, weekdays=when.every or (), after=after or known.after, before=before or known.before
        )
        return " ".join(said[:cut]), hours
    return text, condition


def _bounds(when: _When) -> tuple[str, str]:
    """After what hour, and before which."""
    if when.between is not None:
        first, last = _hours_between(*when.between)
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
    hours, minute = _read_clock(clock)
    hour = hours[-1] if side == "after" and hours[0] >= 6 else hours[0]
    return hour % 24 * 60 + minute


def _hhmm(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


# --- small readings


def _clock(when: _When) -> tuple[list[int], int]:
    if not when.clock:
        if not when.part:
            raise ValueError(AT_WHAT_TIME)
        return [words.PART_HOURS[when.part]], 0
    hours, minute = _read_clock(when.clock, when.part)
    other_day = when.day is not None or when.every is not None or when.month_day is not None
    if len(hours) == 2 and other_day and 1 <= hours[0] <= 3:  # nobody means the middle of the night
        hours = hours[1:]
    return hours, minute


def _read_clock(said: str, part: str = "") -> tuple[list[int], int]:
    text = (
        re.sub(r"\b(\d{1,2}) ?([0-5]\d)\b(?!:)", r"\1:\2", said).replace(" oclock", "").replace(" sharp", "")
    )
    text = re.sub(r"(\d)([ap]m)\b", r"\1 \2", re.sub(r"^an? ", "", text))
    text = re.sub(r"\b(\d{1,9})(?: minutes?)? (after|before) (\d{1,9})\b", _past_or_to, text)
    half = "" if re.search(r"\b(?:[ap]m|morning|afternoon|evening|night|tonight)\b", text) else part
    found = time_of_day(f"{text} {half}".strip() if half != "noon" else text)
    if found is None or not found[0]:
        raise ValueError(f"There is no such time as {said}.")
    return found


def _past_or_to(found: re.Match[str]) -> str:
    return f"{found[1]} {'past' if found[2] == 'after' else 'to'} {found[3]}"


def _span(text: str) -> Span:
    span = parse_span(re.sub(r"\ba few\b", "3", text))
    if span is None:
        raise ValueError(WHEN_EXACTLY)
    return span


def _seconds(text: str) -> float:
    return _span(text).total_seconds or 0.0


def _date_number(text: str) -> int:
    tens, _, ordinal = text.rpartition(" ")
    if ordinal in words.ORDINALS:
        return int(tens or 0) + words.ORDINALS[ordinal]
    return int(re.sub(r"\D", "", text))


def _checked_date(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise ValueError(
            f"There is no such day as {day} {words.MONTH_NAMES[(month - 1) % 12].title()}."
        ) from None


def _next_month_day(number: int, today: date) -> date:
    if not 1 <= number <= 31:
        raise ValueError(f"No month has a day {number}.")
    first = today.replace(day=1)
    for _ in range(12):
        try:
            day = first.replace(day=number)
        except ValueError:
            day = today
        if day > today:
            return day
        first = (first + timedelta(days=32)).replace(day=1)
    raise ValueError(f"No month has a day {number}.")


def _shifted(day: date, span: Span) -> date:
    from dateutil.relativedelta import relativedelta

    shifted: date = day + relativedelta(months=span.months) + timedelta(days=span.days)
    return shifted


def _wall(day: date, hour: int, minute: int) -> datetime:
    """24 is the midnight behind the day."""
    return datetime.combine(day + timedelta(days=hour // 24), time(hour % 24, minute))


def _first_moment(when: _When, now: datetime, place: Place) -> datetime:
    return (
        on_clock(_wall(when.day, 0, 0), place.zone)
        if when.day
        else now.astimezone(UTC).replace(microsecond=0)
    )


def _end(when: _When, now: datetime, place: Place) -> datetime | None:
    """Until a day: its last moment counts."""
    given = when.until
    if not given:
        return None
    day_end = given.get("day_end", "")
    if not day_end:
        raise ValueError("Until which day?")
    found = phrases(day_end) or phrases(f"on {day_end}")
    day = _gathered(found, now, place).day if found else None
    if day is None:
        raise ValueError("Until which day?")
    return on_clock(datetime.combine(day, time(23, 59, 59)), place.zone)
