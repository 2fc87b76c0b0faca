"""A look at a whole home, told as one at a single device or a room: some homes have no other looks."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from home_words.names import name_key
from home_words.phrases import capital
from home_words.wording import is_state, the
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.listed import read_devices
from voice_gateway.turn import ToolOutcome

# What a part of a state is a measure of, where the source does not say.
_LABELS = (
    (re.compile(r"^(?:now )?-?[\d.]+ ?°"), "temperature"),
    (re.compile(r"% ?(?:rh|humid)", re.IGNORECASE), "humidity"),
    (re.compile(r"[\d.] ?k?W$"), "power"),
    (re.compile(r"% ?batter", re.IGNORECASE), "battery"),
    (re.compile(r"[\d.] ?(?:lx|lux)$", re.IGNORECASE), "light"),
    (re.compile(r"^(?:no )?motion"), "motion"),
)


def told_of(outcome: ToolOutcome, device: Device | None, room: str = "") -> ToolOutcome:
    """The same look, with the text and the facts of this device or room alone. What tells of no list is so
    already."""
    if not outcome.ok or "devices" not in outcome.facts or (device is None and not room):
        return outcome
    known = read_devices(outcome.structured, device.source if device else "")
    if device is None:
        return _told(outcome, "", _of_room(known, room))
    now = next((one for one in known if one.key == device.key), None)
    facts: dict[str, Any]
    if now is None:
        text, facts = f"{capital(the(device))} is not there any more.", {"outcome": "not_found"}
    elif not now.available:
        text, facts = f"{capital(the(now, room=True))} does not answer.", {"outcome": "unreachable"}
    else:
        text = is_state(now, now.state)
        facts = {"state": now.state, "readings": _readings(now)}
    return _told(outcome, text, {"device": device.name, "room": device.room, **facts})


def _told(outcome: ToolOutcome, text: str, facts: Mapping[str, Any]) -> ToolOutcome:
    return replace(outcome, text=text or outcome.text, structured=dict(facts))


def _of_room(known: list[Device], room: str) -> dict[str, Any]:
    inside = [one for one in known if name_key(one.room) == name_key(room) and one.available]
    return {"room": room, "readings": [reading for one in inside for reading in _readings(one)]}


def _readings(device: Device) -> list[dict[str, str]]:
    """By what its state says, else by its name: "Hall Battery" tells a battery."""
    found: list[dict[str, str]] = []
    for part in device.state.split(", "):
        if not any(char.isdigit() for char in part) and "motion" not in part:
            continue
        label = next((label for pattern, label in _LABELS if pattern.search(part)), "")
        text = re.sub(rf" {label}$", "", part.removeprefix("now ")) if label else part
        found.append({"label": label or device.name, "text": text, "device": device.name})
    return found
