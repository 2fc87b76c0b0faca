"""From one unit to another, by pint, which is loaded in a thread when it is first needed: that takes a second."""

import functools
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from home_words.lazy_pattern import LazyPattern
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.calculate.sums import MONEY_WORDS, is_exact, say_number

# pint's name -> how people say it; the first is how we say it.
_SAID = {
    "millimeter": "millimeters, millimeter, millimetre, millimetres, mm",
    "centimeter": "centimeters, centimeter, centimetre, centimetres, cm",
    "meter": "meters, meter, metre, metres, m",
    "kilometer": "kilometers, kilometer, kilometre, kilometres, km, kms, k",
    "inch": "inches, inch, in",
    "foot": "feet, foot, ft",
    "yard": "yards, yard, yd",
    "mile": "miles, mile, mi",
    "nautical_mile": "nautical miles, nautical mile",
    "light_year": "light years, light year",
    "milligram": "milligrams, milligram, mg",
    "gram": "grams, gram, gramme, grammes, g",
    "kilogram": "kilograms, kilogram, kilo, kilos, kg, kgs",
    "metric_ton": "tonnes, tonne, metric ton, metric tons, tons, ton",
    "ounce": "ounces, ounce, oz",
    "pound": "pounds, pound, lb, lbs",
    "stone": "stone, stones",
    "milliliter": "milliliters, milliliter, millilitre, millilitres, ml",
    "centiliter": "centiliters, centiliter, centilitre, centilitres, cl",
    "deciliter": "deciliters, deciliter, decilitre, decilitres, dl",
    "liter": "liters, liter, litre, litres, l",
    "teaspoon": "teaspoons, teaspoon, tsp",
    "tablespoon": "tablespoons, tablespoon, tbsp",
    "cup": "cups, cup",
    "fluid_ounce": "fluid ounces, fluid ounce, fl oz",
    "pint": "pints, pint",
    "quart": "quarts, quart",
    "gallon": "gallons, gallon",
    "imperial_gallon": "imperial gallons, imperial gallon",
    "imperial_pint": "imperial pints, imperial pint",
    "degree_Celsius": "degrees Celsius, degrees celsius, degree celsius, celsius, centigrade, degrees centigrade, degrees c, c",
    "degree_Fahrenheit": "degrees Fahrenheit, degrees fahrenheit, degree fahrenheit, fahrenheit, degrees f, f",
    "kelvin": "kelvin, degrees kelvin",
    "second": "seconds, second, sec, secs",
    "minute": "minutes, minute, min, mins",
    "hour": "hours, hour, hr, hrs",
    "day": "days, day",
    "week": "weeks, week",
    "year": "years, year",
    "kilometer_per_hour": "kilometers per hour, kilometres per hour, kilometers an hour, kilometer per hour, kph, kmh, km per hour, km h",
    "mile_per_hour": "miles per hour, mile per hour, miles an hour, mph",
    "meter_per_second": "meters per second, metres per second, meter per second",
    "knot": "knots, knot",
    "hectare": "hectares, hectare",
    "acre": "acres, acre",
    "square_meter": "square meters, square meter, square metre, square metres",
    "square_foot": "square feet, square foot",
    "square_kilometer": "square kilometers, square kilometres, square kilometer",
    "square_mile": "square miles, square mile",
    "joule": "joules, joule",
    "kilojoule": "kilojoules, kilojoule, kj",
    "calorie": "calories, calorie",
    "kilocalorie": "kilocalories, kilocalorie, kcal",
    "watt_hour": "watt hours, watt hour",
    "kilowatt_hour": "kilowatt hours, kilowatt hour, kwh",
    "watt": "watts, watt",
    "kilowatt": "kilowatts, kilowatt, kw",
    "horsepower": "horsepower, hp",
    "bar": "bar, bars",
    "psi": "psi",
    "kilobyte": "kilobytes, kilobyte, kb",
    "megabyte": "megabytes, megabyte, mb",
    "gigabyte": "gigabytes, gigabyte, gb",
    "terabyte": "terabytes, terabyte, tb",
    "byte": "bytes, byte",
    "bit": "bits, bit",
}  # fmt: skip
_NAMES = {word.strip(): name for name, words in _SAID.items() for word in words.split(",")}
_UNIT_WORDS = {part for word in _NAMES for part in word.split()} - {"in"} | set(
    re.findall(r"[a-z]+", re.sub(r"s\?", "s ", MONEY_WORDS))
    + re.findall(r"[a-z]+", MONEY_WORDS.replace("s?", ""))
)
_SPOKEN = {name: words.split(",")[0] for name, words in _SAID.items()}
_SMALL = {  # one of them, where "feet" would be wrong
    "foot": "foot", "inch": "inch", "stone": "stone", "hertz": "hertz", "horsepower": "horsepower", "bar": "bar",
    "psi": "psi", "kelvin": "kelvin",
}  # fmt: skip
_U = "(?:" + "|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True)) + ")"
_N = r"(?:(?P<n>-?\d+(?:\.\d+)?)|(?P<one>half an?|an?|one))"
_PART = rf"(?: (?:and )?(?P<m>\d+(?:\.\d+)?)(?: (?P<v>{_U}))?)?"  # "5 feet 9 inches", "5 foot 9"
_FORMS = tuple(
    LazyPattern(pattern)
    for pattern in (
        rf"(?:convert |change |turn )?{_N} ?(?P<u>{_U}){_PART} (?:to|in|into|as) (?P<w>{_U})",
        rf"(?:how many|how much) (?P<w>{_U}) (?:(?:are|is|does|do|make|makes|equal|equals|go|fit|there|in|into|to|of) )*{_N} ?(?P<u>{_U}){_PART}"
        r"(?: (?:have|has|make|makes|contain|contains))?",
        rf"(?:how far|how long|how heavy|how hot|how cold|how tall|how fast|how big|how much) (?:is|are) {_N} ?(?P<u>{_U}){_PART} in (?P<w>{_U})",
        r"(?:convert |change )?(?P<n>-?\d+(?:\.\d+)?) degrees (?P<u>)(?P<one>)(?P<m>)(?P<v>)(?:to|in|into) (?P<w>(?:degrees )?(?:celsius|fahrenheit|centigrade))",
    )
)
_ANY = LazyPattern(
    r"(?:convert) (?P<n>-?\d+(?:\.\d+)?) (?P<u>[a-z ]{1,40}?) (?:to|into|in) (?P<w>[a-z ]{1,40})"
)
_MONEY_FORMS = (
    LazyPattern(rf"(?:convert |change )?(?:\d+(?:\.\d+)?|an?|one) (?:{MONEY_WORDS}) (?:to|in|into) (?:\w+ )?(?:{MONEY_WORDS})"),
    LazyPattern(rf"how (?:many|much) (?:{MONEY_WORDS}) (?:(?:are|is|in) )*(?:\d+(?:\.\d+)?|an?|one) (?:{MONEY_WORDS})"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conversion:
    amount: float
    unit: str  # pint's name, or what was said
    wanted: str
    more: tuple[float, str] | None = None  # "5 feet 9 inches"
    money: bool = False


def read_conversion(text: str) -> Conversion | None:
    """A whole text that asks for it; None: it does not. `text` has numbers as digits."""
    words = text.split()
    if sum(word in _UNIT_WORDS for word in words) < 2 and "convert" not in words:
        return None
    text = re.sub(r"^(?:-|minus) (?=\d)", "-", text)
    for form in _FORMS:
        if found := form.fullmatch(text):
            parts = found.groupdict()
            unit = _NAMES.get(parts["u"] or "", "")
            wanted = _NAMES[parts["w"]]
            unit = unit or ("degree_Fahrenheit" if wanted == "degree_Celsius" else "degree_Celsius")
            more = _more(parts, unit)
            return Conversion(_amount(parts), unit, wanted, more)
    if any(form.fullmatch(text) for form in _MONEY_FORMS):
        return Conversion(0, "", "", money=True)
    if found := _ANY.fullmatch(text):
        named = (_NAMES.get(found[part], found[part].replace(" ", "_")) for part in ("u", "w"))
        unit, wanted = named
        return Conversion(float(found["n"]), unit, wanted)
    return None


def _amount(parts: dict[str, Any]) -> float:
    if parts.get("n"):
        return float(parts["n"])
    return 0.5 if str(parts.get("one")).startswith("half") else 1.0


def _more(parts: dict[str, Any], unit: str) -> tuple[float, str] | None:
    if not parts.get("m"):
        return None
    smaller = {"foot": "inch", "pound": "ounce", "stone": "pound", "hour": "minute", "minute": "second"}
    return float(parts["m"]), _NAMES.get(parts.get("v") or "", "") or smaller.get(unit, unit)


@functools.cache
def registry() -> Any:
    """Takes a second: call it in a thread."""
    import pint

    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


def answer_conversion(asked: Conversion) -> tuple[str, dict[str, Any]]:
    """Call it in a thread."""
    if asked.money:
        raise BadArguments("I don't know exchange rates.")
    import pint

    units = registry()
    try:
        value = units.Quantity(asked.amount, asked.unit)
        if asked.more:
            value += units.Quantity(*asked.more)
        result = value.to(asked.wanted)
    except pint.DimensionalityError as error:
        one, other = _say_unit(asked.unit), _say_unit(asked.wanted)
        raise BadArguments(f"{one[0].upper()}{one[1:]} and {other} measure different things.") from error
    except (pint.errors.PintError, ValueError, TypeError, OverflowError, AttributeError) as error:
        unknown = asked.unit if asked.unit not in _SPOKEN else asked.wanted
        raise BadArguments(f'I don\'t know the unit "{unknown.replace("_", " ")[:40]}".') from error
    number = Decimal(f"{float(result.magnitude):.10g}")
    about = "" if is_exact(number) else "about "
    said = say_number(number)
    unit = _say_unit(asked.wanted, one=said == "1")
    return f"That's {about}{said} {unit}.", {"result": float(result.magnitude), "unit": asked.wanted}


def _say_unit(name: str, *, one: bool = False) -> str:
    said = _SPOKEN.get(name, name.replace("_", " "))
    if not one:
        return said
    return _SMALL.get(name) or said.replace("degrees", "degree").removesuffix("s")
