"""How a clause uses its verb: who is said to act, and whether it is done, under way, promised or tried."""

from dataclasses import dataclass
from itertools import pairwise

from voice_gateway.brain.receipts_verbs import STATES, Form
from voice_gateway.brain.receipts_words import DETERMINERS, EMPTY, is_thing

HELPERS = frozenset(
    "have has had is are was were am be been being will shall would can could may might should must did do "
    "does not never to going about let me trying tried started began begun asked told try get got just "
    "unable failed able allow".split()
)
_ADVERBS = frozenset(
    "now just only already also successfully currently then again finally immediately safely fully gently "
    "still all both indeed gladly quickly right automatically recently officially manually be".split()
)
_ATTEMPTS = frozenset("asked told tried trying started began instructed attempted".split())
_FINITE = frozenset(
    "is are was can will would requires require helps help takes take means makes uses saves needs need "
    "could should works work depends may might".split()
)
UNCHANGING = frozenset("set put shut reset run".split())  # the same word for now and then


@dataclass(frozen=True, slots=True)
class Place:
    """A verb with what stands before it: the subject, and helping words such as "have" or "will"."""

    texts: list[str]
    at: int
    subject: list[str]
    helpers: list[str]

    @property
    def verb(self) -> str:
        return self.texts[self.at]

    @property
    def subjects(self) -> set[str]:
        return set(self.subject)

    @property
    def helping(self) -> set[str]:
        return set(self.helpers)

    @property
    def bare(self) -> bool:
        return not (self.subject or self.helpers)


def place_of(texts: list[str], at: int) -> Place:
    before = texts[:at]
    end = len(before) - (2 if before[-2:] == ["no", "longer"] else 0)
    while end and (before[end - 1] in HELPERS or before[end - 1] in _ADVERBS):
        end -= 1
        if before[end - 2 : end] == ["no", "longer"]:
            end -= 2
    if _ATTEMPTS & set(before):  # "I asked the blind to close": all behind the subject helps
        end = min(end, next((n for n, text in enumerate(before) if text in HELPERS - {"just", "me"}), end))
    subject = [text for text in before[:end] if text not in _ADVERBS]
    return Place(texts, at, subject, [text for text in before[end:] if text not in _ADVERBS])


def aspect_of(form: Form, place: Place) -> str | None:
    """One of the aspects of a claim, "state" for "is closed", or None where nothing is claimed."""
    given = place.helping
    if given & {"can", "could", "would"} and "not" not in given:
        return None
    if form.tense == "base":
        return _base(given)
    if form.tense == "ing":
        return _ing(place)
    if given & {"may", "might", "should", "must"}:
        return "hedged"
    return _past(place)


def _past(place: Place) -> str | None:
    given = place.helping
    if given & {"to", "let", "do"}:
        return None
    if "will" in given:
        return "future" if "be" in place.texts[: place.at] else None
    if "being" in given:
        return "ongoing"
    if given & {"is", "are", "am"}:
        return "state" if not place.subjects & {"i", "we"} else None
    if place.subject and not given and place.verb in STATES and place.at + 1 == len(place.texts):
        return "state"  # "Front door locked."
    alone = place.verb in UNCHANGING and place.bare and place.at + 1 == len(place.texts)
    return None if alone else "done"


def _ing(place: Place) -> str | None:
    given = place.helping
    if given & {"started", "began", "begun"}:
        return "sent"
    if given & {"am", "is", "are"} or "be" in place.texts[: place.at]:
        return "ongoing"
    if place.subject[-1:] in (["finished"], ["completed"], ["done"]):
        return "done"
    if given - {"will"} or (place.subject and not is_thing(place.subject[-1])):
        return None
    told = set(place.texts[place.at :]) & _FINITE or _tells(place.texts, place.at)
    return None if told else "ongoing"


def _tells(texts: list[str], at: int) -> bool:
    """Whether a verb follows of which this one is the subject: "closing the blinds keeps the heat out"."""
    return any(
        word.endswith("s")
        and len(word) > 3
        and not word.endswith(("ss", "us"))
        and not (is_thing(word) or word in EMPTY or before in DETERMINERS)
        for before, word in pairwise(texts[at + 1 : -1])
    )


def _base(given: set[str]) -> str | None:
    failing = {"did", "could", "can", "failed", "unable", "able"}
    if given & {"not", "failed", "unable", "never"} and given & failing:
        return "done"
    if given & {"tried", "trying", "try", "attempted"}:
        return "tried"
    if given & {"asked", "told", "started", "began", "begun", "instructed"}:
        return "sent"
    if "not" in given:
        return None
    if given & {"will", "shall", "going", "let", "about", "allow"}:
        return "future"
    return "done" if "did" in given else None
