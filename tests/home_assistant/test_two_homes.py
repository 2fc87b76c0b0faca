"""A Z-Wave home beside Home Assistant: each device is switched where it is; a name in both is asked about."""

import sys

import pytest
from tests.home_assistant.conftest import House, gateway_for
from tests.home_assistant.real import RealHomeAssistant

pytestmark = pytest.mark.asyncio(loop_scope="package")

ZWAVE = f'[mcpServers.zwave]\ncommand = "{sys.executable}"\nargs = ["-m", "zwave_mcp", "--simulate"]\n'


async def test_two_homes_at_once(home_assistant: RealHomeAssistant, tmp_path):
    ha = home_assistant
    await ha.put_in_order()
    async with gateway_for(tmp_path / "gateway", ZWAVE, ha.settings()) as commands:
        house = House(ha, commands)
        await house.becomes("turn on the string lights", {})
        await house.becomes("turn off the string lights", {"switch.string_lights": {"state": "off"}})
        reply = await house.becomes("turn off the climate sensor", {})  # of the Z-Wave home
        assert "climate sensor only measures" in reply["text"], reply
        # The front door is in both, and so is the floor lamp.
        both = await house.becomes("turn off the floor lamp", {})
        assert both["expects_answer"], both


async def test_one_of_them_is_preferred(home_assistant: RealHomeAssistant, tmp_path):
    ha = home_assistant
    await ha.put_in_order()
    prefer = '[home]\nprefer = "ha"\n'
    async with gateway_for(tmp_path / "gateway", prefer, ZWAVE, ha.settings()) as commands:
        house = House(ha, commands)
        off = {"light.floor_lamp": {"state": "off", "brightness": None}}
        await house.becomes("turn off the floor lamp", off)
