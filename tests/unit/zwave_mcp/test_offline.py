"""What a device that does not answer was doing is a memory, and no answer calls it more."""

from typing import Any

from tests.fakes.scripted_home import ScriptedHome, sensor, switch, thermostat

from zwave_mcp.home import WriteResult
from zwave_mcp.tools import Tools

GONE: dict[str, Any] = {"status": "Dead", "available": False}


async def test_a_list_tells_what_is_remembered_as_that():
    gone = switch(2, "Heater", **GONE), switch(3, "Fan", on=None, **GONE), sensor(4, "Climate", **GONE)
    reply = await Tools(ScriptedHome(*gone)).call("list_zwave_devices", {"includeInactive": True})
    assert {device["state"] for device in reply.structured["devices"]} == {"unknown"}
    for text in ("Heater (offline, last known off)", "Fan (offline)", "(offline, last known 21.4 °C)"):
        assert text in reply.sentence


async def test_a_device_that_answers_again_has_a_state():
    home = ScriptedHome(thermostat(2, "Thermostat", **GONE))
    home.alive, home.written = True, WriteResult(254)
    for wanted, reported, outcome in ((21, 21, "confirmed"), (25, 20, "failed")):
        home.polled, given = [reported], {"deviceName": "thermostat", "temperature": wanted}
        facts = (await Tools(home).call("set_zwave_thermostat", given)).structured
        assert (facts["outcome"], facts["state"]) == (outcome, f"heat, set to {reported} °C, now 20.5 °C")
