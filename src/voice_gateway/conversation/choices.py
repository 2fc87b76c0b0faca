"""The calls that wait for a yes, and which of them are meant: "only the lamp", "the first two"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from home_names.names import plain_words
from home_names.resolver import Group, Names, One, Several
from voice_gateway.turn import ToolCall, new_id


@dataclass(frozen=True, slots=True)
class ProposedThing:
    """What a proposed call is about."""

    name: str
    room: str
    kind: str
    node_id: int | None = None  # as the resolver asks of every name; a proposal has none


QUESTION = "confirmation"  # where the open question stands in a conversation's state
DECLINED = "confirmation declined"  # there too: the calls that the turn before said no to


@dataclass(frozen=True, slots=True)
class Pending:
    """Calls that wait for the user until a wall-clock time."""

    calls: tuple[ToolCall, ...]
    question: str
    expires: float
    sensitive: bool = True  # then a PIN is asked for, and the channel matters
    things: tuple[ProposedThing, ...] = ()  # what each of the calls is about
    said: str = ""  # the words after which it was asked

    def to_json(self) -> dict[str, Any]:
        return {
            "calls": calls_json(self.calls),
            "question": self.question,
            "expires": self.expires,
            "sensitive": self.sensitive,
            "things": [[thing.name, thing.room, thing.kind] for thing in self.things],
            "said": self.said,
        }


def open_question(state: Mapping[str, Any]) -> Pending | None:
    raw = state.get(QUESTION)
    if not isinstance(raw, Mapping):
        return None
    calls = tuple(ToolCall(id=new_id(), name=c["name"], args=c["args"]) for c in raw["calls"])
    sensitive = bool(raw.get("sensitive", True))
    things = tuple(ProposedThing(name, room, kind) for name, room, kind in raw.get("things", ()))
    said = str(raw.get("said", ""))
    return Pending(calls, str(raw["question"]), float(raw["expires"]), sensitive, things, said)


def calls_json(calls: Sequence[ToolCall]) -> list[Any]:
    return [{"name": call.name, "args": call.args} for call in calls]


def declined(state: Mapping[str, Any], pending: Pending | None, text: str) -> tuple[Any, ...]:
    """The calls proposed in the turn before and not agreed to; none if the user repeats the same words."""
    if pending is not None:
        return () if pending.said == text else tuple(calls_json(pending.calls))
    return tuple(state.get(DECLINED, ()))


@dataclass(frozen=True, slots=True)
class Choice:
    """Places of the calls that are meant; if not sure, they are asked about again."""

    places: frozenset[int]
    sure: bool = True


_AGREEING = frozenset("yes yeah yep sure ok okay no nope well please but and".split())
_VERBS = frozenset("turn switch set dim open close shut lock unlock start on off toggle stop".split())
_POLITE = frozenset("please then thanks though instead now".split())
_AS_IT_IS = frozenset("alone out on off be as it is they are".split())
_ONLY = re.compile(r"^(?:only|just|nothing but) (.+)$|^(.+) (?:only|alone)$")
_BUT = re.compile(
    r"^(?:(?:all|everything|every one|all of them|both) )?"
    r"(?:not|but not|but|except|except for|without|apart from|leave out|leave|skip|keep|dont) (?:in )?(.+)$"
)
_BARE = re.compile(r"^(?:in )?((?:the|my) .+)$")
_NOBODY = frozenset("it that them this those these now yet really today tonight necessary needed".split())
_COUNTED = re.compile(r"^(?:the )?(first|last|second|third|1st|2nd|3rd)(?: (\d+))?(?: ones?| of them)?$")
_PLACES = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2}
_JOINTS = re.compile(r"\b(?:and|or|nor|both)\b|,")
_DETERMINED = re.compile(r"^(?:the|my|our|that|this|those|these)\b")
_LONGEST = 12  # words


def read_choice(text: str, asked: str, things: Sequence[ProposedThing]) -> Choice | None:
    """None for a plain yes or no and for other words; another verb than the question's is another request."""
    every = plain_words(text)
    if not things or len(every) > _LONGEST:
        return None
    deeds = _VERBS & set(plain_words(asked))
    words = " ".join(_within(every, _AGREEING | deeds, _POLITE))
    if match := _BUT.match(words):
        phrase = " ".join(_within(match[1].split(), deeds | {"touch"}, _AS_IT_IS))
        return _rest(_meant(phrase, things), len(things), phrase)
    if match := _ONLY.match(words):
        phrase = " ".join(_within((match[1] or match[2]).split(), deeds, deeds))
        return _meant(phrase, things) or _again(phrase)
    bare = _BARE.match(" ".join(_within(words.split(), frozenset(), deeds)))
    meant = _meant(bare[1], things) if bare and len(things) > 1 else None
    return meant if meant is not None and len(meant.places) < len(things) else None


def _within(words: Sequence[str], before: frozenset[str], behind: frozenset[str]) -> Sequence[str]:
    start, end = 0, len(words)
    while start < end and words[start] in before:
        start += 1
    while end > start and words[end - 1] in behind:
        end -= 1
    return words[start:end]


def _rest(left_out: Choice | None, count: int, phrase: str) -> Choice | None:
    if left_out is None:
        return _again(phrase)
    return Choice(frozenset(range(count)) - left_out.places, left_out.sure)


def _again(phrase: str) -> Choice | None:
    """An unsure choice for a thing that was not asked about; other words are a new request."""
    return Choice(frozenset(), sure=False) if _DETERMINED.match(phrase) else None


def _meant(phrase: str, things: Sequence[ProposedThing]) -> Choice | None:
    """The choice, if all parts of the phrase are known."""
    if not phrase or phrase.rsplit(maxsplit=1)[-1] in _NOBODY:
        return None
    if (counted := _counted(phrase, len(things))) is not None:
        return Choice(counted)
    places: set[int] = set()
    sure = True
    parts = [part.strip() for part in _JOINTS.split(phrase) if part.strip()]
    for part in parts:
        part_choice = _named(part, things)
        if part_choice is None:
            return None
        places |= part_choice.places
        sure &= part_choice.sure
    return Choice(frozenset(places), sure) if places else None


def _counted(phrase: str, count: int) -> frozenset[int] | None:
    """ "The first two", "the last one": in the order in which we named them."""
    match = _COUNTED.match(phrase)
    if match is None:
        return None
    number = int(match[2] or 1)
    if match[1] == "last":
        return frozenset(range(max(0, count - number), count))
    first = _PLACES[match[1]]
    return frozenset(range(first, first + number)) if first + number <= count else None


def _named(part: str, things: Sequence[ProposedThing]) -> Choice | None:
    match Names(things).find(part):
        case One(device):
            return Choice(frozenset({things.index(device)}))
        case Group(devices):
            return Choice(frozenset(map(things.index, devices)))
        case Several(devices):
            return Choice(frozenset(map(things.index, devices)), sure=len(devices) == 1)
        case _:
            return None
