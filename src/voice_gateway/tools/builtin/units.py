"""Conversion between units by pint. Loading its table takes a second, so it happens in a thread at first use."""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache, partial
from typing import Any

from home_names.phrases import capital
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.sums import MONEY_WORDS, Answer, say_number

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
MONEY = "money"
_DEGREES = ("degree_Celsius", "degree_Fahrenheit")
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
    for entry in _TABLE.strip().replace("\n", ",").split(","):
        name, *more = entry.split()
        for way in {name, _plural(name), *more, *(f"{way}s" for way in more if len(way) > 2)}:
            said = way.replace("_", " ").lower()
            british = re.sub(r"(?<=met|lit)er(?=s?\b)", "re", said)
            names |= dict.fromkeys((said, british, said.replace(" per ", " an ")), name)
    return names


_NAMES = _names()
_AMOUNT = r"(-?\d+(?:\.\d+)?|half an?|an?|one) ?(?=\D)"
_SMALLER = {"foot": "inch", "pound": "ounce", "stone": "pound", "hour": "minute", "minute": "second"}
_ASKS = r"how (?:far|long|heavy|hot|cold|tall|fast|big|much) (?:is|are) |convert |change |turn "
_LINKS = r"(?: (?:are|is|does|do|make|makes|equal|equals|go|fit|there|in|into|to|of))+"
_TRAILING = r" (?:have|has|make|makes|contain|contains)$"


def read_conversion(text: str) -> Callable[[], Answer] | None:
    """The answer to a conversion that a whole text asks for, or None. `text` has numbers as digits.

    Call the answer in a thread.
    """
    text = re.sub(r"^(?:-|minus) (?=\d)", "-", text)
    if found := re.fullmatch(rf"how (?:many|much) (?P<w>\D+?){_LINKS} (?P<given>{_AMOUNT}.+)", text):
        given, wanted = re.sub(_TRAILING, "", found["given"]), found["w"]
    elif found := re.fullmatch(rf"(?:{_ASKS})?(?P<given>{_AMOUNT}.+) (?:to|in|into|as) (?P<w>\D+)", text):
        given, wanted = found["given"], found["w"]
    else:
        return None
    amount, rest = re.match(_AMOUNT, given)[1], re.sub(rf"^{_AMOUNT}", "", given)  # type: ignore[index]
    number = 0.5 if amount.startswith("half") else 1.0 if amount.isalpha() else float(amount)
    target = _name(wanted)
    if rest == "degrees" and target in _DEGREES:
        return partial(_answer, number, _DEGREES[1 - _DEGREES.index(target)], target)
    unit, more = _name(rest), None
    if not unit and (parts := re.fullmatch(r"(.+?) (?:and )?(\d+(?:\.\d+)?)(?: (.+))?", rest)):
        unit = _name(parts[1])
        more = float(parts[2]), _name(parts[3]) if parts[3] else _SMALLER.get(unit, unit)
    if unit and target and (more is None or more[1]):
        return partial(_answer, number, unit, target, more)
    spelled = re.fullmatch("[a-z ]{1,40}", rest) and re.fullmatch("[a-z ]{1,40}", wanted)
    if text.startswith("convert ") and spelled:
        return partial(_answer, number, unit or rest.replace(" ", "_"), target or wanted.replace(" ", "_"))
    return None


def _name(said: str) -> str:
    """pint's name, MONEY, or "" for what is no unit."""
    return _NAMES.get(said, MONEY if re.fullmatch(rf"(?:\w+ )?(?:{MONEY_WORDS})", said) else "")


@cache
def registry() -> Any:
    """pint's table of units; building it takes a second, so call this in a thread."""
    import pint

    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


def _answer(amount: float, unit: str, wanted: str, more: tuple[float, str] | None = None) -> Answer:
    """`unit` and `wanted` are pint's names, or what was said; `more` is a second amount: "5 feet 9 inches"."""
    if MONEY in (unit, wanted):
        raise BadArguments("I don't know exchange rates.")
    import pint

    units = registry()
    try:
        value = units.Quantity(amount, unit)
        if more:
            value += units.Quantity(*more)
        result = float(value.to(wanted).magnitude)
    except pint.DimensionalityError as error:
        different = f"{capital(_say_unit(unit))} and {_say_unit(wanted)} measure different things."
        raise BadArguments(different) from error
    except (pint.errors.PintError, ValueError, TypeError, OverflowError, AttributeError) as error:
        unknown = unit if unit not in _NAMES.values() else wanted
        raise BadArguments(f'I don\'t know the unit "{unknown.replace("_", " ")[:40]}".') from error
    shown = say_number(Decimal(f"{result:.10g}"))
    return f"That's {shown} {_say_unit(wanted, single=shown == '1')}.", {"result": result, "unit": wanted}


def _say_unit(name: str, *, single: bool = False) -> str:
    if name not in _NAMES.values():
        return name.replace("_", " ")
    return name.replace("_", " ") if single and name != "metric_ton" else _plural(name)
