"""Which devices are meant: names, kinds and places as a set over the home, or a question, or nobody known."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from home_names.kinds import ENTRANCES, DeviceClass, device_class
from home_names.names import fold, name_key, plain_words
from home_names.resolver import is_outlet, strip_of, without_remark
from home_words.outlets import whole_strip
from voice_gateway.brain.local.command.which import Which
from voice_gateway.brain.local.place import EVERYWHERE, Placed, place, plain, room_named
from voice_gateway.brain.local.wording import unknown_room
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, build_home

IT = frozenset(
    {"it", "that", "this", "them", "those", "these", "that one", "this one", "the same", "they", "them all"}
)
OFFERED = 60.0  # of 100: names less alike than this are not worth offering
LONGEST_NAME = 8  # words, with the room
MOST_NAMED = 30  # devices: among these "the big one" is looked for; in a larger set only whole names count

_QUANTIFIER = re.compile(
    r"^(?:there )?(all|every single|every|each|both|any|some) (?:of )?(?:the |my |our )?(?=\S)"
)
# "The other light", "one of the lights": one of them, and nobody knows which.
_ANY_ONE = re.compile(r"^(?:one|another|other|a few|few|some)(?: of)?(?: the| my| our)? (?=\S)")
# "The rest of the lights", "the others", "everything else": without what was named before.
_REST = re.compile(
    r"^(?:(?:all )?(?:of )?(?:the )?(?:rest|remaining|others|other ones)(?: of)?(?: (?:the|my|our))?|"
    r"(?P<all>everything|all) else|all(?: of)?(?: the)? other)(?: (?P<what>.+))?$"
)
_DEFINITE = re.compile(r"(?:the|my|our) ")
_ALL_BY_PLURAL = frozenset({"light", "dimmer", "cover", "plug", "switch"})  # "the locks" are asked about
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
    left_out: bool = False  # it was to be left as it is


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
    looks: bool = False  # nothing is done to them: "everything" is all there is
    by_sort: Callable[[Device], bool] = anything  # who may be meant without a name

    # --- an expression

    def evaluate(self, which: Which, wanted: str = "") -> Resolution:
        """What is named, without what is left out, in a state, one of them: one that is not yet as wanted."""
        found = self.resolve(which.said)
        if isinstance(found, Unknown) or not (which.without or which.having or which.pick):
            return found
        sort = device_class(plain(which.said))
        one = isinstance(found, Unclear) and sort is not None and not sort.plural and not which.pick
        if isinstance(found, Unclear):
            found = Found(found.candidates, group=True)
        devices = tuple(filter(self.fits, found.devices)) or found.devices
        for said in which.without:
            left_out = self._left_out(said, devices)
            if left_out is None:
                return Unknown(said, left_out=True)
            left = frozenset(left_out)
            devices = tuple(device for device in devices if device not in left)
        if which.having:
            devices = tuple(device for device in devices if self.home.is_so(device, which.having))
        if (which.pick == "some" and devices) or (one and len(devices) > 1):
            return Unclear(devices, which.said)
        if which.pick == "one":
            devices = tuple(one for one in devices if not self.home.is_so(one, wanted))[:1] or devices[:1]
        return replace(found, devices=devices, group=len(devices) > 1 or (found.group and not which.pick))

    def _left_out(self, said: str, devices: Sequence[Device]) -> tuple[Device, ...] | None:
        """What an exception names; None when nobody knows."""
        phrase = re.sub(
            r"^(?:(?:the )?(?:ones?|those|that|all|both|\d+) )?(?:in|for|on|at|by|from) | ones?$", "", said
        )
        if room := room_named(phrase, self.home):
            return self.home.in_room(room)
        few = (build_home(devices),) if len(devices) <= MOST_NAMED else ()
        for home in (*few, self.home):
            found = Resolver(home, self.room, self.last).resolve(phrase)
            meant = found.candidates if isinstance(found, Unclear) else ()
            if named := found.devices if isinstance(found, Found) else meant:
                return named
        return None

    # --- its leaves

    def resolve(self, phrase: str) -> Resolution:
        return self._of_one_home(fold(phrase)) or self._in_all_homes(phrase)

    def _in_all_homes(self, phrase: str) -> Resolution:
        whole = ", ".join(filter(None, map(fold, without_remark(phrase).split(","))))
        said, names = plain(whole), self.home.names
        if said in IT:  # several of them were not named one by one
            one = len(self.last) == 1
            return Found(self.last, exact=one, group=not one) if self.last else Unknown(said)
        exact = self._pick(names.exact(phrase) or names.exact(said), said)
        if exact := exact or self._outlets(said):
            return exact
        rest = _REST.match(whole)
        if rest and self.last:
            return self._others("everything" if rest["all"] else rest["what"] or self._sort_of_last())
        if rest and not rest["what"]:
            return Unknown("them")  # nobody knows without what
        the = "the " if _DEFINITE.match(whole) else ""
        if len(parts := [part for part in _AND.split(the + said) if part]) > 1:
            return self._several(self._shared_noun(parts))
        found = self._one(said, definite=bool(the))
        if isinstance(found, Unknown) and (row := self._in_a_row(said)):
            found = Found(row, group=True)
        # Whatever its server would take for one device is that device here, too.
        meant = names.only(phrase, self.fits) if isinstance(found, Unknown) else None
        return Found((meant,), exact=False) if meant else found

    def _outlets(self, said: str) -> Found | None:
        """Of one strip: of two of that name nobody knows which, and a room's name means the room."""
        key = name_key(plain(whole_strip(said)))
        if not key or room_named(key, self.home):
            return None
        named = tuple(one for one in self.home.devices if is_outlet(one) and name_key(strip_of(one)) == key)
        one = len({(one.source, one.node_id) for one in named}) == 1
        one = one and (len(named) == 2 or quantified(said)[0] != "both")
        return Found(named, group=True) if one else None

    def _of_one_home(self, said: str) -> Resolution | None:
        """ "The lamp of the cabin", where that is the name of one of several homes."""
        names = {source.name for source in self.home.sources} if len(self.home.sources) > 1 else set()
        for name in sorted(names, key=len, reverse=True):
            key = re.escape(name_key(name))
            found = re.fullmatch(rf"(?P<what>.+?) (?:of|in|from|on|at) (?:the )?{key}", said)
            if found and not self.home.names.exact(said):
                part = tuple(device for device in self.home.devices if device.source == name)
                inside = replace(build_home(part), told=self.home.told, scenes=self.home.scenes)
                return replace(self, home=inside).resolve(found["what"])
        return None

    def _sort_of_last(self) -> str:
        kinds = {"lights" if device.is_light else f"{device.kind}s" for device in self.last}
        return kinds.pop() if len(kinds) == 1 else "everything"

    def _others(self, what: str) -> Resolution:
        """The complement of what was named; asked about where nothing of that sort was named."""
        found = self.resolve(f"all {what}" if (sort := device_class(what)) and sort.plural else what)
        if not isinstance(found, Found):
            return found
        others = tuple(device for device in found.devices if device not in self.last)
        known = what == "everything" or len(others) < len(found.devices)
        return Found(others, group=True) if known else Unclear(others, what)

    def _in_a_row(self, said: str) -> tuple[Device, ...]:
        """ "Floor lamp the desk lamp bedside lamp": whole names alone, one behind the other."""
        words = [word for word in plain_words(said) if word not in ("the", "my", "our")]
        devices: list[Device] = []
        while words:
            for size in range(min(len(words), LONGEST_NAME), 0, -1):
                named = self.home.by_name.get(" ".join(words[:size]), ())
                if len(named) == 1:
                    break
            else:
                return ()
            devices += [device for device in named if device not in devices]
            words = words[size:]
        return tuple(devices) if len(devices) > 1 else ()

    def _shared_noun(self, parts: Sequence[str]) -> list[str]:
        """ "The lights in the kitchen and the bedroom", "kitchen and bedroom lights": both rooms' lights."""
        placed = [place(quantified(plain(part))[1], self.home, self.room) for part in parts]
        nouns = [one.what for one in placed if one.room and device_class(one.what)]
        return [
            f"{nouns[0]} in {one.room}" if nouns and one.room and not one.what else part
            for part, one in zip(parts, placed, strict=True)
        ]

    def _several(self, parts: Sequence[str]) -> Resolution:
        every = [self.resolve(part) for part in parts]
        found = [one for one in every if isinstance(one, Found)]
        unclear = [one for one in every if isinstance(one, Unclear)]
        devices = tuple(dict.fromkeys(device for one in found for device in one.devices))
        if unknown := [one for one in every if isinstance(one, Unknown)]:
            return unknown[0]
        if unclear:
            candidates = tuple(device for one in unclear for device in one.candidates)
            return replace(unclear[-1], candidates=candidates, clear=devices)
        return Found(devices, exact=all(one.exact for one in found), group=len(devices) > 1)

    def _pick(self, named: Sequence[Device], said: str) -> Found | Unclear | None:
        """One of several devices with one name is the one in the door's room, or must be asked for."""
        named = self.home.preferred(named)
        if len(named) < 2:
            return Found(tuple(named)) if named else None
        here = [device for device in named if self.room and name_key(device.room) == name_key(self.room)]
        if len(here) == 1:
            return Found((here[0],), by_room=here[0].room)
        able = [device for device in named if self.fits(device)]
        alone = len(able) == 1 and able[0].kind not in ENTRANCES
        return Found((able[0],)) if alone else Unclear(tuple(named), said)

    def _one(self, said: str, *, definite: bool = False) -> Resolution:
        if match := _ANY_ONE.match(said):
            found = self._one(said[match.end() :])
            return Unclear(found.devices, said) if isinstance(found, Found) else found
        quantifier, rest = quantified(said)
        placed = place(rest, self.home, self.room)
        if placed.nowhere:
            return self._nowhere(placed, said)
        everywhere = placed.room in (None, EVERYWHERE)
        scope = self.home.devices if everywhere else self.home.in_room(placed.room or "")
        sort = device_class(placed.what or rest)
        if sort is not None and (placed.what or sort.sort == "garage"):
            if definite and sort.plural and sort.sort in _ALL_BY_PLURAL and not (placed.room or self.room):
                placed = replace(placed, room=EVERYWHERE)  # "the lamps": all, where no room says which
            # Who switches all devices does not mean the locks.
            sort = replace(sort, sort="all") if sort.sort == "device" and not self.looks else sort
            if sort.sort == "all" and self.looks:
                sort, quantifier = replace(sort, sort="device"), quantifier or "all"
            return self._of_class(sort, tuple(filter(self.by_sort, scope)), placed, quantifier, said)
        if not placed.what:  # a room alone is no device, even if it has only one
            return Unclear(tuple(one for one in scope if self.by_sort(one) and self.fits(one)), said)
        found = self._by_name(placed, scope, said)
        return _all_of_one_name(found, quantifier) if isinstance(found, Unclear) else found

    def _nowhere(self, placed: Placed, said: str) -> Unknown:
        if placed.nowhere == "here":
            return Unknown(said, note="I don't know which room I am in.")
        sort = device_class(placed.what)
        offers = tuple(one for one in self.home.devices if sort and sort.has(one) and self.fits(one))
        return Unknown(said, near=offers, note=unknown_room(placed.nowhere, self.home, named=not offers))

    def _of_class(
        self, sort: DeviceClass, scope: Sequence[Device], placed: Placed, quantifier: str, said: str
    ) -> Resolution:
        swept = self.sweep and sort.plural and sort.sort in ("all", "door")
        vague = not swept and sort.sort in ("door", "garage")  # what opens the house needs more than that
        members = tuple(one for one in scope if (swept and sort.sort == "all") or sort.has(one))
        members = tuple(filter(self.fits, members)) if swept or vague else members
        if not members:
            what = "nothing like that" if sort.sort in ("garage", "all", "door") else f"no {sort.noun}"
            return Unknown(said, note=f"I know {what}{placed.text}.")
        if swept:
            return Found(members, group=True)
        if vague:
            return Found(members, exact=False) if len(members) == 1 else Unclear(members, said)
        called = sort.among(members)  # "both lamps" are two lights, if only one is called a lamp
        members = members if quantifier == "both" and len(called) != 2 else called
        if len(members) == 1 and not quantifier:
            return Found(members)
        all_of_them = placed.room or sort.sort == "all" or (quantifier and quantifier != "any")
        # "All light" is no English, and may have been "hall light".
        if all_of_them and (sort.plural or quantifier in ("every", "each")):
            wrong_number = quantifier == "both" and len(members) != 2
            return Unclear(members, said) if wrong_number else Found(members, group=True)
        return Unclear(members, said) if placed.room or not self.room else self._here(sort, members, said)

    def _here(self, sort: DeviceClass, members: Sequence[Device], said: str) -> Resolution:
        """No room was named: the door's own room settles it."""
        everyone = tuple(device for device in self.home.in_room(self.room or "") if sort.has(device))
        here = tuple(device for device in everyone if device in members) or everyone
        if not here:
            note = f"I don't know any {sort.noun} in the {self.room}."
            return Unknown(said, near=tuple(members)[:3], note=note)
        if sort.plural or len(here) == 1:
            return Found(here, group=sort.plural, by_room=here[0].room)
        # "The light" is the one that is called so, when there is only one of them.
        called = [device for device in here if sort.noun in plain_words(device.name)]
        return Found((called[0],), by_room=called[0].room) if len(called) == 1 else Unclear(here, said)

    def _by_name(self, placed: Placed, scope: Sequence[Device], said: str) -> Resolution:
        names, what = self.home.names, placed.what
        exactly = [device for device in names.exact(what) if device in scope]
        same = exactly or names.same_words(what, scope)
        picked = self._pick(same or names.containing(what, scope) or names.misheard(what, scope), said)
        if picked is None:
            return Unknown(quantified(said)[1], near=self._nearest(placed))
        if isinstance(picked, Unclear):
            return picked
        opens = any(device.kind in ENTRANCES for device in picked.devices)
        return replace(picked, exact=bool(exactly or (same and not opens)))

    def _nearest(self, placed: Placed) -> tuple[Device, ...]:
        """At most three to offer. Those in the room that was named come first."""
        found = self.home.names.nearest(placed.what, tuple(filter(self.fits, self.home.devices)), 6, OFFERED)
        return tuple(sorted(found, key=lambda one: placed.room not in (None, one.room))[:3])


def _all_of_one_name(found: Unclear, quantifier: str) -> Resolution:
    """ "Both lamps", where two are called just that."""
    names = {fold(device.name) for device in found.candidates}
    number = len(found.candidates) == 2 if quantifier == "both" else quantifier in ("all", "every", "each")
    return Found(found.candidates, group=True) if number and len(names) == 1 else found


def quantified(said: str) -> tuple[str, str]:
    """ "All", "every", "both", "any" or "some", and the words behind it."""
    match = _QUANTIFIER.match(said)
    return (match[1].split()[0], plain(said[match.end() :])) if match else ("", said)
