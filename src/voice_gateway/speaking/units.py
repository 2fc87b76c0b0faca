"""Numbers with units, fractions, addresses and money, dates and times, as they are said."""

import re

from home_words import calendar_words
from home_words.units import UNITS

MONEY = {
    "$": ("dollar", "dollars"),
    "€": ("euro", "euros"),
    "£": ("pound", "pounds"),
    "¥": ("yen", "yen"),
}
SCALES = {"k": "thousand", "K": "thousand", "m": "million", "M": "million", "bn": "billion", "B": "billion"}
PER = {
    "h": "hour",
    "hr": "hour",
    "min": "minute",
    "s": "second",
    "d": "day",
    "mo": "month",
    "yr": "year",
    **{name: name for name in "hour minute second day night week month year person".split()},
    **{unit: UNITS[unit][0] for unit in ("kWh", "kg", "l", "L", "m²", "m³", "km", "GB")},
}
FRACTIONS = {
    "½": "one half",
    "⅓": "one third",
    "⅔": "two thirds",
    "¼": "one quarter",
    "¾": "three quarters",
    "⅛": "one eighth",
}
_WRITTEN_OUT = {"1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾", "1/8": "⅛"}
_NUMBER = r"\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,15})?"  # longer ones are codes, and not read as numbers
_AS_WRITTEN = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
# These are words or parts of names as well: they are units where what follows leaves no other reading.
_AMPERE = (
    r"A(?!\.M)(?=\s*(?:$|[^\w\s/-]|(?:of|and|or|at|for|to|from|is|fuse|circuit|breaker|current|supply)\b))"
)
_INCH = r"in(?=\s*(?:$|[.,;)!?×]|(?:x|by|long|wide|tall|deep|high|thick|TV|screen|monitor|display)\b))"
_KELVIN = r"(?<=\d{4})\s?K"
_LETTERED = r"(?<!room )(?<!flat )(?<!gate )(?<!seat )(?<!unit )(?<!apartment )(?<!section )(?<!platform )"
_PER = "|".join(re.escape(unit) for unit in sorted(PER, key=len, reverse=True))
_UNIT = re.compile(rf"({_NUMBER})(?:\s?)({_AS_WRITTEN})(?:/({_PER}))?(?![\w°/])")
_WORDLIKE = re.compile(
    rf"(?i:{_LETTERED})(?<![\w.])({_NUMBER})(?:\s?(?:({_AMPERE})|({_INCH}))|({_KELVIN}))(?!\w)"
)
_DECADE = re.compile(r"\b((?:the|mid|low|high|upper|lower|early|late)[ -]\d0|\d{3}0)s\b", re.IGNORECASE)
_FEET = re.compile(r"""\b(\d)['′]\s?(\d{1,2})(?:["″]|'')""")
_LONE_DEGREES = re.compile(r"°\s?([CF])\b")
_SCALE = r"(?:\s(hundred|thousand|million|billion|trillion)\b|(k|K|m|M|bn|B)\b)?"
_MONEY = re.compile(
    rf"([$€£¥])\s?({_NUMBER})(?:\s?[-–]\s?\1?({_NUMBER}))?{_SCALE}(?:/({_PER})\b)?"
    rf"|({_NUMBER})\s?([€£])(?:/({_PER})\b)?"
)
_ADDRESS = re.compile(r"(?<![\w.])(v?)(\d{1,4}(?:\.\d{1,3}){2,3})(?::(\d{2,5}))?(?![\w]|\.\d)")
_FRACTION = re.compile(r"(?<![\d/.])(?:(\d+)\s)?(1/[2348]|2/3|3/4)(?![\d/.]*\d)")
_GLYPH = re.compile(rf"(?:(\d{{1,15}})\s?)?([{''.join(FRACTIONS)}])")
# A hyphen between long numbers is more likely one of a telephone.
_SMALL = r"\d{1,3}(?:\.\d+)?"
_RANGE = re.compile(
    rf"(?<![\w.,/:$€£¥–-])({_NUMBER}(?:\s?(?:{_AS_WRITTEN}))?)"
    rf"(?:\s?–\s?(?=[-−]?[$€£]?{_NUMBER})|-(?={_SMALL}(?![\w/–-]|\.\d))|\s?-\s?(?={_SMALL}\s?(?:{_AS_WRITTEN})(?![\w/])))"
)
_YEARS = re.compile(r"(?<![\w.,-])((?:1[89]|20)\d\d)-(?=(?:1[89]|20)\d\d(?![\w-]))")
_PRICES = re.compile(rf"([$€£¥]{_NUMBER})\s–\s(?=[$€£¥]?\d)")
_MINUS = re.compile(r"(?<![\w.)\]/-])[-−](?=[$€£]?\d)")

MONTHS = [name.capitalize() for name in calendar_words.MONTHS]
DAYS = [name.capitalize() for name in calendar_words.WEEKDAYS]
_SHORT = {name[:3]: name for name in (*MONTHS, *DAYS)} | {"Sept": "September"}
_MONTH = "|".join(sorted({name[:3] for name in MONTHS} | {"Sept"}, reverse=True))
_DAY = "|".join(name[:3] for name in DAYS)
# Short names are words too ("may", "sat", "sun"): only beside a number or another day they are surely names.
_NAMES = re.compile(
    rf"\b(?:(?:{_MONTH})\b\.?(?=\s\d)|(?<=\d\s)(?:{_MONTH})\b(?:\.(?=\s\d))?"
    rf"|(?:{_DAY})\b\.?(?=\s?[–-]\s?(?:{_DAY})\b|,?\s(?:\d|(?:{_MONTH})\b))|(?<=[a-z][–-])(?:{_DAY})\b)"
)
_DAY_RANGE = re.compile(rf"\b({'|'.join(DAYS)})\s?[–-]\s?(?=(?:{'|'.join(DAYS)})\b)")
_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?:T(?=\d{2}:\d{2})|\b)")
# Before the times themselves: "09:00-17:00" looks like a time with its distance from Greenwich.
_TIME_RANGE = re.compile(
    r"(?<![\dT:.])(\d{1,2}(?::\d{2}\s?(?:[ap]m)?|\s?[ap]m))\s?[-–]\s?(?=\d{1,2}(?::\d{2}|\s?[ap]m\b))",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?"
    r"(?:\s?(?:([ap])(?:\.m\.|m\b)|h(?:rs?)?\b))?(?![\d:])",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    r"(?<![\w.,:])(?=\d{1,9}\s?(?:d|h|m)\s?\d)"
    r"(?:(\d{1,9})\s?d\s?)?(?:(\d{1,9})\s?h\s?)?(?:(\d{1,2})\s?m(?:in)?\s?)?(?:(\d{1,2})\s?s(?:ec)?)?(?<!\s)(?!\w)"
)


def spoken_ranges(text: str) -> str:
    """To be done before dashes become pauses and minus signs words."""
    text = re.sub(r"[μº]", lambda found: {"μ": "µ", "º": "°"}[found[0]], text)
    return _RANGE.sub(r"\1 to ", _PRICES.sub(r"\1–", _YEARS.sub(r"\1 to ", time_ranges(text))))


def spoken_numbers(text: str) -> str:
    text = _ADDRESS.sub(_address, spoken_times(text))
    text = _FRACTION.sub(lambda found: f"{found[1] or ''}{_WRITTEN_OUT[found[2]]}", text)
    text = _GLYPH.sub(_fraction, text)
    text = _MONEY.sub(_money, _MINUS.sub("minus ", text))
    text = _DECADE.sub(lambda found: f"{found[1]}'s", text)
    text = _FEET.sub(lambda found: f"{found[1]} feet {found[2]}", text)
    text = _WORDLIKE.sub(_wordlike, _UNIT.sub(_unit, text))
    text = re.sub(r"(?<=\w)–(?=\w)", " to ", text)
    return _LONE_DEGREES.sub(lambda found: f" {UNITS['°' + found[1]][1]}", text).replace("°", " degrees")


def _counted(number: str, names: tuple[str, str]) -> str:
    return f"{number} {names[0] if number == '1' else names[1]}"


def _unit(found: re.Match[str]) -> str:
    return _counted(found[1], UNITS[found[2]]) + _per(found[3])


def _wordlike(found: re.Match[str]) -> str:
    names = ("ampere", "amperes") if found[2] else ("inch", "inches") if found[3] else ("kelvin", "kelvin")
    return _counted(found[1], names)


def _per(unit: str | None) -> str:
    return f" per {PER[unit]}" if unit else ""


def _money(found: re.Match[str]) -> str:
    sign, amount = (found[1], found[2]) if found[1] else (found[8], found[7])
    if found[3]:
        amount += f" to {found[3]}"
    if scale := found[4] or SCALES.get(found[5] or ""):
        amount += f" {scale}"
    return _counted(amount, MONEY[sign]) + _per(found[6] or found[9])


def _address(found: re.Match[str]) -> str:
    """Four numbers are a machine's address, three a version: neither is a number with a fraction."""
    dot = " dot " if found[2].count(".") == 3 else " point "
    version = "version " if found[1] else ""
    return version + found[2].replace(".", dot) + (f" port {found[3]}" if found[3] else "")


def _fraction(found: re.Match[str]) -> str:
    said = FRACTIONS[found[2]]
    if found[1]:
        return f"{found[1]} and {'a' + said.removeprefix('one') if said.startswith('one ') else said}"
    return said


def time_ranges(text: str) -> str:
    """To be done before dashes become pauses."""
    return _TIME_RANGE.sub(r"\1 to ", text)


def spoken_times(text: str) -> str:
    text = _NAMES.sub(lambda found: _SHORT[found[0].rstrip(".")], text)
    text = _DAY_RANGE.sub(r"\1 to ", text)
    text = _DATE.sub(_date, text)
    return _LENGTH.sub(_length, _TIME.sub(_time, text))


def _date(found: re.Match[str]) -> str:
    month, day = int(found[2]), int(found[3])
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return found[0]
    at = " at " if found[0].endswith("T") else ""
    return f"{MONTHS[month - 1]} {day}, {found[1]}{at}"


def _time(found: re.Match[str]) -> str:
    """On the clock of twelve hours; "7:30" alone stays without a half of the day, since nobody said which."""
    hour, minute = int(found[1]), int(found[2])
    half = {"a": "AM", "p": "PM", None: ""}[found[4].lower() if found[4] else None]
    if not half and (hour > 12 or hour == 0 or (len(found[1]) == 2 and found[1][0] == "0")):
        half = "PM" if hour >= 12 else "AM"
    shown = hour % 12 or 12
    if minute == 0:
        said = f"{shown} {half}" if half else f"{shown} o'clock"
    else:
        said = f"{shown} {'oh ' if minute < 10 else ''}{minute} {half}".strip()
    if found[3] and int(found[3]):
        said += f" and {int(found[3])} second{'s' if int(found[3]) > 1 else ''}"
    return said


def _length(found: re.Match[str]) -> str:
    """One number alone may be anything ("5 m"); two that belong together are a length of time."""
    names = ("day", "hour", "minute", "second")
    parts = [
        f"{int(count)} {name}{'' if int(count) == 1 else 's'}"
        for name, count in zip(names, found.groups(), strict=True)
        if count
    ]
    return " ".join(parts) if len(parts) > 1 else found[0]
