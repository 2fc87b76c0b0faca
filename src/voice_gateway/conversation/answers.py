"""Reads an answer to an open question: yes, no, a PIN, some of what was asked about, or something else."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hmac import compare_digest

from home_names.resolver import Group, Names, One, Several
from voice_gateway.conversation.numerals import Spoken, parted, readings
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import build_home
from voice_gateway.understanding.dialogue import Open, picked
from voice_gateway.understanding.leaves import EXACT, PARTIAL
from voice_gateway.understanding.lexer import Tokens
from voice_gateway.understanding.nodes import Answer as AnswerNode
from voice_gateway.understanding.nodes import Chat
from voice_gateway.understanding.plan import Context
from voice_gateway.understanding.reader import Reader
from voice_gateway.understanding.templates import Language

LONGEST_NO = 4  # "no, turn on the lamp instead" is a new request
LONGEST_ANSWER = 12  # words beside a PIN, or of a choice
STRANGE_WORDS = 2  # "yes honey, it's Joe, 2468"; three more would be another request


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    WRONG_PIN = "wrong pin"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Choice:
    """Places of the calls that are meant; if not sure, they are asked about again."""

    places: frozenset[int]
    sure: bool = True


@dataclass(frozen=True, slots=True)
class AnswerReader:
    language: Language

    def read(self, text: str, asked: str, pin: str | None) -> Answer:
        """`asked` is the question, whose own words may come back: "yes, unlock the front door"."""
        own, spoken = frozenset(parted(asked).words), parted(text)
        if pin is not None and spoken.numbers:
            answer = self._with_number(spoken, own)
            right = sum(compare_digest(reading, pin) for reading in readings(spoken)) > 0  # in constant time
            return Answer.WRONG_PIN if answer is Answer.YES and not right else answer
        reader = Reader(self.language, build_home(()))
        tokens = reader.tokens(" ".join(spoken.words)).without_pauses()
        if reader.prefix(tokens, "no") and len(tokens.words) <= LONGEST_NO:
            return Answer.NO
        agreed = reader.prefix(tokens, "consent")
        if not agreed or not own | self.language.group("beside_a_yes") >= set(tokens.words[agreed:]):
            return Answer.OTHER
        return Answer.YES if pin is None else Answer.WRONG_PIN

    def _with_number(self, spoken: Spoken, asked: frozenset[str]) -> Answer:
        """Whether it is meant as an answer, whatever the number is."""
        words, group = spoken.words, self.language.group
        if any(word in group("refusing") or word.endswith("n't") for word in words):
            return Answer.NO
        if len(words) > LONGEST_ANSWER or (words and words[0] in group("asking_words")):
            return Answer.OTHER
        known = group("beside_a_yes", "beside_a_pin") | asked
        strange = sum(word not in known for word in words)
        agreed = not group("agreeing").isdisjoint(words)
        return Answer.YES if strange <= (STRANGE_WORDS if agreed else 0) else Answer.OTHER

    def choice(self, text: str, asked: str, devices: Sequence[Device]) -> Choice | None:
        """Which of the calls are meant, each by what it is about. None for a yes, a no and other words; with
        another verb than the question it is another request."""
        home, devices = build_home(devices), tuple(devices)
        reader = Reader(self.language, home)
        tokens = reader.tokens(text)
        deeds = self.language.group("deeds_of_answers") - set(parted(asked).words)
        other_deed = not deeds.isdisjoint(tokens.words)
        if not devices or len(tokens.words) > LONGEST_ANSWER:
            return None
        for level in (EXACT, PARTIAL):
            for reading in reader.read(tokens, "Answer", level):
                node = reading.node
                assert isinstance(node, AnswerNode)
                if other_deed and node.kind not in ("but", "not"):
                    continue
                chosen = picked(node, Open(Chat(), devices), Context(home=home))
                if chosen and (node.kind != "all" or len(chosen) < len(devices)):
                    several = len(chosen) > 1 and node.kind == "name"
                    return Choice(frozenset(map(devices.index, chosen)), sure=not several)
        return None if other_deed else _named(reader, tokens.without_pauses(), home.names)


def _named(reader: Reader, tokens: Tokens, names: Names[Device]) -> Choice | None:
    """Behind "only" and the like, a part of a name: "only the lamp"."""
    start = reader.prefix(tokens, "before")
    match = names.find(tokens.text(start, len(tokens.words))) if start else None
    if isinstance(match, One):
        return Choice(frozenset({names.devices.index(match.device)}))
    if isinstance(match, Several | Group):
        return Choice(frozenset(map(names.devices.index, match.devices)), sure=isinstance(match, Group))
    return None
