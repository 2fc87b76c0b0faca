"""From the words for a thing to the devices that are meant, or to a question, or to nobody known."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from voice_gateway.brain.intents.classes import DeviceClass, device_class
from voice_gateway.brain.intents.home import Device, Home, loose, name_key
from voice_gateway.brain.intents.near import best_match, nearest
from voice_gateway.brain.intents.normalise import plain_words

_DETERMINER = re.compile(r"^(?:the|my|our|a|an|that|this|these|those|some|your)\s+(?=\S)")
_QUANTIFIER = re.compile(
    r"^(all|every single|every|each|both|any|all of|both of)\s+(?:of\s+)?(?:the\s+|my\s+|our\s+)?(?=\S)"
)
_TAIL = re.compile(r"\s+(?:again|too|as well|also|back)$")
_PLACE = re.compile(
    r"^(?P<what>.+?)\s+(?:in|inside|on|at|of|from|for|throughout|across|around)\s+(?P<where>(?:the\s+|my\s+|our\s+|this\s+)?.+)$"
)
_HERE = re.compile(r"^(?P<what>.*?)\s*\b(?:in here|over here|here|in (?:this|the|my) room)$")
_HOUSE = re.compile(
    r"^(?P<what>.*?)\s*\b(?:everywhere|in (?:the|my|our) (?:whole |entire )?(?:house|home|flat|apartment)|"
    r"in (?:every|all|all the) rooms?)$"
)
IT = frozenset({"it", "that", "this", "them", "those", "these", "that one", "this one", "the same", "they"})
_AND = re.compile(r"\s+and\s+(?:also\s+)?|\s*,\s*|\s+plus\s+")


@dataclass(frozen=True, slots=True)
class Found:
    devices: tuple[Device, ...]
    exact: bool = True  # by its own name, not by likeness
    group: bool = False  # "the lights", not one lamp
    by_room: str | None = None  # the door's room, when it settled what was meant


@dataclass(frozen=True, slots=True)
class Unclear:
    """More than one could be meant."""

    candidates: tuple[Device, ...]
    phrase: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody is called that. `near` are the nearest names, and never more than offers."""

    phrase: str
    near: tuple[Device, ...] = ()
    note: str = ""  # what is wrong, as a sentence


Resolution = Found | Unclear | Unknown


@dataclass(frozen=True)
class Resolver:
    """`fits` says which devices the action could be for; it never turns an unknown name into a known one."""

    home: Home
    room: str | None = None
    last: tuple[Device, ...] = ()
    fits: Callable[[Device], bool] = field(default=lambda _device: True)

    def resolve(self, phrase: str) -> Resolution:
        said = _plain(phrase)
        if said in IT:
            return Found(self.last, group=len(self.last) > 1) if self.last else Unknown(said)
        exact = self._named(said)
        if exact is not None:
            return exact
        if len(parts := [part for part in _AND.split(said) if part]) > 1:
            return self._several(parts)
        return self._one(said)

    def _several(self, parts: Sequence[str]) -> Resolution:
        devices: list[Device] = []
        exact = True
        for part in parts:
            found = self.resolve(part)
            if not isinstance(found, Found):
                return found
            exact = exact and found.exact
            devices += [device for device in found.devices if device not in devices]
        return Found(tuple(devices), exact=exact, group=len(devices) > 1)

    def _named(self, said: str) -> Resolution | None:
        return self._pick(self.home.by_name.get(name_key(said), ()), said)

    def _pick(self, named: Sequence[Device], said: str) -> Resolution | None:
        """One of several devices with one name is the one in the door's room, or must be asked for."""
        if not named:
            return None
        if len(named) == 1:
            return Found((named[0],))
        here = [device for device in named if self.room and name_key(device.room) == name_key(self.room)]
        if len(here) == 1:
            return Found((here[0],), by_room=here[0].room)
        return Unclear(tuple(named), said)

    def _one(self, said: str) -> Resolution:
        quantifier, rest = _quantified(said)
        what, room, unknown_room = self._placed(rest)
        if unknown_room:
            return self._nowhere(what, unknown_room, said)
        scope = self._scope(room)
        sort = device_class(what)
        if sort is not None:
            return self._of_class(sort, scope, room, quantifier, said)
        if not what:
            return Unclear(tuple(d for d in scope if self.fits(d)), said) if room else Unknown(said)
        return self._by_name(what, scope, room, said)

    def _nowhere(self, what: str, place: str, said: str) -> Unknown:
        if place == "here":
            return Unknown(said, note="I don't know which room I am in.")
        sort = device_class(_plain(_PLACE.sub(r"\g<what>", what)))
        offers = tuple(
            device for device in self.home.devices if sort and sort.has(device) and self.fits(device)
        )
        return Unknown(said, near=offers, note=f"I don't know a room called {place}.")

    def _scope(self, room: str | None) -> tuple[Device, ...]:
        return self.home.devices if room in (None, "*") else self.home.in_room(room or "")

    def _placed(self, said: str) -> tuple[str, str | None, str | None]:
        """What, the room it is in ("*" the whole house), and a room that nobody knows."""
        if match := _HOUSE.match(said):
            return _plain(match["what"]) or "everything", "*", None
        if match := _HERE.match(said):
            return _plain(match["what"]) or "everything", self.room, None if self.room else "here"
        if match := _PLACE.match(said):
            place = _plain(match["where"])
            room = self.room_named(place)
            if room:
                return _plain(match["what"]), room, None
            # "the light on the desk" may be a name; a sort of device somewhere unknown is nowhere.
            if device_class(_plain(match["what"])) and not self.home.by_loose.get(loose(plain_words(said))):
                return said, None, place
        return self._around(said)

    def _around(self, said: str) -> tuple[str, str | None, str | None]:
        """A room's name before or behind the thing: "kitchen light"."""
        words = name_key(said)
        for key, room in self.home.rooms.items():
            if words == key:
                return "", room, None
            if words.startswith(f"{key} "):
                return words.removeprefix(key).strip(), room, None
            if words.endswith(f" {key}"):
                return words.removesuffix(key).strip(), room, None
        return said, None, None

    def room_named(self, said: str) -> str | None:
        key = name_key(_plain(said))
        return self.home.rooms.get(key) or best_match(
            key.split(), {k: k.split() for k in self.home.rooms}, self.home.rooms
        )

    def _of_class(
        self, sort: DeviceClass, scope: Sequence[Device], room: str | None, quantifier: str, said: str
    ) -> Resolution:
        members = tuple(
            device for device in scope if sort.has(device) and (sort.sort != "door" or self.fits(device))
        )
        if not members:
            where = f" in the {room}" if room and room != "*" else ""
            return Unknown(said, note=f"I don't know any {sort.noun}{where}.")
        if sort.sort == "door":  # what opens the house is not taken by a vague word
            return Found(members, exact=False) if len(members) == 1 else Unclear(members, said)
        if room or (quantifier and quantifier != "any"):
            if sort.plural or quantifier:
                wrong_number = quantifier == "both" and len(members) != 2
                return Unclear(members, said) if wrong_number else Found(members, group=True)
            return Found(members) if len(members) == 1 else Unclear(members, said)
        if len(members) == 1:
            return Found(members)
        return self._here(sort, members, said)

    def _here(self, sort: DeviceClass, members: Sequence[Device], said: str) -> Resolution:
        """No room was named: the door's own room settles it, if it stands in one."""
        if self.room is None:
            return Unclear(tuple(members), said)
        here = tuple(device for device in members if name_key(device.room) == name_key(self.room))
        if not here:
            return Unknown(
                said, near=tuple(members)[:3], note=f"I don't know any {sort.noun} in the {self.room}."
            )
        if sort.plural or len(here) == 1:
            return Found(here, group=sort.plural, by_room=here[0].room)
        # "The light" is the one that is called so, when there is only one of them.
        called = [device for device in here if sort.noun in plain_words(device.name)]
        return Found((called[0],), by_room=called[0].room) if len(called) == 1 else Unclear(here, said)

    def _by_name(self, what: str, scope: Sequence[Device], room: str | None, said: str) -> Resolution:
        inside = [device for device in self.home.by_name.get(name_key(what), ()) if device in scope]
        if not inside:
            inside = [
                device for device in self.home.by_loose.get(loose(plain_words(what)), ()) if device in scope
            ]
        if not inside:
            inside = self._ending_in(what, scope)
        if picked := self._pick(inside, said):
            return picked
        named = {device.key: list(self.home.words[device.key]) for device in scope}
        by_key = {device.key: device for device in scope}
        meant = best_match(plain_words(what), named, by_key)
        if meant is None and room is None:
            full = {d.key: plain_words(f"{d.room} {d.name}") for d in scope if d.room}
            meant = best_match(plain_words(what), full, by_key)
        if meant is not None:
            picked = self._pick(self.home.by_name.get(name_key(self.home.address(meant)), ()), said)
            return (
                Found(picked.devices, exact=False, by_room=picked.by_room)
                if isinstance(picked, Found)
                else (picked or Unknown(said))
            )
        return Unknown(said, near=nearest(what, self.home, self.fits, room))

    def _ending_in(self, what: str, scope: Sequence[Device]) -> list[Device]:
        """ "The heater" is the Space Heater: the last word of the name must be said, and no other word."""
        words = set(loose(plain_words(what)))
        found = []
        for device in scope:
            name = loose(self.home.words[device.key])
            if name and name[-1] in words and words <= set(name):
                found.append(device)
        return found


def _plain(phrase: str) -> str:
    said = " ".join(phrase.split())
    before = None
    while before != said:
        before = said
        said = _TAIL.sub("", _DETERMINER.sub("", said))
    return said


def _quantified(said: str) -> tuple[str, str]:
    match = _QUANTIFIER.match(said)
    return (match[1].split()[0], _plain(said[match.end() :])) if match else ("", said)
