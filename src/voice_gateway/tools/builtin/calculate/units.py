"""Conversion between units by pint. Loading its table takes a second, so it happens in a thread at first use."""

import functools
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from home_names.phrases import capital
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.calculate.lazy_pattern import LazyPattern
from voice_gateway.tools.builtin.calculate.sums import MONEY_WORDS, is_exact, say_number

# pint's name and its abbreviations; the plural, "metre" for "meter" and "an hour" for "per hour" are added.
_TABLE = """
millimeter mm, centimeter cm, meter m, kilometer km kms k, inch in, foot ft, yard yd, mile mi, nautical_mile, light_year
milligram mg, gram gramme g, kilogram kilo kg kgs, metric_ton tonne ton, ounce oz, pound lb lbs, stone
milliliter ml, centiliter cl, deciliter dl, liter l, teaspoon tsp, tablespoon tbsp, cup, fluid_ounce fl_oz, pint, quart
gallon, imperial_gallon, imperial_pint, degree_Celsius celsius centigrade degrees_centigrade degrees_c c
degree_Fahrenheit fahrenheit degrees_f f, kelvin degrees_kelvin, second sec, minute min, hour hr, day, week, year
kilometer_per_hour kph kmh km_per_hour km_h, mile_per_hour mph, meter_per_second, knot
hectare, acre, square_meter, square_foot, square_kilometer, square_mile
joule, kilojoule kj, calorie, kilocalorie kcal, watt_hour, kilowatt_hour kwh, watt, kilowatt kw, horsepower hp
bar, psi, kilobyte kb, megabyte mb, gigabyte gb, terabyte tb, byte, bit
"""
_ALIKE = {"stone", "horsepower", "kelvin", "psi", "bar"}  # the same for one and for many
_IRREGULAR = {"foot": "feet", "inch": "inches", "metric_ton": "tonnes"}


def _plural(name: str) -> str:
    """ "mile_per_hour" -> "miles per hour"."""
    if name in _ALIKE:
        return name
    if name in _IRREGULAR:
        return _IRREGULAR[name]
    first, per, rest = name.replace("degree_", "degrees ").partition("_per_")
    if first.startswith("degrees "):
        return first
    first = "square feet" if first == "square_foot" else f"{first.replace('_', ' ')}s"
    return f"{first} per {rest}" if per else first


def _names() -> dict[str, str]:
    """Every way to say a unit -> pint's name."""
    names: dict[str, str] = {}
    for entry in _TABLE.replace("\n", ",").split(","):
        name, *more = entry.split() or [""]
        ways = {name, _plural(name), *more, *(f"{way}s" for way in more if len(way) > 2)} if name else set()
        for way in {way.replace("_", " ").lower() for way in ways}:
            british = re.sub(r"meter(?=s?\b)", "metre", re.sub(r"liter(?=s?\b)", "litre", way))
            names |= dict.fromkeys((way, british, way.replace(" per ", " an ")), name)
    return names


_NAMES = _names()
_UNIT_WORDS = {part for word in _NAMES for part in word.split()} - {"in"} | set(
    re.findall(r"[a-z]+", re.sub(r"s\?", "s ", MONEY_WORDS))
    + re.findall(r"[a-z]+", MONEY_WORDS.replace("s?", ""))
)
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
    """The conversion a whole text asks for, or None. `text` has numbers as digits."""
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
    """pint's table of units; building it takes a second, so call this in a thread."""
    import pint

    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


def answer_conversion(asked: Conversion) -> tuple[str, dict[str, Any]]:
    """The sentence and the facts; call it in a thread."""
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
        given, wanted = _say_unit(asked.unit), _say_unit(asked.wanted)
        raise BadArguments(f"{capital(given)} and {wanted} measure different things.") from error
    except (pint.errors.PintError, ValueError, TypeError, OverflowError, AttributeError) as error:
        unknown = asked.unit if asked.unit not in _NAMES.values() else asked.wanted
        raise BadArguments(f'I don\'t know the unit "{unknown.replace("_", " ")[:40]}".') from error
    number = Decimal(f"{float(result.magnitude):.10g}")
    about = "" if is_exact(number) else "about "
    shown = say_number(number)
    unit = _say_unit(asked.wanted, single=shown == "1")
    return f"That's {about}{shown} {unit}.", {"result": float(result.magnitude), "unit": asked.wanted}


def _say_unit(name: str, *, single: bool = False) -> str:
    if name not in _NAMES.values():
        return name.replace("_", " ")
    return name.replace("_", " ") if single and name != "metric_ton" else _plural(name)
