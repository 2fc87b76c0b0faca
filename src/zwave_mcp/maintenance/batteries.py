"""The batteries of the house: which are low, how full the others are, and of which nothing is known."""

from collections.abc import Mapping
from typing import Any, Final

from home_words.phrases import listed
from zwave_mcp import wording
from zwave_mcp.devices import BATTERY, Device
from zwave_mcp.home import Value, is_number
from zwave_mcp.results import Facts, Result, result
from zwave_mcp.states import age_seconds
from zwave_mcp.view import Viewer
from zwave_mcp.wording import Called

_OLD_SECONDS: Final = 7 * 24 * 3600.0  # a sensor that has told nothing for a week may be empty
_MOST_NAMED: Final = 8


class Batteries:
    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer

    async def report(self) -> Result:
        devices = (await self._viewer.now()).devices
        having = {device.node.id: device for device in devices if has_battery(device)}.values()
        told = [_entry(device) for device in having]
        told.sort(key=lambda one: (not one["low"], one["level"] is None, one["level"] or 0, one["device"]))
        called = wording.called_apart(devices)
        names = {device.node.id: _called(device, called) for device in having}
        return result(sentence_of(told, names), "confirmed", Facts(more={"batteries": told}))


def _called(device: Device, called: Mapping[tuple[int, int], Called]) -> Called:
    """An outlet of a strip by the strip, whose battery it is."""
    of_node = device.node.name
    return called[device.place] if of_node in ("", device.name) else Called(of_node)


def has_battery(device: Device) -> bool:
    return any(value.id.command_class == BATTERY for value in device.node.values)


def level_of(device: Device) -> Value | None:
    return next(
        (one for one in device.node.values if one.id.command_class == BATTERY and one.id.property == "level"),
        None,
    )


def _entry(device: Device) -> dict[str, Any]:
    level = level_of(device)
    known = level is not None and is_number(level.value)
    age = age_seconds(level) if level is not None else None
    return {
        "device": device.node.name or device.name,
        "room": device.room,
        "nodeId": device.node.id,
        "level": round(level.value) if known and level is not None else None,
        "low": device.battery_low,
        "ageSeconds": age,
        "available": device.available,
    }


def sentence_of(told: list[dict[str, Any]], called: Mapping[int, Called]) -> str:
    """`called` by node: two of one name are told apart."""
    if not told:
        return "Nothing here runs on a battery, as far as is known."
    low = [one for one in told if one["low"]]
    parts = [_low_part(low, called) if low else "No battery is low"]
    fine = [one for one in told if not one["low"] and one["level"] is not None]
    if fine:
        lowest = min(fine, key=lambda one: one["level"])
        others = f"the other {len(fine)} have" if len(fine) > 1 else "the other one has"
        others = others if low else f"all {len(fine)} have" if len(fine) > 1 else "the only one has"
        whose = called[lowest["nodeId"]]
        named = ", ".join(filter(None, (whose.name, whose.apart)))
        parts.append(f"{others} at least {lowest['level']} percent ({named})")
    if unknown := [one for one in told if one["level"] is None and not one["low"]]:
        parts.append(f"nothing is known of {_names(unknown, called)}")
    if silent := [one for one in told if not one["available"]]:
        parts.append(f"{_names(silent, called)} {'does' if len(silent) == 1 else 'do'} not answer")
    if old := [one for one in told if one["available"] and (one["ageSeconds"] or 0) > _OLD_SECONDS]:
        parts.append(f"older than a week is what {_names(old, called)} told")
    return "; ".join(parts) + "."


def _low_part(low: list[dict[str, Any]], called: Mapping[int, Called]) -> str:
    levels = {one["nodeId"]: f"{one['level']} percent" if one["level"] is not None else "" for one in low}
    names = [called[node].with_(level) for node, level in list(levels.items())[:_MOST_NAMED]]
    more = [f"{len(low) - _MOST_NAMED} more"] if len(low) > _MOST_NAMED else []
    return f"{'This battery is' if len(low) == 1 else 'These batteries are'} low: {listed([*names, *more])}"


def _names(told: list[dict[str, Any]], called: Mapping[int, Called]) -> str:
    names = [str(called[one["nodeId"]]) for one in told[:_MOST_NAMED]]
    more = [f"{len(told) - _MOST_NAMED} more"] if len(told) > _MOST_NAMED else []
    return listed([*names, *more])
