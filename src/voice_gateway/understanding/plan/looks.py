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
from voice_gateway.understanding.plan.intents import WORDS, Slots, means
from voice_gateway.understanding.plan.sensors import (
    PEOPLE,
    UNITS,
    YES_NO,
    Sensing,
    floor_of,
    kin,
    known,
    measured,
    of_class,
    sensed,
)
from voice_gateway.understanding.resolver import Doubt, Meant, Resolver, Unknown, sort_of
from voice_gateway.understanding.templates import language

STATES: Final = {"up": "open", "down": "closed", "opening": "open", "closing": "closed"}
# Measures that only `sensors` reads from the list of all devices.
SENSORS_ONLY: Final = frozenset(UNITS) - {"temperature", "humidity", "power", "battery", "light"}
REPORTING: Final = frozenset({"sensor", "thermostat", "plug"})  # may measure what no list shows
MOST_SINGLE: Final = 8  # devices that are looked at one by one
MOST_MEASURED: Final = 6
OPENINGS: Final = frozenset({"door", "window"})


@plans(Look)
def look(node: Look, context: Context) -> Plan:
    """The look that answers the question."""
    asked: Look = bare(node)
    listed = asked.ask == "measure" and asked.measure in SENSORS_ONLY
    if listed or (asked.sense and asked.ask not in ("weather", "sun")):
        return _sensed(node, context)
    if (planner := _PLANNERS.get(node.ask)) is not None:
        return planner(node, context)
    items = node.which.item if node.which is not None else ()
    single = bool(items) and _is_single(items[0])
    if node.ask == "is" and len(items) > 1:
        return _single(node, context)
    if single and (node.ask == "is" or (node.ask == "any" and not items[0].quant)):
        return _single(node, context)
    return _listed(node, _item(node), context)


def _is_single(item: Item) -> bool:
    """Whether one thing is asked about. "The door" and "the window" may be any of them."""
    if item.name or item.pronoun or item.unknown or item.like:
        return True
    one = bool(item.kind) and not item.plural and item.quant in ("", "both")
    return one and item.kind not in OPENINGS and not item.state


def _item(node: Look) -> Item:
    """The thing that is asked about, with the place of the question."""
    if node.which is None:
        if node.players:
            return Item(kind="media_player", plural=True, place=node.place)
        return Item(everything="all", place=node.place)
    if len(node.which.item) != 1:
        raise Refused("several things are asked about")
    item = node.which.item[0]
    return altered(item, place=(*item.place, *node.place)) if node.place else item


def _state(node: Look) -> str:
    state = STATES.get(node.state, node.state)
    return OPPOSITE.get(state, state) if node.negated else state


def _fits(device: Device) -> bool:
    return device.kind != "group"


def _of_item(item: Item, context: Context) -> tuple[Device, ...]:
    """All devices that the words may mean."""
    return context.asked_about(Which(item=(item,)), _fits).devices


def _rooms(item: Item, context: Context) -> tuple[str, ...]:
    rooms = Resolver(context.home, context.here).rooms(item)
    if isinstance(rooms, Unknown):
        raise context.not_here(rooms)
    return rooms


# --- one device, or a few


def _single(node: Look, context: Context) -> Plan:
    """A look at each of the devices that are named."""
    which, state, _ = node.which, _state(node), node.either if node.ask == "about" else ()
    if which is not None and len(which.item) == 1:
        which = altered(which, item=(_item(node),))
    found = context.asked_about(which, _fits)
    assert which is not None
    name = which.item[0].name
    if isinstance(found, Meant) and name is not None and len(which.item) == 1 and state:
        found = _of_that_state(found, bare(name), state, context)
    if isinstance(found, Doubt):
        telling = tuple(one for one in found.devices if _can_be(one, state, context))
        item = which.item[0]
        if len(telling) > 1 and len(which.item) == 1 and item.kind and not item.name and state:
            return _listed(altered(node, which=None, ask="any"), item, context)
        if len(telling) != 1 or which.either or which.some:
            devices = telling or found.devices
            return Question(Say("ask.which", {"devices": devices}), bare(node), devices)
        found = Meant(telling)
    if len(found.devices) == 1 and (step := _of_sensor(node, found.devices[0], state, context)) is not None:
        return step
    return _looks(node, found.devices[:MOST_SINGLE], context, found.devices, state)


def _of_that_state(found: Meant, name: Name, state: str, context: Context) -> Meant:
    """The devices; where they have no such state, the one whose name goes on: "is the front door locked"."""

    def telling(device: Device) -> bool:
        return _can_be(device, state, context)

    if not found.devices or any(map(telling, found.devices)):
        return found
    longer = Resolver(context.home).longer_named(name, telling)
    return Meant(longer) if len(longer) == 1 else found


def _looks(
    node: Look,
    looked: tuple[Device, ...],
    context: Context,
    devices: tuple[Device, ...] = (),
    state: str = "",
) -> Step:
    """A look at each device: at its state, or only at what is measured."""
    home, measure = context.home, "" if state or devices else node.measure
    requests = (Request.about(home.source_of(one).look(one, home, measure), one, home) for one in looked)
    return Step(bare(node), tuple(requests), devices or looked, state=state, measure=measure)


def _of_sensor(node: Look, device: Device, state: str, context: Context) -> Plan | None:
    """The look at a person or a yes/no sensor, worded by its class; None for other devices."""
    own = "presence" if device.domain in PEOPLE else of_class(device)
    asks_on = state in ("on", "off") and own in (*YES_NO, "presence")
    if not own or (_can_be(device, state, context) and not asks_on):
        return None
    if asks_on:
        return sensed(altered(node, sense=own, negated=state == "off"), (device,), (), context)
    if state:
        raise Refused("it is nothing that can be so")
    return sensed(altered(node, ask="where", sense=own), (device,), (), context)


def _can_be(device: Device, state: str, context: Context) -> bool:
    """Whether the device has this state or its opposite."""
    so = any(context.home.is_so(device, one) for one in (state, OPPOSITE.get(state, state)) if one)
    return so or (state in ("on", "off") and of_class(device) in YES_NO)


def _where(node: Look, context: Context) -> Plan:
    """The room of a device; the whereabouts of a person."""
    devices = context.asked_about(node.which, _fits).devices
    if len(devices) > 1:
        return Question(Say("ask.which", {"devices": devices}), bare(node), devices)
    if devices[0].domain in PEOPLE:
        return sensed(altered(node, sense="presence"), devices, (), context)
    if devices[0].kind == "vacuum" or not devices[0].room:
        return _single(altered(node, ask="about"), context)
    facts = {"devices": devices, "room": devices[0].room}
    return Step(bare(node), (), devices, say=Say("look.in_room", facts))


# --- the whole home


def _sensed(node: Look, context: Context) -> Plan:
    """What sensors tell of a thing, a room or the whole home."""
    several = node.which.item if node.which is not None and node.ask == "is" else ()
    if len(several) > 1:
        if (node.which is not None and node.which.state) or any(item.state for item in several):
            raise Refused("two states in one question")
        devices = tuple(device for item in several for device in _of_item(item, context))
        return sensed(altered(node, ask="all"), devices, (), context)
    item = node.item if node.item is not None else _item(node)
    rooms = _rooms(item, context)
    if node.ask == "is" and item.everything:
        raise Refused("no sensor tells that of the whole home")
    if item.name is None and not item.pronoun and not item.unknown and not item.like:
        anything = item.everything or not item.kind or item.kind in ("sensor", "device") or node.ask != "is"
        if anything and not item.state and item.number is None:
            return sensed(node, (), rooms, context)
    return sensed(node, _of_item(item, context), (), context)


def _of_home(node: Look, context: Context) -> Plan:
    """The rooms, the scenes, dangers (only what watches for them can say no), or the Z-Wave network."""
    if node.ask == "health":
        if context.tools and HEALTH not in context.tools:
            raise Refused("there is no Z-Wave network")
        return Step(bare(node), (Request(HEALTH),))
    if node.ask == "danger":
        rooms, state = _rooms(Item(place=node.place), context), "told" if node.told else ""
        query = DeviceQuery("alarm", noun=node.danger, rooms=rooms, floor=floor_of(node), state=state)
        return _listing(node, query, context)
    if node.ask == "scenes":
        names = list(context.home.scene_sources)
        key = "look.scenes" if names else "look.no_scenes"
        return Step(bare(node), say=Say(key, {"names": names, "count": len(names)}))
    return _listing(node, DeviceQuery(node.ask), context)


def _listing(node: Look, query: DeviceQuery, context: Context) -> Step:
    home = context.home
    looks = tuple(Request.of(source.look(None, home), source=source.name) for source in home.asked_sources)
    return Step(bare(node), looks, query=query)


def _listed(node: Look, item: Item, context: Context) -> Plan:
    """A question for the list of all devices: which are on, how many there are."""
    if node.which is not None and (node.which.without or node.which.either or node.which.state):
        raise Refused("an exception in a question")
    if item.unknown:
        raise context.not_here(Unknown(item.unknown))
    if item.name or item.pronoun or item.like or item.number is not None:
        raise Refused("one device in a question about all")
    state, ask = _state(node), node.ask
    if item.state and state:
        raise Refused("two states in one question")
    state = state or item.state
    rooms = _rooms(item, context)
    sort = "lock" if "locked" in state else sort_of(item.kind or "device")
    if ask == "is":
        any_opening = item.kind in OPENINGS and not item.plural
        ask = "any" if item.quant in ("any", "every") or any_opening else "all"
    noun = item.kind or str(sort)
    if item.everything or sort_of(item.kind or "device") == "device":
        noun = "device" if ask in ("list", "count") else "all"
    query = DeviceQuery(ask, sort, noun, rooms, floor_of(node, item), state)
    return _locks(node, query, context) or _listing(node, query, context)


def _locks(node: Look, query: DeviceQuery, context: Context) -> Step | None:
    """A look at each lock: a list has what the locks reported last, and one may have been opened by hand."""
    home = context.home
    locks = tuple(one for one in home.devices if one.kind == "lock" and is_in(one, query.rooms))
    alike = query.sort == "lock" and query.state in ("locked", "unlocked") and query.mode in ("any", "all")
    fresh = alike and 0 < len(locks) <= MOST_SINGLE and not any(home.source_of(one).polled for one in locks)
    return _looks(node, locks, context, locks, query.state) if fresh else None


def _weather(node: Look, context: Context) -> Plan:
    """A look at the home's own weather entity, else the gateway's forecast."""
    devices = tuple(one for one in context.home.devices if one.domain == "weather")
    if devices and known(devices, Sensing("is", node.sense)):
        return sensed(node, devices, (), context)
    about = "rain" if node.sense == "rain" else ""
    return replace(plan(Everyday(tool="get_weather", about=about, ahead=True), context), node=bare(node))


def _sun(node: Look, context: Context) -> Plan:
    """When the sun rises or sets next, or whether it is dark."""
    place, now = context.place, context.now
    if place is None or now is None or not place.has_sun:
        raise Refused("the home's place is not known", Say("sun.no_place"))
    now = now.astimezone(place.zone)
    days = (now.date() + timedelta(days=number) for number in (-1, 0, 1, 2))
    both = [(sun_on(event, day, place), event) for day in days for event in ("sunrise", "sunset")]
    times = [(moment, event) for moment, event in both if moment is not None]
    if node.told:
        last, event = max(pair for pair in times if pair[0] <= now)
        key = "sun.yes" if event == node.sense else "sun.no"
        facts = {"event": languages.say(f"sun.{event}.past"), "when": languages.moment_words(last, now)}
        return Step(bare(node), say=Say(key, facts), topic="")
    coming = min(moment for moment, event in times if event == node.sense and moment > now)
    return Step(
        bare(node), say=Say(f"sun.{node.sense}", {"when": languages.moment_words(coming, now)}), topic=""
    )


# --- what is measured


def _measured(node: Look, context: Context) -> Plan:
    """The reading of a device, of a room, or of all that measure it."""
    home, node = context.home, _where_asked(node, context)
    query = Sensing("measure", measure=node.measure)
    item = node.item if node.item is not None and node.item.name is not None else _item(node)
    if item.name is not None and (item is node.item or not item.place):
        return _of_name(node, item.name, context)
    if item.kind or item.pronoun or item.name is not None or item.unknown:
        devices = _of_item(item, context)
        return _looks(node, known(devices, query) or devices[:1], context)
    rooms = _rooms(item, context)
    if len(rooms) > 1:
        return sensed(node, (), rooms, context)
    if rooms:
        return _in_room(node, rooms[0], context)
    words = language(languages.current()).groups["outdoors"]
    where_asked = tuple(
        one for one in home.devices if words.isdisjoint(plain_words(f"{one.room} {one.name}")) != node.outside
    )
    sensors = tuple(one for one in where_asked if one.kind == "sensor")
    measuring = known(sensors, query) or known(where_asked, query)
    here = tuple(one for one in measuring if context.here and one.room == context.here)
    devices = (here or measuring)[:MOST_MEASURED]
    if not devices:
        raise Refused("nothing measures that", Say("unknown.outside" if node.outside else "unknown.measure"))
    return _looks(node, devices, context)


def _where_asked(node: Look, context: Context) -> Look:
    """The question with the place of the last one, where it is for another measure: "and the humidity"."""
    asked, plain = context.inquiry, bare(node)
    if not isinstance(asked, Look) or asked.ask != "measure" or node.measure == asked.measure:
        return node
    named = plain.which or plain.item or plain.place or plain.outside
    return node if named else altered(node, place=asked.place)


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
    heating = tuple(one for one in there if one.kind == "thermostat" and node.measure == "temperature")
    return Step(bare(node), looks, heating, measure=node.measure, room=room)


def _of_name(node: Look, name: Name, context: Context) -> Step:
    """The reading of a named thing, whose sensors may be devices of their own."""
    devices = tuple(one for key in name.keys if (one := context.home.find(key)) is not None)
    telling = tuple(one for one in kin(devices, context.home) if measured(one, node.measure) is not None)
    return sensed(node, telling, (), context) if telling else _looks(node, devices, context)


_PLANNERS: Final = {
    "about": _single, "where": _where, "measure": _measured, "weather": _weather, "sun": _sun,
    **dict.fromkeys(("health", "danger", "rooms", "scenes"), _of_home),
    **dict.fromkeys(("most", "sum", "users", "levels"), _sensed),
}  # fmt: skip


# --- Home Assistant's sentences

_ASKS: Final = {"one": "about", "one_yesno": "is", "how_many": "count"}


@means("HassGetState")
def get_state(slots: Slots, context: Context) -> Node:
    """A question about a state; of people, who is home."""
    ask, state = _ASKS.get(slots.response, slots.response), str(slots.take("state", ""))
    if not ask:
        raise Refused("no question about a state")
    people = "person" in (slots.known.get("domain"), *slots.domains)
    if "binary_sensor" in slots.domains:
        state = {"on": "open", "off": "closed"}.get(state, state)
    if people or isinstance(slots.known.get("name"), Name):
        if people:
            slots.take("domain")
        which = slots.which(context) if "name" in slots.known else None
        if not people or ask == "where":
            return Look(ask=ask, which=which, state="" if people else state)
        if state in ("home", "not_home"):
            return Look(ask=ask, which=which, sense="presence", negated=state == "not_home")
        return Look(ask=ask, which=which, sense="zone", text=state)
    place = slots.place(context)
    kind = str(slots.take("device_class") or slots.take("domain") or "")
    slots.take("domain")
    item = Item(
        kind=WORDS.get(kind, kind), plural=True, quant=ask if ask in ("any", "all") else "", place=place
    )
    return Look(ask=ask, which=Which(item=(item,)), state=state)


@means("HassClimateGetTemperature")
def get_temperature(slots: Slots, context: Context) -> Node:
    if "name" in slots.known:
        return Look(ask="measure", measure="temperature", which=slots.which(context))
    return Look(ask="measure", measure="temperature", place=() if slots.here else slots.place(context))
