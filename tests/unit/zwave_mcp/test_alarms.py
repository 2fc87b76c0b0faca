"""Alarms in plain words, in states, answers and health; of several sources the one with trouble wins."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, switch

from zwave_mcp.home import Home, Node, Value, ValueId
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.tools import Tools

HOME_FILE = Path(__file__).parents[2] / "fakes" / "events_home.toml"


async def states(home: Home) -> dict[str, str]:
    listed = await Tools(home).call("list_zwave_devices", {"includeInactive": True})
    return {device["name"]: device["state"] for device in listed.structured["devices"]}


async def test_smoke_water_and_tampering_show_in_states_answers_and_health() -> None:
    home = SimulatedHome(HOME_FILE)
    before = await states(home)
    for name, what in (("Smoke Alarm", "smoke"), ("Smoke Alarm", "tamper"), ("Leak Sensor", "water")):
        home.fire(name, what)
    now = await states(home)

    assert (before["Smoke Alarm"], before["Leak Sensor"]) == ("no smoke", "dry")
    assert (now["Smoke Alarm"], now["Leak Sensor"]) == ("smoke detected, tampered with", "water detected")
    device = await Tools(home).call("get_zwave_device", {"deviceName": "smoke alarm"})
    assert device.sentence.startswith("Smoke is detected in the Kitchen.")
    health = await Tools(home).call("check_zwave_health", {})
    assert "Water is detected in the Bathroom." in health.structured["alarms"]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Smoke Alarm", "flood"), ("Nobody", "smoke"),
        ("Ceiling Light", "1 pressed"), ("Wall Remote", "9 pressed"),
    ],
)  # fmt: skip
def test_an_event_that_cannot_happen_is_refused(name: str, what: str) -> None:
    with pytest.raises(ValueError, match="there is"):
        SimulatedHome(HOME_FILE).fire(name, what)


def alarm(node: int, room: str, *more: Value) -> Node:
    where = ValueId(node, 113, 0, "Smoke Alarm", "Sensor status")
    smoke = Value(where, 2, "Sensor status", states={0: "idle", 2: "Smoke detected"})
    return replace(switch(node, "Smoke Alarm", room), values=(*more, smoke))


async def test_the_source_that_reports_trouble_wins_and_health_names_both_alarms_of_one_name() -> None:
    calm = Value(ValueId(2, 48, 0, "Smoke"), False, "Sensor state (Smoke)")
    home = ScriptedHome(alarm(2, "Hall", calm), alarm(3, "Attic"))
    assert await states(home) == {"Smoke Alarm": "smoke detected"}
    health: Any = (await Tools(home).call("check_zwave_health", {})).structured
    assert health["alarms"] == [f"Smoke is detected in the {room}." for room in ("Hall", "Attic")]
