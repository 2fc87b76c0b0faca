"""Sums in words and signs, evaluated over Python's syntax tree with bounds; only numbers and signs pass."""

import ast
import re
from dataclasses import dataclass
from decimal import Context, Decimal, DecimalException, DivisionByZero, InvalidOperation, localcontext

from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.calculate.lazy_pattern import LazyPattern

MOST_TOKENS = 60
LARGEST = Decimal(10) ** 30
HIGHEST_POWER = 1000
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
# Sums that are not said as a row of numbers and signs.
_FORMS: tuple[tuple[str, str], ...] = (
    (rf"(?:what )?percent(?:age)? of {_N} is {_N}", r"( \2 / \1 * 100 ) percentage"),
    (rf"{_N} is what percent(?:age)? of {_N}", r"( \1 / \2 * 100 ) percentage"),
    (rf"{_N} as a percent(?:age)? of {_N}", r"( \1 / \2 * 100 ) percentage"),
    (rf"add {_N} (?:and|to|plus) {_N}", r"\1 + \2"),
    (rf"subtract {_N} from {_N}", r"\2 - \1"),
    (rf"multiply {_N} (?:by|and|with) {_N}", r"\1 * \2"),
    (rf"(?:divide|split|share) {_N} (?:by|between|among|in|into) {_N}(?: people| of us| persons| ways| friends| parts)?", r"\1 / \2"),
    (rf"{_N} (?:split|divided|shared) (?:by|between|among) {_N}(?: people| of us| persons| ways| friends)?", r"\1 / \2"),
    (rf"(?:the )?difference between {_N} and {_N}", r"\1 - \2"),
    (rf"(?:a |the )?{_N} percent tip (?:on|for|of) {_N}", r"\1 % of \2"),
    (rf"(?:a |the )?tip of {_N} percent (?:on|for) {_N}", r"\1 % of \2"),
    (rf"(?:the )?{_N} percent (?:discount|sale) (?:on|of|for) {_N}", r"\1 % off \2"),
    (rf"{_N} (?:with|after) (?:a )?{_N} percent (?:discount|off)", r"\2 % off \1"),
)  # fmt: skip
_HAS_NUMBER = re.compile(r"\d|\bone\b|\bmillion|\bthousand")
_LISTS = {"sum": "+", "total": "+", "product": "*", "average": "+", "mean": "+"}
_LIST = LazyPattern(rf"(?:the )?(sum|total|product|average|mean) of ({_NUMBER}(?:(?: and| ,|,)? {_NUMBER})+)")
_WORDS: tuple[tuple[str, str], ...] = (
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
_D = r"\d+(?:\.\d+)?"
_TOKEN = re.compile(
    r"\d+(?:\.\d+)?|\*\*|[-+*/^()%]|sqrt|cbrt|off|of|thousand|million|billion|trillion|percentage"
)


# A text with any other word is no sum; this check is cheaper than parsing.
_KNOWN = frozenset(
    word
    for pattern in (*(form for form, _ in _FORMS), *(words for words, _ in _WORDS), MONEY_WORDS)
    for found in re.findall(r"[a-z]+", pattern.replace("s?", ""))
    for word in (found, f"{found}s")
) | {*_LISTS, *_SCALES, "of", "and", "percentage", "sqrt", "cbrt"}


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum that can be parsed."""

    tree: ast.expr
    money: str = ""
    share: bool = False  # the result is a percentage


def read_sum(text: str) -> Sum | None:
    """A sum with at least one sign in it, and nothing else; None: it is none. `text` has numbers as digits."""
    words = text.split()
    if not _HAS_NUMBER.search(text) or not all(word in _KNOWN or not word.isalpha() for word in words):
        return None
    money = next((name for name, words in _MONEY.items() if re.search(rf"\b(?:{words})\b", text)), "")
    plain = " ".join(re.sub(rf"\b(?:{MONEY_WORDS})\b", " ", text).split())
    for pattern, form in _FORMS:
        if found := re.fullmatch(pattern, plain):
            plain = found.expand(form)
            break
    plain = _rows(plain)
    for phrase, sign in _WORDS:
        plain = re.sub(rf"\b(?:{phrase})\b", f" {sign} ", plain)
    tokens = _TOKEN.findall(plain)
    if re.sub(r"\s", "", plain) != "".join(tokens) or len(tokens) > MOST_TOKENS:
        return None
    share = tokens[-1:] == ["percentage"]
    try:
        tree = ast.parse(_as_python(" ".join(tokens[:-1] if share else tokens)), mode="eval").body
    except SyntaxError:
        return None
    signs = {getattr(node, "id", "") for node in ast.walk(tree)} & {"sqrt", "cbrt"}
    has_sign = signs or any(isinstance(node, ast.BinOp) for node in ast.walk(tree))
    return Sum(tree, money, share) if has_sign else None


def _rows(text: str) -> str:
    """ "The average of 3 4 and 5" as a sum with signs."""
    found = _LIST.fullmatch(text)
    if found is None:
        return text
    numbers = re.findall(_NUMBER, found[2])
    row = f" {_LISTS[found[1]]} ".join(numbers)
    return f"( {row} ) / {len(numbers)}" if found[1] in ("average", "mean") else row


def _as_python(text: str) -> str:
    """`15 % of 80` as `percent(15) * 80`, `20 % off 50` as `percent(20) @ 50`, `^` as `**`."""
    text = re.sub(
        rf"({_D}) ({'|'.join(_SCALES)})", lambda found: f"{Decimal(found[1]) * _SCALES[found[2]]:f}", text
    )
    text = re.sub(rf"({_D}) %", r"percent(\1)", text)
    text = re.sub(r"(percent\([^)]*\)) off", r"\1 @", re.sub(r"(percent\([^)]*\)) of\b", r"\1 *", text))
    text = re.sub(rf"(sqrt|cbrt) (-? ?{_D})", r"\1(\2)", text)
    return text.replace("^", "**")


def work_out(made: Sum) -> Decimal:
    """The result; BadArguments with a sentence where there is none."""
    with localcontext(Context(prec=DIGITS)):
        try:
            value = _value(made.tree)
        except (DivisionByZero, ZeroDivisionError) as error:
            raise BadArguments(_ZERO) from error
        except (DecimalException, OverflowError, RecursionError) as error:
            raise BadArguments(_ZERO if isinstance(error, InvalidOperation) else TOO_LARGE) from error
    if abs(value) > LARGEST:
        raise BadArguments(TOO_LARGE)
    return value


def _value(node: ast.expr) -> Decimal:
    match node:
        case ast.Constant(int() | float() as number):
            value = Decimal(str(number))
        case ast.UnaryOp(ast.USub(), operand):
            value = -_value(operand)
        case ast.Call(ast.Name("percent"), [share]):
            value = _value(share) / 100
        case ast.Call(ast.Name("sqrt" | "cbrt" as root), [operand]):
            value = _root(_value(operand), cube=root == "cbrt")
        case ast.BinOp(left, sign, right):
            value = _combined(_value(left), sign, _value(right), is_share=isinstance(right, ast.Call))
        case _:
            raise BadArguments("I can't work that out.")
    if abs(value) > LARGEST * LARGEST:
        raise BadArguments(TOO_LARGE)
    return value


def _combined(left: Decimal, sign: ast.operator, right: Decimal, *, is_share: bool) -> Decimal:
    if is_share and isinstance(sign, ast.Add | ast.Sub):  # "80 plus 15 percent"
        right *= left
    match sign:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.MatMult():
            return right * (1 - left)
        case _:
            return _power(left, right)


def _root(value: Decimal, *, cube: bool) -> Decimal:
    if not cube:
        if value < 0:
            raise BadArguments("A number below zero has no square root.")
        return value.sqrt()
    root = abs(value) ** (Decimal(1) / 3)
    near = root.to_integral_value()
    return (near if near**3 == abs(value) else root).copy_sign(value)


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if abs(exponent) > HIGHEST_POWER:
        raise BadArguments(TOO_LARGE)
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    if base < 0 and exponent != exponent.to_integral_value():
        raise BadArguments("That has no result.")
    return base**exponent


def say_number(value: Decimal) -> str:
    """ "12", "3.5", "1,250,000"; rounded to two places, or to the first two digits of a small number."""
    rounded = _rounded(value)
    text = f"{rounded:,f}" if abs(rounded) >= 10_000 else f"{rounded:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _rounded(value: Decimal) -> Decimal:
    places = 2
    if value and abs(value) < 1:  # 0.00042 has its first digits far behind the point
        places = min(12, places + max(0, -value.adjusted()))
    return value.quantize(Decimal(1).scaleb(-places), context=Context(prec=DIGITS))


def is_exact(value: Decimal) -> bool:
    return abs(_rounded(value) - value) < Decimal(10) ** -20  # a root squared is a little off


def answer_sum(made: Sum) -> tuple[str, dict[str, object]]:
    value = work_out(made)
    about = "" if is_exact(value) else "about "
    unit = " percent" if made.share else f" {made.money}" if made.money else ""
    text = say_number(value)
    if made.money and not made.share and "." in text:
        text = f"{_rounded(value):,f}" if abs(value) >= 10_000 else f"{_rounded(value):f}"
    return f"That's {about}{text}{unit}.", {"result": float(value)}
