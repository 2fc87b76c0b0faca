"""Numbers with units, times, dates and money as they are said."""

import re

MONTHS = "January February March April May June July August September October November December".split()
# written -> (said of one, said of several)
UNITS: dict[str, tuple[str, str]] = {
    "°C": ("degree Celsius", "degrees Celsius"),
    "°F": ("degree Fahrenheit", "degrees Fahrenheit"),
    "°": ("degree", "degrees"),
    "%": ("percent", "percent"),
    "km/h": ("kilometer per hour", "kilometers per hour"),
    "mph": ("mile per hour", "miles per hour"),
    "m/s": ("meter per second", "meters per second"),
    "kWh": ("kilowatt hour", "kilowatt hours"),
    "Wh": ("watt hour", "watt hours"),
    "kW": ("kilowatt", "kilowatts"),
    "W": ("watt", "watts"),
    "V": ("volt", "volts"),
    "mA": ("milliampere", "milliamperes"),
    "lx": ("lux", "lux"),
    "ppm": ("part per million", "parts per million"),
    "µg/m³": ("microgram per cubic meter", "micrograms per cubic meter"),
    "m³": ("cubic meter", "cubic meters"),
    "m²": ("square meter", "square meters"),
    "hPa": ("hectopascal", "hectopascals"),
    "dB": ("decibel", "decibels"),
    "kHz": ("kilohertz", "kilohertz"),
    "Hz": ("hertz", "hertz"),
    "GB": ("gigabyte", "gigabytes"),
    "MB": ("megabyte", "megabytes"),
    "kB": ("kilobyte", "kilobytes"),
    "kg": ("kilogram", "kilograms"),
    "mg": ("milligram", "milligrams"),
    "g": ("gram", "grams"),
    "km": ("kilometer", "kilometers"),
    "cm": ("centimeter", "centimeters"),
    "mm": ("millimeter", "millimeters"),
    "ml": ("milliliter", "milliliters"),
    "m": ("meter", "meters"),
    "l": ("liter", "liters"),
    "L": ("liter", "liters"),
    "ms": ("millisecond", "milliseconds"),
    "min": ("minute", "minutes"),
    "h": ("hour", "hours"),
    "s": ("second", "seconds"),
}
MONEY = {
    "$": ("dollar", "dollars"),
    "€": ("euro", "euros"),
    "£": ("pound", "pounds"),
    "¥": ("yen", "yen"),
}
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_AS_WRITTEN = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_UNIT = re.compile(rf"({_NUMBER})(?:\s?)({_AS_WRITTEN})(?![\w°])")
_LONE_DEGREES = re.compile(r"°\s?([CF])\b")
_MONEY = re.compile(rf"([$€£¥])\s?({_NUMBER})|({_NUMBER})\s?([€£])")
_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?:T(?=\d{2}:\d{2})|\b)")
_TIME = re.compile(
    r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?"
    r"(?:\s?([ap])(?:\.m\.|m\b))?(?![\d:])",
    re.IGNORECASE,
)
# A hyphen between long numbers is more likely one of a telephone.
_RANGE = re.compile(
    rf"(?<![\w.,/–-])({_NUMBER})(?:\s?–\s?(?={_NUMBER})|-(?=\d{{1,3}}(?:\.\d+)?(?![\w/–-]|\.\d)))"
)
_MINUS = re.compile(r"(?<![\w.)\]/-])[-−](?=\d)")


def spoken_numbers(text: str) -> str:
    text = _DATE.sub(_date, text.replace("μ", "µ").replace("º", "°"))
    text = _TIME.sub(_time, text)
    text = _MONEY.sub(_money, text)
    text = _RANGE.sub(r"\1 to ", text)
    text = _UNIT.sub(_unit, _MINUS.sub("minus ", text))
    return _LONE_DEGREES.sub(lambda found: f" {UNITS['°' + found[1]][1]}", text).replace("°", " degrees")


def _unit(found: re.Match[str]) -> str:
    one, several = UNITS[found[2]]
    return f"{found[1]} {one if found[1] == '1' else several}"


def _money(found: re.Match[str]) -> str:
    sign, amount = (found[1], found[2]) if found[1] else (found[4], found[3])
    one, several = MONEY[sign]
    return f"{amount} {one if amount == '1' else several}"


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
