"""Which device is meant: names as people say them, and nothing is guessed where a guess could be wrong."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from zwave_mcp.devices import Device
from zwave_mcp.folding import fold, singular, singulars, spellings, words
from zwave_mcp.kinds import ENTRANCES
from zwave_mcp.misheard import nearest, sounds_like
from zwave_mcp.nouns import ALL, fits, is_plural, noun_in


@dataclass(frozen=True, slots=True)
class One:
    device: Device


@dataclass(frozen=True, slots=True)
class Several:
    """More than one could be meant: ask."""

    devices: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A room, or "all lights": several are meant. `room` is set when exactly a room was named."""

    devices: tuple[Device, ...]
    room: str = ""


@dataclass(frozen=True, slots=True)
class Nothing:
    nearest: tuple[Device, ...] = ()


Found = One | Several | Group | Nothing
_REMARK: Final = re.compile(r"\([^)]*\)")
Prefers = Callable[[Device], bool]


class Names:
    """An index over the devices of one snapshot."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self.devices = tuple(devices)
        self._folded: dict[str, list[Device]] = defaultdict(list)
        self._spelled: dict[str, list[Device]] = defaultdict(list)
        self._worded: dict[frozenset[str], list[Device]] = defaultdict(list)
        self._in_room: dict[frozenset[str], list[Device]] = defaultdict(list)
        self._numbered: dict[str, list[Device]] = defaultdict(list)
        self._rooms: dict[frozenset[str], str] = {}
        for device in self.devices:
            self._folded[fold(device.name)].append(device)
            for spelling in spellings(device.name):
                self._spelled[spelling].append(device)
            self._worded[words(device.name)].append(device)
            if device.kind == "lock" and "lock" not in words(device.name):
                self._worded[words(device.name) | {"lock"}].append(device)  # "the front door lock"
            self._in_room[words(f"{device.room} {device.name}")].append(device)
            self._numbered[f"node {device.node.id}"].append(device)
            if device.room:
                self._rooms.setdefault(words(device.room), device.room)

    def find(self, asked: str, prefers: Prefers | None = None) -> Found:
        """`prefers` settles between several by what the caller wants to do; never for an entrance."""
        found = self._find(asked, prefers)
        bare = _REMARK.sub(" ", asked)
        # "Floor Lamp (off)": models copy a remark from a list into the name.
        return self._find(bare, prefers) if isinstance(found, Nothing) and bare.strip() != asked else found

    def _find(self, asked: str, prefers: Prefers | None) -> Found:
        exact = self._exact(asked)
        if exact:
            return _settle(exact, prefers, vague=False)
        said = words(asked)
        for look in (self._group, self._noun):
            found = look(said)
            if found is not None:
                return _settle(found.devices, prefers, vague=True) if isinstance(found, Several) else found
        hits = self._containing(said) or sounds_like(asked, self.devices, self._rooms)
        if hits:
            return _settle(hits, prefers, vague=True)
        return Nothing(nearest(asked, self.devices))

    def in_room(self, asked: str) -> tuple[Device, ...]:
        """The devices of a room, when exactly a room was named."""
        return self._of_room(words(asked))

    def _of_room(self, room_words: frozenset[str]) -> tuple[Device, ...]:
        if room_words not in self._rooms:
            return ()
        return tuple(device for device in self.devices if device.room and words(device.room) == room_words)

    def _exact(self, asked: str) -> tuple[Device, ...]:
        folded = self._folded.get(fold(asked))
        if folded:
            return tuple(folded)
        spelled = {id(hit): hit for form in spellings(asked) for hit in self._spelled.get(form, ())}
        if spelled:
            return tuple(spelled.values())
        said = words(asked)
        worded = self._in_room.get(said, ()) or self._worded.get(said, ())
        return tuple(worded or self._numbered.get(fold(asked), ()))

    def _group(self, said: frozenset[str]) -> Found | None:
        room = self._rooms.get(said)
        if room is not None:
            return Group(self._of_room(said), room)
        if not said & ALL:
            return None
        rest = said - ALL
        noun = noun_in(rest)
        chosen = self._scope(rest - {noun} if noun else rest)
        if chosen is None:
            return None
        return Group(tuple(device for device in chosen if noun is None or fits(noun)(device)))

    def _noun(self, said: frozenset[str]) -> Found | None:
        """A sort of device, alone or with its room: "the blinds", "bedroom light"."""
        noun = noun_in(said)
        chosen = self._scope(said - {noun}) if noun else None
        if noun is None or chosen is None:
            return None
        stem, fit = singular(noun), fits(noun)
        named = [device for device in chosen if stem in singulars(device.name)]
        union = tuple(device for device in chosen if stem in singulars(device.name) or fit(device))
        if is_plural(noun):
            return _several_or_group(union)
        # "The light" alone may be any of them; one that has the word in its name is no proof.
        vague = not named or (len(said) == 1 and len(named) == 1)
        hits = union if vague else tuple(named)
        return Several(hits) if hits else None

    def _scope(self, room_words: frozenset[str]) -> tuple[Device, ...] | None:
        """All devices for no word, those of a room for its name, None for words that are no room."""
        if not room_words:
            return self.devices
        return self._of_room(room_words) or None

    def _containing(self, said: frozenset[str]) -> tuple[Device, ...]:
        """Every word that was said is in name or room. Never the other way round: a short name inside a long
        request proves nothing."""
        if not said:
            return ()
        whole = [device for device in self.devices if _contains(words, device, said)]
        if not whole:
            stems = frozenset(singular(word) for word in said)
            whole = [device for device in self.devices if _contains(singulars, device, stems)]
        return tuple(whole)


def _contains(cut: Callable[[str], frozenset[str]], device: Device, said: frozenset[str]) -> bool:
    name = cut(device.name)
    return said <= name or (not said.isdisjoint(name) and said <= name | cut(device.room))


def _several_or_group(devices: tuple[Device, ...]) -> Found | None:
    if not devices:
        return None
    return Several(devices) if len(devices) == 1 else Group(devices)


def _settle(hits: Iterable[Device], prefers: Prefers | None, *, vague: bool) -> Found:
    found = tuple(hits)
    if len(found) > 1 and prefers is not None:
        preferred = tuple(device for device in found if prefers(device))
        found = preferred if len(preferred) == 1 and preferred[0].kind not in ENTRANCES else found
    if len(found) > 1:
        return Several(found)
    if vague and found[0].kind in ENTRANCES:
        return Nothing(found)  # offered by its full name, never acted on
    return One(found[0])
