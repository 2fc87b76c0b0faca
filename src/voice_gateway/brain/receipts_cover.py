"""Whether all that a sentence speaks of, things, places and numbers, occurs in what was done and seen."""

from collections.abc import Sequence
from itertools import pairwise

from voice_gateway.brain.receipts_amounts import Amounts, amounts_in
from voice_gateway.brain.receipts_compare import called
from voice_gateway.brain.receipts_facts import Fact
from voice_gateway.brain.receipts_stance import softened, unasserted
from voice_gateway.brain.receipts_words import EMPTY, KINDS, ROOMS, Word, singular

# Kinds of things that are there or not; a film or an appointment may come up in any remark.
_REMARKS = frozenset("media tv list scene sensor".split())
_ASIDE = frozenset("for like as during before after while than without about with a an any some".split())
_HEDGES = frozenset(
    "may might should could would can probably maybe perhaps usually often typically takes take about around "
    "if when while until which until shortly soon".split()
)
_DAYS = frozenset("tomorrow monday tuesday wednesday thursday friday saturday sunday".split())
_MARKS = _DAYS | frozenset("red blue green yellow orange purple pink white violet turquoise amber".split())
_UNITS = frozenset("% percent degrees degree celsius".split())


def uncovered(pieces: Sequence[list[Word]], facts: Sequence[Fact], said: frozenset[str]) -> bool:
    """`pieces` are the clauses of a sentence that is no question. True: one speaks of what nobody touched."""
    acted = any(fact.acted for fact in facts)
    timed = any("timer" in fact.kinds for fact in facts)
    known = Amounts({float(len(facts))})
    for fact in facts:
        known.add(fact.amounts)
    measured: list[Word] = []
    for piece in pieces:
        words = [word for word in piece if word.text[0].isalnum() or word.text == "%"]
        texts = [word.text for word in words]
        if not softened(" ".join(texts)) or unasserted(" ".join(texts), of_state=True):
            continue
        if not _HEDGES & set(texts) and (acted or timed or _UNITS & set(texts)):
            measured += words
        if any(not any(called(thing, fact, said) for fact in facts) for thing in _things(texts)):
            return True
        told = _told(words) - said - (_DAYS if any(fact.dated for fact in facts) else set())
        if acted and any(not any(word in fact.words for fact in facts) for word in told):
            return True
    return _numbers(measured).missing(known)


def _told(words: list[Word]) -> set[str]:
    """Names, colours, modes and days: who, how and when, of which one is as good as another to a liar."""
    names = {singular(word.text) for word in words if word.name and word.text not in EMPTY}
    marks = {word.text for word in words if word.text in _MARKS}
    modes = {one.text for one, other in pairwise(words) if other.text == "mode"}
    return (names if len(words) > 2 else set()) | marks | modes - EMPTY


def _numbers(words: list[Word]) -> Amounts:
    found = amounts_in(words)
    found.numbers = {number for number in found.numbers if number > 3}  # small ones count things
    return found


def _things(texts: list[str]) -> set[str]:
    found, aside = set(), False
    subject = singular(texts[1]) if texts[0] in {"your", "the"} and len(texts) > 1 else ""
    if KINDS.get(subject) in _REMARKS - {"scene", "sensor"}:
        found.add(subject)  # "your message is on its way"
    for text in texts:
        one = singular(text)
        aside = text in _ASIDE or (aside and text in {"the", "your", "my", "this", "that"})
        if not aside and (KINDS.get(one, "media") not in _REMARKS or one in ROOMS):
            found.add(one)
    return found
