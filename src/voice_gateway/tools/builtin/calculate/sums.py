"""Sums in words and signs: a small parser of its own, with bounds; nothing is ever evaluated as code."""

import re
from dataclasses import dataclass
from decimal import Context, Decimal, DecimalException, DivisionByZero, InvalidOperation, localcontext

from home_words.lazy_pattern import LazyPattern
from voice_gateway.errors import BadArguments

MOST_TOKENS = 60  # nobody says a longer sum
LARGEST = Decimal(10) ** 30  # nobody listens to a longer number
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
# What is put otherwise than as a row of numbers and signs.
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
_TOKEN = re.compile(
    r"\d+(?:\.\d+)?|\*\*|[-+*/^()%]|sqrt|cbrt|off|of|thousand|million|billion|trillion|percentage"
)


# A text with any other word is none: that costs less than to try.
_KNOWN = frozenset(
    word
    for pattern in (*(form for form, _ in _FORMS), *(words for words, _ in _WORDS), MONEY_WORDS)
    for found in re.findall(r"[a-z]+", pattern.replace("s?", ""))
    for word in (found, f"{found}s")
) | {*_LISTS, *_SCALES, "of", "and", "percentage", "sqrt", "cbrt"}


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum that can be worked out."""

    tokens: tuple[str, ...]
    money: str = ""

    @property
    def is_share(self) -> bool:
        """The result is a percentage."""
        return self.tokens[-1] == "percentage"


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
    tokens = tuple(token.replace("**", "^") for token in _TOKEN.findall(plain))
    if re.sub(r"\s", "", plain).replace("**", "^") != "".join(tokens) or len(tokens) > MOST_TOKENS:
        return None
    made = Sum(tokens, money)
    return made if _is_whole(made) else None


def _rows(text: str) -> str:
    """ "The average of 3 4 and 5"."""
    found = _LIST.fullmatch(text)
    if found is None:
        return text
    numbers = re.findall(_NUMBER, found[2])
    row = f" {_LISTS[found[1]]} ".join(numbers)
    return f"( {row} ) / {len(numbers)}" if found[1] in ("average", "mean") else row


def _is_whole(made: Sum) -> bool:
    """It has a sign, and can be read to its end; that it cannot be worked out is another matter."""
    if not any(
        token in {"+", "-", "*", "/", "^", "sqrt", "cbrt", "of", "off"}
        for token in made.tokens[1:] or made.tokens
    ):
        return made.tokens[:1] in (("sqrt",), ("cbrt",))
    try:
        work_out(made)
    except SyntaxError:
        return False
    except BadArguments:
        return True
    return True


def work_out(made: Sum) -> Decimal:
    """The result; BadArguments with a sentence where there is none."""
    tokens = [token for token in made.tokens if token != "percentage"]
    with localcontext(Context(prec=DIGITS)):
        try:
            value = _Reading(tokens).whole()
        except (DivisionByZero, ZeroDivisionError) as error:
            raise BadArguments(_ZERO) from error
        except InvalidOperation as error:
            raise BadArguments("That has no result.") from error
        except DecimalException as error:
            raise BadArguments(TOO_LARGE) from error
    if abs(value) > LARGEST:
        raise BadArguments(TOO_LARGE)
    return value


class _Reading:
    """Recursive descent: sums of products of powers."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def whole(self) -> Decimal:
        value = self._sum()
        if self._at != len(self._tokens):
            raise SyntaxError
        return value

    def _next(self, *wanted: str) -> str:
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        if token in wanted:
            self._at += 1
            return token
        return ""

    def _sum(self) -> Decimal:
        value = self._product()
        while sign := self._next("+", "-"):
            start = self._at
            more = self._product()
            if self._tokens[start + 1 : self._at] == ["%"]:  # "80 plus 15 percent"
                more = value * more
            value = value + more if sign == "+" else value - more
        return value

    def _product(self) -> Decimal:
        value = self._factor()
        while sign := self._next("*", "/", "of", "off"):
            if sign in ("of", "off") and self._tokens[self._at - 2] != "%":
                raise SyntaxError
            other = self._product() if sign in ("of", "off") else self._factor()
            if sign == "/" and other == 0:
                raise ZeroDivisionError
            value = {"*": _times, "of": _times, "/": _by, "off": _off}[sign](value, other)
            _bound(value)
        return value

    def _factor(self) -> Decimal:
        if self._next("-"):
            return -self._factor()
        root = self._next("sqrt", "cbrt")
        if root:
            value = self._factor()
            if value < 0 and root == "sqrt":
                raise BadArguments("A number below zero has no square root.")
            return value.sqrt() if root == "sqrt" else _cube_root(value)
        value = self._atom()
        if self._next("^"):
            return _power(value, self._factor())
        return value

    def _atom(self) -> Decimal:
        if self._next("("):
            value = self._sum()
            if not self._next(")"):
                raise SyntaxError
            return value
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        if not token[:1].isdecimal():
            raise SyntaxError
        self._at += 1
        value = Decimal(token)
        if scale := self._next(*_SCALES):
            value *= _SCALES[scale]
        _bound(value)
        return value / 100 if self._next("%") else value


def _times(one: Decimal, other: Decimal) -> Decimal:
    return one * other


def _by(one: Decimal, other: Decimal) -> Decimal:
    return one / other


def _off(share: Decimal, value: Decimal) -> Decimal:
    return value * (1 - share)


def _cube_root(value: Decimal) -> Decimal:
    sign = -1 if value < 0 else 1
    root = abs(value) ** (Decimal(1) / 3)
    near = root.to_integral_value()
    return sign * (near if near**3 == abs(value) else root)


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if abs(exponent) > HIGHEST_POWER:
        raise BadArguments(TOO_LARGE)
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    if base < 0 and exponent != exponent.to_integral_value():
        raise BadArguments("That has no result.")
    value = base**exponent
    _bound(value)
    return value


def _bound(value: Decimal) -> None:
    if abs(value) > LARGEST * LARGEST:
        raise BadArguments(TOO_LARGE)


def say_number(value: Decimal) -> str:
    """ "12", "3.5", "1,250,000"; what has more places is rounded, and told as such by `is_exact`."""
    rounded = _rounded(value)
    text = f"{rounded:,f}" if abs(rounded) >= 10_000 else f"{rounded:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _rounded(value: Decimal) -> Decimal:
    places = 2
    if value and abs(value) < 1:  # 0.00042 has its first digits far behind the point
        places = min(12, places + max(0, -value.adjusted()))
    return value.quantize(Decimal(1).scaleb(-places), context=Context(prec=DIGITS))


def is_exact(value: Decimal) -> bool:
    return _rounded(value) == value


def answer_sum(made: Sum) -> tuple[str, dict[str, object]]:
    value = work_out(made)
    about = "" if is_exact(value) else "about "
    unit = " percent" if made.is_share else f" {made.money}" if made.money else ""
    said = say_number(value)
    if made.money and not made.is_share and "." in said:
        said = f"{_rounded(value):,f}" if abs(value) >= 10_000 else f"{_rounded(value):f}"
    return f"That's {about}{said}{unit}.", {"result": float(value)}
