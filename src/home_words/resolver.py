"""Which device is meant: the one answer for Z-Wave server, local brain, permission gate and grounding.

Names are taken as people say them, and nothing is guessed where a guess could be wrong (docs/zwave.md).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Generic

from home_words.kinds import ENTRANCES, D, DeviceClass, HomeDevice, classes_in
from home_words.names import fold, loose, loose_words, meaning, plain, plain_words, spellings, words
from home_words.phonetics import likeness, phrase_likeness, sound

ALL: Final = frozenset({"all", "every", "everything", "everywhere", "both", "each"})
_REMARK: Final = re.compile(r"\([^)]{0,200}\)")

# A whole name must be this alike (of 100), and clearly more than the next one.
_ALIKE: Final = 82.0
_LEAD: Final = 10.0
# One word inside it may differ this much: "lump" is a lamp, but "bathroom" is no "bedroom".
_WORD_ALIKE: Final = 0.7
_JOINED_ALIKE: Final = 90.0  # "bed side lamp"
_SHORTEST: Final = 4  # letters: shorter words sound like everything
_WORTH_OFFERING: Final = 45.0


@dataclass(frozen=True, slots=True)
class One(Generic[D]):
    device: D


@dataclass(frozen=True, slots=True)
class Several(Generic[D]):
    """More than one could be meant: ask."""

    devices: tuple[D, ...]


@dataclass(frozen=True, slots=True)
class Group(Generic[D]):
    """A room, or "all lights": several are meant. `room` is set when exactly a room was named."""

    devices: tuple[D, ...]
    room: str = ""


@dataclass(frozen=True, slots=True)
class Nothing(Generic[D]):
    nearest: tuple[D, ...] = ()


Match = One[D] | Several[D] | Group[D] | Nothing[D]
Prefers = Callable[[D], bool]


def without_remark(asked: str) -> str:
    """Models copy what a list says of a device into its name: "Floor Lamp (off)"."""
    return _REMARK.sub(" ", asked)


@dataclass(frozen=True, slots=True)
class _Written:
    """The words of one device, cut once: a home has a thousand, and is asked ten times a second."""

    name: frozenset[str]
    loose_name: frozenset[str]
    lines: tuple[str, str, str, str]  # name, room and name: as written, and with the words in order
    spoken: tuple[tuple[str, ...], ...]  # name, room and name

    @classmethod
    def of(cls, device: HomeDevice) -> "_Written":
        full = f"{device.room} {device.name}".strip()
        name, every = plain_words(device.name), plain_words(full)
        lines = (plain(device.name), plain(full), _sorted_words(device.name), _sorted_words(full))
        spoken = (name, every) if device.room else (name,)
        return cls(words(device.name), loose_words(device.name), lines, spoken)


class Names(Generic[D]):
    """An index over the devices of a home."""

    def __init__(self, devices: Iterable[D]) -> None:
        self.devices = tuple(devices)
        self._written = [_Written.of(device) for device in self.devices]
        self._lines = [[written.lines[form] for written in self._written] for form in range(4)]
        self._places = {id(device): place for place, device in enumerate(self.devices)}
        self._folded: dict[str, list[D]] = defaultdict(list)
        self._spelled: dict[str, list[D]] = defaultdict(list)
        self._worded: dict[frozenset[str], list[D]] = defaultdict(list)
        self._with_room: dict[frozenset[str], list[D]] = defaultdict(list)
        self._loose: dict[frozenset[str], list[D]] = defaultdict(list)
        self._numbered: dict[str, list[D]] = defaultdict(list)
        self._rooms: dict[frozenset[str], str] = {}
        # In which devices (by place) a word occurs, in name or room; and which names are said like this.
        self._having: dict[str, set[int]] = defaultdict(set)
        self._having_loose: dict[str, set[int]] = defaultdict(set)
        self._speaking: dict[str, set[int]] = defaultdict(set)
        self._joined: dict[str, set[int]] = defaultdict(set)
        self._sounds: dict[str, set[str]] = defaultdict(set)
        for place, device in enumerate(self.devices):
            self._add(device)
            self._add_words(place, device)
        for word in self._speaking:
            self._sounds[sound(word)].add(word)

    def _add(self, device: D) -> None:
        name, full = words(device.name), words(f"{device.room} {device.name}")
        self._folded[fold(device.name)].append(device)
        for spelling in spellings(device.name):
            self._spelled[spelling].append(device)
        self._worded[name].append(device)
        self._with_room[full].append(device)
        for form in {frozenset(map(loose, name)), frozenset(map(loose, full))}:
            self._loose[form].append(device)
        if device.node_id is not None:
            self._numbered[f"node {device.node_id}"].append(device)
        if device.room:
            self._rooms.setdefault(words(device.room), device.room)

    def _add_words(self, place: int, device: D) -> None:
        for word in words(device.name) | words(device.room):
            self._having[word].add(place)
            self._having_loose[loose(word)].add(place)
        for spoken in self._written[place].spoken:
            self._joined[sound("".join(spoken))].add(place)
            for word in spoken:
                self._speaking[word].add(place)

    # --- the whole answer

    def find(self, asked: str, prefers: Prefers[D] | None = None) -> Match[D]:
        """`prefers` settles between several by what the caller wants to do; never for an entrance."""
        return self._found(asked, prefers) or Nothing(self.nearest(asked))

    def only(self, asked: str, prefers: Prefers[D] | None = None) -> D | None:
        """The one device that `find` would give."""
        found = self._found(asked, prefers)
        return found.device if isinstance(found, One) else None

    def could_mean(self, asked: str) -> tuple[D, ...]:
        """Every device that a caller could reach by these words, whatever it wants to do with it."""
        found = self._found(asked, None)
        if found is None:
            return ()
        if isinstance(found, One):
            return (found.device,)
        # Nothing: a way into the house that was only hinted at.
        return found.nearest if isinstance(found, Nothing) else found.devices

    def _found(self, asked: str, prefers: Prefers[D] | None) -> Match[D] | None:
        found, bare = self._find(asked, prefers), without_remark(asked)
        again = bare != asked and (found is None or isinstance(found, Nothing))
        return (self._find(bare, prefers) or found) if again else found

    def _find(self, asked: str, prefers: Prefers[D] | None) -> Match[D] | None:
        if exact := self._exactly(asked):
            return settle(exact, prefers, vague=False)
        said = words(asked)
        for look in (self._group, self._noun):
            found = look(said)
            if found is not None:
                return settle(found.devices, prefers, vague=True) if isinstance(found, Several) else found
        hits = self.same_words(asked) or self.containing(asked) or self.misheard(asked)
        return settle(hits, prefers, vague=True) if hits else None

    # --- its steps, for who knows more than the words (`among`: only these can be meant)

    def exact(self, asked: str) -> tuple[D, ...]:
        """By name, room and name in any order, or number."""
        return self._exactly(asked) or self._exactly(without_remark(asked))

    def _exactly(self, asked: str) -> tuple[D, ...]:
        if folded := self._folded.get(fold(asked)):
            return tuple(folded)
        spelled = {id(hit): hit for form in spellings(asked) for hit in self._spelled.get(form, ())}
        if spelled:
            return tuple(spelled.values())
        said = words(asked)
        worded = self._with_room.get(said, ()) or self._worded.get(said, ())
        if _repeats(asked):  # "the floor lamp the lamp" is no name; "Kitchen Kitchen Light" is room and name
            every = _sorted_words(asked)
            worded = [hit for hit in worded if _sorted_words(f"{hit.room} {hit.name}") == every]
        if not worded and meaning(asked)[-1:] == ("lock",):  # "the front door lock"
            worded = [hit for hit in self._worded.get(said - {"lock"}, ()) if hit.kind == "lock"]
        return tuple(worded or self._numbered.get(fold(asked), ()))

    def same_words(self, asked: str, among: Sequence[D] | None = None) -> tuple[D, ...]:
        """By other words for the same: "desk light" is the Desk Lamp."""
        hits = () if _repeats(asked) else self._loose.get(loose_words(asked), ())
        places = set(map(id, hits if among is None else among))
        return tuple(hit for hit in hits if id(hit) in places)

    def containing(self, asked: str, among: Sequence[D] | None = None) -> tuple[D, ...]:
        """Every word that was said is in name or room, and one of them in the name.

        Never the other way round: a short name inside a long request proves nothing.
        """
        if _repeats(asked):
            return ()
        said, stems, chosen = words(asked), loose_words(asked), self._chosen(among)
        whole = [at for at in _all_in(self._having, said, chosen) if said & self._written[at].name]
        if not whole:
            found = _all_in(self._having_loose, stems, chosen)
            whole = [at for at in found if stems & self._written[at].loose_name]
        return tuple(self.devices[at] for at in whole)

    def misheard(self, asked: str, among: Sequence[D] | None = None) -> tuple[D, ...]:
        """The device that was misheard; several when none leads clearly; nothing when none is alike."""
        said, chosen = words(asked), self._chosen(among)
        if sum(map(len, said)) < _SHORTEST or not chosen:
            return ()
        spelled = self._spelled_alike(asked, chosen, _ALIKE - _LEAD)
        scores = {at: score for at, score in spelled.items() if _same_words(asked, self.devices[at])}
        for at, score in self._sounding_alike(asked, set(chosen)):
            scores[at] = max(score, scores.get(at, 0.0))
        named_rooms = {room for room_words, room in self._rooms.items() if room_words <= said}
        ranked = [at for at in _ranked(scores) if _same_room(named_rooms, self.devices[at])]
        best = scores[ranked[0]] if ranked else 0.0
        return tuple(self.devices[at] for at in ranked if best >= _ALIKE and best - scores[at] < _LEAD)

    def nearest(
        self, asked: str, among: Sequence[D] | None = None, limit: int = 3, cutoff: float = _WORTH_OFFERING
    ) -> tuple[D, ...]:
        """Only to be offered."""
        scores = self._spelled_alike(asked, self._chosen(among), cutoff)
        return tuple(self.devices[at] for at in _ranked(scores)[:limit])

    def _chosen(self, among: Sequence[D] | None) -> Sequence[int]:
        if among is None or len(among) == len(self.devices):
            return range(len(self.devices))
        return [self._places[id(device)] for device in among]

    def _spelled_alike(self, asked: str, chosen: Sequence[int], cutoff: float) -> dict[int, float]:
        """Of 100. As said ("bed side lamp") and with the words in order ("lump floor")."""
        from rapidfuzz import fuzz, process

        best: dict[int, float] = {}
        said = (plain(asked), _sorted_words(asked))
        for form in range(4):
            every = self._lines[form]
            lines = every if isinstance(chosen, range) else {at: every[at] for at in chosen}
            for _, score, at in process.extract(
                said[form // 2], lines, scorer=fuzz.ratio, score_cutoff=cutoff, limit=40
            ):
                best[at] = max(score, best.get(at, 0.0))
        return best

    def _sounding_alike(self, asked: str, chosen: set[int]) -> Iterator[tuple[int, float]]:
        """Spelled otherwise and said alike: "flaw lamp". Of 100."""
        said = plain_words(asked)
        alike = [set().union(*(self._speaking[word] for word in self._heard_as(one))) for one in said]
        places = set.intersection(*alike) if alike else set()
        numbers = _numbers(frozenset(said))
        for at in (places | self._joined.get(sound("".join(said)), set())) & chosen:
            for spoken in self._written[at].spoken:
                score = 100 * phrase_likeness(said, spoken)
                if score >= _ALIKE - _LEAD and numbers == _numbers(frozenset(spoken)):
                    yield at, score

    def _heard_as(self, said: str) -> set[str]:
        """The words of this home that it could be."""
        from rapidfuzz import fuzz, process

        near = process.extract(said, list(self._speaking), scorer=fuzz.ratio, score_cutoff=55, limit=40)
        return self._sounds.get(sound(said), set()) | {word for word, _, _ in near}

    def in_room(self, asked: str) -> tuple[D, ...]:
        """The devices of a room, when exactly a room was named."""
        return self._of_room(words(asked))

    def _of_room(self, room_words: frozenset[str]) -> tuple[D, ...]:
        if room_words not in self._rooms:
            return ()
        return tuple(device for device in self.devices if device.room and words(device.room) == room_words)

    def _group(self, said: frozenset[str]) -> Match[D] | None:
        room = self._rooms.get(said)
        if room is not None:
            return Group(self._of_room(said), room)
        if not said & ALL:
            return None
        rest = said - ALL
        placed = self._scope(rest)
        if placed is not None:
            return Group(placed)
        sort, chosen = self._sort_in(rest)
        return Group(sort.among(chosen)) if sort else None

    def _noun(self, said: frozenset[str]) -> Several[D] | Group[D] | None:
        """A sort of device, alone or with its room: "the blinds", "bedroom light"."""
        sort, chosen = self._sort_in(said)
        members = of_sort(sort, chosen) if sort else ()
        if sort is None or not members:
            return None
        return Group(members) if sort.plural and len(members) > 1 else Several(members)

    def _sort_in(self, said: frozenset[str]) -> tuple[DeviceClass | None, tuple[D, ...]]:
        """The sort that is named, and the devices of the room that the other words name."""
        for sort in classes_in(said):
            chosen = self._scope(said - frozenset(sort.noun.split()))
            if chosen is not None:
                return sort, chosen
        return None, ()

    def _scope(self, room_words: frozenset[str]) -> tuple[D, ...] | None:
        """All devices for no word, those of a room for its name, None for words that are no room."""
        if not room_words:
            return self.devices
        return self._of_room(room_words) or None


def of_sort(sort: DeviceClass, devices: Iterable[D]) -> tuple[D, ...]:
    """Who speaks of "the devices" to act on them does not mean the locks."""
    return (replace(sort, sort="all") if sort.sort == "device" else sort).among(devices)


def settle(hits: Iterable[D], prefers: Prefers[D] | None, *, vague: bool) -> Match[D]:
    found = tuple(hits)
    if len(found) > 1 and prefers is not None:
        preferred = tuple(device for device in found if prefers(device))
        found = preferred if len(preferred) == 1 and preferred[0].kind not in ENTRANCES else found
    if len(found) > 1:
        return Several(found)
    if vague and found[0].kind in ENTRANCES:
        return Nothing(found)  # offered by its full name, never acted on
    return One(found[0])


def _repeats(text: str) -> bool:
    return len(meaning(text)) != len(words(text))


def _all_in(index: Mapping[str, set[int]], said: frozenset[str], chosen: Sequence[int]) -> list[int]:
    having = [index.get(word, set()) for word in said]
    return sorted(set.intersection(*having) & set(chosen)) if having else []


def _ranked(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda at: (-scores[at], at))


@lru_cache(maxsize=16_384)
def _sorted_words(text: str) -> str:
    return " ".join(sorted(meaning(text)))


def _same_words(asked: str, device: HomeDevice) -> bool:
    """Numbers must be equal ("light 1" is not "light 2"); every word must have its counterpart."""
    from rapidfuzz import fuzz

    said, name, every = words(asked), words(device.name), words(f"{device.room} {device.name}")
    if _numbers(said) not in (_numbers(name), _numbers(every)):
        return False
    one, other = "".join(plain_words(asked)), "".join(plain_words(device.name))
    # "Bed side": cut differently the words have no counterparts; "floor lamp on" has one word more.
    cut = len(plain_words(asked)) != len(plain_words(device.name)) and abs(len(one) - len(other)) <= 1
    if cut and fuzz.ratio(one, other) >= _JOINED_ALIKE:
        return True
    return _have_counterparts(said, every) and all(
        any(likeness(word, other) >= _WORD_ALIKE for word in said) for other in name
    )


def _have_counterparts(said: frozenset[str], every: frozenset[str]) -> bool:
    return all(any(likeness(word, other) >= _WORD_ALIKE for other in every) for word in said)


def _same_room(named_rooms: set[str], device: HomeDevice) -> bool:
    if not named_rooms or device.room in named_rooms:
        return True
    return any(words(room) <= words(device.name) for room in named_rooms)


def _numbers(chosen: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in chosen if any(char.isdigit() for char in word))
