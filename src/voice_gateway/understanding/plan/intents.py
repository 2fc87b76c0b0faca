"""Sentences of home-assistant-intents → our own nodes: one function for each intent, registered with `means`.

A subject registers its intents beside its planner. Every slot must be taken, else the reading is refused.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from voice_gateway.understanding.nodes import Command, Everyday, Intent, Item, Name, Node, Place, Value, Which
from voice_gateway.understanding.plan import Context, Plan, Refused, plan, plans

# Which of our kinds of device a domain of Home Assistant is.
KINDS: Final[dict[str, frozenset[str]]] = {
    "light": frozenset({"light", "dimmer"}),
    "switch": frozenset({"switch", "plug"}),
    "input_boolean": frozenset({"switch"}),
    "fan": frozenset({"fan"}),
    "cover": frozenset({"blind", "garage_door"}),
    "valve": frozenset({"valve"}),
    "lock": frozenset({"lock"}),
    "climate": frozenset({"thermostat"}),
    "media_player": frozenset({"media_player"}),
    "vacuum": frozenset({"vacuum"}),
    "sensor": frozenset({"sensor"}),
    "binary_sensor": frozenset({"sensor"}),
}
# Words of our list `kind` for their device classes and domains.
WORDS: Final = {
    "cover": "blind", "awning": "blind", "curtain": "blind", "shade": "blind", "shutter": "blind",
    "climate": "thermostat", "switch": "switch",
}  # fmt: skip


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
        quant = "all" if place else ""
        return Which(item=(Item(kind=word, plural=True, definite=True, quant=quant, place=place),))

    def place(self, context: Context) -> tuple[Place, ...]:
        if self.here and not context.here:
            raise Refused("which room, nobody knows")
        if floor := self.take("floor"):
            return (Place(floor=str(floor)),)
        area = self.take("area")
        if area:
            return (Place(room=(str(area),)),)
        return (Place(here=True),) if self.here else ()

    def _check_domain(self, name: Name, context: Context) -> None:
        """A name of another sort of device is no reading of this sentence."""
        kinds = frozenset[str]().union(*(KINDS.get(one, frozenset()) for one in self.domains))
        found = [device for key in name.keys if (device := context.home.find(key)) is not None]
        light = "light" in self.domains
        if self.domains and not any(one.kind in kinds or (light and one.is_light) for one in found):
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
        return Command(do="scene", scene=str(slots.take("name")), place=slots.place(context))
    moves = "device_class" in slots.known or slots.known.get("domain") in ("cover", "valve")
    do = "on" if slots.intent == "HassTurnOn" else "off"
    if moves or (slots.domains and set(slots.domains) <= {"cover", "valve"}):
        do = _MOVED[slots.intent]
    elif slots.domains == ("lock",) or slots.known.get("domain") == "lock":
        do = _LOCKED[slots.intent]
    return Command(do=do, which=slots.which(context))


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


_MEDIA: Final = {
    "HassMediaNext": "next", "HassMediaPrevious": "previous", "HassMediaPause": "pause",
    "HassMediaUnpause": "play", "HassMediaPlayerMute": "mute", "HassMediaPlayerUnmute": "unmute",
    "HassVacuumStart": "start", "HassVacuumReturnToBase": "dock",
}  # fmt: skip


@means(*_MEDIA)
def media(slots: Slots, context: Context) -> Node:
    kind = "vacuum" if slots.intent.startswith("HassVacuum") else "media_player"
    return Command(do=_MEDIA[slots.intent], which=slots.which(context, kind=kind))


@means("HassSetVolume")
def volume(slots: Slots, context: Context) -> Node:
    level = slots.take("volume_level")
    if not slots.known.keys() & {"name", "area", "floor"}:
        return Everyday(tool="control_speaker_volume", action="set", level=level)
    return Command(do="set", which=slots.which(context, kind="media_player"), value=Value(percent=level))
