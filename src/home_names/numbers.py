"""Number words as digits: "sixty five" is 65, "two and a half" 2.5, "nineteen ninety" a year."""

import itertools

_ONES = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9,
}  # fmt: skip
NUMBER_WORDS = _ONES | {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40,
    "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip


def to_digits(words: list[str]) -> list[str]:
    """The words, every number in them as digits."""
    out: list[str] = []
    at = 0
    while at < len(words):
        value, used = _number(words, at)
        out.append(value or words[at])
        at += used or 1
    return out


def _number(words: list[str], start: int) -> tuple[str, int]:
    """The number in words that begins here and how many words it takes; 0 if none does."""
    pair = words[start : start + 2]
    if pair == ["hundred", "percent"]:
        return "100", 1
    if pair == ["a", "hundred"]:
        words = [*words[:start], "one", *words[start + 1 :]]
    value, used = whole_number(words, start)
    behind = words[start + used :]
    if used and behind[:3] == ["and", "a", "half"]:
        return f"{value}.5", used + 3
    if not used or (used == 1 and words[start].isdecimal()):
        return "", 0
    spoken = itertools.takewhile(_ONES.__contains__, behind[1:3] if behind[:1] == ["point"] else ())
    decimals = "".join(str(_ONES[word]) for word in spoken)
    return (f"{value}.{decimals}", used + 1 + len(decimals)) if decimals else (value, used)


def whole_number(words: list[str], start: int) -> tuple[str, int]:
    """A whole number in words or mixed ("2 thousand 468"), or a year ("nineteen ninety eight")."""
    figures = words[start].isdecimal()
    value, used = _small(words, start, figures=figures)
    if not used:
        return "", 0
    total, first = 0, used
    for name, scale in (("thousand", 1000), ("hundred", 100)):
        if words[start + used : start + used + 1] == [name]:
            total, used = total + value * scale, used + 1
            skip = words[start + used : start + used + 1] == ["and"]
            value, more = _small(words, start + used + skip, figures=figures)
            used += more + skip if more else 0
    if used > first:
        return str(total + value), used
    following, more = _small(words, start + used)
    if first == 1 and 10 <= value <= 20 and following >= 10 and not figures:
        return f"{value}{following}", used + more  # "twenty twenty six"
    return (words[start] if figures else str(value)), used


def _small(words: list[str], start: int, *, figures: bool = False) -> tuple[int, int]:
    """A number below a hundred in words, or of a few figures, and how many words it takes."""
    first, second = (*words[start : start + 2], "", "")[:2]
    if figures and first.isdecimal() and len(first) <= 4:
        return int(first), 1
    value, ones = NUMBER_WORDS.get(first, -1), _ONES.get(second, 0)
    return (value + ones, 2) if value >= 20 and ones else (value, 1) if value >= 0 else (0, 0)
