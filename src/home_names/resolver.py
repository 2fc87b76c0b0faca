"""Which device is meant: the one answer for the Z-Wave server, the gateway and the permission gate.

Names are taken as people say them, and nothing is guessed where a guess could be wrong (docs/zwave.md).
"""

import copy
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Final, Generic

from home_names.kinds import ENTRANCES, D, DeviceClass, HomeDevice, classes_in, device_class
from home_names.names import fold, loose, loose_words, meaning, plain, plain_words, spellings, words
from home_names.phonetics import phrase_likeness

ALL: Final = frozenset({"all", "every", "everything", "everywhere", "both", "each"})
_MOST_KEPT: Final = 2_000  # lookups of names
_REMARK: Final = re.compile(r"\([^)]{0,200}\)")
_COMMAS: Final = re.compile(r"[,;،、]")
# German and its relatives write room and name as one word, with a letter between them: Küchenlampe.
_BETWEEN: Final = ("", "n", "en", "s", "es", "er")
_ARTICLES: Final = frozenset("der die das den dem des de het en et det".split())
_NUMBER: Final = re.compile(r"\bnode \w+")  # our own question tells twins apart as "the Lamp with node 3"
# Kinds that are said behind a name without them: "the weather sensor" is the Weather.
_SAID_BEHIND: Final = frozenset({"lock", "sensor", "plug", "switch", "thermostat", "fan", "chime", "siren"})
# A whole name must be this alike (of 100), and clearly more than the next one.
_ALIKE: Final = 82.0
_LEAD: Final = 10.0
_SHORTEST: Final = 4  # letters: shorter words sound like everything
_WORTH_OFFERING: Final = 45.0


@dataclass(frozen=True, slots=True)
class Hits(Generic[D]):
    """Devices; its class says how they are meant."""

    devices: tuple[D, ...] = ()
    room: str = ""  # of a group: exactly a room was named


class One(Hits[D]):
    """Exactly this device is meant."""

    @property
    def device(self) -> D:
        return self.devices[0]


class Several(Hits[D]):
    """Any of these could be meant: ask."""


class Group(Hits[D]):
    """All of these are meant, as by a room or "all lights"."""


class Nothing(Hits[D]):
    """No device is surely meant; these can be offered."""


Match = One[D] | Several[D] | Group[D] | Nothing[D]
Prefers = Callable[[D], bool]


def _without_remark(asked: str) -> str:
    """The name without what models copy from a list behind it: "Floor Lamp (off)", "Lamp (node 3, on)"."""
    spaced = " ".join(asked.replace("with node ", "node ").split())
    return _REMARK.sub(lambda remark: f" {''.join(_NUMBER.findall(fold(remark[0]))[:1])} ", spaced)


def number_of(device: HomeDevice) -> str:
    """The node's number ("node 3"), with the endpoint's where a node has several devices."""
    endpoint = getattr(device, "endpoint", 0)
    return f"node {device.node_id} endpoint {endpoint}" if endpoint else f"node {device.node_id}"


def names_of(device: HomeDevice) -> tuple[str, ...]:
    """Its name and, in homes that have them, its aliases."""
    return (device.name, *getattr(device, "aliases", ()))


def rooms_of(device: HomeDevice) -> tuple[str, ...]:
    return (device.room, *getattr(device, "room_aliases", ()))


class Names(Generic[D]):
    """An index over the devices of a home."""

    def __init__(self, devices: Iterable[D]) -> None:
        self.devices = tuple(devices)
        self._index: dict[tuple[str, Hashable], set[int]] = defaultdict(set)
        self._exactly = lru_cache(_MOST_KEPT)(self._places)  # a group's calls need each device's name
        for place, device in enumerate(self.devices):
            for key in _keys(device):
                self._index[key].add(place)
        self._rooms = {
            words(room): device.room
            for device in reversed(self.devices)
            if device.room
            for room in reversed(rooms_of(device))
        }
        self._lines = [plain(device.name) for device in self.devices]
        self._lines += [plain(f"{device.room} {device.name}") for device in self.devices]

    def renewed(self, devices: Sequence[D]) -> "Names[D]":
        """The same index over the same devices in the same order, with other states."""
        same = copy.copy(self)
        same.devices = tuple(devices)
        return same

    def _by(self, sort: str, *keys: Hashable) -> set[int]:
        return set().union(*(self._index.get((sort, key), ()) for key in keys))

    def _at(self, places: Iterable[int]) -> tuple[D, ...]:
        return tuple(self.devices[place] for place in sorted(places))

    # --- the whole answer

    def find(self, asked: str, prefers: Prefers[D] | None = None) -> Match[D]:
        """`prefers` chooses among several by what the caller wants to do, but never an entrance."""
        return self._found(asked, prefers) or Nothing(self.nearest(asked))

    def only(self, asked: str, prefers: Prefers[D] | None = None) -> D | None:
        """The device of `find`, if it finds exactly one."""
        match = self._found(asked, prefers)
        return match.device if isinstance(match, One) else None

    def could_mean(self, asked: str) -> tuple[D, ...]:
        """Every device that a caller could reach by these words, for any action."""
        match = self._found(asked, None)
        return match.devices if match else ()  # also an entrance that was only hinted at

    def _found(self, asked: str, prefers: Prefers[D] | None) -> Match[D] | None:
        match, bare = self._find(asked, prefers), _without_remark(asked)
        again = bare != asked and (match is None or isinstance(match, Nothing))
        return (self._find(bare, prefers) or match) if again else match

    def _find(self, asked: str, prefers: Prefers[D] | None) -> Match[D] | None:
        exact, wanted = self._at(self._exactly(asked)), words(asked)
        if several := self._list(asked, exact):
            return Several(several)
        if exact:
            return _settle(exact, prefers, vague=False)
        if match := self._group(wanted) or self._noun(wanted):
            return _settle(match.devices, prefers, vague=True) if isinstance(match, Several) else match
        hits = self.same_words(asked) or self.containing(asked) or self.misheard(asked)
        return _settle(hits, prefers, vague=True) if hits else None

    def _list(self, asked: str, exact: tuple[D, ...]) -> tuple[D, ...]:
        """The devices of "light, Kitchen Light": a list of names is not one name. "Lamp, Kitchen" is one."""
        parts = [part for part in _COMMAS.split(unicodedata.normalize("NFKC", asked)) if words(part)]
        if len(parts) < 2 or any(_COMMAS.search(name) for device in exact for name in names_of(device)):
            return ()
        meant = [self.could_mean(part) for part in parts if words(part) not in self._rooms]
        known = {id(device) for found in meant for device in found}
        devices = tuple(device for device in self.devices if id(device) in known)
        return devices if sum(map(bool, meant)) > 1 and len(devices) > 1 else ()

    # --- its steps

    def exact(self, asked: str) -> tuple[D, ...]:
        """By name, room and name in any order, or number."""
        return self._at(self._exactly(asked) or self._exactly(_without_remark(asked)))

    def _places(self, asked: str) -> Collection[int]:
        devices = self.devices
        if spelled := self._by("spelled", *spellings(asked)):
            return [at for at in spelled if fold(devices[at].name) == fold(asked)] or spelled
        wanted = words(asked)
        worded: Collection[int] = self._by("with room", wanted) or self._by("named", wanted)
        if _repeats(asked):  # "the floor lamp the lamp" is no name; "Kitchen Kitchen Light" is room and name
            every = sorted(meaning(asked))
            called = ((at, f"{devices[at].room} {devices[at].name}") for at in worded)
            worded = [at for at, name in called if sorted(meaning(name)) == every]
        if not worded and (sort := device_class("".join(meaning(asked)[-1:]))) and sort.sort in _SAID_BEHIND:
            named = self._by("named", wanted - {sort.noun})  # "the front door lock"
            worded = [at for at in named if sort.has(devices[at])]
        return worded or self._by("number", fold(asked)) or self._by("numbered", wanted)

    def same_words(self, asked: str) -> tuple[D, ...]:
        """By other words for the same: "desk light" is the Desk Lamp, "die Küchenlampe" that in the Küche."""
        joined = "".join(word for word in plain_words(asked) if word not in _ARTICLES)
        places = self._by("loosely", loose_words(asked))
        places = places or (self._by("joined", joined) if joined.isalpha() else set())
        return () if _repeats(asked) else self._at(places)

    def containing(self, asked: str) -> tuple[D, ...]:
        """The devices with every word of `asked` in name or room, and one of them in the name.

        Never the other way round: a short name inside a long request proves nothing.
        """
        for sort, cut in () if _repeats(asked) else (("word", words), ("loose word", loose_words)):
            wanted = cut(asked)
            places = set.intersection(*(self._by(sort, word) for word in wanted)) if wanted else set()
            if whole := [at for at in places if _contains(self.devices[at], wanted, cut)]:
                return self._at(whole)
        return ()

    def misheard(self, asked: str) -> tuple[D, ...]:
        """The device whose name sounds like `asked`; several if none leads clearly."""
        from rapidfuzz import fuzz

        wanted = words(asked)
        if sum(map(len, wanted)) < _SHORTEST:
            return ()
        named_rooms = {room for room_words, room in self._rooms.items() if room_words <= wanted}
        scores = {
            at: score
            for at in self._alike(asked, _ALIKE - 2 * _LEAD, fuzz.ratio)
            if _same_room(named_rooms, self.devices[at])
            and (score := _likeness(asked, self.devices[at])) > _ALIKE - _LEAD
        }
        best = max(scores.values(), default=0.0)
        return self._at(at for at, score in scores.items() if best >= _ALIKE and best - score < _LEAD)

    def nearest(self, asked: str, least: float = _WORTH_OFFERING) -> tuple[D, ...]:
        """Up to three names to offer in a question, best first."""
        from rapidfuzz import fuzz

        scores = self._alike(asked, least, fuzz.token_sort_ratio)
        ranked = sorted(scores, key=lambda at: (-scores[at], at))
        return tuple(self.devices[at] for at in ranked[:3])

    def _alike(self, asked: str, least: float, scorer: Callable[..., float]) -> Mapping[int, float]:
        """The places of devices that are called or placed much like this, each with a score of 100."""
        from rapidfuzz import process

        near = process.extract(plain(asked), self._lines, scorer=scorer, score_cutoff=least, limit=40)
        return {at % len(self.devices): score for _, score, at in reversed(near)}

    def in_room(self, asked: str) -> tuple[D, ...]:
        """The devices of a room, if exactly a room was named."""
        return self._at(self._by("room", wanted)) if (wanted := words(asked)) else ()

    def _group(self, wanted: frozenset[str]) -> Group[D] | None:
        if (room := self._rooms.get(wanted)) is not None:
            return Group(self._at(self._by("room", wanted)), room)
        if not wanted & ALL:
            return None
        rest = wanted - ALL
        if placed := self._scope(rest):
            return Group(placed)
        sort, chosen = self._sort_in(rest)
        return Group(sort.among(chosen)) if sort else None

    def _noun(self, wanted: frozenset[str]) -> Several[D] | Group[D] | None:
        """A kind of device, alone or with its room: "the blinds", "bedroom light"."""
        sort, chosen = self._sort_in(wanted)
        if sort is not None and sort.sort == "device":  # "the devices" to act on do not include the locks
            sort = replace(sort, sort="all")
        members = sort.among(chosen) if sort is not None else ()
        if sort is None or not members:
            return None
        return Group(members) if sort.plural and len(members) > 1 else Several(members)

    def _sort_in(self, wanted: frozenset[str]) -> tuple[DeviceClass | None, tuple[D, ...]]:
        """The kind that is named, and the devices of the room that the other words name."""
        for sort in classes_in(wanted):
            chosen = self._scope(wanted - frozenset(sort.noun.split()))
            if chosen is not None:
                return sort, chosen
        return None, ()

    def _scope(self, room_words: frozenset[str]) -> tuple[D, ...] | None:
        """All devices for no word, those of a room for its name, None for words that are no room."""
        return self._at(self._by("room", room_words)) or None if room_words else self.devices


def _settle(hits: Iterable[D], prefers: Prefers[D] | None, *, vague: bool) -> Match[D]:
    """One device or a question; an entrance that was named vaguely is offered by its full name only."""
    devices = tuple(hits)
    if len(devices) > 1 and prefers is not None:
        preferred = tuple(device for device in devices if prefers(device))
        devices = preferred if len(preferred) == 1 and preferred[0].kind not in ENTRANCES else devices
    if len(devices) > 1:
        return Several(devices)
    return Nothing(devices) if vague and devices[0].kind in ENTRANCES else One(devices)


def _keys(device: HomeDevice) -> Iterator[tuple[str, Hashable]]:
    """The keys of the index under which a device is found."""
    names, rooms = names_of(device), rooms_of(device)
    full_names = _full_names(device)
    texts = {*names, *full_names}
    if device.node_id is not None:
        yield from (("number", number) for number in (f"node {device.node_id}", number_of(device)))
        yield from (("numbered", words(f"{text} node {device.node_id}")) for text in texts)
    for name in names:
        yield from (("spelled", form) for form in spellings(name))
        yield "named", words(name)
        for room in rooms:
            one_word = [{"".join(plain_words(form)) for form in spellings(text)} for text in (room, name)]
            yield from (("joined", "".join(form)) for form in product(one_word[0], _BETWEEN, one_word[1]))
    yield from (("room", words(room)) for room in rooms)
    yield from (("with room", words(full)) for full in full_names)
    for text in texts:
        yield "loosely", loose_words(text)
        yield "joined", "".join(plain_words(text))
    for word in frozenset().union(*map(words, (*names, *rooms))):
        yield "word", word
        yield "loose word", loose(word)


def _full_names(device: HomeDevice) -> tuple[str, ...]:
    """Its names with its rooms before them."""
    return tuple(f"{room} {name}".strip() for name in names_of(device) for room in rooms_of(device))


def _contains(device: HomeDevice, wanted: frozenset[str], cut: Callable[[str], frozenset[str]]) -> bool:
    """In one of its names with one of its rooms; half of one name and half of another do not count."""
    rooms = [cut(room) for room in rooms_of(device)]
    names = [cut(name) for name in names_of(device)]
    return any(wanted & name and wanted <= name | room for name in names for room in rooms)


def _repeats(text: str) -> bool:
    return len(meaning(text)) != len(words(text))


def _likeness(asked: str, device: HomeDevice) -> float:
    """Of 100: to its name, or to room and name, as said or with the words in order ("lump floor")."""
    texts = (*names_of(device), *_full_names(device))
    pairs = [(plain_words(asked), plain_words(text)) for text in texts]
    pairs += [(tuple(sorted(meaning(asked))), tuple(sorted(meaning(text)))) for text in texts]
    return 100 * max(phrase_likeness(*pair) for pair in pairs)


def _same_room(named_rooms: set[str], device: HomeDevice) -> bool:
    if not named_rooms or device.room in named_rooms:
        return True
    return any(words(room) <= words(name) for room in named_rooms for name in names_of(device))
