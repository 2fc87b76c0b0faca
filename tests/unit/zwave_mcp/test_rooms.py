"""A room instead of a device: what the answer offers."""

import pytest
from tests.fakes.scripted_home import ScriptedHome, dimmer, lock, sensor, switch, thermostat

from zwave_mcp.tools import Tools

HOME = (
    lock(2, "Front Door", "Hallway"),
    thermostat(3, "Thermostat", "Hallway"),
    sensor(4, "Motion Sensor", "Hallway"),
    switch(5, "Kitchen Light", "Kitchen"),
    switch(6, "Coffee Maker", "Kitchen"),
    sensor(7, "Back Door", "Kitchen"),
    dimmer(8, "Desk Lamp", "Office"),
    sensor(9, "Climate Sensor", "Office"),
    thermostat(10, "Upper Radiator", "Attic"),
    thermostat(11, "Lower Radiator", "Attic"),
)


async def answer(tool: str, name: str, **arguments):
    home = ScriptedHome(*HOME)
    reply = await Tools(home, allow_unlock=True).call(tool, {"deviceName": name, **arguments})
    offered = [item["name"] for item in reply.structured.get("candidates", ())]
    return reply.structured["outcome"], offered, reply.sentence, home.sent


async def test_the_only_lock_of_a_room_is_offered_and_not_touched():
    assert await answer("control_zwave_lock", "hallway", action="unlock") == (
        "not_found",
        ["Front Door"],
        'There is no device called "hallway"; did you mean the Front Door in the Hallway?',
        [],
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("control_zwave_lock", {"action": "lock"}), ("set_zwave_thermostat", {"temperature": 21})],
)
async def test_a_room_without_such_a_device_offers_nothing(tool: str, arguments: dict):
    outcome, offered, sentence, sent = await answer(tool, "kitchen", **arguments)
    assert (outcome, offered, sent) == ("not_found", [], [])
    assert sentence == 'There is no device for "kitchen" that can do this.'


async def test_a_room_with_one_thermostat_means_it():
    outcome, _, sentence, sent = await answer("set_zwave_thermostat", "the hallway", temperature=21)
    assert (outcome, sent) == ("confirmed", [("3-67-0-setpoint-1", 21.0)])
    assert sentence == "The Thermostat is now set to 21 degrees Celsius."
