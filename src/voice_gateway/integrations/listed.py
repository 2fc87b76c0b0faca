"""Devices and scenes out of a list's structured result: one shape for every home."""

from collections.abc import Mapping
from typing import Any

from home_words.kinds import mover_kind
from voice_gateway.integrations.device import Device


def read_devices(structured: object, source: str = "") -> list[Device]:
    """What one page of a list says; entries that cannot be read are left out."""
    listed = structured.get("devices") if isinstance(structured, Mapping) else None
    found = (_device(raw, source) for raw in listed) if isinstance(listed, list) else ()
    return [device for device in found if device is not None]


def read_scenes(structured: object) -> list[str] | None:
    """The names of the scenes, where a server tells them; None where it does not."""
    listed = structured.get("scenes") if isinstance(structured, Mapping) else None
    return [name.strip() for name in listed if isinstance(name, str)] if isinstance(listed, list) else None


def _device(raw: object, source: str) -> Device | None:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("name"), str) or not raw["name"].strip():
        return None
    name, kind = raw["name"].strip(), str(raw.get("kind") or "other").strip().lower().replace(" ", "_")
    node = raw.get("nodeId")
    endpoint = raw.get("endpoint")
    state = raw.get("state")
    abilities = raw.get("abilities")
    return Device(
        name=name,
        room=str(raw.get("room") or "").strip(),
        kind=mover_kind(name) if kind == "blind" else kind,
        state=state.strip() if isinstance(state, str) else "",
        available=raw.get("available") is not False,
        node_id=node if isinstance(node, int) else None,
        endpoint=endpoint if isinstance(endpoint, int) else 0,
        aliases=_texts(raw.get("aliases")),
        room_aliases=_texts(raw.get("roomAliases")),
        source=source,
        domain=str(raw.get("domain") or ""),
        abilities=frozenset(_texts(abilities)) if isinstance(abilities, list) else None,
        tones=_texts(raw.get("tones")),
        own_tone=str(raw.get("ownTone") or "").strip(),
        events=_texts(raw.get("events")),
        watches=_texts(raw.get("watches")),
        readings=_texts(raw.get("readings")),
    )


def _texts(raw: Any) -> tuple[str, ...]:
    return tuple(one.strip() for one in raw if isinstance(one, str)) if isinstance(raw, list) else ()
