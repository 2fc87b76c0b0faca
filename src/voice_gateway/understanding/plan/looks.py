"""Questions about the home: a fresh look at one device, a room, or the list of all."""

from typing import Final

from home_words.kinds import DeviceClass, Sort
from voice_gateway.brain.local.meaning import DeviceQuery, Request
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.zwave import HEALTH
from voice_gateway.understanding.nodes import Item, Look, altered, bare
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plans
from voice_gateway.understanding.resolver import Doubt, Resolver, Unknown, sort_of

STATES: Final = {"up": "open", "down": "closed"}
OPPOSITE: Final = {
    "on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked",
}  # fmt: skip
NOUNS: Final = {"light": "lights", "cover": "blinds"}
MOST_SINGLE: Final = 8  # devices that are looked at one by one
UNITS: Final = {"temperature": "°", "humidity": "humid", "motion": "motion"}


@plans(Look)
def look(node: Look, context: Context) -> Plan:
    """The look that answers the question."""
    if node.ask == "health":
        return Step(bare(node), (Request(HEALTH),))
    if node.ask == "measure":
        return _measured(node, context)
    item = _item(node)
    single = bool(item.name or item.pronoun or item.unknown or (item.kind and not item.plural))
    if node.ask == "about" or (node.ask in ("is", "any") and single and not item.state):
        return _single(node, context)
    return _listed(node, item, context)


def _item(node: Look) -> Item:
    """The only thing that is asked about."""
    which = node.which
    if which is None:
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


def _single(node: Look, context: Context) -> Plan:
    assert node.which is not None
    state, home = _state(node), context.home
    which = altered(node.which, item=(_item(node),))
    found = Resolver(home, context.here, context.last).which(which, "look", _fits)
    if isinstance(found, Unknown):
        raise Refused(
            f"unknown: {found.text}",
            Say(f"unknown.{found.what}", {"text": found.text, "here": context.here}),
            unknown=True,
        )
    if isinstance(found, Doubt):
        return Question(Say("ask.which", {"devices": found.candidates}), bare(node), found.candidates)
    requests = tuple(
        Request.about(home.source_of(one).look(one, home, ""), one, home)
        for one in found.devices[:MOST_SINGLE]
    )
    return Step(bare(node), requests, found.devices, state=state)


def _rooms(node: Look, item: Item, context: Context) -> tuple[str, ...]:
    rooms = Resolver(context.home, context.here).rooms(item)
    if isinstance(rooms, Unknown):
        facts = {"text": rooms.text, "here": context.here}
        raise Refused(f"unknown room: {rooms.text}", Say(f"unknown.{rooms.what}", facts), unknown=True)
    return rooms


def _listed(node: Look, item: Item, context: Context) -> Plan:
    """From the list of all devices: which are on, how many there are."""
    if node.which is not None and (node.which.without or node.which.either or node.which.state):
        raise Refused("an exception in a question")
    home, state, ask = context.home, _state(node), node.ask
    if item.name or item.unknown or item.pronoun or item.like or item.number is not None:
        raise Refused("one device in a question about all")
    if item.state and not state:
        state = item.state
    elif item.state:
        raise Refused("two states in one question")
    rooms = _rooms(node, item, context)
    word = item.kind or ("device" if item.everything else "")
    if not word:
        word = "device"
    sort = sort_of(word)
    if ask == "is":
        ask = "all" if not item.quant or item.quant == "all" else "any"
        ask = "any" if item.definite and not item.quant and _singular(sort, context) else ask
    if "locked" in state and sort == "device":
        sort = "lock"
    whole = {"list": "devices", "all": "everything"}.get(ask, "anything")
    noun = whole if item.everything or sort == "device" else NOUNS.get(sort, f"{word}s")
    query = DeviceQuery(ask, sort, noun, rooms[0] if rooms else None, state)
    looks = tuple(Request.of(source.look(None, home), source=source.name) for source in home.asked_sources)
    return Step(bare(node), looks, query=query)


def _singular(sort: Sort, context: Context) -> bool:
    return sum(map(DeviceClass(sort, sort, plural=False).has, context.home.devices)) == 1


def _measured(node: Look, context: Context) -> Plan:
    home, measure = context.home, node.measure
    item = _item(node)
    rooms = _rooms(node, item, context)
    if item.name is not None:
        found = (home.find(key) for key in item.name.keys)
        return _read(node, tuple(one for one in found if one is not None), context)
    if item.kind or item.pronoun or item.unknown:
        raise Refused("a measure of a kind of device")
    if rooms:
        looks = tuple(
            Request.of(source.look_in(rooms[0]), source=source.name) for source in home.asked_sources
        )
        return Step(bare(node), looks, measure=measure, room=rooms[0])
    unit = UNITS.get(measure, "?")
    devices = tuple(one for one in home.devices if one.kind == "sensor" and unit in home.state_of(one))
    if not devices:
        raise Refused("nothing measures that", Say("unknown.measure"))
    return _read(node, devices[:6], context)


def _read(node: Look, devices: tuple[Device, ...], context: Context) -> Step:
    home = context.home
    looks = tuple(
        Request.about(home.source_of(one).look(one, home, node.measure), one, home) for one in devices
    )
    return Step(bare(node), looks, devices, measure=node.measure)
