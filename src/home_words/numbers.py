"""Number words: "sixty five" is 65, "two and a half" 2.5, "nineteen ninety" a year."""

import itertools
from collections.abc import Sequence

_ONES = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9,
}  # fmt: skip
# Not hassil's number words: they are built by a library that takes 100 ms to load (measured), they come with
# hyphens, and they have no "a hundred", "point five" or "half a degree".
NUMBER_WORDS = _ONES | {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40,
    "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip

# "One" is mostly no number ("the one in the kitchen"): it counts before a unit, or behind a word for it.
_UNITS = frozenset(
    "second seconds minute minutes hour hours day days week weeks month months year years percent degree "
    "degrees".split()
)
_CLOCK_UNITS = frozenset("am pm oclock".split())
_BEFORE_HOUR = frozenset({"at", "past"})  # "at one turn on …", and no hour: "at one of the lamps"
_NO_HOUR = frozenset("of point end side time place or".split())
_WANTS_NUMBER = frozenset({"to", "by", "at", "volume"})
_AND_A_HALF = ["and", "a", "half"]


def to_digits(words: list[str], *, every_one: bool = False) -> list[str]:
    """`every_one` also turns a lone "one" into 1, as names want it ("Switch One")."""
    out: list[str] = []
    position = 0
    while position < len(words):
        value, used = _number(words, position)
        if used == 1 and words[position] == "one" and not every_one:
            after = words[position + 1 : position + 2]
            before = set(out[-1:])
            unit = bool(set(after) & (_UNITS | _CLOCK_UNITS)) or (not after and bool(before & _WANTS_NUMBER))
            due = unit or (bool(before & _BEFORE_HOUR) and not set(after) & _NO_HOUR)
            used = 1 if due else 0
        out.append(value if used else words[position])
        position += max(used, 1)
    return out


def _number(words: list[str], start: int) -> tuple[str, int]:
    """The number that begins here and how many words it takes; 0 words when none does."""
    if words[start : start + 2] == ["hundred", "percent"]:
        return "100", 1
    if words[start : start + 2] == ["a", "hundred"]:
        words = [*words[:start], "one", *words[start + 1 :]]
    value, used = whole_number(words, start)
    if used and value.isdecimal() and words[start + used : start + used + 3] == _AND_A_HALF:
        return f"{value}.5", used + 3
    if used == 1 and words[start].isdecimal():
        return "", 0  # it is a number already
    decimals = _decimals(words, start + used) if used else ""
    if decimals:
        return f"{value}.{decimals}", used + 1 + len(decimals)
    return (value, used) if used else _less_than_one(words, start)


def whole_number(words: Sequence[str], start: int) -> tuple[str, int]:
    """ "Two thousand four hundred and sixty eight", "2 thousand 468", "nineteen ninety eight"."""
    figures = words[start].isdecimal()
    value, used = _small(words, start, figures=figures)
    if not used:
        return "", 0
    total, first = 0, used
    for name, scale in (("thousand", 1000), ("hundred", 100)):
        if list(words[start + used : start + used + 1]) == [name]:
            total, used = total + value * scale, used + 1
            skip = list(words[start + used : start + used + 1]) == ["and"]
            value, more = _small(words, start + used + skip, figures=figures)
            used += more + skip if more else 0
    if used > first:
        return str(total + value), used
    following, more = _small(words, start + used)
    if first == 1 and 10 <= value <= 20 and following >= 10 and not figures:
        return f"{value}{following}", used + more  # "twenty twenty six"
    return (words[start] if figures else str(value)), used


def _small(words: Sequence[str], start: int, *, figures: bool = False) -> tuple[int, int]:
    """What it is, below a hundred in words or a few figures, and how many words it takes."""
    first, second = (*words[start : start + 2], "", "")[:2]
    if figures and first.isdecimal() and len(first) <= 4:
        return int(first), 1
    value, ones = NUMBER_WORDS.get(first, -1), _ONES.get(second, 0)
    return (value + ones, 2) if value >= 20 and ones else (value, 1) if value >= 0 else (0, 0)


def _less_than_one(words: list[str], start: int) -> tuple[str, int]:
    """ "Half a degree", and "point five" where a number is due: to point at something is no number."""
    if words[start : start + 3] in (["half", "a", "degree"], ["half", "a", "percent"]):
        return "0.5", 2
    if words[start : start + 5] == ["a", "degree", *_AND_A_HALF]:
        return "1.5 degrees", 5
    decimals = _decimals(words, start)
    after = words[start + 1 + len(decimals) : start + 2 + len(decimals)]
    due = bool(set(words[start - 1 : start]) & _WANTS_NUMBER) or bool(set(after) & _UNITS)
    return (f"0.{decimals}", 1 + len(decimals)) if decimals and due else ("", 0)


def _decimals(words: list[str], start: int) -> str:
    """The digits behind "point", one by one."""
    if words[start : start + 1] != ["point"]:
        return ""
    digits = itertools.takewhile(lambda word: word in _ONES, words[start + 1 : start + 3])
    return "".join(str(_ONES[word]) for word in digits)
