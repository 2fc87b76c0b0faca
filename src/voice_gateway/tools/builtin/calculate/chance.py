"""A coin, dice, a number between two others; and how a word is spelled."""

import secrets
from dataclasses import dataclass
from typing import Any

from home_names.numbers import NUMBER_WORDS
from home_names.phrases import listed
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.calculate.lazy_pattern import LazyPattern
from voice_gateway.tools.builtin.calculate.sums import TOO_LARGE

MOST_DICE, MOST_SIDES = 20, 1000
LARGEST = 10**12
LONGEST_WORD = 60
_FIGURES = {str(value): word for word, value in NUMBER_WORDS.items()} | {"40": "forty"}
_COIN = LazyPattern(
    r"(?:(?:flip|toss|throw)(?: me)? (?:a|the|1|one) coin|coin (?:flip|toss)|heads or tails)(?: for me)?"
)
_DICE = LazyPattern(
    r"(?:roll|throw)(?: me)? (?:(?P<count>\d{1,4}|an?|the|one|some|a pair of|a couple of) )?"
    r"(?:(?P<sides>\d{1,6})[ -]?sided )?(?:dice|die|dices)|(?:roll|throw)(?: me)? (?:an? )?(?P<n>\d{1,3})? ?d ?(?P<d>\d{1,6})"
)
_NUMBER = LazyPattern(
    r"(?:(?:pick|choose|give me|tell me|think of|generate|say|i need|what is) )?(?:a |any )?(?:random )?number "
    r"(?:between|from) (?P<low>-?\d{1,15}|one) (?:and|to) (?P<high>-?\d{1,15})|"
    r"(?:(?:pick|choose|give me|tell me|generate|say) )?(?:a )?random number"
)
_SPELL = LazyPattern(
    r"(?:how (?:do you|do i|does one|would you|is|to|can i) )?(?:spell|spelled|spelt)(?: out)?(?: the word)? (?P<word>\S+(?: \S+){0,2})|"
    r"how is (?:the word )?(?P<word2>\S+(?: \S+)?) (?:spelled|spelt)|(?:the )?spelling of (?:the word )?(?P<word3>\S+)"
)


@dataclass(frozen=True, slots=True)
class Chance:
    kind: str  # "coin", "dice", "number"
    low: int = 1
    high: int = 2
    count: int = 1


def read_chance(text: str) -> Chance | None:
    if not any(word in text for word in ("coin", "heads", "roll", "throw", "number")):
        return None
    if _COIN.fullmatch(text):
        return Chance("coin")
    if found := _DICE.fullmatch(text):
        amount = found["count"] or found["n"] or "1"
        count = int(amount) if amount.isdecimal() else 2 if "of" in amount else 1
        count = 2 if amount == "some" or (text.endswith("dice") and not found["count"]) else count
        return Chance("dice", 1, int(found["sides"] or found["d"] or 6), count)
    if found := _NUMBER.fullmatch(text):
        low, high = found["low"], found["high"]
        return (
            Chance("number", int(low.replace("one", "1")), int(high))
            if low is not None
            else Chance("number", 1, 100)
        )
    return None


def read_spelling(text: str) -> str | None:
    found = _SPELL.fullmatch(text) if "spel" in text else None
    return next(filter(None, found.groups()), None) if found else None


def answer_chance(asked: Chance) -> tuple[str, dict[str, Any]]:
    if asked.kind == "coin":
        side = secrets.choice(("heads", "tails"))
        return f"{side.capitalize()}.", {"result": side}
    low, high = sorted((asked.low, asked.high))
    if asked.kind == "number":
        if max(abs(low), abs(high)) > LARGEST:
            raise BadArguments(TOO_LARGE)
        picked = low + secrets.randbelow(high - low + 1)
        return f"{picked}.", {"result": picked}
    if not 1 <= asked.count <= MOST_DICE or not 2 <= asked.high <= MOST_SIDES:
        raise BadArguments(f"I roll up to {MOST_DICE} dice with 2 to {MOST_SIDES} sides.")
    rolled = [1 + secrets.randbelow(asked.high) for _ in range(asked.count)]
    if len(rolled) == 1:
        return f"{rolled[0]}.", {"result": rolled[0], "dice": rolled}
    faces = listed([str(face) for face in rolled])
    return f"{faces}: {sum(rolled)} together.", {"result": sum(rolled), "dice": rolled}


def answer_spelling(word: str) -> tuple[str, dict[str, Any]]:
    word = _FIGURES.get(word, word)  # "four" has come as 4
    if len(word) > LONGEST_WORD:
        raise BadArguments("That word is too long to spell.")
    letters = [" ".join(letter.upper() for letter in part) for part in word.split()]
    spelled = "; ".join(part.replace(" ", ", ") for part in letters)
    return f"{word[:1].upper()}{word[1:]}: {spelled}.", {"word": word, "letters": list(word.upper())}
