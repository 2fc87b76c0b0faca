"""A claim: what a sentence says was done or is the case."""

from dataclasses import dataclass, field
from enum import StrEnum

from voice_gateway.brain.receipts_amounts import Amounts
from voice_gateway.brain.receipts_verbs import FORMS, STATES
from voice_gateway.brain.receipts_words import (
    ANY_DEVICE,
    DETERMINERS,
    EMPTY,
    TELLING,
    Word,
    is_thing,
    singular,
)


class Kind(StrEnum):
    ACT = "act"  # something was, is being or will be done
    STATE = "state"  # something is the case in the home
    TIME = "time"  # what time or day it is
    LOOKED = "looked"  # something was looked up
    FAILED = "failed"  # something could not be done


class Aspect(StrEnum):
    DONE = "done"
    ONGOING = "ongoing"
    FUTURE = "future"
    SENT = "sent"  # the command is on its way
    TRIED = "tried"
    HEDGED = "hedged"  # "should be on", "may have been turned on"


@dataclass(frozen=True, slots=True)
class Thing:
    """What tells one thing from another: its own words ("floor", "lamp", "kitchen")."""

    words: frozenset[str]
    many: bool = False

    def __bool__(self) -> bool:
        return bool(self.words)


@dataclass(slots=True)
class Claim:
    kind: Kind
    aspect: Aspect = Aspect.DONE
    effect: str = ""
    things: list[Thing] = field(default_factory=list)
    amounts: Amounts = field(default_factory=Amounts)
    every: bool = False  # "all", "both", "everything", or no thing named at all
    sweeping: bool = False  # "all the lights": of more than one thing
    none: bool = False  # "no light is on"
    still: bool = False  # as it was: "still on", "not locked"
    past: bool = False  # "was off": true of any moment of the turn
    weak: bool = False  # a claim only in a turn in which something was done or looked at
    bare: bool = False  # no subject: "dimmed to 40 percent"
    days: frozenset[str] = frozenset()
    verb: str = ""


_LOOSE = frozenset(
    "for with during as by about until before after through like in at near behind beside under "
    "inside".split()
)  # what for, not what
_PLURAL_WORDS = frozenset("everything all both they them these those".split())
_WHOLE = frozenset("everything all both every each entire whole".split())
DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())


def thing_in(words: list[Word], subject: int = 0, verb: int = -1, *, opened: bool = False) -> Thing:
    """The words that say which thing is meant: before `subject` ends and right behind `verb`, all of them."""
    chosen: set[str] = set()
    run: list[Word] = []
    loose = False
    for place in range(len(words) + 1):
        word = words[place] if place < len(words) else None
        if word is not None and _nameable(word, words[place + 1 : place + 2]):
            run.append(word)
            continue
        if run:
            telling = any(is_thing(one.text) or one.name for one in run)
            if telling or (opened and not loose) or (place == subject and not loose):
                chosen |= {singular(one.text) for one in run}
            run = []
        if word is not None:
            counted = opened and word.text[:1].isdigit()
            opened = word.text in DETERMINERS or place == verb or counted
            loose = word.text in _LOOSE or (loose and opened)
    texts = {word.text for word in words}
    plural = any(is_thing(word.text) and singular(word.text) != word.text for word in words)
    return Thing(frozenset(chosen - ANY_DEVICE), many=plural or bool(texts & _PLURAL_WORDS))


def whole(words: list[Word]) -> bool:
    return any(word.text in _WHOLE for word in words)


def _nameable(word: Word, following: list[Word]) -> bool:
    text = word.text
    if is_thing(text) and text not in EMPTY:
        return True
    before_thing = any(is_thing(one.text) for one in following)
    if text in TELLING or (text.endswith("ing") and not word.name):  # "reading lamp", but "started cleaning"
        return before_thing
    if (
        not text.isalpha()
        or text in EMPTY
        or text in DETERMINERS
        or text.endswith("ly")
        or singular(text) in DAYS
    ):
        return False
    return word.name or (text not in FORMS and text not in STATES)
