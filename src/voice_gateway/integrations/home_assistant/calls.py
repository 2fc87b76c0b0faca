"""Calls of Home Assistant's tools: the one that does what is wanted, those that put back what was before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from home_words.phrases import capital
from home_words.states import UNKNOWN
from home_words.wording import the, verb
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home_assistant import effects as ha
from voice_gateway.integrations.home_assistant import wording
from voice_gateway.integrations.home_assistant.effects import Effect
from voice_gateway.integrations.home_assistant.entities import (
    AWAY,
    SCENE,
    address,
    device_of,
    name_of,
    percent_of,
    room_of,
)
from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.integrations.home_assistant.wording import not_offered
from voice_gateway.integrations.source import Act

# Which of a tool's arguments it has: Home Assistant ignores others, our own check does not.
Takes = Callable[[str], frozenset[str]]
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


Step = tuple[str, dict[str, Any]]  # a tool, and what it sets


@dataclass(frozen=True, slots=True)
class Before:
    """`calls` put back what is known, in this order; `undo` says what stays as it is, and why."""

    calls: tuple[dict[str, Any], ...] = ()
    undo: str = ""


def before(effect: Effect, entities: Sequence[Entity], takes: Takes) -> Before:
    """`entities` are all there were when the call was made."""
    entity = effect.before
    where, device = address(entity, entities), device_of(entity, "")
    if entity.domain == SCENE:
        return Before(undo=f"What the scene {device.name} has changed is not known here.")
    if where is None or entity.state in AWAY:
        return Before(undo=f"It is not known how {the(device)} {verb(device, 'was')} before.")
    if reason := _REASONS.get(effect.action):
        return Before(undo=capital(reason.format(the(device))))
    calls = [
        {"name": tool, "args": {**{key: where[key] for key in where if key in takes(tool)}, **more}}
        for tool, more in _steps(effect)
        if takes(tool)
    ]
    if not calls:
        return Before(undo=capital(f"{the(device)} cannot be put back from here."))
    unseen = effect.action in ("colour", "kelvin")
    return Before(tuple(calls), f"The colour of {the(device)} cannot be put back." if unseen else "")


_REASONS: Final = {
    "stop": "{0} was moving, and where to is not known.",
    "next": "what {0} played before cannot be put back.",
    "previous": "what {0} played before cannot be put back.",
    "add": "it cannot be taken off {0} from here.",
    "complete": "it cannot be put back on {0} from here.",
    "mute": "whether {0} was silent before is not known.",
    "unmute": "whether {0} was silent before is not known.",
}


def _steps(effect: Effect) -> list[Step]:
    return _BY_DOMAIN.get(effect.before.domain, _switch)(effect)


def _switch(effect: Effect) -> list[Step]:
    return [(ha.TURN_ON if effect.before.state == "on" else ha.TURN_OFF, {})]


def _light(effect: Effect) -> list[Step]:
    percent = percent_of(effect.before)
    bright = effect.before.state == "on" and percent
    return [(ha.LIGHT_SET, {"brightness": percent})] if bright else _switch(effect)


def _cover(effect: Effect) -> list[Step]:
    was = effect.before
    position = was.number("current_position")
    if position is not None and was.state in ("open", "closed"):
        return [(ha.SET_POSITION, {"position": round(position)})]
    return [(ha.TURN_ON if was.state in ("open", "opening") else ha.TURN_OFF, {})]


def _lock(effect: Effect) -> list[Step]:
    return [(ha.TURN_ON if effect.before.state in ("locked", "locking") else ha.TURN_OFF, {})]


def _fan(effect: Effect) -> list[Step]:
    percent = percent_of(effect.before)
    turns = effect.before.state == "on" and percent
    return [(ha.SET_SPEED, {"percentage": percent})] if turns else _switch(effect)


def _vacuum(effect: Effect) -> list[Step]:
    return [(ha.VACUUM_START if effect.before.state == "cleaning" else ha.VACUUM_DOCK, {})]


def _climate(effect: Effect) -> list[Step]:
    """Off is off; which of several modes it had, nothing here can set."""
    was = effect.before
    if effect.action == "set":
        degrees = was.number("temperature")
        back: list[Step] = [(ha.SET_TEMPERATURE, {"temperature": degrees})] if degrees is not None else []
        return [*back, (ha.TURN_OFF, {})] if was.state == "off" else back
    return [(ha.TURN_OFF if was.state == "off" else ha.TURN_ON, {})]


def _player(effect: Effect) -> list[Step]:
    was = effect.before
    if effect.action == "volume":
        volume = was.number("volume_level")
        return [(ha.SET_VOLUME, {"volume_level": round(volume * 100)})] if volume is not None else []
    if effect.action in ("on", "off"):
        return [(ha.TURN_OFF if was.state in ("off", "standby") else ha.TURN_ON, {})]
    return [(ha.PLAY if was.state in ("playing", "buffering") else ha.PAUSE, {})]


_BY_DOMAIN: Final[dict[str, Callable[[Effect], list[Step]]]] = {
    "light": _light,
    "cover": _cover,
    "valve": _cover,
    "lock": _lock,
    "climate": _climate,
    "fan": _fan,
    "media_player": _player,
    "vacuum": _vacuum,
}
