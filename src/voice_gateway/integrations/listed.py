"""Lists of devices in the one shape of every home: devices, scenes, and the part about one device."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from home_names.kinds import mover_kind
from home_names.names import name_key
from home_names.phrases import capital
from home_names.wording import is_state, the
from voice_gateway.integrations.device import Device
from voice_gateway.turn import ToolOutcome

# What a part of a state measures, where the source does not say.
_LABELS = (
    (re.compile(r"^(?:now )?-?[\d.]+ ?°"), "temperature"),
    (re.compile(r"% ?(?:rh|humid)", re.IGNORECASE), "humidity"),
    (re.compile(r"[\d.] ?k?W$"), "power"),
    (re.compile(r"% ?batter", re.IGNORECASE), "battery"),
    (re.compile(r"[\d.] ?(?:lx|lux)$", re.IGNORECASE), "light"),
    (re.compile(r"^(?:no )?motion"), "motion"),
)


def read_devices(structured: object, source: str = "") -> list[Device]:
    """The devices on one page of a list; unreadable entries are left out."""
    listed = structured.get("devices") if isinstance(structured, Mapping) else None
    devices = (_device(raw, source) for raw in listed) if isinstance(listed, list) else ()
    return [device for device in devices if device is not None]


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
        range=_range(raw.get("range")),
        unlocks=raw.get("unlocks") is not False,
        floor=str(raw.get("floor") or "").strip(),
    )


def _range(raw: Any) -> tuple[float, float, str] | None:
    known = isinstance(raw, list) and len(raw) == 3 and all(isinstance(end, int | float) for end in raw[:2])
    return (raw[0], raw[1], str(raw[2])) if known else None


def _texts(raw: Any) -> tuple[str, ...]:
    return tuple(text.strip() for text in raw if isinstance(text, str)) if isinstance(raw, list) else ()


def told_of(outcome: ToolOutcome, device: Device | None, room: str = "") -> ToolOutcome:
    """A look at a whole home as one at a single device or room, for homes that have no other. An outcome
    without a list is returned as it is."""
    if not outcome.ok or "devices" not in outcome.facts or (device is None and not room):
        return outcome
    known = read_devices(outcome.structured, device.source if device else "")
    if device is None:
        inside = [other for other in known if name_key(other.room) == name_key(room) and other.available]
        readings = [reading for other in inside for reading in _readings(other)]
        return replace(outcome, structured={"room": room, "readings": readings})
    now = next((other for other in known if other.key == device.key), None)
    facts: dict[str, Any]
    if now is None:
        text, facts = f"{capital(the(device))} is not there any more.", {"outcome": "not_found"}
    elif not now.available:
        text, facts = f"{capital(the(now, room=True))} does not answer.", {"outcome": "unreachable"}
    else:
        text = is_state(now, now.state)
        facts = {"state": now.state, "readings": _readings(now)}
    facts = {"device": device.name, "room": device.room, **facts}
    return replace(outcome, text=text or outcome.text, structured=facts)


def _readings(device: Device) -> list[dict[str, str]]:
    """Labelled by the state, else by the name: "Hall Battery" is a battery."""
    readings: list[dict[str, str]] = []
    for part in device.state.split(", "):
        if not any(char.isdigit() for char in part) and "motion" not in part:
            continue
        label = next((label for pattern, label in _LABELS if pattern.search(part)), "")
        text = re.sub(rf" {label}$", "", part.removeprefix("now ")) if label else part
        readings.append({"label": label or device.name, "text": text, "device": device.name})
    return readings
