"""Checks what is about to be said against what was done in this turn."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from langchain_core.tools import BaseTool

from voice_gateway.brain.receipts_amounts import amounts_in
from voice_gateway.brain.receipts_claim import Aspect, Claim, Kind
from voice_gateway.brain.receipts_claims import before_question, claims_in, clauses_of, pieces_in
from voice_gateway.brain.receipts_compare import CLAIM, LOOK, refuted
from voice_gateway.brain.receipts_cover import uncovered
from voice_gateway.brain.receipts_facts import Fact, Status, attempt_of, facts_of, status_of
from voice_gateway.brain.receipts_languages import foreign_claim
from voice_gateway.brain.receipts_phrases import only_affirms, only_agrees
from voice_gateway.brain.receipts_stance import asserting, only_social
from voice_gateway.brain.receipts_verbs import STATES
from voice_gateway.brain.receipts_wish import Wish, wish_in
from voice_gateway.brain.receipts_words import EMPTY, kind_of, plain, singular, words_of
from voice_gateway.brain.sentence_streamer import sentences
from voice_gateway.tools.traits import traits
from voice_gateway.turn import ToolOutcome

SUBJECT = "subject"  # it does not speak of what was done
_TERSE = 5  # words: "Bolted.", "How is that?" after an action speak of it
ALL_TOPICS = frozenset({"home", "time", "sound", "timer"})
_TOPIC_WORDS = {
    "home": re.compile(
        r"device|light|switch|lock|sensor|thermostat|blind|z-?wave|smart home|home assistant", re.I
    ),
    "time": re.compile(r"\b(?:time|clock|date|datetime)\b|datetime", re.I),
    "sound": re.compile(r"\bvolume\b|loudness", re.I),
    "timer": re.compile(r"\btimers?\b|\breminders?\b", re.I),
}


def topics_of(tools: Iterable[BaseTool]) -> frozenset[str]:
    """What can be looked up with these tools. The loudness is asked with the tool that also sets it."""
    found = set()
    for tool in tools:
        name, looks = tool.name.replace("_", " "), traits(tool).read_only
        about = f"{name} {tool.description.partition('DO NOT')[0][:300]}" if looks else name
        found |= {
            topic
            for topic, words in _TOPIC_WORDS.items()
            if (looks or topic == "sound") and words.search(about)
        }
    return frozenset(found)


class Receipts:
    """The checks of one turn."""

    def __init__(self, said: str = "", topics: frozenset[str] = ALL_TOPICS) -> None:
        self._command = _plain_words(said)
        self._several = " and " in self._command
        self._said = frozenset(singular(word) for word in self._command.split())
        self._topics = topics
        self._wish = wish_in(self._command)
        self._facts: dict[int, tuple[ToolOutcome, list[Fact]]] = {}

    def why_not(self, sentence: str, outcomes: Sequence[ToolOutcome]) -> str | None:
        """Why this sentence must not be said after these outcomes; None when it may be."""
        stated = before_question(sentence)
        return (self._why_not(stated, outcomes) if stated else None) or self._why_not(sentence, outcomes)

    def _why_not(self, sentence: str, outcomes: Sequence[ToolOutcome]) -> str | None:
        if self._wish is Wish.TALE and not _OF_US.search(sentence):
            return None  # a story, or how such things are done
        claims = claims_in(sentence)
        if self._wish not in {Wish.NONE, Wish.TALE}:  # "Yes, it is on" is a claim when it answers a question
            claims = [self._as_answer(replace(claim, weak=False)) for claim in claims]
        facts = self._all_facts(outcomes)
        reasons = (refuted(claim, facts, topics=self._topics, said=self._said) for claim in claims)
        reason = next((reason for reason in reasons if reason), None)
        if reason or "?" in sentence or _CONDITION.search(sentence):
            return reason
        astray = self._wish is Wish.ACT and not claims and self._looked_elsewhere(sentence, outcomes)
        if astray or not outcomes:
            return self._instead_of_a_call(sentence)
        return CLAIM if self._strange(sentence, facts, outcomes) else None

    def _as_answer(self, claim: Claim) -> Claim:
        """ "Dimmed to 40 percent" tells a state where that was the question."""
        told = self._wish is Wish.LOOK and claim.bare and claim.aspect is Aspect.DONE
        return replace(claim, kind=Kind.STATE) if told else claim

    def _strange(self, sentence: str, facts: list[Fact], outcomes: Sequence[ToolOutcome]) -> bool:
        """Whether it speaks of a thing, place or number that did not occur in this turn."""
        if not facts or foreign_claim(sentence) is not None:  # words of another language are not compared
            return False
        missed = [attempt_of(one) for one in outcomes if not one.ok and status_of(one) is Status.READ]
        return uncovered(pieces_in(sentence), [*facts, *missed], self._said)

    def _looked_elsewhere(self, sentence: str, outcomes: Sequence[ToolOutcome]) -> bool:
        """Ordered to act, and only looked at something that the sentence is not about."""
        looked = all(status_of(outcome) is Status.READ for outcome in outcomes)
        return looked and not self._on_subject(sentence, [one for one in outcomes if one.ok])

    def _instead_of_a_call(self, sentence: str) -> str | None:
        """Ordered to act, or asked how it is, and no tool was called: then whatever is asserted is made up,
        in words that we know or not. Questions, refusals, offers and courtesy are all that is left."""
        reason = {Wish.ACT: CLAIM, Wish.LOOK: LOOK if "home" in self._topics else None}.get(self._wish)
        reason = LOOK if self._wish is Wish.CLOCK and "time" in self._topics else reason
        asserted = asserting(clauses_of(sentence), of_state=self._wish is not Wish.ACT)
        return reason if asserted else None

    def whole_reply(self, text: str, outcomes: Sequence[ToolOutcome]) -> str | None:
        """Why a reply must not stand although each of its sentences may; None when it may."""
        words = _plain_words(text)
        acted = [outcome for outcome in outcomes if status_of(outcome) is not Status.READ]
        if not outcomes and self._wish is Wish.LOOK and only_affirms(words):
            return LOOK if "home" in self._topics else None
        if not acted:
            agrees = only_agrees(words) or only_social(clauses_of(text))
            return CLAIM if agrees and self._wish is Wish.ACT else None
        if any(status_of(outcome) is not Status.DONE for outcome in acted) or self._on_subject(text, acted):
            return None
        if self._claims(text) or only_agrees(words):  # "Done" after one of two wishes does not tell which
            return SUBJECT if self._several and len(self._latest(acted)) == 1 else None
        wordy = len(words.split()) > _TERSE
        return SUBJECT if wordy and not self._several else None

    def _on_subject(self, text: str, acted: Sequence[ToolOutcome]) -> bool:
        """Whether it speaks of something that was done, by name, by kind or by number."""
        said = words_of(plain(text))
        mentioned = {singular(word.text) for word in said} - EMPTY
        kinds = {kind_of(word) for word in mentioned} - {None}
        effects = {STATES[word.text] for word in said if word.text in STATES}
        amounts = amounts_in(said)
        facts = [fact for outcome in acted for fact in self._facts_of(outcome)]
        return any(
            mentioned & fact.words
            or kinds & fact.kinds
            or effects & fact.effects
            or (amounts and not amounts.missing(fact.amounts))
            for fact in facts
        )

    def _claims(self, text: str) -> bool:
        return any(claims_in(sentence) for sentence in sentences(text))

    def untold(self, text: str, outcomes: Sequence[ToolOutcome]) -> list[ToolOutcome]:
        """Outcomes of which the user must hear and does not: whatever did not (or not yet) happen.

        Where some calls failed, the others are told too, or nobody knows which.
        """
        latest = self._latest(outcomes)
        if all(status_of(outcome) is Status.DONE for outcome in latest):
            silent = self._several and not self._claims(text) and not self._on_subject(text, latest)
            return latest if silent and not only_agrees(_plain_words(text)) else []
        said = _plain_words(text).split()
        heard = frozenset(_NO_TROUBLE.sub("", " ".join(said)).split())
        mentioned = frozenset(singular(word) for word in said)
        return [
            outcome
            for outcome in latest
            if not self._told(outcome, mentioned, len(latest), _hears(outcome, heard, asks="?" in text))
        ]

    def _told(self, outcome: ToolOutcome, mentioned: frozenset[str], count: int, troubled: bool) -> bool:
        status = status_of(outcome)
        if status is Status.WORKING and count == 1 and self._names(outcome) & mentioned:
            return True
        if status is not Status.DONE and not troubled:
            return False
        return count == 1 or bool(self._names(outcome) & mentioned)

    def _names(self, outcome: ToolOutcome) -> frozenset[str]:
        return frozenset(self._facts_of(outcome)[0].words - EMPTY)

    def _latest(self, outcomes: Sequence[ToolOutcome]) -> list[ToolOutcome]:
        """The last attempt at each thing."""
        acted = [outcome for outcome in outcomes if status_of(outcome) is not Status.READ]
        return list({self._facts_of(outcome)[0].key: outcome for outcome in acted}.values())

    def _all_facts(self, outcomes: Sequence[ToolOutcome]) -> list[Fact]:
        return [fact for outcome in outcomes for fact in self._facts_of(outcome)]

    def _facts_of(self, outcome: ToolOutcome) -> list[Fact]:
        known = self._facts.get(id(outcome))
        if known is None or known[0] is not outcome:
            known = self._facts[id(outcome)] = (outcome, facts_of(outcome))
        return known[1]


def _hears(outcome: ToolOutcome, words: frozenset[str], *, asks: bool) -> bool:
    """Whether these words of a reply tell that the outcome is not, or not yet, a success."""
    failed = status_of(outcome) is Status.FAILED
    return bool(words & (_FAILURE if failed else _PENDING)) or (asks and _wants_an_answer(outcome))


def _wants_an_answer(outcome: ToolOutcome) -> bool:
    """Whether a question is what is to be said of it: which one, how long?"""
    facts = outcome.structured if isinstance(outcome.structured, Mapping) else {}
    return outcome.error == "bad_arguments" or facts.get("outcome") in {"ambiguous", "not_found"}


def _plain_words(text: str) -> str:
    return " ".join(word.text for word in words_of(plain(text)) if word.text.isalnum())


_OF_US = re.compile(r"\b(?:i|we|your|now)\b", re.I)
_CONDITION = re.compile(
    r"\b(?:if|unless|(?:when|whenever|once|after|as soon as) (?:i know|you (?:\w+ )?(?:tell|say|want|ask|"
    r"confirm|need|are|like|let|give|choose|decide|wish)))\b",
    re.I,
)
_NO_TROUBLE = re.compile(
    r"\bno (?:more|longer)\b|\bwill not\b(?=.*\bany ?more\b)|\b(?:no|not a) (?:problem|worries|trouble)\b|"
    r"\bwhy not\b"
)
_FAILURE = frozenset(
    "not no never tried stayed stays remained remains unable failed fail fails cannot unfortunately sorry "
    "problem trouble error unreachable offline jammed stuck blocked broken unavailable timeout denied "
    "refused refuse refuses rejected which answer mean whether wrong impossible unknown invalid too beyond "
    "without nothing none disconnected unplugged still".split()
)
_PENDING = _FAILURE | frozenset(
    "asleep sleeping wakes wake queued unconfirmed may might closing opening turning moving changing locking "
    "unlocking dimming way waiting working but however confirmed confirmation later soon once".split()
)
