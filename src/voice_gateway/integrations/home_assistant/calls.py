"""What is wanted of a device as a call of Home Assistant's tools: by its name, its area and its domain."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from home_words.states import UNKNOWN
from home_words.wording import the
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home_assistant import effects as ha
from voice_gateway.integrations.home_assistant import wording
from voice_gateway.integrations.home_assistant.before import Takes
from voice_gateway.integrations.home_assistant.devices import name_of, room_of
from voice_gateway.integrations.home_assistant.errors import not_offered
from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.integrations.home_assistant.names import address
from voice_gateway.integrations.source import Act

Made = tuple[str, dict[str, Any]]  # the tool by Home Assistant's name, and its arguments

_TOOLS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("on", "open", "lock"), ha.TURN_ON),
    **dict.fromkeys(("off", "close", "unlock"), ha.TURN_OFF),
    "stop": ha.STOP,
    "colour": ha.LIGHT_SET,
    "kelvin": ha.LIGHT_SET,
    "speed": ha.SET_SPEED,
    "volume": ha.SET_VOLUME,
    "pause": ha.PAUSE,
    "play": ha.PLAY,
    "next": ha.NEXT,
    "previous": ha.PREVIOUS,
    "mute": ha.MUTE,
    "unmute": ha.UNMUTE,
    "start": ha.VACUUM_START,
    "dock": ha.VACUUM_DOCK,
    "set": ha.SET_TEMPERATURE,
}
_LEVELED: Final = {
    "light": (ha.LIGHT_SET, "brightness"),
    "cover": (ha.SET_POSITION, "position"),
    "valve": (ha.SET_POSITION, "position"),
    "fan": (ha.SET_SPEED, "percentage"),
    "media_player": (ha.SET_VOLUME, "volume_level"),
}
_COVERS: Final = frozenset({"cover", "valve"})


def make_call(
    device: Device,
    wish: Act,
    entities: Sequence[Entity],
    takes: Takes,
    *,
    degrees: str = "°C",
    state: str = "",
) -> Made | str:
    """The call, or a sentence why there is none. `state` is how the device is, for a toggle."""
    entity = find(device, entities)
    if entity is None:
        return wording.gone(device)
    action = _opposite(device, state) if wish.action == "toggle" else wish.action
    if not action:
        return f"It is not known whether {the(device)} is on or off."
    made = _tool_and_values(entity, wish, action, degrees)
    if isinstance(made, str):
        return made
    tool, values = made
    if not takes(tool):
        return not_offered(tool)
    where = address(entity, entities)
    if where is None:
        return wording.twins(device)
    return tool, {**{key: where[key] for key in where if key in takes(tool)}, **values}


def find(device: Device, entities: Sequence[Entity]) -> Entity | None:
    """The entity that a device was made of; of twins the one at its place."""
    same = [
        one
        for one in entities
        if one.domain == device.domain and name_of(one) == device.name and room_of(one) == device.room
    ]
    return same[device.endpoint] if device.endpoint < len(same) else None


def _opposite(device: Device, state: str) -> str:
    now = (state or device.state).casefold()
    if not now or now == UNKNOWN:
        return ""
    if device.domain in _COVERS:
        return "open" if now == "closed" else "close"
    if device.domain == "lock":
        return "unlock" if now == "locked" else "lock"
    return "on" if now.startswith("off") or now == "standby" else "off"


def _tool_and_values(entity: Entity, wish: Act, action: str, degrees: str) -> Made | str:
    if action == "set":
        return _warmth(entity, wish, degrees)
    if (leveled := _LEVELED.get(entity.domain)) is not None and wish.level is not None:
        tool, key = leveled
        return tool, {key: wish.level, **_colour(wish)}
    if action in ("colour", "kelvin"):
        return ha.LIGHT_SET, _colour(wish)
    if action == "dim":
        return f"To dim {the_name(entity)} a level from 0 to 100 percent is needed."
    return (_TOOLS[action], {}) if action in _TOOLS else "Home Assistant offers no way to do that."


def _colour(wish: Act) -> dict[str, Any]:
    if wish.colour:
        return {"color": wish.colour}
    return {} if wish.kelvin is None else {"temperature": wish.kelvin}


def the_name(entity: Entity) -> str:
    return f"the {name_of(entity)}"


def _warmth(entity: Entity, wish: Act, degrees: str) -> Made | str:
    """Home Assistant has no tool for a mode but off, and on as it was."""
    if wish.temperature is not None:
        warmth = wish.temperature
        if wish.unit == "F" and degrees == "°C":
            warmth = round((warmth - 32) / 1.8, 1)
        elif wish.unit == "C" and degrees == "°F":
            warmth = round(warmth * 1.8 + 32, 1)
        return ha.SET_TEMPERATURE, {"temperature": warmth}
    if wish.mode == "off":
        return ha.TURN_OFF, {}
    if wish.mode in ("on", ""):
        return ha.TURN_ON, {}
    if wish.mode == entity.state:
        return ha.TURN_ON, {}
    return (
        f"Home Assistant offers no way to set {the_name(entity)} to {wish.mode}; it can be turned on and off."
    )
