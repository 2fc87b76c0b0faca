"""Typed leaves: numbers, names of the home, words of a list, free text, and talk beside an order."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

from home_names.names import name_key, plain_words
from home_names.resolver import names_of, rooms_of
from voice_gateway.integrations.device import Device, same_but_for_state
from voice_gateway.integrations.home import Home
from voice_gateway.understanding.lexer import PAUSES, Span, Spans, Tokens, cut_word, plain
from voice_gateway.understanding.templates import Language

Found = tuple[int, Any, float]  # end, value, cost
EXACT, PARTIAL, UNKNOWN = 0, 1, 2  # passes of the reader: which names count
_DIGITS: Final = re.compile(r"\d+(?:\.\d+)?")
_CLOCK: Final = re.compile(r"\d{1,2}:\d\d")
_NTH: Final = re.compile(r"(\d+)(?:st|nd|rd|th)")
LONGEST_NAME: Final = 6  # words
MIN_DESCRIBED: Final = 3  # letters
MOST_KEPT: Final = 4096  # lookups of names


class NameHit(NamedTuple):
    """Devices by their place in `home.devices`, and how well the name fits."""

    places: tuple[int, ...]
    how: str
    text: str


class HomeIndex:
    """The names of one home as spans of tokens; built once for each picture of the home."""

    def __init__(self, home: Home, language: Language) -> None:
        self.home, self.language = home, language
        self.place = {device.key: at for at, device in enumerate(home.devices)}
        names = self._device_names()
        rooms = self._room_names(names)
        self.spans = {
            "name": Spans(names),
            "room": Spans(rooms),
            "scene": Spans({plain(name, language.words): scene for name, scene in home.scenes.items()}),
            "floor": Spans(self._floor_names()),
            "tool": Spans({}),  # the words for tools of other servers; the interpreter sets them
        }
        self.words = frozenset(word for spans in (names, rooms) for span in spans for word in span)
        spelled = (span for kind in ("scene", "floor") for span in self.spans[kind].meanings)
        self.whole = self.words.union(*spelled)  # no compounds to be cut
        self._near = lru_cache(MOST_KEPT)(self._looked_up)

    def _device_names(self) -> dict[Span, tuple[int, ...]]:
        names: dict[Span, dict[int, None]] = defaultdict(dict)
        for at, device in enumerate(self.home.devices):
            for name in self._spellings(device):
                names[name][at] = None
        known = {name: tuple(places) for name, places in names.items()}
        for name, places in list(known.items()):  # "terrace door" is the Terrace Door Lock
            if name[-1] == "lock" and len(name) > 1 and self.home.devices[places[0]].kind == "lock":
                known.setdefault(name[:-1], places)
        for at, device in enumerate(self.home.devices):
            words = plain(device.name, self.language.words)
            for size in range(1, len(words) + 1):
                for other in self.language.things.get(" ".join(words[:size]), ()):
                    known.setdefault((*other.split(), *words[size:]), (at,))
        return known

    def _spellings(self, device: Device) -> Iterable[Span]:
        """The spellings of a device: as tokens and folded, alone and with its room before or behind it."""
        rooms = [room for room in rooms_of(device) if room]
        for name in names_of(device):
            for spelled in (lambda text: plain(text, self.language.words), self._parted, plain_words):
                if said := spelled(name):
                    yield said
                    told = map(spelled, rooms)
                    yield from (both for room in told for both in ((*room, *said), (*said, *room)))

    def _parted(self, name: str) -> Span:
        """The words of a name, compounds in their parts."""
        words, parts = plain(name, self.language.words), self.language.parts
        if not self.language.words.compounds:
            return ()
        return tuple(
            part
            for word in words
            for part in cut_word(word, self.language.words, (), parts - {word}) or [word]
        )

    def _room_names(self, names: Mapping[Span, tuple[int, ...]]) -> dict[Span, str]:
        """The rooms by their names, by other words for them, and by the last word that only one has."""
        spelled = {
            " ".join(plain(called, self.language.words)): room for called, room in self.home.rooms.items()
        }
        rooms = {**self.home.rooms, **spelled}
        for called, others in self.language.rooms.items():
            if called in spelled:
                rooms = dict.fromkeys(others, spelled[called]) | rooms
        known = {
            span: room
            for called, room in rooms.items()
            for span in (tuple(called.split()), plain(room, self.language.words))
        }
        ends = Counter(plain(room, self.language.words)[-1:] for room in set(rooms.values()))
        ended = {plain(room, self.language.words)[-1:]: room for room in rooms.values()}
        no_rooms = self.language.groups["no_room"]
        short = {end: room for end, room in ended.items() if ends[end] == 1 and no_rooms.isdisjoint(end)}
        return {end: room for end, room in short.items() if end and end not in names} | known

    def _floor_names(self) -> dict[Span, str]:
        """Floors by their own names, and by other words for them: "upstairs" may be the first floor here."""
        home, found = self.home, dict[Span, str]()
        for called, others in self.language.floors.items():
            for other in (called, *others):
                known = next(filter(home.on_floor, (other, called)), "")
                if known or tuple(other.split()) not in found:
                    found[tuple(other.split())] = known or other
        return {**found, **{plain(floor, self.language.words): floor for floor in home.floors}}

    def renew(self, home: Home) -> bool:
        """Takes over a home in which only states changed; False if names changed, too."""
        known = self.home
        same = (known.rooms, known.scenes) == (home.rooms, home.scenes)
        if not same or not same_but_for_state(known.devices, home.devices):
            return False
        self.home = home
        return True

    def names(self, words: Span, at: int, level: int) -> list[Found]:
        exact = {end: places for end, places, _ in self.spans["name"].at(words, at)}
        ends = exact if level == EXACT else range(min(LONGEST_NAME, len(words) - at) + at, at, -1)
        found: list[Found] = []
        for end in ends:
            span = words[at:end]
            if not PAUSES.isdisjoint(span):
                continue
            if end in exact:
                found.append((end, NameHit(exact[end], "exact", " ".join(span)), 0.1))
            elif level > EXACT and (near := self._near(span)) is not None:
                found.append((end, *near))
        return found

    def rooms(self, words: Span, at: int, level: int) -> Sequence[Found]:
        """The rooms that are called so, else the one that sounds so if a word means nothing else."""
        from rapidfuzz import fuzz, process

        if (exact := self.spans["room"].at(words, at)) or level == EXACT:
            return exact
        rooms = {" ".join(called): room for called, room in self.spans["room"].meanings.items()}
        for end in range(min(3, len(words) - at) + at, at, -1):
            span = words[at:end]
            if PAUSES.isdisjoint(span) and span[0] not in self.language.groups["common"]:
                strange = any(len(word) > 2 for word in self._strange(span))
                near = strange and process.extractOne(
                    " ".join(span), list(rooms), scorer=fuzz.ratio, score_cutoff=78
                )
                broken_off = (
                    near
                    and near[0].startswith(" ".join(span))
                    and not PAUSES.isdisjoint(words[end : end + 1])
                )
                if near and not broken_off:  # "the kitch, the hall light"
                    return [(end, rooms[near[0]], 2.0)]
        return ()

    @cached_property
    def _by_word(self) -> Mapping[str, set[int]]:
        """The devices with each word in their names."""
        found: dict[str, set[int]] = defaultdict(set)
        for place, device in enumerate(self.home.devices):
            for word in plain_words(device.name):
                found[word].add(place)
        return found

    def described(self, words: Span, at: int) -> list[Found]:
        """Devices whose names have a word that begins like this one: "the lamp by the bed"."""
        word = words[at]
        if len(word) < MIN_DESCRIBED or word in self.language.groups["common"]:
            return []
        alike = (places for part, places in self._by_word.items() if part.startswith(word))
        places = tuple(sorted(set().union(*alike)))
        return [(at + 1, NameHit(places, "part", word), 0.5)] if places else []

    def _strange(self, span: Span) -> list[str]:
        """The words that mean nothing in this language or home."""
        known, unusual = self.language.vocabulary, self.language.groups["misheard"]
        foreign = (word for word in span if word not in known or word in unusual)
        return [word for word in foreign if word not in self.words]

    def _looked_up(self, span: Span) -> tuple[NameHit, float] | None:
        """Devices by synonyms, part of a name, or sound; never by words that mean a kind or an order."""
        groups, said, strange = self.language.groups, name_key(" ".join(span)), self._strange(span)
        denied = not groups["never_in_names"].isdisjoint(span)
        if len(span) > 4 or denied or span[-1] in groups["cut_off"]:
            return None
        alone = len(span) == 1 and groups["no_name_alone"].issuperset(span)
        own = self.words & {*span} - groups["common"]
        if alone or groups["common"].issuperset(span) or not (strange or own):
            return None
        names = self.home.names
        for find, how, cost in (
            (names.exact, "exact", 0.5),
            (names.same_words, "exact", 0.5),
            (names.containing, "part", 1.5),
            (names.misheard, "misheard", 3.0),
        ):
            if (how != "misheard" or strange) and (devices := find(said)):
                places = tuple(self.place[device.key] for device in devices)
                return NameHit(places, how, " ".join(span)), cost
        return None


class UtteranceLeaves:
    """The typed leaves at each place of one utterance."""

    def __init__(self, tokens: Tokens, language: Language, home: HomeIndex, level: int) -> None:
        self.tokens, self.language, self.home, self.level = tokens, language, home, level
        self.words = tokens.words
        self._known: dict[tuple[str, int], Sequence[Found]] = {}
        self._read: Mapping[str, Callable[[int], Sequence[Found]]] = {
            "number": self._number,
            "clock": self._clock,
            "nth": self._nth,
            "name": lambda at: home.names(self.words, at, level),
            "exact": lambda at: home.names(self.words, at, EXACT),
            "room": lambda at: home.rooms(self.words, at, level),
            "unknown": self._unknown,
            "described": lambda at: home.described(self.words, at),
            "tool_phrase": lambda at: [hit for hit in self.leaf("tool", at) if hit[0] > at + 1],
            "remark": self._remark,
            "sum": self._sum,
            "talk": self._talk,
        }

    def text(self, start: int, end: int) -> str:
        """The tokens of a span, without pauses and with numbers as digits."""
        words, at = list[str](), start
        while at < end:
            number = next(iter(self._number(at)), None)
            if number is not None and number[0] <= end:
                words.append(f"{number[1]:g}")
                at = number[0]
                continue
            if self.words[at] not in PAUSES:
                words.append(self.words[at])
            at += 1
        return " ".join(words)

    def leaf(self, kind: str, at: int) -> Sequence[Found]:
        key = (kind, at)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._leaf(kind, at) if at < len(self.words) else ()
        return found

    def every(self, *kinds: str) -> list[Found]:
        """All leaves of these kinds in the utterance."""
        places = range(len(self.words))
        return [found for kind in kinds for at in places for found in self.leaf(kind, at)]

    def _leaf(self, kind: str, at: int) -> Sequence[Found]:
        if (read := self._read.get(kind)) is not None:
            return read(at)
        if (spans := self.home.spans.get(kind) or self.language.spans.get(kind)) is not None:
            return spans.at(self.words, at)
        if kind in self.language.free:
            return self._free(kind, at)
        lowest, highest, factor = self.language.ranges[kind]
        return [(end, n * factor, cost) for end, n, cost in self._number(at) if lowest <= n <= highest]

    # --- numbers

    def _number(self, at: int) -> Sequence[Found]:
        """The longest number that begins here, in digits or in words."""
        word = self.words[at]
        if _DIGITS.fullmatch(word):
            return [self._halved(at + 1, float(word))]
        for end, value, _ in self.language.number_words.at(self.words, at)[:1]:
            found = self._halved(end, value)
            return () if found[0] == at + 1 and self._lonely(at) else [found]
        return ()

    def _halved(self, end: int, value: float) -> Found:
        for half in self.language.half:
            if self.words[end : end + len(half)] == half:
                return end + len(half), value + 0.5, 0.0
        return end, value, 0.0

    def _lonely(self, at: int) -> bool:
        """Whether a word like "one" is no number here: it is one before a unit and behind "to"."""
        if self.words[at] not in self.language.groups["no_number_alone"]:
            return False
        units, before = self.language.groups["units"], self.language.groups["before_number"]
        return not (units.intersection(self.words[at + 1 : at + 2]) or (at and self.words[at - 1] in before))

    def _clock(self, at: int) -> Sequence[Found]:
        return [(at + 1, self.words[at], 0.0)] if _CLOCK.fullmatch(self.words[at]) else ()

    def _nth(self, at: int) -> Sequence[Found]:
        found = _NTH.fullmatch(self.words[at])
        return [(at + 1, float(found[1]), 0.0)] if found else ()

    # --- free words

    def _free(self, kind: str, at: int) -> Sequence[Found]:
        """Free text as it was written, up to a word that its kind must not hold."""
        rule = self.language.free[kind]
        never, first, last = self.language.forbidden[kind]
        if self.words[at] in first or self.words[at] in PAUSES:
            return ()
        most, found = int(rule.get("most", 14)), list[Found]()
        for end in range(at + 1, min(len(self.words), at + most) + 1):
            word = self.words[end - 1]
            if word in never or (rule.get("plain") and self._means(end - 1)):
                break
            if word not in PAUSES and word not in last:
                found.append((end, self.tokens.text(at, end), 1.0 + 0.2 * (end - at)))
        return found

    def _unknown(self, at: int) -> Sequence[Found]:
        """A name that no device has; it only leads to a question."""
        if self.level < UNKNOWN:
            return ()
        groups, found = self.language.groups, list[Found]()
        if self._number(at) or self.words[at] in groups["no_thing"]:
            return ()
        for end in range(at + 1, min(len(self.words), at + 4) + 1):
            span = self.words[at:end]
            if span[-1] in PAUSES or span[-1] in groups["never_unknown"]:
                break
            if not groups["common"].issuperset(span):
                found.append((end, " ".join(span), 8.0 + len(span)))
        return found

    def _remark(self, at: int) -> Sequence[Found]:
        """Words between pauses that take nothing of an order back: "my hands are full, …"."""
        if at and self.words[at - 1] not in PAUSES:
            return ()
        end = at
        while end < len(self.words) and self.words[end] not in PAUSES:
            end += 1
        never = self.language.group("talk_never", "remark_never")
        if self.words[at] in self.language.groups["subjects"]:
            never -= self.language.groups["placed"]
        if end - at < 2 or (at == 0 and end == len(self.words)) or not never.isdisjoint(self.words[at:end]):
            return ()
        if any(map(self._means, range(at, end))):
            return ()
        return [(end, self.text(at, end), 3.0 + 0.1 * (end - at))]

    def _means(self, at: int) -> bool:
        """Whether a word is a number or a name of the home, and so no part of a remark."""
        return bool(self._number(at) or self.leaf("exact", at) or self.leaf("room", at))

    def _sum(self, at: int) -> Sequence[Found]:
        """The rest of the utterance if it is a sum."""
        from voice_gateway.tools.builtin.calculate import plain as as_sum
        from voice_gateway.tools.builtin.calculate import read_asked

        spans, raw = self.tokens.spans, self.tokens.raw
        start, end = spans[at - 1][1] if at else 0, spans[-1][1]
        behind = raw[end:]  # a bracket is no token
        said = raw[start:end] + ("" if any(map(str.isalpha, behind)) else behind)
        text = as_sum(self.language.as_english_sum(said))
        return [(len(self.words), text, 0.0)] if read_asked(text) is not None else []

    def _talk(self, at: int) -> Sequence[Found]:
        """Words beside a wish that take nothing of it back: a subject and a verb of being."""
        groups = self.language.groups
        if self.words[at] not in groups["talk_begins"] or (
            at and self.words[at - 1] in groups["talk_open"] - groups["joins"]
        ):
            return ()
        found: list[Found] = []
        for end in range(at + 1, min(len(self.words), at + 12) + 1):
            word = self.words[end - 1]
            if word in PAUSES or word in groups["talk_never"] or word in groups["units"]:
                break
            span = self.words[at:end]
            whole = len(span) > 1 and not groups["talk_verbs"].isdisjoint(span)
            whole = whole or (len(span) <= 2 and span[0] in groups["talk_alone"])
            if whole and word not in groups["talk_open"]:
                following = self.words[end] if end < len(self.words) else ","
                if following in groups["talk_not_before"]:
                    continue
                apart = following in PAUSES or following in groups["talk_joints"]
                found.append((end, self.text(at, end), (2.0 if apart else 4.0) + 0.1 * len(span)))
        return found
