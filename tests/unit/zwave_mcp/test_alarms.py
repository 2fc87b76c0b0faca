"""Alarms in plain words, in states, answers and health; of several sources the one with trouble wins."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.scripted_home import ScriptedHome, switch

from zwave_mcp.home import Node, Value, ValueId
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.tools import Tools

HOME_FILE = Path(__file__).parents[2] / "fakes" / "events_home.toml"


async def states(home: SimulatedHome | ScriptedHome) -> dict[str, str]:
    listed = await Tools(home).call("list_zwave_devices", {"includeInactive": True})
    return {device["name"]: device["state"] for device in listed.structured["devices"]}


async def test_smoke_water_and_tampering_show_in_states_answers_and_health() -> None:
    home = SimulatedHome(HOME_FILE)
    before = await states(home)
    assert (before["Smoke Alarm"], before["Leak Sensor"]) == ("no smoke", "dry")

    for name, what in (("Smoke Alarm", "smoke"), ("Smoke Alarm", "tamper"), ("Leak Sensor", "water")):
        home.fire(name, what)

    now = await states(home)
    assert (now["Smoke Alarm"], now["Leak Sensor"]) == ("smoke detected, tampered with", "water detected")
    device = await Tools(home).call("get_zwave_device", {"deviceName": "smoke alarm"})
    assert device.sentence.startswith("Smoke is detected in the Kitchen.")
    health = await Tools(home).call("check_zwave_health", {})
    assert "Water is detected in the Bathroom." in health.structured["alarms"]


@pytest.mark.parametrize(
    "what", ["Smoke Alarm=flood", "Nobody=smoke", "Ceiling Light=1 pressed", "Wall Remote=9 pressed"]
)
def test_an_event_that_cannot_happen_is_refused(what: str) -> None:
    name, _, happening = what.partition("=")
    with pytest.raises(ValueError, match="there is"):
        SimulatedHome(HOME_FILE).fire(name, happening)


def smoke(node: int, reported: int | None) -> Value:
    where = ValueId(node, 113, 0, "Smoke Alarm", "Sensor status")
    return Value(where, reported, "Sensor status", states={0: "idle", 2: "Smoke detected"})


def sensor(node: int, name: str, room: str, *values: Value) -> Node:
    return replace(switch(node, name, room), values=values)


async def test_the_source_that_reports_trouble_wins() -> None:
    calm = Value(ValueId(2, 48, 0, "Smoke"), False, "Sensor state (Smoke)")
    home = ScriptedHome(sensor(2, "Smoke Alarm", "Attic", calm, smoke(2, 2)))
    assert await states(home) == {"Smoke Alarm": "smoke detected"}
    answer = await Tools(home).call("get_device_sensor_data", {"deviceName": "smoke alarm"})
    assert answer.sentence == "The Smoke Alarm in the Attic: smoke detected."


async def test_health_names_both_alarms_of_one_name() -> None:
    nodes = [sensor(node, "Smoke Alarm", room, smoke(node, 2)) for node, room in ((2, "Hall"), (3, "Attic"))]
    health = await Tools(ScriptedHome(*nodes)).call("check_zwave_health", {})
    assert health.structured["alarms"] == [f"Smoke is detected in the {room}." for room in ("Hall", "Attic")]
