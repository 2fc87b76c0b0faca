"""Tools like those of the Z-Wave server, which record what reached them."""

from time import perf_counter
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import ToolTraits

CONTROL = "control_zwave_device"
DEVICES = "list_zwave_devices"
CLOCK = "get_current_datetime"

_CONTROL_SCHEMA = {
    "type": "object",
    "properties": {
        "deviceName": {"type": "string", "description": 'The device, as the user calls it: "Kitchen Light".'},
        "action": {"type": "string", "enum": ["on", "off", "set"], "description": "What to do with it."},
        "level": {"type": "integer", "minimum": 0, "maximum": 100, "description": "For set: the brightness."},
    },
    "required": ["deviceName", "action"],
}
_NOTHING = {"type": "object", "properties": {}}


class House:
    """A home of three devices. `calls` are those that really reached a tool, with the arguments they had."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.moments: list[tuple[str, float]] = []
        self.tools = ToolManager()
        self.tools.add_mcp_tools("zwave", [self._control(), self._devices()])
        self.tools.add(self._clock())
        self.executor = ToolExecutor(self.tools)

    def _record(self, name: str, args: dict[str, Any]) -> None:
        self.calls.append((name, args))
        self.moments.append((name, perf_counter()))

    def devices_of_calls(self) -> list[tuple[str, str]]:
        return [
            (args["deviceName"].replace("_", " ").casefold(), args["action"])
            for name, args in self.calls
            if name == CONTROL
        ]

    def _control(self) -> BaseTool:
        async def control(**args: Any) -> str:
            self._record(CONTROL, args)
            done = (
                f"set to {args['level']} percent" if args["action"] == "set" else f"turned {args['action']}"
            )
            return f"{args['deviceName']} was {done}."

        return StructuredTool(
            name=CONTROL,
            description="REQUIRED to switch or dim a device. Use whenever the user asks to turn on, turn off "
            "or dim a light, a lamp or a heater.",
            args_schema=_CONTROL_SCHEMA,
            coroutine=control,
        )

    def _devices(self) -> BaseTool:
        async def devices() -> str:
            self._record(DEVICES, {})
            return "Kitchen Light, Bedroom Lamp, Heater"

        tool = StructuredTool(
            name=DEVICES,
            description="REQUIRED to list the devices. Use whenever the user asks which devices there are.",
            args_schema=_NOTHING,
            coroutine=devices,
        )
        return with_traits(tool, ToolTraits(source="zwave", original_name=DEVICES, read_only=True))

    def _clock(self) -> BaseTool:
        async def clock() -> str:
            self._record(CLOCK, {})
            return "It is five past ten."

        tool = StructuredTool(
            name=CLOCK,
            description="REQUIRED for date and time. Use whenever the user asks what time or day it is.",
            args_schema=_NOTHING,
            coroutine=clock,
        )
        return with_traits(tool, ToolTraits(read_only=True))
