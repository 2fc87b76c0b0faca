"""What a call of Home Assistant's tools would touch: permission is judged by this.

The answer is too much rather than too little. None means unknown: an entity's id, a script by its name, an
area or a name that is not in the list.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from voice_gateway.integrations.home_assistant import effects as ha
from voice_gateway.integrations.home_assistant.effects import DOMAINS, OWN_DOMAINS, action_of, effect_of
from voice_gateway.integrations.home_assistant.entities import (
    EVERY_NAME,
    SCENE,
    TODO,
    device_of,
    in_area,
    matching,
    name_of,
    normal,
    room_of,
    text_of,
    texts_of,
)
from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.tools.permission.target import LOOK, Reach

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
    domains = DOMAINS.get(tool)
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
        return Reach(action="on", said=scripts[tool], scene=_started(scripts[tool], args), unseen=True)
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


def _started(script: str, args: Mapping[str, Any]) -> str:
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
