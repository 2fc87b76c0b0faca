"""Sentences of home-assistant-intents → our own nodes: one function for each intent, registered with `means`.

A subject registers its intents beside its planner. Every slot must be taken, else the reading is refused.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from voice_gateway.integrations.device import Device
from voice_gateway.understanding.nodes import (
    Amount,
    Command,
    Everyday,
    Intent,
    Item,
    Look,
    Name,
    Node,
    Place,
    Value,
    Which,
)
from voice_gateway.understanding.plan import Context, Plan, Refused, Say, plan, plans
from voice_gateway.understanding.resolver import Resolver, Unknown

# Which of our kinds of device a domain of Home Assistant is, where a device does not say its own.
KINDS: Final = {
    "light": ("light", "dimmer"), "switch": ("switch", "plug"), "input_boolean": ("switch",),
    "cover": ("blind", "garage_door"), "climate": ("thermostat",), "lawn_mower": ("mower",),
    "sensor": ("sensor",), "binary_sensor": ("sensor",),
}  # fmt: skip
# Words of our list `kind` for their device classes and domains.
WORDS: Final = {
    "cover": "blind", "climate": "thermostat", "gate": "garage",
}  # fmt: skip


def of_domain(device: Device, domains: tuple[str, ...]) -> bool:
    """Whether a device is of one of these domains of Home Assistant, or would be there."""
    if "light" in domains and device.is_light:
        return True
    if device.domain:
        return device.domain in domains
    return any(device.kind in KINDS.get(domain, (domain,)) for domain in domains)


@dataclass
class Slots:
    """What a sentence says, taken piece by piece."""

    known: dict[str, Any]
    domains: tuple[str, ...]
    here: bool
    intent: str
    response: str = ""

    def take(self, name: str, default: Any = None) -> Any:
        return self.known.pop(name, default)

    def which(self, context: Context, *, kind: str = "") -> Which:
        """The device that is named, or all of a kind in a place."""
        place = self.place(context)
        name = self.take("name")
        if isinstance(name, Name):
            self._check_domain(name, context)
            return Which(item=(Item(name=name, place=place),))
        said = self.take("device_class") or self.take("domain") or kind
        self.known.pop("domain", None)
        if not said:
            raise Refused("no device is named")
        word = WORDS.get(str(said), str(said))
        place = place or (Place(everywhere=True),)  # a sentence without a place has no room of the speaker
        return Which(item=(Item(kind=word, plural=True, definite=True, quant="all", place=place),))

    def place(self, context: Context) -> tuple[Place, ...]:
        if self.here and not context.here:
            raise Refused("which room is not known", Say("unknown.here"))
        if floor := self.take("floor"):
            return (Place(floor=str(floor)),)
        area = self.take("area")
        if area:
            return (Place(room=(str(area),)),)
        return (Place(here=True),) if self.here else ()

    def _check_domain(self, name: Name, context: Context) -> None:
        """A name of another sort of device is no reading of this sentence."""
        found = [device for key in name.keys if (device := context.home.find(key)) is not None]
        if self.domains and not any(of_domain(one, self.domains) for one in found):
            raise Refused("the name is of another sort of device")


Meaning = Callable[[Slots, Context], Node]
_MEANINGS: dict[str, Meaning] = {}


def means(*intents: str) -> Callable[[Meaning], Meaning]:
    """Registers what intents mean."""

    def register(meaning: Meaning) -> Meaning:
        _MEANINGS.update(dict.fromkeys(intents, meaning))
        return meaning

    return register


@plans(Intent)
def intent(node: Intent, context: Context) -> Plan:
    meaning = _MEANINGS.get(node.intent)
    if meaning is None:
        raise Refused(f"nothing is planned for {node.intent}")
    slots = Slots(dict(node.slot), node.domain, node.here, node.intent, node.response)
    meant = meaning(slots, context)
    if slots.known:
        raise Refused(f"a slot of {node.intent} is not used: {', '.join(slots.known)}")
    return plan(meant, context)


# --- devices

_MOVED: Final = {"HassTurnOn": "open", "HassTurnOff": "close"}
_LOCKED: Final = {"HassTurnOn": "lock", "HassTurnOff": "unlock"}


@means("HassTurnOn", "HassTurnOff")
def turn(slots: Slots, context: Context) -> Node:
    scene = slots.domains and set(slots.domains) <= {"scene", "script"}
    if scene:
        return _scene(str(slots.take("name")), str(slots.take("area", "")), context)
    moves = "device_class" in slots.known or slots.known.get("domain") in ("cover", "valve")
    do = "on" if slots.intent == "HassTurnOn" else "off"
    if moves or (slots.domains and set(slots.domains) <= {"cover", "valve"}):
        do = _MOVED[slots.intent]
    elif slots.domains == ("lock",) or slots.known.get("domain") == "lock":
        do = _LOCKED[slots.intent]
    return Command(do=do, which=slots.which(context))


def _scene(name: str, area: str, context: Context) -> Node:
    """With a room: the scene that is called so; one without it is asked about."""
    whole = context.home.scenes.get(f"{area} {name}".casefold().strip(), "")
    placed = whole or name.casefold().startswith(area.casefold())
    return Command(do="scene", scene=whole or name, bare=not placed)


@means("HassLightSet")
def light(slots: Slots, context: Context) -> Node:
    value = Value(
        percent=slots.take("brightness"),
        colour=str(slots.take("color", "")).replace(" ", ""),
        kelvin=slots.take("temperature"),
    )
    return Command(do="set", of="light", which=slots.which(context, kind="light"), value=value)


@means("HassSetPosition", "HassFanSetSpeed")
def position(slots: Slots, context: Context) -> Node:
    kind = "fan" if slots.intent == "HassFanSetSpeed" else "blind"
    percent = slots.take("position", slots.take("percentage"))
    return Command(do="set", which=slots.which(context, kind=kind), value=Value(percent=percent))


@means("HassClimateSetTemperature")
def warmth(slots: Slots, context: Context) -> Node:
    degrees = slots.take("temperature")
    which = slots.which(context, kind="thermostat")
    return Command(do="set", of="heat", which=which, value=Value(degrees=degrees))


@means("HassClimateSetFanMode")
def fan_mode(slots: Slots, context: Context) -> Node:
    raise Refused("no home has a tool for that", Say("cannot.fan_mode"))


_MACHINES: Final = {
    "HassMediaNext": "next", "HassMediaPrevious": "previous", "HassMediaPause": "pause",
    "HassMediaUnpause": "play", "HassMediaPlayerMute": "mute", "HassMediaPlayerUnmute": "unmute",
    "HassVacuumStart": "start", "HassVacuumReturnToBase": "dock", "HassVacuumCleanArea": "clean",
    "HassLawnMowerStartMowing": "start", "HassLawnMowerDock": "dock", "HassMediaSearchAndPlay": "search",
}  # fmt: skip
_PLAYED: Final = {"HassMedi": "player", "HassVacu": "vacuum", "HassLawn": "mower"}


@means(*_MACHINES)
def machine(slots: Slots, context: Context) -> Node:
    """Of a player, a vacuum or a mower; where none is named, of the one here, or the only one."""
    do, of, text = _MACHINES[slots.intent], _PLAYED[slots.intent[:8]], ""
    if do == "search":
        text = f"{slots.take('media_class', '')} {slots.take('search_query', '')}".replace("_", " ").strip()
        if any(text.endswith(f" {name}") for name in (*context.home.rooms, *context.home.by_name)):
            raise Refused("where it shall play is a part of what shall play")
    if do == "clean" or (of == "vacuum" and do == "start" and "floor" in slots.known):
        place = slots.place(context)
        rooms = Resolver(context.home, context.here).places(place)
        if isinstance(rooms, Unknown) or len(rooms) != 1:
            raise Refused("more than one room to clean", Say("cannot.clean_floor"))
        do, text, slots.here = "clean", rooms[0], False
    if "name" in slots.known:
        return Command(do=do, which=slots.which(context), text=text)
    named = slots.known.keys() & {"area", "floor"}
    if do in ("mute", "unmute") and not named:
        return Everyday(tool="control_speaker_volume", action=do)
    return Command(do=do, of=of, place=slots.place(context) if named else (), text=text)


@means("HassSetVolume")
def volume(slots: Slots, context: Context) -> Node:
    level = slots.take("volume_level")
    if not slots.known.keys() & {"name", "area", "floor"}:
        return Everyday(tool="control_speaker_volume", action="set", level=level)
    which = slots.which(context, kind="media_player")
    return Command(do="set", of="volume", which=which, value=Value(percent=level))


@means("HassSetVolumeRelative")
def louder(slots: Slots, context: Context) -> Node:
    step = slots.take("volume_step")
    level = None if step in ("up", "down") else abs(float(step))
    way = 1.0 if step == "up" or (level is not None and float(step) > 0) else -1.0
    if not slots.known.keys() & {"name", "area", "floor"}:
        return Everyday(tool="control_speaker_volume", action="up" if way > 0 else "down", level=level)
    which = slots.which(context, kind="media_player")
    amount = None if level is None else Amount(percent=level)
    return Command(do="change", way=way, of="volume", which=which, amount=amount)


# --- what needs no device


_LISTS: Final = {
    "HassListAddItem": "add", "HassShoppingListAddItem": "add", "HassListCompleteItem": "complete",
    "HassShoppingListCompleteItem": "complete", "HassListRemoveItem": "remove",
}  # fmt: skip


@means(*_LISTS)
def change_list(slots: Slots, context: Context) -> Node:
    name = str(slots.take("name", "shopping"))
    return Everyday(tool="manage_list", action=_LISTS[slots.intent], items=slots.take("item"), list=name)


@means("HassBroadcast")
def broadcast(slots: Slots, context: Context) -> Node:
    return Everyday(tool="broadcast", message=slots.take("message"))


@means("HassNevermind")
def never_mind(slots: Slots, context: Context) -> Node:
    return Everyday(tool="none", action="dismiss")


@means("HassGetCurrentTime", "HassGetCurrentDate")
def clock(slots: Slots, context: Context) -> Node:
    part = "date" if slots.intent == "HassGetCurrentDate" else ""
    return Everyday(tool="get_current_datetime", part=part)


@means("HassGetWeather")
def weather(slots: Slots, context: Context) -> Node:
    """Of the entity that is named; else of the gateway's own forecast."""
    if "name" in slots.known:
        return Look(ask="about", which=slots.which(context))
    return Everyday(tool="get_weather")
