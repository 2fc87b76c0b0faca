"""What Home Assistant answers to a call, as far as it can be believed: whom it asked, what a list holds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.integrations.home_assistant.names import every_name, in_area, normal


@dataclass(frozen=True, slots=True)
class Asked:
    """An entity that Home Assistant says it asked."""

    name: str
    domain: str
    area: str = ""  # where the call was for one


def asked_of(text: str) -> tuple[Asked, ...]:
    """Those of a `success`; with an area or a floor that stands there too, and is none."""
    data = read(text).get("data")
    success = data.get("success") if isinstance(data, Mapping) else None
    found = [one for one in success if isinstance(one, Mapping)] if isinstance(success, list) else []
    areas = [str(one.get("name", "")) for one in found if one.get("type") == "area"]
    return tuple(
        Asked(str(one.get("name", "")), str(one.get("id", "")).partition(".")[0], areas[0] if areas else "")
        for one in found
        if one.get("type") == "entity"
    )


def read(text: str) -> Mapping[str, Any]:
    try:
        told = json.loads(text)
    except ValueError:
        return {}
    return told if isinstance(told, Mapping) else {}


def entities_of(asked: Asked, entities: Sequence[Entity]) -> tuple[Entity, ...]:
    """Those that it may be: of one name, on a floor, nobody can tell which."""
    return tuple(
        entity
        for entity in entities
        if entity.domain == asked.domain
        and normal(asked.name) in every_name(entity.names)
        and (not asked.area or in_area(entity, asked.area))
    )


def items_of(text: str) -> list[str] | None:
    """What stands on a list."""
    items = read(text).get("result")
    if not isinstance(items, list):
        return None
    return [str(one["summary"]) for one in items if isinstance(one, Mapping) and one.get("summary")]
