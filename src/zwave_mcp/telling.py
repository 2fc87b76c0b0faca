"""Devices and readings put into words and into structured content."""

from typing import Any, Final

from home_words.kinds import device_class
from home_words.names import loose, loose_words, words
from home_words.resolver import Names
from zwave_mcp import sentences
from zwave_mcp.devices import Device
from zwave_mcp.home import Value
from zwave_mcp.results import Facts, Result, result
from zwave_mcp.states import (
    UNKNOWN,
    age_seconds,
    heating_state,
    label_of,
    main_readings,
    reading_text,
    remembered,
    spoken,
    state_text,
)

_OLD_SECONDS: Final = 300  # said with the reading; battery sensors report about hourly, so older is no error


def filtered(names: Names[Device], wanted: str) -> list[Device]:
    """Every word of the filter is in name, room or kind, or means the kind."""
    said = words(wanted) - {"all", "every", ""}
    if not wanted.strip() or not said:
        return list(names.devices)

    def fit(device: Device) -> bool:
        state = state_text(device) if device.available else "offline"
        has = loose_words(f"{device.room} {device.name} {device.kind.replace('_', ' ')} {state}")
        sorts = ((word, device_class(word)) for word in said)
        return all(loose(word) in has or (sort is not None and sort.has(device)) for word, sort in sorts)

    return [device for device in names.devices if fit(device)]


def entry(device: Device) -> dict[str, Any]:
    return {
        "name": device.name,
        "room": device.room,
        "kind": device.kind,
        "nodeId": device.node.id,
        "endpoint": device.endpoint,
        "state": state_text(device),
        "available": device.available,
    }


def listing(page: list[Device], total: int, offline: list[Device], wanted: str) -> str:
    what = f" for {sentences.quoted(wanted)}" if wanted.strip() else ""
    rooms: dict[str, list[str]] = {}
    for device in page:
        rooms.setdefault(device.room or "no room", []).append(f"{device.name} ({_in_list(device)})")
    parts = [f"{room}: {', '.join(names)}" for room, names in rooms.items()]
    count = (
        "There is no device"
        if total == 0
        else f"There {'is 1 device' if total == 1 else f'are {total} devices'}"
    )
    some = f", {len(page)} of them here" if len(page) < total else ""
    tail = f"; offline: {sentences.listed([device.name for device in offline])}" if offline else ""
    body = f": {'; '.join(parts)}" if parts else ""
    return f"{count}{what}{some}{body}{tail}."


def _in_list(device: Device) -> str:
    if device.available:
        return state_text(device)
    last = remembered(device)
    return "offline" if last == UNKNOWN else f"offline, last known {last}"


def details(device: Device) -> dict[str, Any]:
    details: dict[str, Any] = {
        "kind": device.kind,
        "available": device.available,
        "status": device.node.status,
        "product": device.node.product,
        "readings": [reading(value) for value in device.readings],
        "batteryLow": device.battery_low,
    }
    heating = heating_state(device)
    return {**details, "operating": heating} if heating else details


def reading(value: Value) -> dict[str, Any]:
    return {
        "label": label_of(value),
        "value": value.value,
        "unit": value.unit,
        "text": reading_text(value),
        "ageSeconds": age_seconds(value),
    }


def said_readings(device: Device, *, in_room: bool = True) -> str:
    said = [_said(value) for value in main_readings(device)]
    ages = [age for age in map(age_seconds, device.readings) if age is not None]
    if device.battery_low:
        said.append("its battery is low")
    if not said:
        said = [_said(value) for value in device.readings]
    old = f", measured {_ago(min(ages))}" if ages and min(ages) >= _OLD_SECONDS else ""
    called = sentences.the(device, room=in_room)
    return f"{sentences.capital(called) if in_room else called}: {', '.join(said)}{old}"


def _said(value: Value) -> str:
    """Label and value as people say them; "closed" needs no label."""
    text = spoken(reading_text(value))
    if text in ("open", "closed", "motion", "no motion"):
        return text
    label = {"W": "power", "kWh": "energy"}.get(value.unit) or label_of(value).lower()
    return f"{label.removeprefix('air ')} {text}"


def _ago(seconds: int) -> str:
    minutes = seconds // 60
    if minutes < 120:
        return f"{minutes} minutes ago"
    return f"{minutes // 60} hours ago" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days ago"


def room_readings(devices: tuple[Device, ...]) -> Result:
    measuring = [device for device in devices if main_readings(device) and device.available]
    room = devices[0].room
    more = {
        "readings": [
            {"device": device.name, **reading(value)} for device in measuring for value in device.readings
        ]
    }
    if not measuring:
        return result(
            f"Nothing measures anything {sentences.in_room(room)}.", "unsupported", Facts({}, more=more)
        )
    sentence = "; ".join(said_readings(device, in_room=False) for device in measuring)
    structured = result(
        f"{sentences.capital(sentences.in_room(room))}: {sentence}.", "confirmed", Facts({}, more=more)
    )
    return Result(structured.sentence, {**structured.structured, "room": room})


def health_sentence(total: int, offline: list[str], low: list[str], simulated: bool) -> str:
    home = "The simulated Z-Wave home" if simulated else "The Z-Wave system"
    parts = [f"{home} is up with {total} devices"]
    if offline:
        parts.append(f"offline: {sentences.listed(offline)}")
    if low:
        parts.append(f"battery low: {sentences.listed(low)}")
    return "; ".join(parts) + "."
