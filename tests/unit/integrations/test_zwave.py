"""Our Z-Wave server as a source: calls of its tools, by the names under which they are offered."""

from dataclasses import replace

import pytest
from tests.fakes.home_tools import ScriptedHome, home_tools, manager_for
from tests.fakes.scripted_home import ScriptedHome as Scripted
from tests.fakes.scripted_home import lock, thermostat

from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import build_home
from voice_gateway.integrations.listed import read_devices
from voice_gateway.integrations.source import Act, Call, Listing
from voice_gateway.integrations.zwave import ZwaveSource
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.permission.target import LOOK, Reach
from zwave_mcp.tools import Tools

LAMP = Device("Lamp", "Office", "dimmer", node_id=2)
TWIN = Device("Lamp", "Hall", "dimmer", node_id=3)
HEATING = Device("Thermostat", "Hall", "thermostat", node_id=4)
DOOR = Device("Front Door", "Hall", "lock", node_id=5)


@pytest.mark.parametrize(
    ("device", "wish", "tool", "args"),
    [
        (LAMP, Act("on"), "control_zwave_device", {"deviceName": "Office Lamp", "action": "on"}),
        (
            TWIN,
            Act("dim", level=40),
            "control_zwave_device",
            {"deviceName": "Hall Lamp", "action": "dim", "level": 40},
        ),
        (DOOR, Act("unlock"), "control_zwave_lock", {"deviceName": "Front Door", "action": "unlock"}),
        (HEATING, Act("off"), "set_zwave_thermostat", {"deviceName": "Thermostat", "mode": "off"}),
        (
            HEATING,
            Act("set", temperature=21.5, unit="C"),
            "set_zwave_thermostat",
            {"deviceName": "Thermostat", "temperature": 21.5, "unit": "C"},
        ),
    ],
)
def test_what_is_wanted_is_a_call_of_its_tools(device, wish, tool, args):
    home = build_home([LAMP, TWIN, HEATING, DOOR])

    assert ZwaveSource().act(device, wish, home) == Call(tool, args)


@pytest.mark.parametrize(
    ("device", "wish", "why"),
    [
        (replace(DOOR, unlocks=False), Act("unlock"), "switched off in the settings"),
        (replace(HEATING, range=(5, 30, "C")), Act("set", temperature=35, unit="C"), "to 5 to 30 degrees"),
        (replace(HEATING, range=(5, 30, "C")), Act("set", temperature=20, unit="F"), "to 5 to 30 degrees"),
    ],
)
def test_what_its_server_would_refuse_is_said_at_once(device, wish, why):
    refused = ZwaveSource().act(device, wish, build_home([device]))
    assert isinstance(refused, str)
    assert why in refused


@pytest.mark.parametrize("allow_unlock", [True, False])
async def test_a_server_lists_what_it_refuses(allow_unlock):
    server = Tools(Scripted(lock(5, "Front Door"), thermostat(4, "Thermostat")), allow_unlock=allow_unlock)

    door, heating = read_devices((await server.call("list_zwave_devices", {})).structured)

    assert (door.unlocks, heating.range) == (allow_unlock, (5, 32, "C"))


async def test_all_pages_are_read_and_say_whose_devices_they_are():
    scripted = ScriptedHome.default()
    scripted.page_size = 5

    read = await ZwaveSource("zwave", ToolExecutor(manager_for(scripted))).read()

    assert isinstance(read, Listing)
    assert len(read.devices) == len(scripted.devices)
    assert {device.source for device in read.devices} == {"zwave"}
    assert read.scenes == ("Movie Night", "Good Night")


async def test_a_server_without_the_list_is_not_there():
    assert await ZwaveSource("zwave", ToolExecutor(ToolManager())).read() == ""


async def test_of_two_servers_each_is_called_by_its_own_tools():
    tools = manager_for(ScriptedHome.default())
    tools.add_mcp_tools("cabin", home_tools(ScriptedHome.of([("Lamp", "Cabin", "dimmer", "off")])))
    executor = ToolExecutor(tools)
    names = [ZwaveSource(name, executor).scene("x").tool for name in ("zwave", "cabin")]

    assert len(set(names)) == 2
    assert all(tools.find(name) is not None for name in names)


async def test_the_reach_of_a_call_is_what_its_server_would_take_the_name_for():
    source = ZwaveSource("zwave", ToolExecutor(manager_for(ScriptedHome.default())))
    await source.read()

    garage = source.reach("control_zwave_device", {"deviceName": "node 15", "action": "open"})
    assert garage is not None
    assert ([device.name for device in garage.devices], garage.action) == (["Garage Door"], "open")
    dimmed = source.reach("control_zwave_device", {"deviceName": "Floor Lamp", "action": "dim", "level": 40})
    assert dimmed is not None
    assert dimmed.how == "to 40 percent"
    assert source.reach("list_zwave_devices", {}) == Reach(action=LOOK)
    assert source.reach("reset_network", {}) is None
