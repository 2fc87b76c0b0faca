"""Which → devices, a question, or an unknown thing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from home_names.kinds import DeviceClass, Sort, device_class
from home_names.names import plain_words, singular
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home
from voice_gateway.understanding.nodes import Item, Name, Place, Which, altered

Able = Callable[[Device], bool]
PLAYING: Final = frozenset({"mute", "unmute", "pause", "play", "next", "previous"})
STATES_OF_LIGHT: Final = frozenset({"on", "off", "set", "change", "toggle"})


@dataclass(frozen=True, slots=True)
class Meant:
    """These devices, and no doubt about it unless `exact` is False."""

    devices: tuple[Device, ...]
    exact: bool = True
    group: bool = False  # several were meant, so those that cannot do it are left out


@dataclass(frozen=True, slots=True)
class Doubt:
    """Several could be meant, or a whole set was named that must not be moved at once."""

    devices: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """There is no such thing here; `what` is it, here, them, room, floor, exception, kind or name."""

    text: str
    what: str = "name"
    devices: tuple[Device, ...] = ()


Resolved = Meant | Doubt | Unknown


@dataclass(frozen=True)
class Resolver:
    """Resolves against one picture of the home; `here` is the speaker's room, `last` the last devices."""

    home: Home
    here: str | None = None
    last: tuple[Device, ...] = ()
    recent: tuple[Device, ...] = ()

    def which(self, which: Which, do: str, able: Able) -> Resolved:  # noqa: C901, PLR0911 (one for each doubt)
        """The devices of all items, without the exceptions."""
        items = which.item
        if any(item.nth is not None for item in which.without):  # "all but the first": of those spoken of
            spoken = {"everything": "", "pronoun": True}
            items = tuple(altered(item, **spoken) if item.everything else item for item in items)
        parts = [self.item(item, do, able) for item in items]
        doubts = [part for part in parts if isinstance(part, Doubt)]
        for part in parts:
            if isinstance(part, Unknown):
                return part
        if doubts and (len(parts) > 1 or not which.without):
            return doubts[0]
        devices = devices_of(parts)
        if which.either:
            return Doubt(devices)
        if which.without:
            left = self.without(which.without, devices)
            if isinstance(left, Unknown):
                return left
            devices = left
            several = any(item.plural or item.everything or item.quant for item in which.item)
            if doubts and not several and len(devices) != 1:
                return Doubt(devices)  # "the lamp, but not the one in the bedroom"
        if which.state:
            devices = tuple(device for device in devices if self.home.is_so(device, which.state))
            if which.state == "dimmable":
                devices = tuple(device for device in devices if device.is_light)
        if which.some:
            return Doubt(devices)
        if which.one:
            devices = (
                tuple(device for device in devices if not self.home.is_so(device, do))[:1] or devices[:1]
            )
        exact = all(part.exact for part in parts if isinstance(part, Meant))
        group = len(devices) > 1 or any(part.group for part in parts if isinstance(part, Meant))
        return Meant(devices, exact, group)

    def without(self, items: Sequence[Item], devices: tuple[Device, ...]) -> tuple[Device, ...] | Unknown:
        """The devices that no exception names; an exception that names none of them is unknown."""
        out: set[Device] = set()
        for item in items:
            rooms = self.rooms(item)
            if isinstance(rooms, Unknown):
                return Unknown(rooms.text, "exception")
            words = (item.name, item.kind, item.unknown, item.pronoun, item.like, item.nth is not None)
            if rooms and not any(words):
                out |= {device for device in self.home.devices if device.room in rooms}
                continue
            found = replace(self, here=None).item(item, "on", lambda device: device in devices)
            if isinstance(found, Unknown) or not (meant := devices_of([found])):
                return Unknown(item.unknown, "exception")
            out |= set(meant)
        return tuple(device for device in devices if device not in out)

    # --- one item

    def item(self, item: Item, do: str, able: Able) -> Resolved:  # noqa: C901, PLR0911 (one for each sort)
        if item.unknown:
            return Unknown(item.unknown)
        if item.nth is not None:
            return self._nth(int(item.nth), int(item.number or 1))
        if item.pronoun:
            return self._pronoun(item)
        rooms = self.rooms(item)
        if isinstance(rooms, Unknown):
            return rooms
        if item.state:
            return self._so(item, rooms, do, able)
        if item.everything and (item.name or item.kind):
            return Unknown(item.kind, "kind")
        if item.name is not None:
            return self._named(item, item.name, rooms, do, able)
        scope = tuple(device for device in self.home.devices if not rooms or self._is_in(device, rooms))
        if item.everything:
            return self._everything(item, scope, do, able)
        if item.like:
            return self._alike(item, scope, do, able)
        if item.kind:
            return self._kind(item, scope, rooms, do, able)
        return self._room(item, scope, do, able)

    def _alike(self, item: Item, scope: tuple[Device, ...], do: str, able: Able) -> Resolved:
        """Devices of the sort of the last ones: "the one in the kitchen", "the other one"."""
        sorts = {sort_of_device(device) for device in self.last}
        alike = (device for device in scope if not sorts or sort_of_device(device) in sorts)
        found = tuple(filter(able, alike))
        left = tuple(device for device in self.recent if device not in self.last and able(device))
        if item.other and left and not item.place and len(left) < len(self.recent):
            return Meant(left, group=item.plural) if len(left) == 1 or item.plural else Doubt(left)
        if item.other:
            found = tuple(
                device for device in found if device not in self.last and not self.home.is_so(device, do)
            )
            near = tuple(device for device in found if device.room in {last.room for last in self.last})
            known = tuple(device for device in found if device in self.recent)
            found = next((few for few in (known, near) if len(few) == 1), found)
        if item.plural and found and sorts:
            return Meant(found, group=True)
        spoken_of = tuple(device for device in found if device in (*self.last, *self.recent))
        found = (
            found if item.other or not spoken_of else spoken_of
        )  # "the one in the kitchen", of those shown
        return Meant(found) if len(found) == 1 else Doubt(found)

    def _is_in(self, device: Device, rooms: tuple[str, ...]) -> bool:
        """Whether a device is in one of the rooms; without a room its name decides: "Kitchen Door"."""
        if device.room:
            return device.room in rooms
        named = set(plain_words(device.name))
        return any(named.issuperset(plain_words(room)) for room in rooms)

    def _nth(self, place: int, count: int) -> Resolved:
        """Devices by their place among those of the last turns: "the last one"."""
        several = self.recent if len(self.recent) > 1 else self.last
        if len(several) < 2 or place + count > len(several):
            return Unknown("", "it")
        found = several[place : place + count] if place >= 0 else several[len(several) - count :]
        return Meant(found, group=len(found) > 1)

    def _pronoun(self, item: Item) -> Resolved:
        """Devices of the last turn ("it"), or of the turns that belong together ("both", "all three")."""
        count = 2 if item.quant == "both" else item.number
        one = len(self.last) == 1 and not _is_plural_name(self.last[0])
        groups = (self.recent, self.last) if item.quant or (item.plural and one) else (self.last,)
        fits = (group for group in groups if group and count in (None, len(group)))
        if not (several := next(fits, ())):
            return Unknown("", "it")
        return Meant(several, exact=True, group=len(several) > 1)

    def _so(self, item: Item, rooms: tuple[str, ...], do: str, able: Able) -> Resolved:
        """All devices of the item that are in its state: "the lights that are on"."""
        kind, plural = ("light", True) if item.state == "dimmable" else (item.kind, item.plural)
        every = altered(item, state="", quant="all", kind=kind, plural=plural)
        found = self.item(every, do, able)
        if isinstance(found, Unknown):
            return found
        devices = devices_of([found])
        return Meant(tuple(device for device in devices if self.home.is_so(device, item.state)), group=True)

    def rooms(self, item: Item) -> tuple[str, ...] | Unknown:
        return self.places(item.place, item.room)

    def places(self, places: Sequence[Place], room: str = "") -> tuple[str, ...] | Unknown:
        """The rooms of these places; empty for the whole home."""
        found = [room] if room else []
        for place in places:
            if place.unknown:
                return Unknown(place.unknown, "room")
            there = tuple({device.room: None for device in self.last if device.room and place.there})
            if (place.here and not self.here) or (place.there and len(there) != 1):
                return Unknown("", "here")
            on_floor = self.home.on_floor(place.floor) if place.floor else ()
            if place.floor and not on_floor:
                return Unknown(place.floor, "floor")
            found += [self.here or ""] if place.here else (*there, *place.room, *on_floor)
            if place.everywhere:
                found = []
        return tuple(dict.fromkeys(found))

    def _named(self, item: Item, name: Name, rooms: tuple[str, ...], do: str, able: Able) -> Resolved:
        known = filter(None, map(self.home.find, name.keys))
        placed = tuple(device for device in known if not rooms or self._is_in(device, rooms))
        if placed and do != "look" and name.text not in self.home.rooms and not any(map(able, placed)):
            placed = self.longer_named(name, able) or placed
        room = self.home.rooms.get(name.text) if do in STATES_OF_LIGHT and not (rooms or item.kind) else None
        lights = _lights(self.home.in_room(room), able) if room else ()
        if lights and not any(device.is_light for device in placed):
            whole = self.home.in_room(room or "")
            heat = do == "set" and any(one.kind == "thermostat" and able(one) for one in whole)
            # A player is called like its room; "set the living room to 22" may be percent or degrees.
            return self._room(item, whole, do, able) if heat else Meant(lights, group=True)
        if not placed:
            return Unknown(name.text, "there")
        if item.kind:  # "the lamp by the bed"
            placed = tuple(filter(DeviceClass(sort_of(item.kind), item.kind, plural=False).has, placed))
            if not placed:
                return Unknown(name.text, "there")
        placed = self.home.preferred(placed)
        fit = tuple(filter(able, placed)) or placed
        here = tuple(device for device in fit if device.room == self.here)
        if len(fit) > 1 and len(here) == 1:
            fit = here
        if item.quant == "both" and len(fit) != 2:
            return Doubt(fit)
        if len(fit) > 1 and item.quant:
            return Meant(fit, name.how == "exact", group=True)
        return Meant(fit, name.how == "exact") if len(fit) == 1 else Doubt(fit)

    def longer_named(self, name: Name, able: Able) -> tuple[Device, ...]:
        """Those that can do it and whose names go on: "front door" is the Front Door Lock."""
        return tuple(filter(able, self.home.names.containing(name.text))) if name.how == "exact" else ()

    def _everything(self, item: Item, scope: tuple[Device, ...], do: str, able: Able) -> Resolved:
        """The devices that "everything" means for this act; a doubt if it would open the house."""
        if do in ("unlock", "open", "up"):
            return Doubt(tuple(filter(able, scope)))
        rest = self.last if item.everything == "else" else ()
        if item.everything == "else" and not rest:
            return Unknown("", "them")
        every = DeviceClass("all", "all", plural=True)
        if do == "lock":
            every = DeviceClass("lock", "lock", plural=True)
        found = tuple(
            device
            for device in scope
            if (device.is_cover if do in ("close", "down") else every.has(device) or _stops(device, do))
            and device not in rest
        )
        return Meant(found, group=True) if found else Unknown("", "everything")

    def _room(self, item: Item, scope: tuple[Device, ...], do: str, able: Able) -> Resolved:
        """Of a room alone its lights, or the one device there that can do it."""
        heat = tuple(device for device in scope if device.kind == "thermostat" and able(device))
        lights = _lights(scope, able)
        if do in ("set", "change") and len(heat) == 1 and not lights:
            return Meant(heat)
        if do == "set" and heat and lights:
            return Doubt((*heat, *lights))  # "snug to 21": percent or degrees
        found = lights if do in STATES_OF_LIGHT else tuple(filter(able, scope))
        if (do in PLAYING or do == "lock") and len(found) == 1:
            return Meant(found)
        return Meant(found, group=True) if found and do in STATES_OF_LIGHT else Doubt(found)

    def _kind(  # noqa: C901, PLR0911 (one for each way to be meant)
        self, item: Item, scope: tuple[Device, ...], rooms: tuple[str, ...], do: str, able: Able
    ) -> Resolved:
        everywhere = any(place.everywhere for place in item.place)
        word, every = item.kind, item.plural or everywhere or item.quant in ("all", "every")
        kind = DeviceClass(sort_of(word), word, item.plural)
        particular = word != "lamp" or (not every and item.quant != "both")  # "the lamps" are all lights
        members = kind.among(scope) if particular else tuple(filter(kind.has, scope))
        if kind.sort in ("door", "garage", "window"):
            return self._doors(tuple(filter(able, members)), item, do, every=every)
        if item.other and not self.last:
            return Unknown("", "them")
        if item.other:
            members = tuple(device for device in members if device not in self.last)
        if not members:
            return Unknown(word, "kind")
        if item.quant == "any":
            return Doubt(members)
        named = tuple(device for device in members if device in self.recent and _is_plural_name(device))
        if named and item.definite and not (rooms or everywhere or item.quant):  # "the blinds"
            return Meant(named, group=True)
        if every and (item.quant or everywhere or rooms or not self.here):
            return self._all_of(item, kind, members, rooms, do)
        if self.here and not rooms:
            found = self._here(item, word, members, every=every)
            if do != "look" or not isinstance(found, Unknown):
                return found
        if rooms and do in ("on", "off", "change"):  # "the light in the nursery off": the only one that is on
            state = "off" if do == "change" else do
            other = tuple(device for device in members if not self.home.is_so(device, state))
            members = other if len(other) == 1 else members
        return Meant(members) if len(members) == 1 else Doubt(members)

    def _all_of(
        self, item: Item, kind: DeviceClass, members: tuple[Device, ...], rooms: tuple[str, ...], do: str
    ) -> Resolved:
        """All members ("all lights"); a doubt where a bare plural may mean any of them ("locks")."""
        if item.quant == "both" and len(members) != 2:
            return Doubt(members)
        bare = item.plural and not (item.quant or item.place or rooms or item.definite)
        doubtful = (bare or (kind.sort == "lock" and not item.quant)) and len(members) > 1
        harmless = kind.sort in ("light", "cover") and do == "off"
        return Doubt(members) if doubtful and not harmless else Meant(members, group=True)

    def _here(self, item: Item, word: str, members: tuple[Device, ...], *, every: bool) -> Resolved:
        """Members in the speaker's room."""
        here = tuple(device for device in members if device.room == self.here)
        if not here:
            return Unknown(word, "kind_here")
        if every or len(here) == 1:
            return Meant(here, group=every)
        called = tuple(device for device in here if word in plain_words(device.name))
        return Meant(called) if len(called) == 1 else Doubt(here)

    def _doors(self, members: tuple[Device, ...], item: Item, do: str, *, every: bool) -> Resolved:
        """Doors, gates and windows; a doubt if their kind alone would open several of them."""
        if not members:
            return Unknown(item.kind, "kind")
        if every and do in ("lock", "close"):
            return Meant(members, group=True)
        if every and do in ("unlock", "open", "up"):
            return Doubt(members)
        return Meant(members, exact=False) if len(members) == 1 else Doubt(members)


def devices_of(parts: Sequence[Resolved]) -> tuple[Device, ...]:
    """All devices that are meant or could be meant, each once."""
    return tuple(dict.fromkeys(device for part in parts for device in part.devices))


def sort_of(word: str) -> Sort:
    """The sort of a word of the list `kind`."""
    known = device_class(word)
    return known.sort if known else cast(Sort, word)


def sort_of_device(device: Device) -> str:
    return "light" if device.is_light else device.kind


def _stops(device: Device, do: str) -> bool:
    """What "everything off" means besides what is switched."""
    return do == "off" and device.kind in ("fan", "media_player") and device.can("off")


def _lights(devices: Sequence[Device], able: Able) -> tuple[Device, ...]:
    return tuple(device for device in devices if device.is_light and able(device))


def _is_plural_name(device: Device) -> bool:
    last = device.name.lower().split()[-1:]
    return bool(last) and singular(last[0]) != last[0]
