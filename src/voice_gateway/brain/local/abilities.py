"""A short, honest list of what can be done now: from the tools that are there."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from voice_gateway.brain.local.home import Home
from voice_gateway.brain.local.wording import listed
from voice_gateway.tools.traits import traits

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_KNOWN = (
    ("get_current_datetime", "tell the time and date"),
    ("control_speaker_volume", "change the volume"),
    ("control_zwave_device", "switch and dim your devices"),
    ("get_zwave_device", "tell what is on, open or locked"),
    ("set_zwave_thermostat", "set the heating"),
    ("set_timer", "set timers and reminders"),
    ("search_web", "search the web"),
)
_OURS = frozenset(
    "list_zwave_devices get_device_sensor_data control_zwave_lock activate_zwave_scene check_zwave_health "
    "list_timers cancel_timer".split()
)


def can_do(tools: Iterable["BaseTool"]) -> list[str]:
    names = {traits(tool).original_name or tool.name: tool for tool in tools}
    known = [words for name, words in _KNOWN if name in names]
    others = [
        tool
        for name, tool in names.items()
        if name not in _OURS and name not in {known for known, _ in _KNOWN}
    ]
    titles = [traits(tool).title or tool.name.replace("_", " ") for tool in others[:3]]
    return known + ([f"use {listed(titles)}"] if titles else [])


def abilities(tools: Iterable["BaseTool"], home: Home) -> str:
    abilities = can_do(tools)
    if not abilities:
        return "I can't do anything at the moment: no tools are connected."
    devices = f" I know {len(home.devices)} devices in {len(home.rooms)} rooms." if home.devices else ""
    return f"I can {listed(abilities)}.{devices}"
