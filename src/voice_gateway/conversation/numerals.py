"""Numbers in speech, as a PIN may be said: digits of any script, or English words in any grouping."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from home_names.numbers import NUMBER_WORDS, whole_number

HIDDEN = "•"
_SAME = {"nought": "zero", "naught": "zero", "nil": "zero", "null": "zero"}
_SCALES = frozenset({"hundred", "thousand"})
_TIMES = {"double": 2, "triple": 3, "treble": 3, "quadruple": 4}
_NUMBERS = frozenset({*NUMBER_WORDS, *_SAME, *_SCALES, *_TIMES, "million", "billion", "dozen"})
# Numbers only in the company of numbers.
_SOUNDS_LIKE = {
    "to": "two", "too": "two", "for": "four", "fore": "four", "won": "one", "ate": "eight", "oh": "zero",
    "o": "zero", "aught": "zero", "ought": "zero", "tree": "three", "sicks": "six",
}  # fmt: skip
_COMPANY = 3  # so many of those in a row are no ordinary words: "to for ate"
_BETWEEN = frozenset("and then point dot dash hyphen minus plus comma slash space".split())
_WORD = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)*")

Row = tuple[str, ...]  # the words of a number, with nothing but "and" and the like between them


@dataclass(frozen=True, slots=True)
class Spoken:
    """An utterance as numbers and other words, in plain small letters."""

    words: tuple[str, ...]
    numbers: tuple[Row, ...]
    masked: str  # the words, with one mark for each number

    @property
    def size(self) -> int:
        """How many digits its numbers have."""
        return sum(len(digits(row)) for row in self.numbers)


def parted(text: str) -> Spoken:
    words: list[str] = []
    numbers: list[Row] = []
    shown: list[str] = []
    for row in _rows(_WORD.findall(_plain(text))):
        if any(map(_is_number, row)) or sum(word in _SOUNDS_LIKE for word in row) >= _COMPANY:
            numbers.append(row)
            shown += [HIDDEN] if shown[-1:] != [HIDDEN] else []
        else:
            words += row
            shown += row
    return Spoken(tuple(words), tuple(numbers), " ".join(shown))


def readings(spoken: Spoken) -> tuple[str, ...]:
    """The few readings of a secret number: all digits, or the only long number beside short ones
    ("door 2, 2468"), each with and without words that only sound like digits ("go to 2468")."""
    read: list[str] = []
    for sounds in (False, True):
        rows = [digits(row, sounds=sounds) for row in spoken.numbers]
        long = {row for row in rows if len(row) >= 4}
        read += ["".join(rows), *(long if len(long) == 1 else ())]
    written = {word for row in spoken.numbers for word in row if word.isdecimal() and len(word) >= 4}
    return tuple(filter(None, dict.fromkeys([*read, *(written if len(written) == 1 else ())])))


def digits(row: Row, *, sounds: bool = False) -> str:
    """The digits of a number; with `sounds` also of the words that only sound like a digit."""
    spoken = (_bare(word) for word in row if word not in _BETWEEN)
    words = [word for word in spoken if sounds or word not in _SOUNDS_LIKE]
    words = [_SAME.get(word, _SOUNDS_LIKE.get(word, word)) for word in words]
    read, position = "", 0
    while position < len(words):
        times = _TIMES.get(words[position], 0) if position + 1 < len(words) else 0
        if times:
            read += _digit(words[position + 1]) * times
            position += 2
        elif words[position] in _SCALES:
            words[position : position + 1] = ["one", words[position]]
        else:
            amount, used = whole_number(words, position)
            read += amount if used else _digit(words[position])
            position += max(used, 1)
    return read


def _rows(words: Sequence[str]) -> Iterator[Row]:
    """Words that could be one number together; every other word is a row by itself."""
    row: list[str] = []
    between: list[str] = []
    for word in words:
        if _is_number(word) or word in _SOUNDS_LIKE:
            row += [*between, word] if row else [word]
            between = []
        elif row and word in _BETWEEN:
            between.append(word)
        else:
            yield from ([tuple(row)] if row else [])
            yield from ((single,) for single in (*between, word))
            row, between = [], []
    yield from ([tuple(row)] if row else [])
    yield from ((single,) for single in between)


def _is_number(word: str) -> bool:
    return word.isdecimal() or _bare(word) in _NUMBERS


def _bare(word: str) -> str:
    """A number word without its plural: "sixes", "two's"."""
    for bare in (word, word.removesuffix("'s"), word.removesuffix("s"), word.removesuffix("es")):
        if bare in _NUMBERS:
            return bare
    return word


def _plain(text: str) -> str:
    """Without accents and capitals, and with the digits of every script as 0 to 9."""
    plain = ""
    for letter in unicodedata.normalize("NFD", text.casefold().replace("’", "'")):
        if letter.isnumeric():
            value = unicodedata.numeric(letter)
            plain += str(int(value)) if value == int(value) else "0"  # a fraction is a number, too
        elif not unicodedata.category(letter).startswith("M"):
            plain += letter
    return plain


def _digit(word: str) -> str:
    return word if word.isdecimal() else str(NUMBER_WORDS.get(word, ""))
