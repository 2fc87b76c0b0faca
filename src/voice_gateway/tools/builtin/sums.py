"""Sums in words and signs, worked out with bounds; only numbers and signs pass."""

import ast
import operator
import re
from collections.abc import Callable
from decimal import Context, Decimal, DivisionByZero, Overflow, localcontext
from functools import partial
from typing import Any

from voice_gateway.errors import BadArguments

Answer = tuple[str, dict[str, Any]]  # the sentence and the facts

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
    return partial(_answer, value, problem, "percent" if share else money)


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
            return _cube_root(_value(inner))
    raise ValueError


def _is_share(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.right, ast.Name)


def _cube_root(value: Decimal) -> Decimal:
    root = abs(value) ** (Decimal(1) / 3)
    near = root.to_integral_value()
    return (near if near**3 == abs(value) else root).copy_sign(value)


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


def _answer(value: Decimal, problem: str, unit: str) -> Answer:
    if problem:
        raise BadArguments(problem)
    text = say_number(value, money=unit not in ("", "percent"))
    return f"That's {text}{unit and f' {unit}'}.", {"result": float(value)}
