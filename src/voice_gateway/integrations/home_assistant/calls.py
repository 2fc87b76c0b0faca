"""Calls of Home Assistant's tools: the one that does what is wanted, those that put back what was before."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from home_names.phrases import capital
from home_names.states import UNKNOWN
from home_names.wording import the, verb
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home_assistant import effects as ha
from voice_gateway.integrations.home_assistant import wording
from voice_gateway.integrations.home_assistant.confirm import Verdict
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
from voice_gateway.integrations.source import Act
from voice_gateway.turn import OutcomeStatus

# Which of a tool's arguments it has: Home Assistant ignores others, our own check does not.
Takes = Callable[[str], frozenset[str]]
ToolCall = tuple[str, dict[str, Any]]  # the tool by Home Assistant's name, and its arguments

_TOOLS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("on", "open", "lock"), ha.TURN_ON),
    **dict.fromkeys(("off", "close", "unlock"), ha.TURN_OFF),
    "stop": ha.STOP,
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
    "search": ha.SEARCH,
    "clean": ha.VACUUM_CLEAN,
}
_MOWER: Final = {"start": ha.MOW, "dock": ha.MOWER_DOCK}
_LEVELED: Final = {
    "light": (ha.LIGHT_SET, "brightness"),
    "cover": (ha.SET_POSITION, "position"),
    "valve": (ha.SET_POSITION, "position"),
    "fan": (ha.SET_SPEED, "percentage"),
    "media_player": (ha.SET_VOLUME, "volume_level"),
}


def make_call(
    device: Device,
    wish: Act,
    entities: Sequence[Entity],
    takes: Takes,
    *,
    degrees: str = "°C",
    state: str = "",
) -> ToolCall | str:
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
        return wording.not_offered(tool)
    where = address(entity, entities)
    if where is None:
        return wording.twins(device)
    return tool, {**_taken(where, tool, takes), **values}


def find(device: Device, entities: Sequence[Entity]) -> Entity | None:
    """The entity that a device was made of; of twins the one at its place."""
    place = (device.domain, device.name, device.room)
    same = [entity for entity in entities if (entity.domain, name_of(entity), room_of(entity)) == place]
    return same[device.endpoint] if device.endpoint < len(same) else None


def _taken(where: Mapping[str, Any], tool: str, takes: Takes) -> dict[str, Any]:
    return {key: value for key, value in where.items() if key in takes(tool)}


def _opposite(device: Device, state: str) -> str:
    now = (state or device.state).casefold()
    if not now or now == UNKNOWN:
        return ""
    if device.domain in ("cover", "valve"):
        return "open" if now == "closed" else "close"
    if device.domain == "lock":
        return "unlock" if now == "locked" else "lock"
    return "on" if now.startswith("off") or now == "standby" else "off"


def _tool_and_values(entity: Entity, wish: Act, action: str, degrees: str) -> ToolCall | str:
    if action == "set":
        return _warmth(entity, wish, degrees)
    colour: dict[str, Any] = {"color": wish.colour} if wish.colour else {}
    if not wish.colour and wish.kelvin is not None:
        colour = {"temperature": wish.kelvin}
    if (leveled := _LEVELED.get(entity.domain)) is not None and wish.level is not None:
        tool, key = leveled
        return tool, {key: wish.level, **colour}
    if action in ("colour", "kelvin"):
        return ha.LIGHT_SET, colour
    if wish.text:
        return _TOOLS[action], {"search_query" if action == "search" else "area": wish.text}
    if action == "dim":
        return f"To dim the {name_of(entity)} a level from 0 to 100 percent is needed."
    tools = {**_TOOLS, **_MOWER} if entity.domain == "lawn_mower" else _TOOLS
    return (tools[action], {}) if action in tools else "Home Assistant offers no way to do that."


def _warmth(entity: Entity, wish: Act, degrees: str) -> ToolCall | str:
    """Home Assistant has no tool for a mode but off, and on as it was."""
    if (warmth := wish.temperature) is not None:
        if wish.unit == "F" and degrees == "°C":
            warmth = round((warmth - 32) / 1.8, 1)
        elif wish.unit == "C" and degrees == "°F":
            warmth = round(warmth * 1.8 + 32, 1)
        return ha.SET_TEMPERATURE, {"temperature": warmth}
    if wish.mode in ("off", "on", "", entity.state):
        return ha.TURN_OFF if wish.mode == "off" else ha.TURN_ON, {}
    name = name_of(entity)
    return f"Home Assistant offers no way to set the {name} to {wish.mode}; it can be turned on and off."


# --- undo


_NOT_BACK: Final = {
    "stop": "{0} was moving, and where to is not known.",
    "next": "what {0} played before cannot be put back.",
    "previous": "what {0} played before cannot be put back.",
    "add": "it cannot be taken off {0} from here.",
    "complete": "it cannot be put back on {0} from here.",
    "mute": "whether {0} was silent before is not known.",
    "unmute": "whether {0} was silent before is not known.",
}
_MAY_HAVE_HAPPENED: Final = frozenset(
    {OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING, OutcomeStatus.UNCONFIRMED}
)


def undo_of(takes: Takes, entities: Sequence[Entity], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Facts for an undo: `before` has the calls that put back what changed, or may have; `undo` says what
    stays as it is, and why. `entities` are all there were when the call was made."""
    calls: list[dict[str, Any]] = []
    reasons: list[str] = []
    for verdict in verdicts:
        was, now = verdict.effect.before, verdict.now
        if verdict.outcome in _MAY_HAVE_HAPPENED or not (now is None or now == was or verdict.jammed):
            back, reason = _calls_back(verdict.effect, entities, takes)
            calls += back
            reasons += [reason] if reason else []
    undo = {"undo": " ".join(dict.fromkeys(reasons))} if reasons else {}
    return {"before": calls, **undo} if calls or undo else {}


def _calls_back(effect: Effect, entities: Sequence[Entity], takes: Takes) -> tuple[list[dict[str, Any]], str]:
    entity = effect.before
    where, device = address(entity, entities), device_of(entity, "")
    if entity.domain == SCENE:
        return [], f"What the scene {device.name} has changed is not known here."
    if where is None or entity.state in AWAY:
        return [], f"It is not known how {the(device)} {verb(device, 'was')} before."
    if reason := _NOT_BACK.get(effect.action):
        return [], capital(reason.format(the(device)))
    calls = [
        {"name": tool, "args": {**_taken(where, tool, takes), **values}}
        for tool, values in _steps_back(effect)
        if takes(tool)
    ]
    if not calls:
        return [], capital(f"{the(device)} cannot be put back from here.")
    unseen = effect.action in ("colour", "kelvin")
    return calls, f"The colour of {the(device)} cannot be put back." if unseen else ""


def _steps_back(effect: Effect) -> list[ToolCall]:
    was, domain, percent = effect.before, effect.before.domain, percent_of(effect.before)
    state = was.state
    if domain in ("light", "fan") and state == "on" and percent:
        tool, key = _LEVELED[domain]
        return [(tool, {key: percent})]
    if domain in ("cover", "valve"):
        position = was.number("current_position")
        if position is not None and state in ("open", "closed"):
            return [(ha.SET_POSITION, {"position": round(position)})]
    if domain == "climate" and effect.action == "set":  # which of several modes it had, no tool sets
        degrees = was.number("temperature")
        back: list[ToolCall] = [(ha.SET_TEMPERATURE, {"temperature": degrees})] if degrees is not None else []
        return [*back, (ha.TURN_OFF, {})] if state == "off" else back
    if domain == "media_player" and effect.action == "volume":
        volume = was.number("volume_level")
        return [(ha.SET_VOLUME, {"volume_level": round(volume * 100)})] if volume is not None else []
    if domain == "media_player" and effect.action not in ("on", "off"):
        return [(ha.PLAY if state in ("playing", "buffering") else ha.PAUSE, {})]
    on, off = (ha.VACUUM_START, ha.VACUUM_DOCK) if domain == "vacuum" else (ha.TURN_ON, ha.TURN_OFF)
    return [(on if _was_on(domain, state) else off, {})]


def _was_on(domain: str, state: str) -> bool:
    if domain in ("climate", "media_player"):
        return state not in ("off", "standby")
    return state in {
        "cover": ("open", "opening"),
        "valve": ("open", "opening"),
        "lock": ("locked", "locking"),
        "vacuum": ("cleaning",),
    }.get(domain, ("on",))
