"""Sentences of home-assistant-intents → our own nodes: one function for each intent, registered with `means`.

A subject registers its intents beside its planner. Every slot must be taken, else the reading is refused.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
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
WORDS: Final = {"cover": "blind", "climate": "thermostat", "gate": "garage"}


def of_domain(device: Device, domains: tuple[str, ...]) -> bool:
    """Whether a device is of one of these domains of Home Assistant, or would be there."""
    if "light" in domains and device.is_light:
        return True
    if device.domain:
        return device.domain in domains
    return any(device.kind in KINDS.get(domain, (domain,)) for domain in domains)


@dataclass
class Slots:
    """The slots of a sentence. A planner takes each; what is left over refuses the reading."""

    known: dict[str, Any]
    domains: tuple[str, ...]
    here: bool
    intent: str
    response: str = ""

    @property
    def is_placed(self) -> bool:
        return bool(self.known.keys() & {"area", "floor"})

    def take(self, name: str, default: Any = None) -> Any:
        return self.known.pop(name, default)

    def which(self, context: Context, *, kind: str = "") -> Which:
        """The device that is named, or all of a kind in a place."""
        place, name = self.place(context), self.take("name")
        if isinstance(name, Name):
            devices = [device for key in name.keys if (device := context.home.find(key)) is not None]
            if self.domains and not any(of_domain(device, self.domains) for device in devices):
                raise Refused("the name is of another sort of device")
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
        if area := self.take("area"):
            return (Place(room=(str(area),)),)
        return (Place(here=True),) if self.here else ()


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

# The acts of "turn on" and "turn off" by domain.
_TURNED: Final = {"cover": ("open", "close"), "valve": ("open", "close"), "lock": ("lock", "unlock")}
# Intent: the kind where no device is named, what is set, and the value that each slot is.
_SET: Final = {
    "HassLightSet": ("light", "light", {"brightness": "percent", "color": "colour", "temperature": "kelvin"}),
    "HassSetPosition": ("blind", "", {"position": "percent"}),
    "HassFanSetSpeed": ("fan", "", {"percentage": "percent"}),
    "HassClimateSetTemperature": ("thermostat", "heat", {"temperature": "degrees"}),
}
_COOL, _WARM = 12, 28  # percent that could be degrees, in a room with a heating
_MACHINES: Final = {
    "HassMediaNext": "next", "HassMediaPrevious": "previous", "HassMediaPause": "pause",
    "HassMediaUnpause": "play", "HassMediaPlayerMute": "mute", "HassMediaPlayerUnmute": "unmute",
    "HassVacuumStart": "start", "HassVacuumReturnToBase": "dock", "HassVacuumCleanArea": "clean",
    "HassLawnMowerStartMowing": "start", "HassLawnMowerDock": "dock", "HassMediaSearchAndPlay": "search",
}  # fmt: skip
_PLAYED: Final = {"HassMedi": "player", "HassVacu": "vacuum", "HassLawn": "mower"}


@means("HassTurnOn", "HassTurnOff")
def turn(slots: Slots, context: Context) -> Node:
    domains = {*slots.domains, *filter(None, [slots.known.get("domain")])}
    if domains and domains <= {"scene", "script"}:
        name, area = str(slots.take("name")), str(slots.take("area", ""))
        whole = context.home.scenes.get(f"{area} {name}".casefold().strip(), "")
        placed = whole or name.casefold().startswith(area.casefold())  # else it is asked about
        return Command(do="scene", scene=whole or name, bare=not placed)
    ways = {_TURNED.get(domain, ("on", "off")) for domain in domains}
    if "device_class" in slots.known:
        ways = {_TURNED["cover"]}
    do = ways.pop() if len(ways) == 1 else ("on", "off")
    return Command(do=do[slots.intent == "HassTurnOff"], which=slots.which(context))


@means(*_SET)
def setting(slots: Slots, context: Context) -> Node:
    kind, of, fields = _SET[slots.intent]
    if _may_be_degrees(slots, context):  # "set the living room to 22"
        room, level = str(slots.take("area")), float(slots.take("brightness"))
        slots.known.pop("domain", None)
        return Command(do="set", which=Which(item=(Item(room=room, alone=True),)), value=Value(number=level))
    values = {field: value for slot, field in fields.items() if (value := slots.take(slot)) is not None}
    if "colour" in values:
        values["colour"] = str(values["colour"]).replace(" ", "")
    return Command(do="set", of=of, which=slots.which(context, kind=kind), value=Value(**values))


def _may_be_degrees(slots: Slots, context: Context) -> bool:
    """Whether a level is said of a room with a heating, without a unit and without a word for lights."""
    level, room = slots.known.get("brightness"), str(slots.known.get("area", ""))
    if level is None or not _COOL <= float(level) <= _WARM or context.reader is None:
        return False
    language, words = context.reader.language, context.reader.tokens(context.raw).words
    plain = language.group("units", "matters").isdisjoint(words)
    lights = any((word,) in language.lists[kinds] for word in words for kinds in ("kind", "kinds"))
    return plain and not lights and any(one.kind == "thermostat" for one in context.home.in_room(room))


@means("HassClimateSetFanMode")
def fan_mode(slots: Slots, context: Context) -> Node:
    raise Refused("no home has a tool for that", Say("cannot.fan_mode"))


@means(*_MACHINES)
def machine(slots: Slots, context: Context) -> Node:
    """The command of a player, a vacuum or a mower: the named one, else the one here or the only one."""
    do, of, text = _MACHINES[slots.intent], _PLAYED[slots.intent[:8]], ""
    if do == "search":
        text = f"{slots.take('media_class', '')} {slots.take('search_query', '')}".replace("_", " ").strip()
        if any(text.endswith(f" {name}") for name in (*context.home.rooms, *context.home.spoken)):
            raise Refused("where it shall play is a part of what shall play")
    if do == "clean" or (of == "vacuum" and do == "start" and "floor" in slots.known):
        rooms = Resolver(context.home, context.here).places(slots.place(context))
        if isinstance(rooms, Unknown) or len(rooms) != 1:
            raise Refused("more than one room to clean", Say("cannot.clean_floor"))
        do, text, slots.here = "clean", rooms[0], False
    if "name" in slots.known:
        return Command(do=do, which=slots.which(context), text=text)
    if do in ("mute", "unmute") and not slots.is_placed:
        return Everyday(tool="control_speaker_volume", action=do)
    return Command(do=do, of=of, place=slots.place(context) if slots.is_placed else (), text=text)


@means("HassSetVolume", "HassSetVolumeRelative")
def volume(slots: Slots, context: Context) -> Node:
    """The volume of the named player, else of the gateway's own speaker."""
    level, step = slots.take("volume_level"), slots.take("volume_step")
    action = "set" if step is None else str(step)
    if step not in (None, "up", "down"):
        level, action = abs(float(step)), "up" if float(step) > 0 else "down"
    if not (slots.is_placed or "name" in slots.known):
        return Everyday(tool="control_speaker_volume", action=action, level=level)
    which = slots.which(context, kind="media_player")
    if action == "set":
        return Command(do="set", of="volume", which=which, value=Value(percent=level))
    amount, way = None if level is None else Amount(percent=level), 1.0 if action == "up" else -1.0
    return Command(do="change", way=way, of="volume", which=which, amount=amount)


@means("HassGetWeather")
def weather(slots: Slots, context: Context) -> Node:
    """A look at the named weather entity, else the gateway's own forecast."""
    if "name" in slots.known:
        return Look(ask="about", which=slots.which(context))
    return Everyday(tool="get_weather")


# --- what needs no device

_FIELDS: Final = {"message": "message", "item": "items", "name": "list"}
_ADD = Everyday(tool="manage_list", action="add", list="shopping")
_COMPLETE = Everyday(tool="manage_list", action="complete", list="shopping")
_EVERYDAY: Final = {
    "HassListAddItem": _ADD, "HassShoppingListAddItem": _ADD, "HassListCompleteItem": _COMPLETE,
    "HassShoppingListCompleteItem": _COMPLETE, "HassBroadcast": Everyday(tool="broadcast"),
    "HassListRemoveItem": Everyday(tool="manage_list", action="remove", list="shopping"),
    "HassNevermind": Everyday(tool="none", action="dismiss"),
    "HassCancelAllTimers": Everyday(tool="cancel_timer", name="all"),
    "HassGetCurrentTime": Everyday(tool="get_current_datetime"),
    "HassGetCurrentDate": Everyday(tool="get_current_datetime", part="date"),
}  # fmt: skip


@means(*_EVERYDAY)
def everyday(slots: Slots, context: Context) -> Node:
    if slots.here:
        raise Refused("it has no room")
    given = [(slot, field) for slot, field in _FIELDS.items() if slot in slots.known]
    values: dict[str, Any] = {field: str(slots.take(slot)) for slot, field in given}
    return replace(_EVERYDAY[slots.intent], **values)
