"""What a meter tells, and what a thermostat keeps, each under its own name."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, switch, thermostat

from zwave_mcp.home import Node, Value, ValueId, WriteResult
from zwave_mcp.tools import Tools

METERED = {65537: ("kWh", 12.5), 66049: ("W", 30), 66561: ("V", 230.4), 66817: ("A", 0.13)}


def plug() -> Node:
    """As recorded: one label for all of them, apart from the unit."""
    node = switch(10, "Washing Machine", "Laundry", on=True)
    meter = (
        Value(ValueId(10, 50, 0, "value", key), raw, f"Electric Consumption [{unit}]", unit)
        for key, (unit, raw) in METERED.items()
    )
    return replace(node, values=(*node.values, *meter))


async def test_every_measure_of_a_plug_has_its_own_name():
    said = await Tools(ScriptedHome(plug())).call("get_device_sensor_data", {"deviceName": "washing machine"})
    assert said.sentence == (
        "The Washing Machine in the Laundry: energy 12.5 kilowatt hours, power 30 watts, "
        "voltage 230.4 volts, current 0.13 amperes."
    )
    labels = [one["label"] for one in said.structured["readings"]]
    assert labels == ["Energy", "Power", "Voltage", "Current"]


def automatic(operating: int = 0) -> Node:
    node = thermostat(7, "Thermostat", mode=3)
    mode = replace(node.values[0], states={0: "Off", 1: "Heat", 2: "Cool", 3: "Auto"})
    working = Value(ValueId(7, 66, 0, "state"), operating, states={0: "Idle", 1: "Heating", 2: "Cooling"})
    return replace(node, values=(mode, *node.values[1:], working))


@pytest.mark.parametrize(
    ("operating", "wished", "given", "setpoint"),
    [(0, 22, {}, 1), (0, 24, {}, 2), (1, 24, {}, 1), (2, 21, {}, 2), (1, 24, {"setpoint": "cooling"}, 2)],
)
async def test_in_auto_mode_the_set_point_that_applies_is_set_and_named(
    operating: int, wished: int, given: dict[str, Any], setpoint: int
):
    home = ScriptedHome(automatic(operating))
    home.written = WriteResult(255)
    tools = Tools(home)
    listed = await tools.call("list_zwave_devices", {})
    state = "auto, set to 20 °C for heating and 25 °C for cooling, now 20.5 °C"
    assert listed.structured["devices"][0]["state"] == state
    arguments = {"deviceName": "thermostat", "temperature": wished, **given}
    said = await tools.call("set_zwave_thermostat", arguments)
    kind = {1: "heating", 2: "cooling"}[setpoint]
    assert home.sent == [(f"7-67-0-setpoint-{setpoint}", wished)]
    assert said.sentence == f"The Thermostat is now set to {wished} degrees Celsius for {kind}."
    assert said.structured["before"][0]["args"]["setpoint"] == kind


async def test_a_mode_with_a_set_point_of_its_own_has_one():
    listed = await Tools(ScriptedHome(thermostat(7, "Thermostat"))).call("list_zwave_devices", {})
    assert listed.structured["devices"][0]["state"] == "heat, set to 20 °C, now 20.5 °C"
