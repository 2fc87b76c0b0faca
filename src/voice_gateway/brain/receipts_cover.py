"""Whether all that a sentence speaks of, things, places and numbers, occurs in what was done and seen."""

import re
from collections.abc import Sequence
from itertools import pairwise

from voice_gateway.brain.receipts_amounts import Amounts, amounts_in
from voice_gateway.brain.receipts_compare import called
from voice_gateway.brain.receipts_facts import Fact
from voice_gateway.brain.receipts_stance import softened, unasserted
from voice_gateway.brain.receipts_verbs import FORMS, STATES
from voice_gateway.brain.receipts_words import DETERMINERS, EMPTY, KINDS, ROOMS, Word, singular

# Kinds of things that are there or not; a film or an appointment may come up in any remark.
_REMARKS = frozenset("media tv list scene sensor".split())
_ASIDE = frozenset("for as during before after while than without about a an any some".split())
_HEDGES = frozenset(
    "may might should could would can probably maybe perhaps usually often typically takes take about around "
    "if when while which shortly soon".split()
)
_DAYS = frozenset("tomorrow monday tuesday wednesday thursday friday saturday sunday".split())
_MARKS = _DAYS | frozenset("red blue green yellow orange purple pink white violet turquoise amber".split())
_PLAIN = frozenset("new current same right which what in into on to is now".split())
_HEARSAY = re.compile(r"(?:and )?(?:he|she|they) (?:replied|answered|said|says|wrote|confirmed|agreed)\b")
_FEW = 3  # and less: "one of two"
_SHORTEST = 5  # letters of a verb with "ing"


def uncovered(pieces: Sequence[list[Word]], facts: Sequence[Fact], said: frozenset[str]) -> bool:
    """`pieces` are the clauses of a sentence that is no question. True: one speaks of what nobody touched."""
    known = Amounts({float(len(facts))})
    for fact in facts:
        known.add(fact.amounts)
    measured: list[Word] = []
    for piece in pieces:
        words = [word for word in piece if word.text[0].isalnum() or word.text == "%"]
        text = " ".join(word.text for word in words)
        if not softened(text) or unasserted(text, of_state=True):
            continue
        if _unheard_of(words, facts, said) or _miscounted(text.split(), facts):
            return True
        if not _HEDGES & set(text.split()):
            measured += words
    return _numbers(measured).missing(known)


def _unheard_of(words: list[Word], facts: Sequence[Fact], said: frozenset[str]) -> bool:
    """Whether a thing is named that is none of the facts, or more is told of what was done than is known."""
    texts = [word.text for word in words]
    if any(not any(called(thing, fact, said) for fact in facts) for thing in _things(texts)):
        return True
    if not any(fact.acted for fact in facts):
        return False
    told = _told(words) - said - (_DAYS if any(fact.dated for fact in facts) else set())
    if any(not any(word in fact.words for fact in facts) for word in told):
        return True
    return _goes_on(texts) or bool(_HEARSAY.match(" ".join(texts)))


def _goes_on(texts: list[str]) -> bool:
    """ "… and flickering": that it does something more."""
    doing = texts[1] if texts[0] == "and" and len(texts) > 1 else ""
    return doing.endswith("ing") and len(doing) > _SHORTEST and doing not in FORMS and doing not in STATES


def _miscounted(texts: list[str], facts: Sequence[Fact]) -> bool:
    """ "Two timers" of a list that has one."""
    times = sum(len(fact.amounts.clocks) for fact in facts)
    counts = [(int(one[:4]), singular(two)) for one, two in pairwise(texts) if one.isdigit() and _counts(two)]
    for count, thing in counts:
        kind = KINDS.get(thing)
        if kind == "list" and times:
            return count != times  # each appointment has its time
        listed = [fact for fact in facts if fact.listed and (kind in fact.kinds or thing in fact.words)]
        states = [sum(state in fact.state for fact in listed) for state in ("on", "off", "open", "closed")]
        if kind and listed and count not in {len(listed), *states}:
            return True
    return False


def _counts(following: str) -> bool:
    """Whether a number before this word says how many: "5 lights", but not "5 percent" or "5 minutes"."""
    return singular(following) != following and following not in EMPTY


def _told(words: list[Word]) -> set[str]:
    """Names, colours, modes and days: who, how and when, of which one is as good as another to a liar."""
    names = {singular(word.text) for word in words if word.name and word.text not in EMPTY}
    marks = {word.text for word in words if word.text in _MARKS}
    at = next((at for at, word in enumerate(words) if word.text == "mode"), 0)
    modes = {word.text for word in words[max(0, at - 2) : at]} - DETERMINERS - _PLAIN
    return (names if len(words) > 2 else set()) | marks | modes


def _numbers(words: list[Word]) -> Amounts:
    following = [*(word.text for word in words[1:]), ""]
    counted = [word.text.isdigit() and _counts(text) for word, text in zip(words, following, strict=False)]
    found = amounts_in([word for word, one in zip(words, counted, strict=True) if not one])
    found.numbers = {number for number in found.numbers if number > _FEW}
    return found


def _things(texts: list[str]) -> set[str]:
    found, aside = set(), False
    subject = singular(texts[1]) if texts[0] in {"your", "the"} and len(texts) > 1 else ""
    if KINDS.get(subject) in _REMARKS - {"scene", "sensor"}:
        found.add(subject)  # "your message is on its way"
    for text in texts:
        one = text if text in ROOMS else singular(text)
        aside = text in _ASIDE or (aside and text in {"the", "your", "my", "this", "that"})
        if not aside and (KINDS.get(one, "media") not in _REMARKS or one in ROOMS):
            found.add(one)
    return found
