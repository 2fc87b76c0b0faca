"""Where the numbers are in what was said, however they were put: to hide them, and to read their digits.

A number may be digits of any script, English words in any grouping ("twenty-four sixty-eight", "double oh
seven"), words that a transcriber takes for them ("to for six ate"), or words of another language.
"""

import functools
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from home_words.number_words import IN_OTHER_LANGUAGES, JOINTS
from home_words.numbers import NUMBER_WORDS

HIDDEN = "•"
LONGEST_WORD = 60  # letters; nobody's number is longer, and a page without spaces is no word
LONGEST_PART = 20  # letters of one number word

_ONES = {word: value for word, value in NUMBER_WORDS.items() if value < 10} | {
    "nought": 0, "naught": 0, "nil": 0, "null": 0, "fower": 4, "fife": 5, "niner": 9,
}  # fmt: skip
_BELOW_HUNDRED = NUMBER_WORDS | _ONES
_SCALES = {"hundred": 100, "thousand": 1000}
_TIMES = {"double": 2, "triple": 3, "treble": 3, "quadruple": 4}
_OTHERS = frozenset("million billion dozen".split())
_ENGLISH = frozenset({*_BELOW_HUNDRED, *_SCALES, *_TIMES, *_OTHERS})
# Numbers only in the company of numbers: what sounds like one, and what says which one in a row.
_SOUNDS_LIKE = {
    "to": 2, "too": 2, "for": 4, "fore": 4, "won": 1, "ate": 8, "oh": 0, "o": 0, "aught": 0, "ought": 0,
    "tree": 3, "sicks": 6,
}  # fmt: skip
_ORDINALS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth "
    "seventieth eightieth ninetieth hundredth thousandth".split()
)
_COMPANY = 3  # so many of those in a row are no ordinary words: "to for ate"
_BETWEEN = frozenset(
    "and then point dot dash hyphen minus plus comma slash space st nd rd th und et y e i og och".split()
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or some digits, and where it stands."""

    text: str  # plain: no capitals, no accents, digits as 0 to 9
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Number:
    """Numbers that were said in a row, with nothing but "and" and the like between them."""

    tokens: tuple[Token, ...]

    def digits(self, *, sounds: bool = False) -> str:
        """What it says, digit by digit; with `sounds` also what only sounds like a digit."""
        words = [word for token in self.tokens for word in _english(token.text) or [token.text]]
        spoken = (word for word in words if word not in _BETWEEN)
        return _digits([word for word in spoken if sounds or word not in _SOUNDS_LIKE])

    @property
    def size(self) -> int:
        """How many digits it is, or could be in a language that is not read."""
        return max(len(self.digits()), _most_foreign([token.text for token in self.tokens]))


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was said, parted into numbers and other words."""

    words: tuple[str, ...]
    numbers: tuple[Number, ...]

    @property
    def size(self) -> int:
        return sum(number.size for number in self.numbers)


def parted(text: str) -> Spoken:
    words: list[str] = []
    numbers: list[Number] = []
    for row in _rows(text):
        if _says_number(row):
            numbers.append(Number(tuple(row)))
        else:
            words += [token.text for token in row]
    return Spoken(tuple(words), tuple(numbers))


def without_numbers(text: str, known: frozenset[str] | None = None) -> str:
    """The same text with a mark for each number; neither its length nor its grouping shows. With `known` also
    for every word that is not among these."""
    out: list[str] = []
    position = 0
    for row in _rows(text):
        if _says_number(row) or (known is not None and any(token.text not in known for token in row)):
            before = text[position : row[0].start]
            out += [before] if out and out[-1] == HIDDEN and not before.strip() else [before, HIDDEN]
            position = row[-1].end
    return "".join([*out, text[position:]])


def is_latin(text: str) -> bool:
    """Whether its letters are those in which English is written."""
    return all(not c.isalpha() or unicodedata.name(c, "").startswith("LATIN ") for c in text)


def readings(spoken: Spoken) -> tuple[str, ...]:
    """The few ways in which one secret number may have been meant: all digits, or the only long number
    beside short ones ("door 2, 2468"), each with and without what may be a word after all ("go to 2468")."""
    found: list[str] = []
    for sounds in (False, True):
        rows = [number.digits(sounds=sounds) for number in spoken.numbers]
        alone = {row for row in rows if len(row) >= 4}
        found += ["".join(rows), *(alone if len(alone) == 1 else ())]
    written = {token.text for number in spoken.numbers for token in number.tokens if len(token.text) >= 4}
    long = [text for text in written if text.isdecimal()]
    return tuple(filter(None, dict.fromkeys([*found, *(long if len(long) == 1 else ())])))


# --- rows of numbers


def _rows(text: str) -> Iterator[list[Token]]:
    """Tokens that could be one number together; every other word is a row of its own."""
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
            yield from ([one] for one in (*between, token))
            row, between = [], []
    yield from ([row] if row else [])
    yield from ([one] for one in between)


def _says_number(row: Sequence[Token]) -> bool:
    if any(_is_number(token.text) for token in row):
        return True
    texts = [token.text for token in row]
    company = sum(text in _SOUNDS_LIKE or text in _ORDINALS for text in texts)
    return company >= _COMPANY or _most_foreign(texts) > 1


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        start, sort = position, _sort(text[position])
        while position < len(text) and _sort(text[position]) == sort:
            position += 1
        plain = _plain(text[start:position]) if sort else ""
        if plain:
            yield Token(plain, start, position)


@functools.lru_cache(maxsize=4096)
def _sort(character: str) -> str:
    """Digits of any script and words are told apart: "pin2468" is both. Empty for what is between them."""
    if character.isnumeric():
        return "number"
    is_word = character.isalpha() or character in "'’" or unicodedata.category(character).startswith("M")
    return "word" if is_word else ""


@functools.lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    if text[0].isnumeric():
        return "".join(map(_ascii, text))
    letters = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(c for c in letters if not unicodedata.category(c).startswith("M")).strip("'")


def _ascii(digit: str) -> str:
    value = unicodedata.numeric(digit)
    return str(int(value)) if value == int(value) else digit


# --- words


@functools.lru_cache(maxsize=4096)
def _is_number(word: str) -> bool:
    return word[0].isnumeric() or bool(_english(word)) or max(_foreign(word)) > 1


@functools.lru_cache(maxsize=4096)
def _may_be_number(word: str) -> bool:
    return word in _SOUNDS_LIKE or word in _ORDINALS or max(_foreign(word)) > 0


@functools.lru_cache(maxsize=4096)
def _english(word: str) -> tuple[str, ...]:
    """The number words that this one is made of ("twentyfour", "sixes", "two's"); empty when it is none."""
    for bare in (word, word.removesuffix("'s"), word.removesuffix("s"), word.removesuffix("es")):
        if bare in _ENGLISH:
            return (bare,)
    return _split(word, _ENGLISH)


def _split(word: str, known: frozenset[str], joints: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The known words that this one is made of, with or without joints between them; empty if it is not.

    No regular expression: what can be split in many ways would take it for ever.
    """
    if len(word) > LONGEST_WORD:
        return ()
    made: dict[int, tuple[str, ...]] = {0: ()}  # how the beginning can be made, up to each place
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
    """How many number words these are in the other language that knows most of them."""
    return max(map(sum, zip(*map(_foreign, words), strict=True)))


# Plain, as what was said is.
_FOREIGN = tuple(frozenset(map(_plain, words.split())) for words in IN_OTHER_LANGUAGES.values())
_JOINTS = frozenset(map(_plain, JOINTS.split()))


@functools.lru_cache(maxsize=4096)
def _foreign(word: str) -> tuple[int, ...]:
    """For each other language how many number words this one is made of: "vierundzwanzig" is two."""
    return tuple(len(_split(word, known, _JOINTS)) for known in _FOREIGN)


# --- digits


def _digits(words: Sequence[str]) -> str:
    digits, position = "", 0
    while position < len(words):
        times = _TIMES.get(words[position], 0)
        if times and position + 1 < len(words):
            digits += _digit(words[position + 1]) * times
            position += 2
            continue
        amount, used = _amount(words, position)
        digits += amount
        position += max(used, 1)
    return digits


def _digit(word: str) -> str:
    known = _BELOW_HUNDRED.get(word, _SOUNDS_LIKE.get(word))
    return word if word.isdecimal() else "" if known is None else str(known)


def _amount(words: Sequence[str], start: int) -> tuple[str, int]:
    """The number that begins here as people write it, and how many words it takes."""
    value, used = _below_hundred(words, start)
    if words[start] in _SCALES:
        value, used = 1, 0
    elif not used:
        return _digit(words[start]), 1
    total, scaled = 0, False
    for word, scale in (("thousand", 1000), ("hundred", 100)):
        if words[start + used : start + used + 1] == [word]:
            total, used, scaled = total + value * scale, used + 1, True
            value, more = _below_hundred(words, start + used)
            used += more
    if scaled:
        return str(total + value), used
    return (words[start], 1) if words[start].isdecimal() else (str(value), used)


def _below_hundred(words: Sequence[str], start: int) -> tuple[int, int]:
    """ "2 thousand 468" has digits where others have words."""
    first = words[start] if start < len(words) else ""
    if first.isdecimal() and len(first) <= 3:
        return int(first), 1
    value = _BELOW_HUNDRED.get(first)
    if value is None:
        return 0, 0
    following = _ONES.get(words[start + 1], 0) if start + 1 < len(words) else 0
    return (value + following, 2) if value >= 20 and following else (value, 1)
