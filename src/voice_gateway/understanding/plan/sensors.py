"""What sensors tell: yes or no (plugged in, low, home), readings of any unit, the most and the sum."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from home_names.names import plain_words
from home_names.phrases import capital
from home_names.states import parts_of
from voice_gateway import languages
from voice_gateway.integrations.device import Device, Key
from voice_gateway.integrations.home import Home, Request
from voice_gateway.integrations.listed import read_devices
from voice_gateway.languages.outcomes import state_words
from voice_gateway.turn import ToolOutcome
from voice_gateway.understanding.listing import is_in, said_by, where
from voice_gateway.understanding.nodes import Item, Look, bare
from voice_gateway.understanding.plan import Context, Refused, Say, Step
from voice_gateway.understanding.templates import language

# What a sensor says where it is so, and where it is not.
_OWN: Final = {
    **dict.fromkeys("plug power running light sound vibration update cold heat".split(), ("yes", "no")),
    **dict.fromkeys(("problem", "tamper", "safety"), ("problem", "normal")), "battery": ("low", "normal"),
}  # fmt: skip
STATES: Final = {
    **{danger: (f"{danger} detected", f"no {danger}") for danger in ("smoke", "gas")},
    **{f"carbon_{gas}": (f"carbon {gas} detected", f"no carbon {gas}") for gas in ("monoxide", "dioxide")},
    **_OWN,  # these count for their own class only
    **dict.fromkeys(("motion", "occupancy", "moving"), ("motion", "no motion")),
    "water": ("water detected", "dry"), "connectivity": ("connected", "not connected"),
    "battery_charging": ("charging", "not charging"), "presence": ("home", "not home"),
}  # fmt: skip
YES_NO: Final = frozenset(sense for sense, says in _OWN.items() if says[0] == "yes")
WEATHER: Final = {
    "rain": ("rainy", "pouring", "lightning-rainy", "snowy-rainy"), "snow": ("snowy", "snowy-rainy"),
    "sun": ("sunny",), "cloud": ("cloudy", "partlycloudy"), "wind": ("windy", "windy-variant"),
    "fog": ("fog",), "storm": ("lightning", "lightning-rainy", "exceptional"),
}  # fmt: skip
USED: Final = 3.0  # watts: what draws more is running
PEOPLE: Final = frozenset({"person", "device_tracker"})
AWAY: Final = "not home"
LOW: Final = 20  # percent of a battery
# Units of each measure, and the words that stand beside a bare "%".
UNITS: Final = {
    "temperature": ("°C", "°F"), "power": ("W", "kW"), "energy": ("kWh", "Wh", "MWh"),
    "light": ("lx", "Lux", "lux"), "pressure": ("hPa", "mbar", "kPa", "Pa", "bar", "psi", "inHg"),
    "carbon_dioxide": ("ppm",), "voltage": ("V", "mV"), "current": ("A", "mA"), "noise": ("dB", "dBA"),
    "wind": ("km/h", "m/s", "mph"), "dust": ("µg/m³",), "rain": ("mm", "in"), "volume": ("L", "m³", "gal"),
    "weight": ("kg", "g", "lb"), "humidity": ("%",), "battery": ("%",), "moisture": ("%",),
}  # fmt: skip
TOGETHER: Final = {"power": ("power", "energy")}  # asked for, and where there is none the next
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Sensing:
    """What to pick from the lists of all devices, and how to word the answer."""

    ask: str
    sense: str = ""
    measure: str = ""
    yes: bool = True  # what is asked about; False: "unplugged"
    high: bool = True
    rooms: tuple[str, ...] = ()
    floor: str = ""  # the rooms are all of this floor
    keys: tuple[Key, ...] = ()  # only of these
    text: str = ""  # where a person may be
    state: str = ""  # never set: `devices_shown` picks from a DeviceQuery only

    def so(self, device: Device) -> bool | None:
        return tells(device, self.sense, self.text)


# --- one device


def tells(device: Device, sense: str, text: str = "") -> bool | None:
    """Whether the sensed state holds; None if the device does not report it."""
    if sense in ("presence", "zone") and device.domain in PEOPLE:
        place = "home" if sense == "presence" else text
        return plain_words(device.state) == plain_words(place) if device.state else None
    if sense in WEATHER:
        return parts_of(device.state)[0] in WEATHER[sense] if device.domain == "weather" else None
    if sense == "own":
        return tells(device, own) if (own := of_class(device)) else None
    if sense == "battery" and sense not in device.watches:
        level = measured(device, "battery")
        return None if level is None else level[0] <= LOW
    parts = said_by(device)
    if sense in _OWN:
        parts = [device.state] if sense in device.watches else []
    yes, no = STATES.get(sense, ("", ""))
    return True if yes in parts else False if no in parts else None


def measured(device: Device, measure: str) -> tuple[float, str] | None:
    """The reading as number and text; of a thermostat the measured value, not the target."""
    for kind in TOGETHER.get(measure, (measure,) if measure in UNITS else ()):
        for part in said_by(device):
            words = part.split()
            number = next((word for word in words if _NUMBER.fullmatch(word)), None)
            if number is None or (device.kind == "thermostat" and words[0] != "now"):
                continue
            unit = next((one for one in UNITS[kind] if one in words), None)
            if unit is None or (unit == "%" and kind not in words):
                continue
            return float(number), f"{number} {unit}"
    return None


def kin(devices: Sequence[Device], home: Home) -> tuple[Device, ...]:
    """The devices and the sensors of the same thing: "Washer Power" belongs to "Washer"."""
    names = {(one.source, one.room, tuple(plain_words(one.name))) for one in devices}

    def belongs(other: Device) -> bool:
        words = tuple(plain_words(other.name))
        return any((other.source, other.room, words[:size]) in names for size in range(1, len(words)))

    return (*devices, *(one for one in home.devices if one not in devices and belongs(one)))


def of_class(device: Device) -> str:
    """The sensed state of a yes/no sensor; empty for other devices."""
    known = (one for one in device.watches if one in STATES and one != "battery")
    return next(known, "") if device.kind == "sensor" else ""


# --- the look


def known(devices: Iterable[Device], query: Sensing) -> tuple[Device, ...]:
    """The devices that can answer."""
    if query.sense:
        return tuple(one for one in devices if query.so(one) is not None)
    return tuple(one for one in devices if measured(one, query.measure) is not None)


def floor_of(node: Look, item: Item | None = None) -> str:
    """The floor that was named, by its name in the home."""
    places = (*bare(node).place, *(bare(item).place if item is not None else ()))
    return next((place.floor for place in places if place.floor), "")


def sensed(node: Look, devices: tuple[Device, ...], rooms: tuple[str, ...], context: Context) -> Step:
    """A look at the lists of all homes; `devices` where some were named."""
    home, sense, floor = context.home, node.sense, floor_of(node) if rooms else ""
    high, yes = node.state != "low", not node.negated
    query = Sensing(node.ask, sense, node.measure, yes, high, rooms, floor, text=node.text)
    people = [one for one in home.devices if one.domain in PEOPLE]
    if sense in ("presence", "zone") and not people:
        say = None if sense == "zone" else Say("look.no_people")  # "who is the king of …"
        raise Refused("the home knows no people", say)
    if sense == "zone" and not any(map(query.so, people)):
        raise Refused("no person is at a place of this name")
    if devices:
        every = kin(devices, home)
        if sense == "own":
            query = replace(query, sense=next(filter(None, map(of_class, every)), sense))
        if sense == "running" and not known(every, query):
            query = replace(query, ask="measure", sense="", measure="power")
        devices = known(every, query) or devices
        query = replace(query, rooms=(), keys=tuple(one.key for one in devices))
        if not known(devices, query):
            key = "look.cannot_tell" if sense else "look.no_reading"
            thing = languages.the(Words(languages.current(), query).name(devices[0]))
            raise Refused("it does not tell that", Say(key, {"thing": thing}))
    elif not known(home.devices, query):
        raise Refused("nothing here tells that", Say("unknown.measure"))
    sources = {one.source for one in devices}
    asked = [one for one in home.asked_sources if one.name in sources] or home.asked_sources
    looks = tuple(Request.of(one.look(None, home), source=one.name) for one in asked)
    return Step(bare(node), looks, devices, query=query)


# --- the answer


def answer(
    query: Sensing, requests: Sequence[Request], outcomes: Sequence[ToolOutcome], code: str = ""
) -> str:
    """The answer from the device lists that were just read."""
    pages = zip(requests, outcomes, strict=False)
    listed_now = [one for request, page in pages for one in read_devices(page.structured, request.source)]
    asked = [
        one for one in listed_now if (not query.keys or one.key in query.keys) and is_in(one, query.rooms)
    ]
    words, answering = (
        Words(code or languages.current(), query),
        known((one for one in asked if one.available), query),
    )
    if answering:
        return words.told(answering) if query.sense else words.measured(answering)
    if silent := [one for one in asked if not one.available and query.keys]:
        return words.say("unreachable", things=[words.name(one) for one in silent])
    return words.say("unknown" if query.sense else "nothing_measures")


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of one answer."""

    code: str
    query: Sensing

    def say(self, key: str, **facts: object) -> str:
        query = self.query
        place = "" if "things" in facts else where(query.rooms, query.floor)
        what = languages.say(f"look.measure.{query.measure}", self.code) if query.measure else ""
        how = self.state(yes=query.yes) if query.sense else ""
        facts = {"where": place, "measure": what, "state": how, **facts}
        return capital(languages.say(f"look.{key}", self.code, **facts))

    def state(self, *, yes: bool) -> str:
        key = f"look.{self.query.sense}.{'yes' if yes else 'no'}"
        return languages.say(key, self.code, text=self.query.text)

    def name(self, device: Device) -> str:
        """The name without the words for what is measured: "Washer Power" is the washer."""
        if device.domain in PEOPLE:
            return languages.Proper(device.name)
        words, endings = device.name.split(), language(self.code).groups["reading_words"]
        while len(words) > 1 and words[-1].casefold() in endings:
            words.pop()
        return " ".join(words)

    def told(self, devices: Sequence[Device]) -> str:  # noqa: PLR0911 (one for each question)
        query = self.query
        hits = [one for one in devices if query.so(one) is query.yes]
        rest = [one for one in devices if one not in hits]
        people = "people" if all(one.domain in PEOPLE for one in devices) else "things"
        if query.ask == "rooms":
            return self.rooms(devices)
        if query.ask == "room":
            so = any(query.so(one) for one in devices)
            room, key = list(dict.fromkeys(one.room for one in devices)), "yes" if so is query.yes else "no"
            if query.sense == "motion":
                key, place = f"look.motion.there.{key}", where(room, query.floor)
                return languages.say(key, self.code, where=place)
            return self.say(key, things=room, state=self.state(yes=so))
        if query.ask == "weather":
            return self.say("weather.yes" if hits else "weather.no")
        if query.ask == "where":
            away = tells(devices[0], "presence") is False and devices[0].state != AWAY
            zone = replace(query, sense="zone", text=devices[0].state)
            return Words(self.code, zone if away else query).so("which", devices, yes=away or bool(hits))
        if query.ask == "all" and not rest:
            return self.say(f"all.{people}")
        if query.ask == "all" or (query.keys and query.ask in ("is", "any") and not hits):
            return self.so("no", rest, yes=not query.yes)
        if not hits:
            return self.say(f"{'no_' if query.ask in ('any', 'is') else ''}none.{people}")
        key = {"any": "yes", "is": "yes", "count": "count"}.get(query.ask, "which")
        return self.so(key, hits, yes=query.yes)

    def so(self, key: str, devices: Sequence[Device], *, yes: bool) -> str:
        """The sentence that these devices are so; several sensors of one thing are named once."""
        names = list(dict.fromkeys(self.name(one) for one in devices))
        return self.say(key, count=len(names), things=names, state=self.state(yes=yes))

    def rooms(self, devices: Sequence[Device]) -> str:
        """The rooms that are so. One sensor that says yes is enough."""
        so = {one.room for one in devices if tells(one, self.query.sense)}
        rooms = dict.fromkeys(one.room for one in devices if one.room and (one.room in so) is self.query.yes)
        return self.say("which", things=list(rooms), where="") if rooms else self.say("none.rooms")

    def measured(self, devices: Sequence[Device]) -> str:
        """The reading that was asked for: the most, the sum, or of each device."""
        query, units = self.query, UNITS.get(self.query.measure, ())
        read = [(one, *found) for one in devices if (found := measured(one, query.measure)) is not None]
        read = [one for one in read if one[2].split()[-1] in units] or read
        if query.ask == "sum":
            watts = [number for _, number, text in read if text.endswith(" W")]
            text = state_words(f"{round(sum(watts), 1):g} W")
            return self.say("sum", text=text) if watts else self.say("nothing_measures")
        if query.ask == "users":
            read = [one for one in read if one[1] > USED]
        if query.ask in ("users", "most"):
            read.sort(key=lambda one: one[1], reverse=query.ask == "users" or query.high)
        elif query.measure == "battery" and len(read) > 1:
            read.sort(key=lambda one: one[1])
        if not read:
            return self.say("none.users")
        device, _, text = read[0]
        if query.ask == "most":
            by_room = device.room and query.measure in ("temperature", "humidity", "light")
            return self.say(
                "most", things=[device.room if by_room else self.name(device)], text=state_words(text)
            )
        if len(read) == 1:
            key = f"reading.{query.measure}" if query.measure in ("power", "battery") else "reading"
            return self.say(key, things=[self.name(device)], text=state_words(text))
        named = [([self.name(one)], state_words(text)) for one, _, text in read]
        texts = [languages.say("look.one", self.code, things=things, text=text) for things, text in named]
        return self.say("readings", texts=texts)
