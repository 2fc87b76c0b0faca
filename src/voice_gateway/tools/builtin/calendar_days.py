"""Days as people say them: "tomorrow", "next friday", "the 5th of december", "christmas"."""

import re
from collections.abc import Callable
from datetime import date, timedelta

from home_names.calendar_words import MONTHS, ORDINALS, WEEKDAYS

_RELATIVE = (
    (r"(?:the )?day after tomorrow", 2),
    (r"tomorrow", 1),
    (r"today", 0),
    (r"tonight", 0),
    (r"(?:next week|(?:in )?(?:a|1) week(?: from (?:today|now))?)", 7),
    (r"in (?:a|1) day", 1),
)
_IN_DAYS = re.compile(r"\bin (\d{1,3}) (day|week)s\b|\b(\d{1,3}) (day|week)s from (?:today|now)\b")
_WEEKDAY = re.compile(rf"\b(?:(?:on|next|this|this coming|coming) )?({'|'.join(WEEKDAYS)})\b")
_NUMBER = r"(\d{1,2})(?:st|nd|rd|th)?"
_MONTH = rf"({'|'.join(MONTHS)}|{'|'.join(month[:3] for month in MONTHS if month != 'may')}|sept)"
_YEAR = r"(?: (20\d\d))?"
_DATES = (
    re.compile(rf"\b(?:on )?{_MONTH} (?:the )?{_NUMBER}\b(?! (?:am|pm|oclock)){_YEAR}"),
    re.compile(rf"\b(?:on )?(?:the )?{_NUMBER} (?:of )?{_MONTH}\b{_YEAR}"),
)
_OF_THIS_MONTH = re.compile(r"\b(?:on )?the (\d{1,2})(?:st|nd|rd|th)\b(?! of)")


def _nth_weekday(month: int, weekday: int, nth: int) -> Callable[[int], date]:
    def find(year: int) -> date:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))

    return find


def _easter(year: int) -> date:
    """By Butcher's rule for the Gregorian calendar."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    lead = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * lead) // 451
    month, day = divmod(epact + lead - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _fixed(month: int, day: int) -> Callable[[int], date]:
    return lambda year: date(year, month, day)


_HOLIDAYS: tuple[tuple[str, Callable[[int], date]], ...] = (
    (r"christmas eve", _fixed(12, 24)),
    (r"(?:christmas|xmas)(?: day)?", _fixed(12, 25)),
    (r"boxing day", _fixed(12, 26)),
    (r"new years? eve", _fixed(12, 31)),
    (r"(?:the )?new years?(?: day)?", _fixed(1, 1)),
    (r"valentines?(?: day)?", _fixed(2, 14)),
    (r"(?:st|saint) patricks? day", _fixed(3, 17)),
    (r"april fools?(?: day)?", _fixed(4, 1)),
    (r"(?:the )?(?:4th of july|fourth of july|independence day)", _fixed(7, 4)),
    (r"halloween", _fixed(10, 31)),
    (r"thanksgiving", _nth_weekday(11, 3, 4)),
    (r"good friday", lambda year: _easter(year) - timedelta(days=2)),
    (r"easter monday", lambda year: _easter(year) + timedelta(days=1)),
    (r"easter(?: sunday)?", _easter),
)


def take_day(text: str, today: date, *, holidays: bool = False) -> tuple[str, date | None]:
    """The text without the day that it names, and that day: the next such one. None: it names none.

    `text` is in small letters, with numbers as digits. "Tonight" stays, as it also says when.
    """
    text = _ordinals_as_digits(text)
    for find in (_holiday if holidays else _nothing, _relative, _written_date, _weekday, _day_of_month):
        found = find(text, today)
        if found is not None:
            (start, end), day, kept = found
            return " ".join(f"{text[:start]} {kept} {text[end:]}".split()), day
    return text, None


Found = tuple[tuple[int, int], date, str] | None


def _nothing(_text: str, _today: date) -> Found:
    return None


def _holiday(text: str, today: date) -> Found:
    for pattern, of_year in _HOLIDAYS:
        if match := re.search(rf"\b(?:next )?{pattern}\b", text.replace("'", "")):
            this = of_year(today.year)
            return match.span(), this if this >= today else of_year(today.year + 1), ""
    return None


def _relative(text: str, today: date) -> Found:
    if match := _IN_DAYS.search(text):
        count, unit = (match[1], match[2]) if match[1] else (match[3], match[4])
        return match.span(), today + timedelta(days=int(count) * (7 if unit == "week" else 1)), ""
    for pattern, days in _RELATIVE:
        if match := re.search(rf"\b{pattern}\b", text):
            return match.span(), today + timedelta(days=days), "tonight" if pattern == "tonight" else ""
    return None


def _written_date(text: str, today: date) -> Found:
    for first, pattern in enumerate(_DATES):
        if match := pattern.search(text):
            month, number = (match[1], match[2]) if first == 0 else (match[2], match[1])
            month_number = next(at for at, name in enumerate(MONTHS, 1) if name.startswith(month[:3]))
            year = int(match[3]) if match[3] else None
            day = _next_date(month_number, int(number), year, today)
            return (match.span(), day, "") if day else None
    return None


def _next_date(month: int, number: int, year: int | None, today: date) -> date | None:
    """The next year that has it: a leap day may be years away."""
    for in_year in [year] if year else range(today.year, today.year + 9):
        try:
            day = date(in_year, month, number)
        except ValueError:
            continue
        if year or day >= today:
            return day
    return None


def _weekday(text: str, today: date) -> Found:
    if match := _WEEKDAY.search(text):
        ahead = (WEEKDAYS.index(match[1]) - today.weekday()) % 7 or 7
        return match.span(), today + timedelta(days=ahead), ""
    return None


def _day_of_month(text: str, today: date) -> Found:
    match = _OF_THIS_MONTH.search(text)
    if match is None:
        return None
    for ahead in range(12):
        year, month = divmod(today.month - 1 + ahead, 12)
        day = _next_date(month + 1, int(match[1]), today.year + year, today)
        if day is not None and day >= today:
            return match.span(), day, ""
    return None


def _ordinals_as_digits(text: str) -> str:
    """ "The twenty fifth" has come as "20 fifth"."""
    words = text.split()
    out: list[str] = []
    for at, word in enumerate(words):
        number = ORDINALS.get(word)
        beside = {*words[max(0, at - 3) : at], *words[at + 1 : at + 3]}
        if number is None or not beside & {"the", "of", *MONTHS}:
            out.append(word)
        elif out and out[-1] in ("20", "30") and number < 10:
            out[-1] = f"{int(out[-1]) + number}th"
        else:
            out.append(f"{number}th")
    return " ".join(out)


def say_day(day: date, today: date) -> str:
    """ "today", "tomorrow", "on Friday", "on Friday, 20 November", with the year where it is another one."""
    days = (day - today).days
    if days in (0, 1):
        return ("today", "tomorrow")[days]
    if 1 < days < 7:
        return f"on {day:%A}"
    year = f" {day.year}" if day.year != today.year else ""
    return f"on {day:%A}, {day.day} {day:%B}{year}"
