"""Who says what a name means: only the server that would act on it."""

from langchain_core.tools import StructuredTool

from voice_gateway.brain.local.device_cache import DeviceCache
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import ToolCall, ToolTraits

LAMP = {"name": "Garage Door", "room": "", "kind": "light", "nodeId": 15, "endpoint": 0, "state": "off"}


def listing(source: str, *, stranger: bool) -> StructuredTool:
    async def list_zwave_devices(includeInactive: bool = True, limit: int = 100, offset: int = 0):  # noqa: N803
        return "One.", {"structured": {"devices": [{**LAMP, "available": True}], "total": 1}, "blobs": []}

    tool = StructuredTool.from_function(
        coroutine=list_zwave_devices, description="Lists.", response_format="content_and_artifact"
    )
    with_traits(tool, ToolTraits(source=source, original_name="list_zwave_devices", trusted=not stranger))
    return tool


def acting(source: str) -> StructuredTool:
    async def control_zwave_device(deviceName: str, action: str) -> str:  # noqa: N803
        return "Done."

    tool = StructuredTool.from_function(coroutine=control_zwave_device, description="Acts.")
    with_traits(tool, ToolTraits(source=source, original_name="control_zwave_device"))
    return tool


async def ready() -> None:
    """Nothing to wait for."""


async def named(*tools: StructuredTool) -> list[str]:
    manager = ToolManager()
    for tool in tools:
        manager.add(tool)
    cache = DeviceCache(ToolExecutor(manager), ready, 60.0)
    await cache.refresh()
    call = ToolCall("1", "control_zwave_device", {"deviceName": "node 15", "action": "on"})
    reach = cache.reach(call, ToolTraits(source="zwave", original_name="control_zwave_device"))
    assert reach is not None
    return [device.name for device in reach.devices]


async def test_the_server_that_acts_says_what_its_devices_are():
    assert await named(listing("zwave", stranger=False), acting("zwave")) == ["Garage Door"]


async def test_a_stranger_does_not_say_what_the_devices_of_another_are():
    """The gate would take the garage door for a lamp, while the list of its own server is away."""
    assert await named(listing("evil", stranger=True), acting("zwave")) == []
