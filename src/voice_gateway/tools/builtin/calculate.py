"""The tool `calculate`: sums, units, days until a date, chance and spelling; no model and no network.

Units are converted by pint. Loading its table takes a second, so it happens in a thread at first use.
"""

import ast
import asyncio
import operator
import re
import secrets
from collections.abc import Callable
from datetime import date, datetime
from decimal import Context, Decimal, DivisionByZero, Overflow, localcontext
from functools import cache, partial
from typing import Any

from langchain_core.tools import BaseTool

from home_names.numbers import NUMBER_WORDS, to_digits
from home_names.phrases import capital, listed
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.times import Times, local_zone
from voice_gateway.tools.gateway_tool import declared_tool, parameters, short_text
from voice_gateway.turn import ToolTraits

Answer = tuple[str, dict[str, Any]]  # the sentence and the facts

MOST_DICE, MOST_SIDES = 20, 1000
LARGEST_PICK = 10**12
LONGEST_WORD = 60

DESCRIPTION = (
    "REQUIRED to calculate: you MUST call this whenever the user asks about sums, units, days until a date, "
    "dice or spelling. DO NOT use for the time.\n"
    'Good: "15% of 80", "5 miles in km", "days until christmas", "roll a die". Bad: "what time is it".'
)
PARAMETERS = parameters(
    "expression", expression=short_text('In plain words, for example "3 * (4 + 5)" or "spell rhythm"', 200)
)
_UNREADABLE = "I can't work that out. Ask for a sum, a unit in another one, or the days until a date."


def calculate_tool(now: Callable[[], datetime], times: Times) -> BaseTool:
    async def calculate(expression: str) -> Answer:
        today = now().astimezone(local_zone()[0]).date()
        read_day = partial(times.day, today=today)
        answer = read_asked(plain(expression), today, lambda day: read_day(day.replace(" - ", "-")))
        if answer is None:
            raise BadArguments(_UNREADABLE)
        text, facts = await asyncio.to_thread(answer)
        return text, {"structured": facts}

    summary = "Sums, units, days until a date, dice, coins and spelling."
    traits = ToolTraits(title="Calculator", summary=summary, read_only=True)
    return declared_tool("calculate", DESCRIPTION, PARAMETERS, calculate, traits)


async def warm_up() -> None:
    """Build the table of units, so that the first conversion does not wait a second for it."""
    await asyncio.to_thread(registry)


# --- reading

_AS_WORDS = {
    "%": " percent ", "×": " times ", "÷": " divided by ", "°": " degrees ", "·": " times ",
    "²": " squared ", "³": " cubed ", "√": " square root of ",
}  # fmt: skip
_OPENING = (
    r"^(?:(?:what (?:is|are|do|does|would|will)|whats|how much (?:is|are|do|does|would|will)|calculate|compute|work out|"
    r"figure out|solve|tell me|do you know|convert(?= what)|the result of|result of|so|and) )+"
)
_ENDING = (
    r" (?:equals?|equal to|make|makes|is|be|come to|worth|altogether|in total|add up to|each|per person)$"
)


def plain(expression: str) -> str:
    """Signs as words, small letters, numbers as digits."""
    text = "".join(_AS_WORDS.get(letter, letter) for letter in expression.lower())
    text = re.sub(r"(?<=[a-z])-(?=[a-z])", " ", text)  # "thirty-five" is no difference
    for sign, word in (("[$]", "dollars"), ("€", "euros"), ("£", "pounds")):
        text = re.sub(rf"{sign}\s*(\d[\d.,]*)", rf"\1 {word}", text)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"[?!=,;:]|\.(?!\d)", " ", text).replace("'", "")
    return " ".join(to_digits(re.sub(r"([-+*/^()])", r" \1 ", text).split()))


def read_asked(
    text: str, today: date = date.min, day: Callable[[str], date | None] = lambda _: None
) -> Callable[[], Answer] | None:
    """The answer to what the whole text asks for, or None. `day` reads a day in words."""
    bare = re.sub(_ENDING, "", re.sub(_OPENING, "", text))
    countdown = partial(_read_countdown, today=today, day=day)
    readers = (countdown, read_conversion, _read_game, read_sum)
    answers = (reader(words) for words in dict.fromkeys((text, bare)) for reader in readers)
    return next((answer for answer in answers if answer), None)


_UNTIL = r"(?:how|days|weeks) (?:[a-z]+ )*?(?:until|till|til|to|before) (?P<day>.+)"
_WHEN = (
    r"(?:when|what (?:date|day)(?: of the week)?|which (?:day|date)(?: of the week)?|on (?:what|which) day) "
    r"(?:is|does|will|was) (?:the )?(?P<day>.+?)(?: (?:fall|be|this year|next year|on|fall on|come))*"
)
_DAY_ENDING = r" (?:this year|from now|from today|away|already)$"


def _read_countdown(text: str, today: date, day: Callable[[str], date | None]) -> Callable[[], Answer] | None:
    until = re.fullmatch(_UNTIL, text)
    match = until or re.fullmatch(_WHEN, text)
    when = day(re.sub(_DAY_ENDING, "", match["day"])) if match else None
    unit = next((unit for unit in ("weeks", "months") if unit in text), "days") if until else ""
    return partial(_countdown, when, unit, today) if when else None


def _countdown(day: date, unit: str, today: date) -> Answer:
    """In these units; without one the question is when it is."""
    days = (day - today).days
    facts: dict[str, object] = {"date": day.isoformat(), "days": days}
    written = f"{day:%A}, {day.day} {day:%B}" + (f" {day.year}" if day.year != today.year else "")
    if days < 0:
        return f"That was {_counted(-days, 'day')} ago, on {written}.", facts
    if not unit:
        return f"It's {f'on {written}' if days else 'today'}.", facts
    if not days:
        return "That's today.", facts
    length = _counted(days, "day")
    if unit == "weeks" and days >= 7:
        weeks, rest = divmod(days, 7)
        length = _counted(weeks, "week") + (f" and {_counted(rest, 'day')}" if rest else "")
    elif unit == "months" and days >= 31:
        length = f"About {round(days / 30.44)} months"
    return f"{length}, until {written}.", facts


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


_COIN = r"(?:(?:flip|toss|throw)(?: me)? (?:a|the|1|one) coin|coin (?:flip|toss)|heads or tails)(?: for me)?"
_DICE = (
    r"(?:roll|throw)(?: me)? (?:(?P<count>\d{1,4}|an?|the|one|some|a pair of|a couple of) )?"
    r"(?:(?P<sides>\d{1,6})[ -]?sided )?(?:dice|die|dices)|(?:roll|throw)(?: me)? (?:an? )?(?P<n>\d{1,3})? ?d ?(?P<d>\d{1,6})"
)
_RANDOM = (
    r"(?:(?:pick|choose|give me|tell me|think of|generate|say|i need|what is) )?(?:a |any )?(?:random )?number "
    r"(?:between|from) (?P<low>-?\d{1,15}|one) (?:and|to) (?P<high>-?\d{1,15})|"
    r"(?:(?:pick|choose|give me|tell me|generate|say) )?(?:a )?random number"
)
_SPELL = (
    r"(?:how (?:do you|do i|does one|would you|is|to|can i) )?(?:spell|spelled|spelt)(?: out)?(?: the word)? (\S+(?: \S+){0,2})|"
    r"how is (?:the word )?(\S+(?: \S+)?) (?:spelled|spelt)|(?:the )?spelling of (?:the word )?(\S+)"
)


def _read_game(text: str) -> Callable[[], Answer] | None:
    if re.fullmatch(_COIN, text):
        return _flip
    if match := re.fullmatch(_DICE, text):
        amount = match["count"] or match["n"] or ("2" if text.endswith("dice") else "1")
        count = int(amount) if amount.isdecimal() else 2 if "of" in amount or amount == "some" else 1
        return partial(_roll, count, int(match["sides"] or match["d"] or 6))
    if match := re.fullmatch(_RANDOM, text):
        low, high = match["low"] or "1", match["high"] or "100"
        return partial(_pick, *sorted((int(low.replace("one", "1")), int(high))))
    if match := re.fullmatch(_SPELL, text):
        return partial(_spell, next(filter(None, match.groups())))
    return None


def _flip() -> Answer:
    side = secrets.choice(("heads", "tails"))
    return f"{side.capitalize()}.", {"result": side}


def _pick(low: int, high: int) -> Answer:
    if max(abs(low), abs(high)) > LARGEST_PICK:
        raise BadArguments(TOO_LARGE)
    picked = low + secrets.randbelow(high - low + 1)
    return f"{picked}.", {"result": picked}


def _roll(dice: int, sides: int) -> Answer:
    if not 1 <= dice <= MOST_DICE or not 2 <= sides <= MOST_SIDES:
        raise BadArguments(f"I roll up to {MOST_DICE} dice with 2 to {MOST_SIDES} sides.")
    rolled = [1 + secrets.randbelow(sides) for _ in range(dice)]
    together = f": {sum(rolled)} together" if dice > 1 else ""
    return f"{listed(list(map(str, rolled)))}{together}.", {"result": sum(rolled), "dice": rolled}


def _spell(word: str) -> Answer:
    figures = {str(value): name for name, value in NUMBER_WORDS.items()} | {"40": "forty"}
    word = figures.get(word, word)  # "four" has come as 4
    if len(word) > LONGEST_WORD:
        raise BadArguments("That word is too long to spell.")
    spelled = "; ".join(", ".join(part.upper()) for part in word.split())
    return f"{word[:1].upper()}{word[1:]}: {spelled}.", {"word": word, "letters": list(word.upper())}


# --- sums in words and signs, worked out with bounds; only numbers and signs pass

MOST_TOKENS = 60
LARGEST = Decimal(10) ** 30
DIGITS = 40
_ZERO = "Nobody can divide by zero."
TOO_LARGE = "That number is too large for me to say."

_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_MONEY = {
    "dollars": r"dollars?|bucks?", "euros": r"euros?", "pounds": r"pounds?|quid", "cents": r"cents?",
    "francs": r"francs?", "yen": r"yen", "rupees": r"rupees?",
}  # fmt: skip
MONEY_WORDS = "|".join(_MONEY.values())
_NUMBER = r"-?\d+(?:\.\d+)?(?: (?:thousand|million|billion|trillion))?"
_N = rf"({_NUMBER})"
_LISTS = {"sum": "+", "total": "+", "product": "*", "average": "+", "mean": "+"}
_LIST = rf"(?:the )?(sum|total|product|average|mean) of ({_NUMBER}(?:(?: and| ,|,)? {_NUMBER})+)"
_HAS_NUMBER = re.compile(r"\d|\bone\b|\bmillion|\bthousand")
# In this order: first whole sums that are not said as a row of numbers and signs, then words for signs.
_PHRASES: tuple[tuple[str, str], ...] = (
    (rf"^(?:what )?percent(?:age)? of {_N} is {_N}$", r"( \2 / \1 * 100 ) percentage"),
    (rf"^{_N} (?:is what|as a) percent(?:age)? of {_N}$", r"( \1 / \2 * 100 ) percentage"),
    (rf"^add {_N} (?:and|to|plus) {_N}$", r"\1 + \2"),
    (rf"^subtract {_N} from {_N}$", r"\2 - \1"),
    (rf"^multiply {_N} (?:by|and|with) {_N}$", r"\1 * \2"),
    (rf"^(?:divide|split|share) {_N} (?:by|between|among|in|into) {_N}(?: people| of us| persons| ways| friends| parts)?$", r"\1 / \2"),
    (rf"^{_N} (?:split|divided|shared) (?:by|between|among) {_N}(?: people| of us| persons| ways| friends)?$", r"\1 / \2"),
    (rf"^(?:the )?difference between {_N} and {_N}$", r"\1 - \2"),
    (rf"^(?:a |the )?{_N} percent tip (?:on|for|of) {_N}$", r"\1 % of \2"),
    (rf"^(?:a |the )?tip of {_N} percent (?:on|for) {_N}$", r"\1 % of \2"),
    (rf"^(?:the )?{_N} percent (?:discount|sale) (?:on|of|for) {_N}$", r"\1 % off \2"),
    (rf"^{_N} (?:with|after) (?:a )?{_N} percent (?:discount|off)$", r"\2 % off \1"),
    (r"open bracket", "("), (r"close bracket", ")"),
    (r"(?:raised )?to the power of|raised to(?: the)?", "^"), (r"(?:the )?square root of|square root", "sqrt"),
    (r"(?:the )?cube root of", "cbrt"), (r"squared", "^ 2"), (r"cubed", "^ 3"),
    (r"multiplied (?:by|with)|times|x", "*"), (r"divided by|over", "/"), (r"plus|added to", "+"),
    (r"minus|less|take away|subtracted by", "-"), (r"negative", "-"),
    (r"percent of(?: the)?", "% of"), (r"percent off(?: of)?|percent less than", "% off"), (r"percent", "%"),
    (r"(?:a |1 )?half of|half", "0.5 *"), (r"(?:a|1) third of", "1 / 3 *"), (r"2 thirds of", "2 / 3 *"),
    (r"(?:a |1 )?quarter of", "0.25 *"), (r"3 quarters of", "0.75 *"), (r"(?:a|1) tenth of", "0.1 *"),
    (r"double|twice", "2 *"), (r"triple", "3 *"), (r"one", "1"), (r"a (?=thousand|million|billion)", "1 "),
    (r"pi", "3.14159265358979"),
)  # fmt: skip
_TOKEN = r"\d+(?:\.\d+)?|[-+*/^()%]|sqrt|cbrt|off|of|thousand|million|billion|trillion|percentage"
# The same as Python writes it; a share ("15 percent") is a number times `percent`.
_AS_PYTHON = (
    (r"(\d+(?:\.\d+)?)(?: (thousand|million|billion|trillion))?",
     lambda match: f"{Decimal(match[1]) * _SCALES.get(match[2], 1):f}"),
    (r"([\d.]+) % off", r"( 1 - \1 / 100 ) *"), (r"% of", "/ 100 *"), (r"([\d.]+) %", r"( \1 * percent )"),
    (r"%", "* percent"), (r"(sqrt|cbrt) ((?:- )?[\d.]+)", r"\1 ( \2 )"), (r"\^", "**"),
)  # fmt: skip
_SIGNS: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip


def read_sum(text: str) -> Callable[[], Answer] | None:
    """The answer to a sum with at least one sign in it, and nothing else; None: it is none.

    `text` has numbers as digits.
    """
    if not _HAS_NUMBER.search(text):
        return None
    money = next((name for name, words in _MONEY.items() if re.search(rf"\b(?:{words})\b", text)), "")
    plain = " ".join(re.sub(rf"\b(?:{MONEY_WORDS})\b", " ", text).split())
    if match := re.fullmatch(_LIST, plain):  # "the average of 3 4 and 5"
        numbers = re.findall(_NUMBER, match[2])
        row = f" {_LISTS[match[1]]} ".join(numbers)
        plain = f"( {row} ) / {len(numbers)}" if match[1] in ("average", "mean") else row
    for phrase, sign in _PHRASES:
        plain = re.sub(rf"\b(?:{phrase})\b" if phrase[0] != "^" else phrase, f" {sign} ", plain)
    tokens = re.findall(_TOKEN, plain)
    if re.sub(r"\s", "", plain) != "".join(tokens) or len(tokens) > MOST_TOKENS:
        return None
    share = tokens[-1:] == ["percentage"]
    written = " ".join(tokens[:-1] if share else tokens)
    for pattern, python in _AS_PYTHON:
        written = re.sub(pattern, python, written)
    with localcontext(Context(prec=DIGITS, traps=[])) as context:
        try:
            tree = ast.parse(written, mode="eval").body
            value = _value(tree)
        except (SyntaxError, ValueError):
            return None
        problem = TOO_LARGE if abs(value) > LARGEST else ""
    if not any(isinstance(node, ast.BinOp | ast.Call) and not _is_share(node) for node in ast.walk(tree)):
        return None
    if not value.is_finite() and not context.flags[Overflow]:
        problem = _ZERO if context.flags[DivisionByZero] else "That has no result."
    return partial(_say_sum, value, problem, "percent" if share else money)


def _value(node: ast.AST) -> Decimal:
    """Of numbers, signs and roots. ValueError: it has something else."""
    match node:
        case ast.Constant():
            return Decimal(str(node.value))
        case ast.Name(id="percent"):
            return Decimal("0.01")
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand)
        case ast.BinOp() if type(node.op) in _SIGNS:
            left, right = _value(node.left), _value(node.right)
            if isinstance(node.op, ast.Add | ast.Sub) and _is_share(node.right):
                right *= left  # "80 plus 15 percent"
            return _SIGNS[type(node.op)](left, right)
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner]):
            return _value(inner).sqrt()
        case ast.Call(func=ast.Name(id="cbrt"), args=[inner]):
            return _value(inner) ** (1 / Decimal(3))
    raise ValueError


def _is_share(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.right, ast.Name)


def say_number(value: Decimal, *, money: bool = False) -> str:
    """ "12", "3.5", "1,250,000", "about 3.33": two places, or the first two digits of a small number."""
    places = 2
    if value and abs(value) < 1:  # 0.00042 has its first digits far behind the point
        places = min(12, places + max(0, -value.adjusted()))
    rounded = value.quantize(Decimal(1).scaleb(-places), context=Context(prec=DIGITS))
    about = "about " if abs(rounded - value) >= Decimal(10) ** -20 else ""  # a root squared is a little off
    text = f"{rounded:,f}" if abs(rounded) >= 10_000 else f"{rounded:f}"
    whole = text.rstrip("0").rstrip(".") if "." in text else text
    return about + (text if money and "." in whole else whole)


def _say_sum(value: Decimal, problem: str, unit: str) -> Answer:
    if problem:
        raise BadArguments(problem)
    text = say_number(value, money=unit not in ("", "percent"))
    return f"That's {text}{unit and f' {unit}'}.", {"result": float(value)}


# --- units

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
            unit = way.replace("_", " ").lower()
            british = re.sub(r"(?<=met|lit)er(?=s?\b)", "re", unit)
            names |= dict.fromkeys((unit, british, unit.replace(" per ", " an ")), name)
    return names


_NAMES = _names()
_AMOUNT = r"(?P<amount>-?\d+(?:\.\d+)?|half an?|an?|one) ?(?=\D)"
_SMALLER = {"foot": "inch", "pound": "ounce", "stone": "pound", "hour": "minute", "minute": "second"}
_LINKS = r"(?: (?:are|is|does|do|make|makes|equal|equals|go|fit|there|in|into|to|of))+"
_HOW_MANY = (
    rf"how (?:many|much) (?P<wanted>\D+?){_LINKS} {_AMOUNT}(?P<rest>.+?)(?: (?:have|has|makes?|contains?))?"
)
_ASKS = r"how (?:far|long|heavy|hot|cold|tall|fast|big|much) (?:is|are) |convert |change |turn "
_AMOUNT_IN = rf"(?:{_ASKS})?{_AMOUNT}(?P<rest>.+) (?:to|in|into|as) (?P<wanted>\D+)"


def read_conversion(text: str) -> Callable[[], Answer] | None:
    """The answer to a conversion that a whole text asks for, or None. `text` has numbers as digits.

    Call the answer in a thread.
    """
    text = re.sub(r"^(?:-|minus) (?=\d)", "-", text)
    match = re.fullmatch(_HOW_MANY, text) or re.fullmatch(_AMOUNT_IN, text)
    if match is None:
        return None
    amount, rest, wanted = match["amount"], match["rest"], match["wanted"]
    number = 0.5 if amount.startswith("half") else 1.0 if amount.isalpha() else float(amount)
    target = _unit(wanted)
    if rest == "degrees" and target in _DEGREES:
        return partial(_convert, number, _DEGREES[1 - _DEGREES.index(target)], target)
    unit, more = _unit(rest), None
    if not unit and (parts := re.fullmatch(r"(.+?) (?:and )?(\d+(?:\.\d+)?)(?: (.+))?", rest)):
        unit = _unit(parts[1])
        more = float(parts[2]), _unit(parts[3]) if parts[3] else _SMALLER.get(unit, unit)
    if unit and target and (more is None or more[1]):
        return partial(_convert, number, unit, target, more)
    spelled = re.fullmatch("[a-z ]{1,40}", rest) and re.fullmatch("[a-z ]{1,40}", wanted)
    if text.startswith("convert ") and spelled:
        return partial(_convert, number, unit or rest.replace(" ", "_"), target or wanted.replace(" ", "_"))
    return None


def _unit(words: str) -> str:
    """pint's name, MONEY, or "" for what is no unit."""
    return _NAMES.get(words, MONEY if re.fullmatch(rf"(?:\w+ )?(?:{MONEY_WORDS})", words) else "")


@cache
def registry() -> Any:
    """pint's table of units; building it takes a second, so call this in a thread."""
    import pint

    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


def _convert(amount: float, unit: str, wanted: str, more: tuple[float, str] | None = None) -> Answer:
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
    return _plural(name) if name in _NAMES.values() and not single else name.replace("_", " ")
