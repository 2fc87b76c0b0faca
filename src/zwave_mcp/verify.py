"""How a device is, asked of the device itself: its state, what it shows, and of a group every member."""

import asyncio
from dataclasses import replace
from typing import Any, Final

from home_words.states import UNKNOWN
from zwave_mcp.devices import Device, with_value
from zwave_mcp.home import POLL_TIMEOUT_SECONDS, Home, NoAnswer, Refused, ValueId, is_number
from zwave_mcp.results import Outcome
from zwave_mcp.states import components, remembered, state_of
from zwave_mcp.wording import told_apart

_VERIFY_SECONDS: Final = 2.0


async def verified(home: Home, device: Device) -> tuple[Device, Outcome]:
    """The device as it says it is, where it can answer."""
    state = device.state_value
    if device.node.dead:
        return device, "unreachable"
    if state is None or device.node.asleep:
        return device, "confirmed"
    value = await _polled(home, state.id, _VERIFY_SECONDS)
    if state_of(device, value) == UNKNOWN:
        return device, "unconfirmed"
    now = with_value(device, state.id, value)
    return (await _with_colour(home, now) if value and device.kind == "light" else now), "confirmed"


async def verified_group(home: Home, group: Device) -> tuple[Device, Outcome, list[str]]:
    """With the names of those members that did not tell how they are: of them there is only a memory."""
    asked = await asyncio.gather(*(verified(home, member) for member in group.members))
    behind = [
        told_apart(member)
        for member, outcome in asked
        if outcome != "confirmed" or member.node.asleep or remembered(member) == UNKNOWN
    ]
    now = replace(group, members=tuple(member for member, _ in asked))
    if not group.available:
        return now, "unreachable", behind
    return now, "unconfirmed" if behind else "confirmed", behind


async def _with_colour(home: Home, light: Device) -> Device:
    """Where it does not tell one of its components, no colour is told, rather than the one of before."""
    ids = [value.id for value in components(light).values()]
    levels = await asyncio.gather(*(_polled(home, one, POLL_TIMEOUT_SECONDS) for one in ids))
    for one, level in zip(ids, levels, strict=True):
        light = with_value(light, one, level if is_number(level) else None)
    return light


async def _polled(home: Home, value_id: ValueId, seconds: float) -> Any:
    try:
        return await home.poll(value_id, seconds)
    except (NoAnswer, Refused):
        return None
