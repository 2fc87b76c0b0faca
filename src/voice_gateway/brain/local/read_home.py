"""Reads the whole home through the tool that lists it: every page, inactive devices and scenes too."""

import logging
from collections.abc import Mapping

from voice_gateway.brain.local.home import Device, parse_devices, parse_scenes
from voice_gateway.brain.local.understanding import LIST, LIST_ARGS
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import ToolCall, new_id

log = logging.getLogger(__name__)

MOST_PAGES = 50  # of 100 devices: more than a Z-Wave network can hold


async def read_home(executor: ToolExecutor) -> tuple[list[Device], list[str] | None] | str:
    """All devices, and the scenes if it tells them; or what is wrong, as it says ("" without such a tool)."""
    if executor.tools.find(LIST) is None:
        return ""
    devices: list[Device] = []
    scenes: list[str] | None = None
    for _ in range(MOST_PAGES):
        call = ToolCall(new_id(), LIST, {**LIST_ARGS, "offset": len(devices)})
        outcome = await executor.execute(call)
        if not outcome.ok:
            log.warning("the devices could not be read", extra={"reason": outcome.text})
            return outcome.text.removeprefix("Error: ")
        page = parse_devices(outcome.structured)
        devices += page
        scenes = scenes or parse_scenes(outcome.structured)
        total = outcome.structured.get("total") if isinstance(outcome.structured, Mapping) else None
        if not page or not isinstance(total, int) or len(devices) >= total:
            return devices, scenes
    log.warning("the list of devices does not end", extra={"devices": len(devices)})
    return devices, scenes
