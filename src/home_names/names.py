"""Spoken and written names brought to one form, so that they can be compared."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from home_names.numbers import to_digits

# Letters that no decomposition takes apart.
_PLAIN: Final = str.maketrans({
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t",
    "ß": "ss",
})  # fmt: skip
_SPELLED_OUT: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})
_ARTICLES: Final = frozenset("the a an my our your this that der die das den dem mein meine".split())
_FILLERS: Final = _ARTICLES | frozenset("in of at inside please device im".split())
# Other words for the same thing: "desk light" finds the Desk Lamp.
_SAME: Final = {
    "lamp": "light", "bulb": "light", "shutter": "blind", "shade": "blind",
    "curtain": "blind", "drape": "blind", "roller": "blind", "outlet": "plug", "socket": "plug",
    "telly": "tv", "television": "tv",
}  # fmt: skip
_APOSTROPHES: Final = re.compile(r"['’‘`´]")
_MARKS: Final = re.compile("[\u0300-\u036f]")


@lru_cache(maxsize=16_384)  # a home asks for the same names again and again
def fold(text: str) -> str:
    """NFKC, lower case, without punctuation and emoji; accents stay."""
    folded = unicodedata.normalize(
        "NFKC", _APOSTROPHES.sub("", unicodedata.normalize("NFKC", text)).casefold()
    )
    kept = "".join(char if unicodedata.category(char)[0] in "LNM" else " " for char in folded)
    # A name of emoji alone must stay distinguishable.
    return " ".join(kept.split()) or " ".join(folded.split())


@lru_cache(maxsize=16_384)
def plain(text: str) -> str:
    """Without accents too: ü is u, ł is l."""
    return _MARKS.sub("", unicodedata.normalize("NFD", fold(text))).translate(_PLAIN)


@lru_cache(maxsize=16_384)
def spellings(text: str) -> frozenset[str]:
    """Every form in which people write it: Küche, Kuche, Kueche."""
    folded = fold(text)
    spelled = _MARKS.sub("", unicodedata.normalize("NFD", folded.translate(_SPELLED_OUT))).translate(_PLAIN)
    return frozenset({folded, plain(text), spelled})


@lru_cache(maxsize=16_384)
def plain_words(text: str) -> tuple[str, ...]:
    """The words as they follow each other, every number as digits: "Switch One" is "switch 1"."""
    return tuple(to_digits(plain(text).split()))


def name_key(text: str) -> str:
    return " ".join(plain_words(text))


@lru_cache(maxsize=16_384)
def meaning(text: str) -> tuple[str, ...]:
    """The words without fillers. An article at the end is none: "on the" is not called "On"."""
    every = plain_words(text)
    kept = tuple(word for word in every if word not in _FILLERS)
    return (*kept, every[-1]) if kept and every[-1] in _ARTICLES else kept or every


@lru_cache(maxsize=16_384)
def words(text: str) -> frozenset[str]:
    """What carries the meaning, in no order."""
    return frozenset(meaning(text))


@lru_cache(maxsize=16_384)
def singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=16_384)
def loose(word: str) -> str:
    """Without its plural, and of several words for one thing always the same."""
    single = singular(word)
    return _SAME.get(single, single)


@lru_cache(maxsize=16_384)
def loose_words(text: str) -> frozenset[str]:
    return frozenset(map(loose, words(text)))
