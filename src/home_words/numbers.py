"""Number words: "sixty five" is 65, "two and a half" 2.5, "nineteen ninety" a year."""

import itertools

_ONES = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9,
}  # fmt: skip
_TEENS = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
# Not hassil's number words: they are built by a library that takes 100 ms to load (measured), they come with
# hyphens, and they have no "a hundred", "point five" or "half a degree".
NUMBER_WORDS = {**_ONES, **_TEENS, **_TENS}

# "One" is mostly no number ("the one in the kitchen"): it counts before a unit, or behind a word for it.
_UNITS = frozenset(
    "second seconds minute minutes hour hours day days week weeks month months year years percent degree "
    "degrees".split()
)
_WANTS_NUMBER = frozenset({"to", "by", "at", "volume"})
_AND_A_HALF = ["and", "a", "half"]


def to_digits(words: list[str], *, every_one: bool = False) -> list[str]:
    """`every_one` also turns a lone "one" into 1, as names want it ("Switch One")."""
    out: list[str] = []
    position = 0
    while position < len(words):
        value, used = _number(words, position)
        if used and words[position : position + used] == ["one"] and not every_one:
            after = words[position + 1 : position + 2]
            before = out[-1:] if out else []
            if not (set(after) & _UNITS or (not after and set(before) & _WANTS_NUMBER)):
                used = 0
        if used:
            out.append(value)
            position += used
        else:
            out.append(words[position])
            position += 1
    return out


def _number(words: list[str], start: int) -> tuple[str, int]:
    """The number that begins here and how many words it takes; 0 words when none does."""
    value, used = _whole(words, start)
    if used and value.isdecimal() and words[start + used : start + used + 3] == _AND_A_HALF:
        return f"{value}.5", used + 3
    if words[start].isdecimal():
        return "", 0  # it is a number already
    return (value, used) if used else _less_than_one(words, start)


def _whole(words: list[str], start: int) -> tuple[str, int]:
    if words[start].isdecimal():
        return words[start], 1
    if words[start : start + 2] in (["a", "hundred"], ["hundred", "percent"]):
        return _hundreds(words, start, 1, 2 if words[start] == "a" else 1)
    return _spelled(words, start)


def _spelled(words: list[str], start: int) -> tuple[str, int]:
    value, used = _below_hundred(words, start)
    if not used:
        return "", 0
    following = words[start + used] if start + used < len(words) else ""
    if following == "hundred" and 1 <= value <= 9:
        return _hundreds(words, start, value, used + 1)
    if 10 <= value <= 20 and used == 1:
        rest, more = _below_hundred(words, start + used)
        if more and rest >= 10 and following not in _ONES:
            return f"{value}{rest}", used + more  # "nineteen ninety eight", "twenty twenty six"
    decimals = _decimals(words, start + used)
    return (f"{value}.{decimals}", used + 1 + len(decimals)) if decimals else (str(value), used)


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


def _hundreds(words: list[str], start: int, count: int, used: int) -> tuple[str, int]:
    skip = 1 if words[start + used : start + used + 1] == ["and"] else 0
    rest, more = _below_hundred(words, start + used + skip)
    return (str(count * 100 + rest), used + skip + more) if more else (str(count * 100), used)


def _below_hundred(words: list[str], start: int) -> tuple[int, int]:
    if start >= len(words):
        return 0, 0
    first = words[start]
    if first in _TENS:
        second = words[start + 1] if start + 1 < len(words) else ""
        if _ONES.get(second):
            return _TENS[first] + _ONES[second], 2
    return (NUMBER_WORDS[first], 1) if first in NUMBER_WORDS else (0, 0)
