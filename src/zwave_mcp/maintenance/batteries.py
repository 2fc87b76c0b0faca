"""The batteries of the house: which are low, how full the others are, and of which nothing is known."""

from typing import Any, Final

from zwave_mcp import sentences
from zwave_mcp.devices import CC, Device
from zwave_mcp.home import is_number
from zwave_mcp.results import Result, result
from zwave_mcp.states import age_seconds
from zwave_mcp.view import Viewer

_OLD_SECONDS: Final = 7 * 24 * 3600.0  # a sensor that has reported nothing for a week may be empty
_MOST_NAMED: Final = 8


async def batteries(viewer: Viewer) -> Result:
    """One entry for each node with a battery, the low ones first."""
    devices = (await viewer.now()).devices
    having = {device.node.id: device for device in devices if _has_battery(device)}
    entries = [_entry(device) for device in having.values()]
    entries.sort(
        key=lambda entry: (not entry["low"], entry["level"] is None, entry["level"] or 0, entry["device"])
    )
    distinct = sentences.distinct_names(devices)
    # An outlet of a strip is named by the strip, whose battery it is.
    names = {
        number: distinct[device.place] if device.node.name in ("", device.name) else device.node.name
        for number, device in having.items()
    }
    return result(_sentence(entries, names), "confirmed", more={"batteries": entries})


def _has_battery(device: Device) -> bool:
    return any(value.id.command_class == CC.BATTERY for value in device.node.values)


def _entry(device: Device) -> dict[str, Any]:
    values = (entry for entry in device.node.values if entry.id.command_class == CC.BATTERY)
    level = next((entry for entry in values if entry.id.property == "level"), None)
    return {
        "device": device.node.name or device.name,
        "room": device.room,
        "nodeId": device.node.id,
        "level": round(level.value) if level is not None and is_number(level.value) else None,
        "low": device.battery_low,
        "ageSeconds": age_seconds(level) if level is not None else None,
        "available": device.available,
    }


def _sentence(entries: list[dict[str, Any]], names: dict[int, str]) -> str:
    if not entries:
        return "Nothing here runs on a battery, as far as is known."

    def named(some: list[dict[str, Any]]) -> str:
        return sentences.counted([names[entry["nodeId"]] for entry in some], _MOST_NAMED)

    low = [entry for entry in entries if entry["low"]]
    parts = ["No battery is low"]
    if low:
        each = [_with_level(names[entry["nodeId"]], entry["level"]) for entry in low]
        these = "This battery is" if len(low) == 1 else "These batteries are"
        parts = [f"{these} low: {sentences.counted(each, _MOST_NAMED)}"]
    if fine := [entry for entry in entries if not entry["low"] and entry["level"] is not None]:
        lowest = min(fine, key=lambda entry: entry["level"])
        several = f"{'the other' if low else 'all'} {len(fine)} have"
        single = "the other one has" if low else "the only one has"
        name = names[lowest["nodeId"]].replace(" (", ", ").removesuffix(")")
        parts.append(f"{several if len(fine) > 1 else single} at least {lowest['level']} percent ({name})")
    if unknown := [entry for entry in entries if entry["level"] is None and not entry["low"]]:
        parts.append(f"nothing is known of {named(unknown)}")
    if silent := [entry for entry in entries if not entry["available"]]:
        parts.append(f"{named(silent)} {'does' if len(silent) == 1 else 'do'} not answer")
    if old := [
        entry for entry in entries if entry["available"] and (entry["ageSeconds"] or 0) > _OLD_SECONDS
    ]:
        parts.append(f"older than a week is what {named(old)} told")
    return "; ".join(parts) + "."


def _with_level(name: str, level: int | None) -> str:
    if level is None:
        return name
    return (
        f"{name.removesuffix(')')}, {level} percent)" if name.endswith(")") else f"{name} ({level} percent)"
    )
