"""Questions about the home: a fresh look at one device, a room, or the list of all."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from home_names.names import plain_words
from voice_gateway import languages
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Request
from voice_gateway.integrations.zwave import HEALTH
from voice_gateway.routines.schedule import sun_on
from voice_gateway.understanding.listing import OPPOSITE, DeviceQuery, is_in, where
from voice_gateway.understanding.nodes import Everyday, Item, Look, Name, Node, Which, altered, bare
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plan, plans
from voice_gateway.understanding.plan.history import moment_words
from voice_gateway.understanding.plan.intents import WORDS, Slots, means
from voice_gateway.understanding.plan.sensors import (
    PEOPLE,
    YES_NO,
    Sensing,
    floor_of,
    kin,
    known,
    measured,
    of_class,
    sensed,
)
from voice_gateway.understanding.plan.sensors import UNITS as SENSOR_UNITS
from voice_gateway.understanding.resolver import Doubt, Meant, Resolver, Unknown, sort_of

STATES: Final = {"up": "open", "down": "closed", "opening": "open", "closing": "closed"}
# Measures that only `sensors` reads from the list of all devices.
SENSORS_ONLY: Final = frozenset(SENSOR_UNITS) - {"temperature", "humidity", "power", "battery", "light"}
REPORTING: Final = frozenset({"sensor", "thermostat", "plug"})  # may measure what no list shows
MOST_SINGLE: Final = 8  # devices that are looked at one by one
MOST_MEASURED: Final = 6
# What a state says of a measure, where no place was named.
UNITS: Final = {"temperature": "°", "humidity": "humid", "motion": "motion", "light": "lx", "power": " W"}
OUTDOORS: Final = frozenset(
    "outside outdoor outdoors garden balcony terrace patio porch yard weather".split()
)
OPENINGS: Final = frozenset({"door", "window"})


@plans(Look)
def look(node: Look, context: Context) -> Plan:
    """The look that answers the question."""
    plain = {
        "health": _health, "measure": _measured, "danger": _danger, "rooms": _known, "scenes": _known,
        "where": _where, "about": _about, "most": _sensed, "sum": _sensed, "users": _sensed,
        "levels": _sensed, "weather": _weather, "sun": _sun,
    }  # fmt: skip
    asked: Look = bare(node)
    sensing = bool(asked.sense) and asked.ask not in ("weather", "sun")
    if sensing or (asked.measure in SENSORS_ONLY and asked.ask == "measure"):
        return _sensed(node, context)
    if (planner := plain.get(node.ask)) is not None:
        return planner(node, context)
    items = node.which.item if node.which is not None else ()
    if node.ask == "is" and (len(items) > 1 or (items and _is_single(items[0]))):
        return _single(node, context)
    if node.ask == "any" and items and _is_single(items[0]) and not items[0].quant:
        return _single(node, context)
    return _listed(node, _item(node), context)


def _about(node: Look, context: Context) -> Plan:
    _ = node.either
    return _single(node, context)


def _is_single(item: Item) -> bool:
    """One thing, or a word for one; of doors and windows any may be meant."""
    if item.name or item.pronoun or item.unknown or item.like:
        return True
    one = bool(item.kind) and not item.plural and item.quant in ("", "both")
    return one and item.kind not in OPENINGS and not item.state


def _item(node: Look) -> Item:
    """The only thing that is asked about, with the place of the question."""
    which = node.which
    if which is None:
        if node.players:
            return Item(kind="media_player", plural=True, place=node.place)
        return Item(everything="all", place=node.place)
    if len(which.item) != 1:
        raise Refused("several things are asked about")
    item = which.item[0]
    return altered(item, place=(*item.place, *node.place)) if node.place else item


def _state(node: Look) -> str:
    state = STATES.get(node.state, node.state)
    return OPPOSITE.get(state, state) if node.negated else state


def _fits(device: Device) -> bool:
    return device.kind != "group"


def _unknown(found: Unknown, context: Context) -> Refused:
    facts = {"text": found.text, "here": context.here}
    return Refused(f"unknown {found.what}: {found.text}", Say(f"unknown.{found.what}", facts), unknown=True)


def _single(node: Look, context: Context) -> Plan:
    """A look at each of the devices that are named."""
    if node.which is None:
        raise Refused("nothing is asked about")
    state, home = _state(node), context.home
    which = node.which if len(node.which.item) > 1 else altered(node.which, item=(_item(node),))
    found = Resolver(home, context.here, context.last).which(which, "look", _fits)
    if isinstance(found, Unknown):
        raise _unknown(found, context)
    if isinstance(found, Doubt):
        telling = tuple(one for one in found.candidates if _can_be(one, state, context))
        item = which.item[0]
        if len(telling) > 1 and len(which.item) == 1 and item.kind and not item.name and state:
            return _listed(altered(node, which=None, ask="any"), item, context)
        if len(telling) != 1 or which.either or which.some:
            devices = telling or found.candidates
            return Question(Say("ask.which", {"devices": devices}), bare(node), devices)
        found = Meant(telling)
    running = next((own for one in found.devices if (own := of_class(one)) in YES_NO), "")
    if running and state in ("on", "off") and len(found.devices) == 1:
        return sensed(altered(node, sense=running, negated=state == "off"), found.devices, (), context)
    if len(found.devices) == 1 and (made := _of_sensor(node, found.devices[0], state, context)) is not None:
        return made
    looked = found.devices[:MOST_SINGLE]
    requests = tuple(Request.about(home.source_of(one).look(one, home, ""), one, home) for one in looked)
    return Step(bare(node), requests, found.devices, state=state)


def _of_sensor(node: Look, device: Device, state: str, context: Context) -> Plan | None:
    """Of a person, or of what tells only of smoke, an update …, in the words of its class."""
    own = "presence" if device.domain in PEOPLE else of_class(device)
    if not own or _can_be(device, state, context):
        return None
    if own == "presence" and state in ("on", "off"):
        return sensed(altered(node, sense=own, negated=state == "off"), (device,), (), context)
    if state:
        raise Refused("it is nothing that can be so")
    return sensed(altered(node, ask="where", sense=own), (device,), (), context)


def _can_be(device: Device, state: str, context: Context) -> bool:
    """Whether it can be so, as far as its state tells."""
    home = context.home
    so = any(home.is_so(device, one) for one in (state, OPPOSITE.get(state, state)) if one)
    return so or (state in ("on", "off") and of_class(device) in YES_NO)


def _sensed(node: Look, context: Context) -> Plan:
    """What sensors tell of a thing, a room or the whole home."""
    item = node.item if node.item is not None else _item(node)
    rooms = _rooms(node, item, context)
    if node.ask == "is" and item.everything:
        raise Refused("no sensor tells that of the whole home")
    if item.name is None and not item.pronoun and not item.unknown and not item.like:
        anything = item.everything or not item.kind or item.kind in ("sensor", "device") or node.ask != "is"
        if anything and not item.state and item.number is None:
            return sensed(node, (), rooms, context)
    found = Resolver(context.home, context.here, context.last).item(item, "look", _fits)
    if isinstance(found, Unknown):
        raise _unknown(found, context)
    return sensed(node, found.candidates if isinstance(found, Doubt) else found.devices, (), context)


def _weather(node: Look, context: Context) -> Plan:
    """Of the home's own weather; else of the gateway's forecast."""
    devices = tuple(one for one in context.home.devices if one.domain == "weather")
    if devices and known(devices, Sensing("is", node.sense)):
        return sensed(altered(node, ask="weather"), devices, (), context)
    about = "rain" if node.sense == "rain" else ""
    return replace(plan(Everyday(tool="get_weather", about=about, ahead=True), context), node=bare(node))


def _sun(node: Look, context: Context) -> Plan:
    """When it rises or sets next, or whether it is dark."""
    place, now = context.place, context.now
    if place is None or now is None or not place.has_sun:
        raise Refused("the home's place is not known", Say("sun.no_place"))
    now = now.astimezone(place.zone)
    days = (now.date() + timedelta(days=number) for number in (-1, 0, 1, 2))
    both = [(sun_on(event, day, place), event) for day in days for event in ("sunrise", "sunset")]
    times = [(moment, event) for moment, event in both if moment is not None]
    if node.told:
        last = max((moment, event) for moment, event in times if moment <= now)
        key = "sun.yes" if last[1] == node.sense else "sun.no"
        facts = {"event": languages.say(f"sun.{last[1]}.past"), "when": moment_words(last[0], now)}
        return Step(bare(node), say=Say(key, facts), topic="")
    coming = min(moment for moment, event in times if event == node.sense and moment > now)
    return Step(bare(node), say=Say(f"sun.{node.sense}", {"when": moment_words(coming, now)}), topic="")


def _where(node: Look, context: Context) -> Plan:
    """The room of a thing; of a person what the home knows."""
    if node.which is None:
        raise Refused("nothing is asked about")
    found = Resolver(context.home, context.here, context.last).which(node.which, "look", _fits)
    if isinstance(found, Unknown):
        raise _unknown(found, context)
    devices = found.candidates if isinstance(found, Doubt) else found.devices
    if len(devices) > 1:
        return Question(Say("ask.which", {"devices": devices}), bare(node), devices)
    if devices[0].domain in PEOPLE:
        return sensed(altered(node, sense="presence"), devices, (), context)
    if devices[0].kind == "vacuum" or not devices[0].room:
        return _single(altered(node, ask="about"), context)
    facts = {"devices": devices, "room": devices[0].room}
    return Step(bare(node), (), devices, say=Say("look.in_room", facts))


def _rooms(node: Look, item: Item, context: Context) -> tuple[str, ...]:
    rooms = Resolver(context.home, context.here).rooms(item)
    if isinstance(rooms, Unknown):
        raise _unknown(rooms, context)
    return rooms


def _listing(node: Look, query: DeviceQuery, context: Context) -> Step:
    home = context.home
    looks = tuple(Request.of(source.look(None, home), source=source.name) for source in home.asked_sources)
    return Step(bare(node), looks, query=query)


def _listed(node: Look, item: Item, context: Context) -> Plan:
    """From the list of all devices: which are on, how many there are."""
    if node.which is not None and (node.which.without or node.which.either or node.which.state):
        raise Refused("an exception in a question")
    if item.unknown:
        raise _unknown(Unknown(item.unknown), context)
    if item.name or item.pronoun or item.like or item.number is not None:
        raise Refused("one device in a question about all")
    state, ask = _state(node), node.ask
    if item.state and state:
        raise Refused("two states in one question")
    state = state or item.state
    rooms = _rooms(node, item, context)
    sort = sort_of(item.kind or "device")
    if ask == "is":
        ask = (
            "any" if item.quant in ("any", "every") or (item.kind in OPENINGS and not item.plural) else "all"
        )
    if "locked" in state:
        sort = "lock"
    noun = (
        ("device" if ask in ("list", "count") else "all")
        if item.everything or sort == "device"
        else item.kind
    )
    query = DeviceQuery(ask, sort, noun or str(sort), rooms, floor_of(node, item), state)
    return _locks(node, query, context) or _listing(node, query, context)


def _locks(node: Look, query: DeviceQuery, context: Context) -> Step | None:
    """A look at each lock: a list has what the locks reported last, and one may have been opened by hand."""
    home = context.home
    locks = tuple(one for one in home.devices if one.kind == "lock" and is_in(one, query.rooms))
    alike = query.sort == "lock" and query.state in ("locked", "unlocked") and query.mode in ("any", "all")
    if not alike or not 0 < len(locks) <= MOST_SINGLE or any(home.source_of(one).polled for one in locks):
        return None
    looks = tuple(Request.about(home.source_of(one).look(one, home, ""), one, home) for one in locks)
    return Step(bare(node), looks, locks, state=query.state)


def _known(node: Look, context: Context) -> Plan:
    """The rooms, or the scenes."""
    if node.ask == "scenes":
        names = list(context.home.scene_sources)
        return Step(
            bare(node),
            say=Say("look.scenes" if names else "look.no_scenes", {"names": names, "count": len(names)}),
        )
    return _listing(node, DeviceQuery(node.ask), context)


def _danger(node: Look, context: Context) -> Plan:
    """Smoke, gas or water: only what watches for it can say no."""
    rooms = _rooms(node, Item(place=node.place), context)
    state = "told" if node.told else ""
    query = DeviceQuery("alarm", noun=node.danger, rooms=rooms, floor=floor_of(node), state=state)
    return _listing(node, query, context)


def _health(node: Look, context: Context) -> Plan:
    if context.tools and HEALTH not in context.tools:
        raise Refused("there is no Z-Wave network")
    return Step(bare(node), (Request(HEALTH),))


# --- what is measured


def _in_room(node: Look, room: str, context: Context) -> Step:
    home, there = context.home, context.home.in_room(room)
    if not any(one.kind in REPORTING or measured(one, node.measure) for one in there):
        facts = {"measure": languages.say(f"look.measure.{node.measure}"), "where": where((room,), "")}
        if context.voices:  # another server's tool may know
            raise Refused("nothing there measures that", Say("look.none_in", facts))
        return Step(bare(node), say=Say("look.none_in", facts))
    asked = {device.source for device in there}
    sources = [one for one in home.asked_sources if one.name in asked or not asked]
    looks = tuple(Request.of(one.look_in(room), source=one.name) for one in sources)
    return Step(bare(node), looks, measure=node.measure, room=room)


def _measured(node: Look, context: Context) -> Plan:
    """The reading of a device, of a room, or of all that measure it."""
    home, measure = context.home, node.measure
    named = node.item.name if node.item is not None else None
    if named is not None:
        return _of_name(node, named, context)
    item = _item(node)
    if item.name is not None and not item.place:
        return _of_name(node, item.name, context)
    if item.kind or item.pronoun or item.name is not None or item.unknown:
        found = Resolver(home, context.here, context.last).item(item, "look", _fits)
        if isinstance(found, Unknown):
            raise _unknown(found, context)
        devices = found.candidates if isinstance(found, Doubt) else found.devices
        return _read(node, _measuring(devices, measure, context) or devices[:1], context)
    rooms = _rooms(node, item, context)
    if len(rooms) > 1:
        return sensed(node, (), rooms, context)
    if rooms:
        return _in_room(node, rooms[0], context)
    sensors = tuple(device for device in home.devices if device.kind == "sensor")
    if node.outside:
        sensors = tuple(one for one in sensors if OUTDOORS & set(plain_words(f"{one.room} {one.name}")))
    measuring = _measuring(sensors, measure, context)
    here = tuple(one for one in measuring if context.here and one.room == context.here)
    devices = (here or measuring)[:MOST_MEASURED]
    if not devices:
        raise Refused("nothing measures that", Say("unknown.outside" if node.outside else "unknown.measure"))
    return _read(node, devices, context)


def _of_name(node: Look, name: Name, context: Context) -> Step:
    """Of the thing that is named; its sensors may be devices of their own."""
    found = (context.home.find(key) for key in name.keys)
    devices = tuple(one for one in found if one is not None)
    telling = tuple(one for one in kin(devices, context.home) if measured(one, node.measure) is not None)
    if telling:
        return sensed(node, telling, (), context)
    return _read(node, devices, context)


def _measuring(devices: tuple[Device, ...], measure: str, context: Context) -> tuple[Device, ...]:
    unit = UNITS.get(measure, measure)
    told = ((one, (context.home.state_of(one), *one.readings)) for one in devices)
    return tuple(one for one, texts in told if any(unit in text for text in texts))


def _read(node: Look, devices: tuple[Device, ...], context: Context) -> Step:
    home = context.home
    looks = (Request.about(home.source_of(one).look(one, home, node.measure), one, home) for one in devices)
    return Step(bare(node), tuple(looks), devices, measure=node.measure)


# --- Home Assistant's sentences

_ASKS: Final = {
    "one": "about",
    "one_yesno": "is",
    "how_many": "count",
    "any": "any",
    "all": "all",
    "which": "which",
    "where": "where",
}
_QUANT: Final = {"any": "any", "all": "all", "is": ""}


@means("HassGetState")
def get_state(slots: Slots, context: Context) -> Node:
    ask = _ASKS.get(slots.response)
    state = str(slots.take("state", ""))
    if ask is None:
        raise Refused("no question about a state")
    if slots.known.get("domain") == "person" or "person" in slots.domains:
        return _people(slots, ask, state, context)
    if "binary_sensor" in slots.domains:
        state = {"on": "open", "off": "closed"}.get(state, state)
    if isinstance(slots.known.get("name"), Name):
        return Look(ask=ask, which=slots.which(context), state=state)
    place = slots.place(context)
    kind = str(slots.take("device_class") or slots.take("domain") or "")
    slots.known.pop("domain", None)
    item = Item(kind=WORDS.get(kind, kind), plural=True, quant=_QUANT.get(ask, ""), place=place)
    return Look(ask=ask, which=Which(item=(item,)), state=state)


def _people(slots: Slots, ask: str, state: str, context: Context) -> Node:
    """Who is home; of other places nothing is known."""
    slots.known.pop("domain", None)
    which = slots.which(context) if "name" in slots.known else None
    if ask == "where":
        return Look(ask=ask, which=which)
    if state in ("home", "not_home"):
        return Look(ask=ask, which=which, sense="presence", negated=state == "not_home")
    return Look(ask=ask, which=which, sense="zone", text=state)


@means("HassClimateGetTemperature")
def get_temperature(slots: Slots, context: Context) -> Node:
    if "name" in slots.known:
        return Look(ask="measure", measure="temperature", which=slots.which(context))
    return Look(ask="measure", measure="temperature", place=() if slots.here else slots.place(context))
