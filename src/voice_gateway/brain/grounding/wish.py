"""What the user wanted: whether it is talk or a matter of the home, and which part no call served."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from voice_gateway.brain.languages import (
    data,
    english,
    is_kind,
    languages,
    languages_of,
    listed,
    matches,
    numbers_as_digits,
    singular,
    spelled_out,
    tool_verbs,
    words_in,
)
from voice_gateway.brain.local.speech_act import SpeechAct, classify
from voice_gateway.turn import ToolOutcome

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


class TurnKind(StrEnum):
    """What the user's words are, as far as that decides what may be answered without a call."""

    TALK = "plainly talk"  # nothing of this home, no tool's subject, no wish
    HOME = "a wish, or a question about the home"
    UNCLEAR = "unclear, or in a language whose words we do not have"


@dataclass(frozen=True)
class HomeNames:
    """The names of devices and rooms of this home, in small letters."""

    devices: frozenset[str] = frozenset()
    rooms: frozenset[str] = frozenset()

    @classmethod
    def of(cls, devices: Iterable[Any]) -> "HomeNames":
        """Of anything that has a `name` and a `room`: the local brain's cached devices."""
        pairs = [(words_in(device.name or ""), words_in(device.room or "")) for device in devices]
        return cls(
            frozenset(" ".join(name) for name, _ in pairs if name),
            frozenset(" ".join(room) for _, room in pairs if room),
        )

    @cached_property
    def all(self) -> frozenset[str]:
        return self.devices | self.rooms

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word for name in self.all for word in name.split())

    def named_in(self, text: str) -> frozenset[str]:
        padded = f" {' '.join(map(singular, words_in(text)))} "
        return frozenset(name for name in self.all if f" {' '.join(map(singular, name.split()))} " in padded)


@dataclass(frozen=True)
class Wish:
    """The user's words in this home, with these tools."""

    said: str
    home: HomeNames = HomeNames()
    tools: Sequence["BaseTool"] = ()

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(words_in(self.said)) | frozenset(map(singular, words_in(self.said)))

    @cached_property
    def tale(self) -> bool:
        """A joke or a story was asked for."""
        return any(matches(word, tales) for tales in data()["tales"].values() for word in self.words)

    @cached_property
    def act(self) -> SpeechAct:
        return classify(self.said, self.home.all, self.tools)

    @cached_property
    def kind(self) -> TurnKind:
        """Only what shows that it is talk is talk: doubt never is."""
        words, known = words_in(self.said), languages_of(self.said)
        if self.act is SpeechAct.TALK or english().pattern("talk").fullmatch(" ".join(words)):
            return TurnKind.TALK
        foreign_tale = self.tale and known and english() not in known  # "vertel een mop" tells nobody to mop
        if (self.act is SpeechAct.HOME and not foreign_tale) or self.home.named_in(self.said):
            return TurnKind.HOME
        if _foreign_kinds(words):
            return TurnKind.HOME
        if english() in known:
            return TurnKind.UNCLEAR
        others = known or [one for one in languages().values() if one is not english()]
        talk = self.tale or any(one.pattern("talk").match(f"{' '.join(words)} ") for one in others)
        spoken_of = any(one.speaks_of_home(words) for one in known)
        if any(one.names_home(words) for one in others) or (spoken_of and not talk):
            return TurnKind.HOME
        return TurnKind.TALK if talk and not spoken_of else TurnKind.UNCLEAR

    @cached_property
    def parts(self) -> list["Wish"]:
        known = (english(),) if self._is_english else languages_of(self.said) or (english(),)
        joins = "|".join(data()["and"][one.code] for one in known)
        pieces = re.split(rf"[,;.!?]|\b(?:{joins})\b", self.said)
        return [Wish(piece.strip(" .!?"), self.home, self.tools) for piece in pieces if words_in(piece)]

    @cached_property
    def verb(self) -> str:
        """The first word behind all politeness: that of a request is a verb."""
        text = re.sub(rf"^{english().own['request']}", "", f"{' '.join(words_in(self.said))} ")
        return next(iter(text.split()), "")

    def unserved(self, outcomes: Sequence[ToolOutcome], *, spoke: bool) -> list[str] | None:
        """The parts that no call served; None: there are some, and nobody knows which. `spoke`: words were
        given, which may be what a part asked for."""
        calls = len({(one.name, str(sorted(one.args.items(), key=str))) for one in outcomes})
        parts = [part for part in self.parts if not part._is_courtesy]
        if spoke and not self._is_english:
            parts = [part for part in parts if part.kind is not TurnKind.TALK]
        if len(parts) < 2 or calls >= len(parts):
            return []
        told = (f"{one.name.replace('_', ' ')} {one.text} {one.args} {one.structured}" for one in outcomes)
        served = {singular(word) for text in told for word in words_in(text)}
        if not all(self._is_english or self.home.named_in(part.said) for part in parts):
            return None  # outcomes are in English: by other words nobody can tell what they served
        left = [part.said for part in parts if not part._served(served, spoke=spoke)]
        return left if len(left) <= len(parts) - calls else None

    @cached_property
    def _is_english(self) -> bool:
        ordered = self.act is SpeechAct.HOME and self.verb in listed("verbs", "base")
        return (ordered or english() in languages_of(self.said)) and not _foreign_kinds(words_in(self.said))

    @cached_property
    def _is_courtesy(self) -> bool:
        """ "Please", "thanks": no part of a wish."""
        words = set(words_in(self.said))
        polite = any(words <= one.polite for one in languages().values())
        return polite and self.kind is not TurnKind.HOME

    def _served(self, served: set[str], *, spoke: bool) -> bool:
        """A device or room that is named must have been served itself, a kind or subject by anything."""
        words = spelled_out(self.said).split()
        stated = words[0] in english().words("definite") | {"my", "our"} and english().states & set(words)
        if stated or words[0] in listed("wish", "spared") or words[:2] == ["do", "not"]:
            return True  # why, or what shall be left alone: "the door is open", "not the desk lamp"
        if named := self.home.named_in(self.said):
            return any({singular(word) for word in name.split()} <= served for name in named)
        pointing = {"it", "them"} & set(words) and not any(map(is_kind, words))
        if pointing or words[0] in listed("wish", "tells"):
            return True  # what else of the same device, or why: "and make it bright", "I am tired"
        if self.verb in listed("verbs", "words"):
            return spoke
        common = english().function | tool_verbs() | listed("subjects", "states") | listed("wish", "common")
        plain = map(singular, numbers_as_digits(words))
        things = {word for word in plain if word not in common and not word[0].isdigit()}
        asked = self.act is SpeechAct.HOME or any(map(is_kind, words))
        return not asked or "that" in words or not things or bool(things & served)


def _foreign_kinds(words: Iterable[str]) -> bool:
    own = listed("kinds", "en")
    return any(is_kind(word) and not {word, singular(word)} & own for word in words)
