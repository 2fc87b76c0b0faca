"""Sums in words and signs, worked out with bounds; only numbers and signs pass."""

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
_LIST = rf"(?:the )?(sum|total|product|average|mean) of ({_NUMBER}(?:(?: and| ,|,)? {_NUMBER})+)"
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
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}
_SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_TOKEN = r"\d+(?:\.\d+)?|\*\*|[-+*/^()%]|sqrt|cbrt|off|of|thousand|million|billion|trillion|percentage"


def read_sum(text: str) -> Callable[[], Answer] | None:
    """The answer to a sum with at least one sign in it, and nothing else; None: it is none.

    `text` has numbers as digits.
    """
    if not _HAS_NUMBER.search(text):
        return None
    money = next((name for name, words in _MONEY.items() if re.search(rf"\b(?:{words})\b", text)), "")
    plain = " ".join(re.sub(rf"\b(?:{MONEY_WORDS})\b", " ", text).split())
    for pattern, form in _FORMS:
        if found := re.fullmatch(pattern, plain):
            plain = found.expand(form)
            break
    if found := re.fullmatch(_LIST, plain):  # "the average of 3 4 and 5"
        numbers = re.findall(_NUMBER, found[2])
        row = f" {_LISTS[found[1]]} ".join(numbers)
        plain = f"( {row} ) / {len(numbers)}" if found[1] in ("average", "mean") else row
    for phrase, sign in _WORDS:
        plain = re.sub(rf"\b(?:{phrase})\b", f" {sign} ", plain)
    tokens = re.findall(_TOKEN, plain)
    if re.sub(r"\s", "", plain) != "".join(tokens) or len(tokens) > MOST_TOKENS:
        return None
    share = tokens[-1:] == ["percentage"]
    reader = _Reader(tokens[:-1] if share else tokens)
    with localcontext(Context(prec=DIGITS, traps=[])) as context:
        try:
            value = reader.whole()
        except ValueError:
            return None
        problem = TOO_LARGE if abs(value) > LARGEST else ""
    if not value.is_finite() and not context.flags[Overflow]:
        problem = _ZERO if context.flags[DivisionByZero] else "That has no result."
    return partial(_answer, value, problem, "percent" if share else money) if reader.signs else None


class _Reader:
    """Works a sum out while reading it. ValueError: it is none."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens[::-1]  # the next one is the last
        self.signs = 0

    def whole(self) -> Decimal:
        value, _ = self._row(1)
        if self._tokens:
            raise ValueError
        return value

    def _row(self, least: int) -> tuple[Decimal, bool]:
        """The value, and whether it is a share ("15 percent")."""
        left, share = self._signed()
        while self._tokens and _BINDS.get(self._tokens[-1], 0) >= least:
            sign = self._tokens.pop()
            right, is_share = self._row(_BINDS[sign] + 1)
            if is_share and sign in "+-":  # "80 plus 15 percent"
                right *= left
            left, share = _SIGNS[sign](left, right), False
            self.signs += 1
        return left, share

    def _signed(self) -> tuple[Decimal, bool]:
        if self._take("-"):
            return -self._signed()[0], False
        value, share = self._atom()
        return (value ** self._signed()[0], False) if self._take("^", "**") else (value, share)

    def _atom(self) -> tuple[Decimal, bool]:
        token = self._tokens.pop() if self._tokens else ""
        if token == "(":
            value, _ = self._row(1)
            if not self._take(")"):
                raise ValueError
        elif token in ("sqrt", "cbrt"):
            self.signs += 1
            value = -self._atom()[0] if self._take("-") else self._atom()[0]
            value = value.sqrt() if token == "sqrt" else _cube_root(value)
        elif token[:1].isdecimal():
            value = Decimal(token)
            if self._tokens and self._tokens[-1] in _SCALES:
                value *= _SCALES[self._tokens.pop()]
        else:
            raise ValueError
        if not self._take("%"):
            return value, False
        if self._take("of"):
            return value / 100 * self._signed()[0], False
        return ((1 - value / 100) * self._signed()[0], False) if self._take("off") else (value / 100, True)

    def _take(self, *signs: str) -> bool:
        if not self._tokens or self._tokens[-1] not in signs:
            return False
        self.signs += self._tokens.pop() in ("of", "off", "^", "**")
        return True


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
