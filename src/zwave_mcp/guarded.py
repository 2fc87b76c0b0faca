"""What lets somebody in is sent only where it arrives at once, and taken back where nobody answered.

A command that hangs on its way, in a frozen gateway, broker or stick, is carried out when that comes back to
life: a lamp may do that, a lock must not.
"""

from typing import Any

from home_words.risk import is_sensitive
from zwave_mcp.confirm import Command
from zwave_mcp.devices import Device
from zwave_mcp.home import Home, NoAnswer, Refused, is_number
from zwave_mcp.notifications import BOLT_UNKNOWN


def opens(device: Device, action: str) -> bool:
    return is_sensitive(device.kind, (device.name, f"{device.room} {device.name}"), action)


async def answers(home: Home, device: Device) -> bool:
    """The whole way, to the device and back, is tried just before. A dead one is pinged by who sends."""
    state = device.state_value
    if state is None or device.node.dead:
        return True
    try:
        await home.poll(state.id)
    except (NoAnswer, Refused):
        return False
    return True


async def taken_back(home: Home, command: Command, before: Any) -> str:
    """What is left of a command that nobody answered, in one sentence; empty where it stays as it is."""
    lost = command.device.kind == "lock" and before == BOLT_UNKNOWN
    known = isinstance(before, bool) or (is_number(before) and not lost)
    if not known or before == command.value:
        return ""
    if await home.take_back(command.write, before):
        return "If it still happens, it is taken back at once: that command was sent behind it."
    return "If it still happens, it is taken back as soon as the connection is there again."
