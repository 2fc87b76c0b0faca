"""Numbers in speech: `parted` tells them from words, `readings` gives their digits.

A number may be digits of any script, English words in any grouping ("twenty-four sixty-eight", "double oh
seven"), words that a transcriber takes for them ("to for six ate"), or words of another language.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from home_names.calendar_words import ORDINALS
from home_names.numbers import NUMBER_WORDS, whole_number
from voice_gateway.languages import shared_data

HIDDEN = "•"
LONGEST_WORD = 60  # letters of a number; a page without spaces is no word
LONGEST_PART = 20  # letters of one number word

# Other words for digits, as they are read out over a radio or a telephone.
_SAME = {
    "nought": "zero", "naught": "zero", "nil": "zero", "null": "zero", "fower": "four", "fife": "five",
    "niner": "nine",
}  # fmt: skip
_SCALES = frozenset({"hundred", "thousand"})
_TIMES = {"double": 2, "triple": 3, "treble": 3, "quadruple": 4}
_ENGLISH = frozenset({*NUMBER_WORDS, *_SAME, *_SCALES, *_TIMES, "million", "billion", "dozen"})
# Numbers only in the company of numbers: what sounds like a number, and ordinals.
_SOUNDS_LIKE = {
    "to": "two", "too": "two", "for": "four", "fore": "four", "won": "one", "ate": "eight", "oh": "zero",
    "o": "zero", "aught": "zero", "ought": "zero", "tree": "three", "sicks": "six",
}  # fmt: skip
_ORDINALS = frozenset(ORDINALS) | frozenset(
    "fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth thousandth".split()
)
_COMPANY = 3  # so many of those in a row are no ordinary words: "to for ate"
_BETWEEN = frozenset(
    "and then point dot dash hyphen minus plus comma slash space st nd rd th und et y e i og och".split()
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or some digits, and their place in the text."""

    text: str  # plain: no capitals, no accents, digits as 0 to 9
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Number:
    """Numbers in a row, with nothing but "and" and the like between them."""

    tokens: tuple[Token, ...]

    def digits(self, *, sounds: bool = False) -> str:
        """Its digits; with `sounds` also the words that only sound like a digit."""
        words = [word for token in self.tokens for word in _english(token.text) or [token.text]]
        spoken = (word for word in words if word not in _BETWEEN)
        return _digits([word for word in spoken if sounds or word not in _SOUNDS_LIKE])

    @property
    def size(self) -> int:
        """How many digits it has, or could have in a language that is not read."""
        return max(len(self.digits()), _most_foreign([token.text for token in self.tokens]))


@dataclass(frozen=True, slots=True)
class Spoken:
    """An utterance as numbers and other words."""

    words: tuple[str, ...]
    numbers: tuple[Number, ...]

    @property
    def size(self) -> int:
        return sum(number.size for number in self.numbers)


def parted(text: str) -> Spoken:
    rows = [(row, _says_number(row)) for row in _rows(text)]
    words = (token.text for row, number in rows if not number for token in row)
    return Spoken(tuple(words), tuple(Number(tuple(row)) for row, number in rows if number))


def without_numbers(text: str) -> str:
    """The text with one mark for each number; the mark shows neither length nor grouping."""
    out: list[str] = []
    position = 0
    for row in filter(_says_number, _rows(text)):
        before = text[position : row[0].start]
        out += [before] if out and out[-1] == HIDDEN and not before.strip() else [before, HIDDEN]
        position = row[-1].end
    return "".join([*out, text[position:]])


def is_latin(text: str) -> bool:
    """Whether all letters belong to the script of English."""
    return all(not c.isalpha() or unicodedata.name(c, "").startswith("LATIN ") for c in text)


def readings(spoken: Spoken) -> tuple[str, ...]:
    """The few readings of a secret number: all digits, or the only long number beside short ones
    ("door 2, 2468"), each with and without words that only sound like digits ("go to 2468")."""
    digits: list[str] = []
    for sounds in (False, True):
        rows = [number.digits(sounds=sounds) for number in spoken.numbers]
        alone = {row for row in rows if len(row) >= 4}
        digits += ["".join(rows), *(alone if len(alone) == 1 else ())]
    written = {token.text for number in spoken.numbers for token in number.tokens if len(token.text) >= 4}
    long = [text for text in written if text.isdecimal()]
    return tuple(filter(None, dict.fromkeys([*digits, *(long if len(long) == 1 else ())])))


# --- rows of numbers


def _rows(text: str) -> Iterator[list[Token]]:
    """Tokens that could be one number together; every other word is a row by itself."""
    row: list[Token] = []
    between: list[Token] = []
    for token in _tokens(text):
        if _is_number(token.text) or _may_be_number(token.text):
            row += [*between, token] if row else [token]
            between = []
        elif row and token.text in _BETWEEN:
            between.append(token)
        else:
            yield from ([row] if row else [])
            yield from ([single] for single in (*between, token))
            row, between = [], []
    yield from ([row] if row else [])
    yield from ([single] for single in between)


def _says_number(row: Sequence[Token]) -> bool:
    texts = [token.text for token in row]
    company = sum(text in _SOUNDS_LIKE or text in _ORDINALS for text in texts)
    return any(map(_is_number, texts)) or company >= _COMPANY or _most_foreign(texts) > 1


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        start, sort = position, _sort(text[position])
        while position < len(text) and _sort(text[position]) == sort:
            position += 1
        if sort and (plain := _plain(text[start:position])):
            yield Token(plain, start, position)


@lru_cache(maxsize=4096)
def _sort(character: str) -> str:
    """ "number" for digits of any script, "word" for letters, empty between them: "pin2468" is both."""
    if character.isnumeric():
        return "number"
    is_word = character.isalpha() or character in "'’" or unicodedata.category(character).startswith("M")
    return "word" if is_word else ""


def _plain(text: str) -> str:
    if text[0].isnumeric():
        return "".join(map(_ascii, text))
    letters = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(c for c in letters if not unicodedata.category(c).startswith("M")).strip("'")


def _ascii(digit: str) -> str:
    value = unicodedata.numeric(digit)
    return str(int(value)) if value == int(value) else digit


# --- words


@lru_cache(maxsize=4096)
def _is_number(word: str) -> bool:
    return word[0].isnumeric() or bool(_english(word)) or max(_foreign(word)) > 1


def _may_be_number(word: str) -> bool:
    return word in _SOUNDS_LIKE or word in _ORDINALS or max(_foreign(word)) > 0


@lru_cache(maxsize=4096)
def _english(word: str) -> tuple[str, ...]:
    """The number words in this word ("twentyfour", "sixes", "two's"); empty when it is no number."""
    for bare in (word, word.removesuffix("'s"), word.removesuffix("s"), word.removesuffix("es")):
        if bare in _ENGLISH:
            return (bare,)
    return _split(word, _ENGLISH)


def _split(word: str, known: frozenset[str], joints: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The known words that make up this word, with or without joints between them; empty if they do not.

    A regular expression would take exponential time for a word that can be split in many ways.
    """
    if len(word) > LONGEST_WORD:
        return ()
    made: dict[int, tuple[str, ...]] = {0: ()}  # the parts of the beginning, up to each place
    for start in range(len(word)):
        if start not in made:
            continue
        for end in range(start + 1, min(len(word), start + LONGEST_PART) + 1):
            piece = word[start:end]
            if piece in known:
                made[end] = max(made.get(end, ()), (*made[start], piece), key=len)
            elif piece in joints and start > 0 and end < len(word):
                made.setdefault(end, made[start])
    return made.get(len(word), ())


def _most_foreign(words: Sequence[str]) -> int:
    """How many number words these are in the language that knows most of them."""
    return max(map(sum, zip(*map(_foreign, words), strict=True)))


@cache
def _languages() -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    """The number words of each other language and the joints between them, in plain letters."""
    data = shared_data("numbers.yaml")
    known = tuple(frozenset(map(_plain, words.split())) for words in data["words"].values())
    return known, frozenset(map(_plain, data["joints"].split()))


@lru_cache(maxsize=4096)
def _foreign(word: str) -> tuple[int, ...]:
    """For each other language the count of number words in this word: "vierundzwanzig" has two."""
    languages, joints = _languages()
    return tuple(len(_split(word, known, joints)) for known in languages)


# --- digits


def _digits(spoken: Sequence[str]) -> str:
    words = [_SAME.get(word, _SOUNDS_LIKE.get(word, word)) for word in spoken]
    digits, position = "", 0
    while position < len(words):
        times = _TIMES.get(words[position], 0) if position + 1 < len(words) else 0
        if times:
            digits += _digit(words[position + 1]) * times
            position += 2
        elif words[position] in _SCALES:
            words[position : position + 1] = ["one", words[position]]
        else:
            amount, used = whole_number(words, position)
            digits += amount if used else _digit(words[position])
            position += max(used, 1)
    return digits


def _digit(word: str) -> str:
    return word if word.isdecimal() else str(NUMBER_WORDS.get(word, ""))
