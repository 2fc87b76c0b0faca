"""Calls of Home Assistant's tools: the one that does what is wanted, those that put back what was before, and
what a call would touch, by which permission is judged."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from home_names.phrases import capital
from home_names.states import UNKNOWN
from home_names.wording import the, verb
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home_assistant import effects as ha
from voice_gateway.integrations.home_assistant import wording
from voice_gateway.integrations.home_assistant.effects import (
    OWN_DOMAINS,
    TOOLS,
    Effect,
    Seen,
    Verdict,
    action_of,
    effect_of,
    tool_for,
)
from voice_gateway.integrations.home_assistant.entities import (
    AWAY,
    EVERY_NAME,
    SCENE,
    TODO,
    address,
    device_of,
    in_area,
    matching,
    name_of,
    normal,
    percent_of,
    room_of,
    text_of,
    texts_of,
)
from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.integrations.source import Act, degrees_in
from voice_gateway.tools.permission.target import LOOK, Reach
from voice_gateway.turn import OutcomeStatus

# Which of a tool's arguments it has: Home Assistant ignores others, our own check does not.
Takes = Callable[[str], frozenset[str]]
ToolCall = tuple[str, dict[str, Any]]  # the tool by Home Assistant's name, and its arguments

_LEVELED: Final = {
    "light": ha.LIGHT_SET,
    "cover": ha.SET_POSITION,
    "valve": ha.SET_POSITION,
    "fan": ha.SET_SPEED,
    "media_player": ha.SET_VOLUME,
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
    if wish.level is not None and (leveled := _LEVELED.get(entity.domain)):
        return leveled, {TOOLS[leveled].value: wish.level, **colour}
    if action in ("colour", "kelvin"):
        return ha.LIGHT_SET, colour
    if action == "dim":
        return f"To dim the {name_of(entity)} a level from 0 to 100 percent is needed."
    tool = ha.SEARCH if action == "search" else tool_for(action, entity.domain)
    if tool is None:
        return "Home Assistant offers no way to do that."
    return tool, {TOOLS[tool].value: wish.text} if wish.text else {}


def _warmth(entity: Entity, wish: Act, degrees: str) -> ToolCall | str:
    """Home Assistant has no tool for a mode but off, and on as it was."""
    if wish.temperature is not None:
        warmth = degrees_in(degrees.removeprefix("°"), wish.temperature, wish.unit)
        return ha.SET_TEMPERATURE, {"temperature": round(warmth, 1)}
    if wish.mode in ("off", "on", "", entity.state):
        return ha.TURN_OFF if wish.mode == "off" else ha.TURN_ON, {}
    name = name_of(entity)
    return f"Home Assistant offers no way to set the {name} to {wish.mode}; it can be turned on and off."


# --- undo


_NOT_BACK: Final = frozenset({"stop", "next", "previous", "add", "complete", "mute", "unmute"})
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
        if verdict.outcome in _MAY_HAVE_HAPPENED or not (
            now is None or now == was or verdict.seen is Seen.JAMMED
        ):
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
    steps = [] if effect.action in _NOT_BACK else _steps_back(effect)
    calls = [
        {"name": tool, "args": {**_taken(where, tool, takes), **values}}
        for tool, values in steps
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
        return [(_LEVELED[domain], {TOOLS[_LEVELED[domain]].value: percent})]
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


# --- what a call touches: too much rather than too little

_RISKIEST_FIRST: Final = ("unlock", "open", "dim", "on", "off", "lock", "close")
_LIST_TOOLS: Final = frozenset({ha.ADD_ITEM, ha.COMPLETE_ITEM})
_UNLISTED: Final = frozenset({"script", "calendar"})  # exposed, and in no list
_PLACES: Final = ("name", "area", "floor", "domain", "device_class")


def targets(
    tool: str, args: Mapping[str, Any], entities: Sequence[Entity], *, scripts: bool
) -> tuple[Entity, ...] | None:
    """The entities that a call is for, as Home Assistant would find them; None where that is unknown.

    `scripts`: there are some, and what an area or a name reaches may be one of them.
    """
    domains = TOOLS[tool].domains if tool in TOOLS else None
    if domains is None or text_of(args, "floor") or not isinstance(args.get("floor", ""), str):
        return None
    given = frozenset(texts_of(args, "domain"))
    if given & _UNLISTED or not (domains or any(args.get(key) for key in _PLACES)):
        return None
    area, name = text_of(args, "area"), text_of(args, "name")
    if area and not any(in_area(entity, area) for entity in entities):
        return None
    limited = bool(domains or given or args.get("device_class"))  # to what is in the list
    everything = not name or args.get("name") == EVERY_NAME
    if everything and scripts and not limited:
        return None  # a script may be in that area too
    return matching(entities, args, domains if tool in OWN_DOMAINS else frozenset()) or None


def reach(
    tool: str, args: Mapping[str, Any], entities: Sequence[Entity], source: str, scripts: Mapping[str, str]
) -> Reach | None:
    """`scripts` are the tools that start one, with the name of each."""
    if tool in ha.LOOKS:
        return Reach(action=LOOK)
    if tool in scripts:
        return Reach(action="on", said=scripts[tool], scene=_started_by(scripts[tool], args), unseen=True)
    if tool == ha.CANCEL_TIMERS:
        return Reach(action="stop")
    if tool in _LIST_TOOLS:
        return Reach(action="list", said=text_of(args, "name"))
    # Which areas are on a floor no list tells: whatever fits on any of them.
    anywhere = {key: value for key, value in args.items() if key != "floor" or not value}
    meant = targets(tool, anywhere, entities, scripts=bool(scripts))
    if meant is None:
        return None
    touched = [entity for entity in meant if effect_of(tool, args, entity)] or meant
    actions = {action_of(tool, entity.domain, args) for entity in touched}
    action = next((risky for risky in _RISKIEST_FIRST if risky in actions), next(iter(actions)))
    scene = " and ".join(_called(entity, entities) for entity in touched if entity.domain == SCENE)
    devices = tuple(device_of(entity, source) for entity in touched if entity.domain not in (SCENE, TODO))
    return Reach(devices, action, _how(tool, args), _said(args), scene, bool(scene))


def _started_by(script: str, args: Mapping[str, Any]) -> str:
    """With its arguments: a yes to one value is none to another."""
    values = ", ".join(f"{key} {args[key]}" for key in sorted(args))
    return f"{script} with {values}" if values else script


def _called(scene: Entity, entities: Sequence[Entity]) -> str:
    """Alone by its name; with its area where another scene has that name, too."""
    name = name_of(scene)
    scenes = [normal(name_of(entity)) for entity in entities if entity.domain == SCENE]
    return name if scenes.count(normal(name)) == 1 else f"{room_of(scene)} {name}".strip()


def _said(args: Mapping[str, Any]) -> str:
    named = [text_of(args, key) for key in ("name", "area", "floor")]
    return " ".join(filter(None, named)) or " ".join(texts_of(args, "domain"))


def _how(tool: str, args: Mapping[str, Any]) -> str:
    """The value as a person says it."""
    for key in ("brightness", "position", "percentage", "volume_level"):
        if args.get(key) is not None:
            return f"to {args[key]} percent"
    if args.get("color"):
        return f"to {re.sub(r'[^a-z ]', '', str(args['color']).lower())[:30]}"
    if args.get("temperature") is not None:
        return f"to {args['temperature']} {'kelvin' if tool == ha.LIGHT_SET else 'degrees'}"
    return ""
