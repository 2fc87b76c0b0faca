"""How long until a day, and when it is."""

import re
from dataclasses import dataclass
from datetime import date

from home_names.calendar_words import MONTHS, WEEKDAYS
from voice_gateway.tools.builtin.calculate.lazy_pattern import LazyPattern
from voice_gateway.tools.builtin.calendar_days import take_day

_UNTIL = LazyPattern(
    r"(?:how (?P<unit>long|many (?:more )?(?:days|weeks|months|nights|sleeps)) |(?P<unit2>days|weeks) )"
    r"(?:(?:is it|is there|are there|are|are left|left|do we have|do i have|until it is) )*(?:until|till|til|to|before) (?P<day>.+)"
)
_WHEN = LazyPattern(
    r"(?:when|what (?:date|day)(?: of the week)?|which (?:day|date)(?: of the week)?|on (?:what|which) day) "
    r"(?:is|does|will|was) (?:the )?(?P<day>.+?)(?: (?:fall|be|this year|next year|on|fall on|come))*"
)
_TRAILING = LazyPattern(r" (?:this year|from now|from today|away|already)$")
_DATED = LazyPattern(rf"\b(?:{'|'.join(MONTHS)})\b")


@dataclass(frozen=True, slots=True)
class Countdown:
    """`day` as it was said; `count` is how it is counted, "" asks when it is."""

    day: str
    count: str


def read_countdown(text: str) -> Countdown | None:
    """A whole text that asks for it; a day that everybody can name by its distance is for the clock."""
    if text.startswith(("how ", "days ", "weeks ")) and (found := _UNTIL.fullmatch(text)):
        unit = (found["unit"] or found["unit2"]).split()[-1]
        day = _TRAILING.sub("", found["day"])
        return Countdown(day, unit) if _is_day(day) else None
    if text.startswith(("when ", "what d", "which d", "on ")) and (found := _WHEN.fullmatch(text)):
        day = _TRAILING.sub("", found["day"])
        named = _is_day(day) and not any(name in day for name in WEEKDAYS if not _DATED.search(day))
        distance = re.search(r"\b(?:today|tomorrow|tonight|week|days?)\b", day)
        return Countdown(day, "") if named and not distance else None
    return None


def _is_day(text: str) -> bool:
    rest, day = take_day(_plain(text), date(2026, 1, 15), holidays=True)
    return day is not None and not rest


def _plain(text: str) -> str:
    return re.sub(r"^(?:the|my|it is|on) ", "", text.replace("'", ""))


def answer_countdown(asked: Countdown, today: date) -> tuple[str, dict[str, object]]:
    _, day = take_day(_plain(asked.day), today, holidays=True)
    assert day is not None
    days = (day - today).days
    facts: dict[str, object] = {"date": day.isoformat(), "days": days}
    written = f"{day:%A}, {day.day} {day:%B}" + (f" {day.year}" if day.year != today.year else "")
    if days < 0:
        return f"That was {-days} day{'' if days == -1 else 's'} ago, on {written}.", facts
    if not asked.count:
        return f"It's {'today' if not days else f'on {written}'}.", facts
    if not days:
        return "That's today.", facts
    if asked.count == "weeks" and days >= 7:
        weeks, rest = divmod(days, 7)
        more = f" and {_days(rest)}" if rest else ""
        return f"{weeks} week{'' if weeks == 1 else 's'}{more}, until {written}.", facts
    if asked.count == "months" and days >= 31:
        return f"About {round(days / 30.44)} months, until {written}.", facts
    return f"{_days(days)}, until {written}.", facts


def _days(count: int) -> str:
    return f"{count} day{'' if count == 1 else 's'}"
