"""From the words for a thing to the devices that are meant, or to a question, or to nobody known."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from home_words.kinds import ENTRANCES, DeviceClass, device_class
from home_words.names import fold, name_key, plain_words
from home_words.resolver import without_remark
from voice_gateway.brain.local.home import Device, Home
from voice_gateway.brain.local.places import EVERYWHERE, Placed, place, plain
from voice_gateway.brain.local.wording import unknown_room

IT = frozenset(
    {"it", "that", "this", "them", "those", "these", "that one", "this one", "the same", "they", "them all"}
)
_QUANTIFIER = re.compile(
    r"^(all|every single|every|each|both|any|all of|both of)\s+(?:of\s+)?(?:the\s+|my\s+|our\s+)?(?=\S)"
)
# "The other light", "one of the lights": one of them, and nobody knows which.
_ANY_ONE = re.compile(r"^(?:one|another|other|a few|few|some)(?: of)?(?: the| my| our)? (?=\S)")
_ARTICLES = frozenset({"the", "my", "our"})
_DEFINITE = re.compile(r"(?:the|my|our) ")
_ALL_BY_PLURAL = frozenset({"light", "dimmer", "cover", "plug", "switch"})  # "the locks" are asked about
OFFERED = 60.0  # of 100: names less alike than this are not worth offering
LONGEST_NAME = 8  # words, with the room
_AND = re.compile(r"(?<!\s)(?:\s+and\s+(?:also\s+)?|\s*,\s*|\s+plus\s+)")


@dataclass(frozen=True, slots=True)
class Found:
    devices: tuple[Device, ...]
    exact: bool = True  # by its own name, not by likeness
    group: bool = False  # "the lights", not one lamp
    by_room: str | None = None  # the door's room, when it settled what was meant


@dataclass(frozen=True, slots=True)
class Unclear:
    """More than one could be meant, or one that was only hinted at."""

    candidates: tuple[Device, ...]
    phrase: str
    clear: tuple[Device, ...] = ()  # named beside it, and no question


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody is called that. `near` are the nearest names, and never more than offers."""

    phrase: str
    near: tuple[Device, ...] = ()
    note: str = ""  # what is wrong, as a sentence


Resolution = Found | Unclear | Unknown


def anything(_device: Device) -> bool:
    return True


@dataclass(frozen=True)
class Resolver:
    """`fits` says which devices the action could be for; it never turns an unknown name into a known one."""

    home: Home
    room: str | None = None
    last: tuple[Device, ...] = ()
    fits: Callable[[Device], bool] = anything
    sweep: bool = False  # "everything" and "the doors" mean all that fit: closing and locking do no harm

    def resolve(self, phrase: str) -> Resolution:
        whole = ", ".join(filter(None, map(fold, without_remark(phrase).split(","))))
        said, names = plain(whole), self.home.names
        if said in IT:  # several of them were not named one by one
            one = len(self.last) == 1
            return Found(self.last, exact=one, group=not one) if self.last else Unknown(said)
        named = names.exact(phrase)
        if not named and not whole.endswith(said):  # "the lights back" may be the Back Light
            back = names.only(whole, self.fits)
            named = (back,) if back else ()
        exact = self._pick(named or names.exact(said), said)
        if exact is not None:
            return exact
        the = "the " if _DEFINITE.match(whole) else ""
        if len(parts := [part for part in _AND.split(the + said) if part]) > 1:
            return self._several(self._shared_noun(parts))
        found = self._one(said, definite=bool(the))
        if not isinstance(found, Unknown):
            return found
        if row := self._in_a_row(said):
            return Found(row, group=True)
        # Whatever its server would take for one device is that device here, too.
        meant = names.only(phrase, self.fits)
        return Found((meant,), exact=False) if meant else found

    def _in_a_row(self, said: str) -> tuple[Device, ...]:
        """ "Floor lamp the desk lamp bedside lamp": whole names alone, one behind the other."""
        words = [word for word in plain_words(said) if word not in _ARTICLES]
        devices: list[Device] = []
        while words:
            sizes = range(min(len(words), LONGEST_NAME), 0, -1)
            names = ((size, self.home.by_name.get(" ".join(words[:size]), ())) for size in sizes)
            size, named = next(((size, named) for size, named in names if len(named) == 1), (0, ()))
            if not size:
                return ()
            devices += [device for device in named if device not in devices]
            words = words[size:]
        return tuple(devices) if len(devices) > 1 else ()

    def _shared_noun(self, parts: Sequence[str]) -> list[str]:
        """ "The lights in the kitchen and the bedroom", "kitchen and bedroom lights": both rooms' lights."""
        placed = [place(_quantified(plain(part))[1], self.home, self.room) for part in parts]
        nouns = [one.what for one in placed if one.room and device_class(one.what)]
        return [
            f"{nouns[0]} in {one.room}" if nouns and one.room and not one.what else part
            for part, one in zip(parts, placed, strict=True)
        ]

    def _several(self, parts: Sequence[str]) -> Resolution:
        devices: list[Device] = []
        unclear: Unclear | None = None
        exact = True
        for part in parts:
            found = self.resolve(part)
            if isinstance(found, Unknown):
                return found
            if isinstance(found, Unclear):
                before = unclear.candidates if unclear else ()
                unclear = replace(found, candidates=(*before, *found.candidates))
                continue
            exact = exact and found.exact
            devices += [device for device in found.devices if device not in devices]
        if unclear is not None:
            return replace(unclear, clear=tuple(devices))
        return Found(tuple(devices), exact=exact, group=len(devices) > 1)

    def _pick(self, named: Sequence[Device], said: str) -> Resolution | None:
        """One of several devices with one name is the one in the door's room, or must be asked for."""
        if not named:
            return None
        if len(named) == 1:
            return Found((named[0],))
        here = [device for device in named if self.room and name_key(device.room) == name_key(self.room)]
        if len(here) == 1:
            return Found((here[0],), by_room=here[0].room)
        able = [device for device in named if self.fits(device)]
        if len(able) == 1 and able[0].kind not in ENTRANCES:
            return Found((able[0],))
        return Unclear(tuple(named), said)

    def _one(self, said: str, *, definite: bool = False) -> Resolution:
        if match := _ANY_ONE.match(said):
            found = self._one(said[match.end() :])
            return Unclear(found.devices, said) if isinstance(found, Found) else found
        quantifier, rest = _quantified(said)
        placed = place(rest, self.home, self.room)
        if placed.nowhere:
            return self._nowhere(placed, said)
        room = placed.room
        scope = self.home.devices if room in (None, EVERYWHERE) else self.home.in_room(room or "")
        sort = device_class(placed.what or rest)
        if sort is not None and sort.sort == "device":
            sort = replace(sort, sort="all")  # who switches all devices does not mean the locks
        if sort is not None and (placed.what or sort.sort == "garage"):
            if definite and sort.plural and sort.sort in _ALL_BY_PLURAL and not (room or self.room):
                room = EVERYWHERE  # "the lamps": all of them, where no room says which
            return self._of_class(sort, scope, room, quantifier, said)
        if not placed.what:  # a room alone is no device, even if it has only one
            return Unclear(tuple(device for device in scope if self.fits(device)), said)
        return self._by_name(placed.what, scope, room, said)

    def _nowhere(self, placed: Placed, said: str) -> Unknown:
        if placed.nowhere == "here":
            return Unknown(said, note="I don't know which room I am in.")
        sort = device_class(placed.what)
        offers = tuple(
            device for device in self.home.devices if sort and sort.has(device) and self.fits(device)
        )
        return Unknown(said, near=offers, note=unknown_room(placed.nowhere, self.home, named=not offers))

    def _of_class(
        self, sort: DeviceClass, scope: Sequence[Device], room: str | None, quantifier: str, said: str
    ) -> Resolution:
        if self.sweep and sort.plural and sort.sort in ("all", "door"):
            return self._swept(sort, scope, room, said)
        vague = sort.sort in ("door", "garage")  # what opens the house is not taken by a vague word
        members = tuple(device for device in scope if sort.has(device) and (not vague or self.fits(device)))
        if not members:
            where = f" in the {room}" if room and room != EVERYWHERE else ""
            what = "nothing like that" if sort.sort in ("garage", "all", "door") else f"no {sort.noun}"
            return Unknown(said, note=f"I know {what}{where}.")
        if vague:
            return Found(members, exact=False) if len(members) == 1 else Unclear(members, said)
        members = sort.among(members)
        if len(members) == 1 and not quantifier:
            return Found(members)
        all_of_them = room or sort.sort == "all" or (quantifier and quantifier != "any")
        # "All light" is no English, and may have been "hall light".
        if all_of_them and (sort.plural or quantifier in ("every", "each")):
            wrong_number = quantifier == "both" and len(members) != 2
            return Unclear(members, said) if wrong_number else Found(members, group=True)
        return Unclear(members, said) if room else self._here(sort, members, said)

    def _swept(self, sort: DeviceClass, scope: Sequence[Device], room: str | None, said: str) -> Resolution:
        doors = sort.sort == "door"
        members = tuple(device for device in scope if self.fits(device) and (not doors or sort.has(device)))
        where = f" in the {room}" if room and room != EVERYWHERE else ""
        if not members:
            return Unknown(said, note=f"I know nothing like that{where}.")
        return Found(members, group=True)

    def _here(self, sort: DeviceClass, members: Sequence[Device], said: str) -> Resolution:
        """No room was named: the door's own room settles it, if it stands in one."""
        if self.room is None:
            return Unclear(tuple(members), said)
        everyone = tuple(device for device in self.home.in_room(self.room) if sort.has(device))
        here = tuple(device for device in everyone if device in members) or everyone
        if not here:
            note = f"I don't know any {sort.noun} in the {self.room}."
            return Unknown(said, near=tuple(members)[:3], note=note)
        if sort.plural or len(here) == 1:
            return Found(here, group=sort.plural, by_room=here[0].room)
        # "The light" is the one that is called so, when there is only one of them.
        called = [device for device in here if sort.noun in plain_words(device.name)]
        return Found((called[0],), by_room=called[0].room) if len(called) == 1 else Unclear(here, said)

    def _by_name(self, what: str, scope: Sequence[Device], room: str | None, said: str) -> Resolution:
        names = self.home.names
        if picked := self._pick([device for device in names.exact(what) if device in scope], said):
            return picked
        if picked := self._pick(names.same_words(what, scope), said):
            return replace(picked, exact=not _opens(picked)) if isinstance(picked, Found) else picked
        picked = self._pick(names.containing(what, scope) or self._misheard(what, scope), said)
        if picked is None:
            return Unknown(_quantified(said)[1], near=self._nearest(what, room))
        return replace(picked, exact=False) if isinstance(picked, Found) else picked

    def _misheard(self, what: str, scope: Sequence[Device]) -> tuple[Device, ...]:
        hits = self.home.names.misheard(what, scope)
        return hits if len({name_key(device.name) for device in hits}) == 1 else ()

    def _nearest(self, what: str, room: str | None) -> tuple[Device, ...]:
        """At most three to offer. Those in the room that was named come first."""
        fitting = [device for device in self.home.devices if self.fits(device)]
        found = self.home.names.nearest(what, fitting, 6, OFFERED)
        return tuple(sorted(found, key=lambda device: room is None or device.room != room)[:3])


def _opens(found: Found) -> bool:
    return any(device.kind in ENTRANCES for device in found.devices)


def _quantified(said: str) -> tuple[str, str]:
    match = _QUANTIFIER.match(said)
    return (match[1].split()[0], plain(said[match.end() :])) if match else ("", said)
