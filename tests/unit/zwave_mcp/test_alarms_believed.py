"""Whoever says that something is the matter is believed, wherever its device tells it."""

from dataclasses import replace

import pytest
from tests.fakes.scripted_home import ScriptedHome, switch

from voice_gateway.brain.local.alarm_answer import alarm_answer
from voice_gateway.integrations.listed import read_devices
from zwave_mcp.home import Node, Value, ValueId
from zwave_mcp.tools import Tools


def smoke(node: int, told: int | None, endpoint: int = 0) -> Value:
    where = ValueId(node, 113, endpoint, "Smoke Alarm", "Sensor status")
    return Value(where, told, "Sensor status", states={0: "idle", 2: "Smoke detected"})


def binary_smoke(node: int, told: bool) -> Value:
    return Value(ValueId(node, 48, 0, "Smoke"), told, "Sensor state (Smoke)")


def sensor(node: int, name: str, room: str, *values: Value) -> Node:
    return replace(switch(node, name, room), values=values)


async def listed(*nodes: Node) -> list[dict[str, object]]:
    answer = await Tools(ScriptedHome(*nodes)).call("list_zwave_devices", {})
    return list(answer.structured["devices"])


async def answered(kind: str, *nodes: Node) -> str:
    return alarm_answer(read_devices({"devices": await listed(*nodes)}, "zwave"), kind, None)


async def test_of_two_sources_the_one_that_reports_trouble_is_believed() -> None:
    node = sensor(2, "Smoke Alarm", "Attic", binary_smoke(2, told=False), smoke(2, 2))
    assert (await listed(node))[0]["state"] == "smoke detected"
    assert await answered("smoke", node) == "Yes: smoke is detected in the Attic."
    told = await Tools(ScriptedHome(node)).call("get_device_sensor_data", {"deviceName": "smoke alarm"})
    assert told.sentence == "The Smoke Alarm in the Attic: smoke detected."


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (2, "Yes: smoke is detected in the Attic."),
        (0, "No, no smoke is detected."),
        (None, "I don't know: the Smoke Siren has not told."),
    ],
)
async def test_what_can_be_switched_tells_its_alarms_beside_its_state(told: int | None, said: str) -> None:
    relay = switch(4, "Smoke Siren", "Attic")
    node = replace(relay, values=(*relay.values, smoke(4, told)))
    [entry] = await listed(node)
    assert entry["state"] == "off"
    assert await answered("smoke", node) == said


async def test_health_tells_each_of_two_alarms_of_one_name() -> None:
    nodes = [
        sensor(2, "Smoke Alarm", "Kitchen", smoke(2, 2)),
        sensor(3, "Smoke Alarm", "Attic", smoke(3, 2)),
    ]
    health = await Tools(ScriptedHome(*nodes)).call("check_zwave_health", {})
    assert health.structured["alarms"] == [
        "Smoke is detected in the Kitchen.",
        "Smoke is detected in the Attic.",
    ]
    assert health.sentence.startswith("Smoke is detected in the Kitchen. Smoke is detected in the Attic. ")
