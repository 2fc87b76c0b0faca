from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, blind, dimmer, sensor, switch, thermostat

from zwave_mcp.home import Node, Scene, SceneValue, Value, ValueId, WriteResult
from zwave_mcp.tools import Tools


def home() -> ScriptedHome:
    return ScriptedHome(
        dimmer(2, "Ceiling Light", "Living Room", level=40),
        dimmer(3, "Floor Lamp", "Living Room"),
        switch(4, "Heater", "Garage", status="Dead", available=False),
        blind(5, "Blind", "Study", level=0),
        sensor(6, "Climate", "Study"),
    )


async def listed(**arguments):
    answer = await Tools(home()).call("list_zwave_devices", arguments)
    names = [device["name"] for device in answer.structured["devices"]]
    return names, answer.structured["total"], answer.sentence


async def test_a_list_has_exactly_what_is_promised():
    answer = await Tools(home()).call("list_zwave_devices", {})
    assert set(answer.structured) == {"devices", "total"}
    place = {"name": "Ceiling Light", "room": "Living Room", "nodeId": 2, "endpoint": 0}
    state = {"kind": "dimmer", "state": "on, 40 %", "available": True}
    assert answer.structured["devices"][0] == {**place, **state}
    assert not answer.is_error


async def test_what_is_offline_is_named_but_listed_only_on_request():
    names, total, sentence = await listed()
    assert "Heater" not in names
    assert total == 4
    assert sentence.endswith("; offline: Heater.")
    names, total, _ = await listed(includeInactive=True)
    assert "Heater" in names
    assert total == 5


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ("living room", ["Ceiling Light", "Floor Lamp"]),
        ("lights", ["Ceiling Light", "Floor Lamp"]),
        ("the lights in the living room", ["Ceiling Light", "Floor Lamp"]),
        ("lights on", ["Ceiling Light"]),
        ("blinds", ["Blind"]),
        ("closed", ["Blind"]),
        ("sensor", ["Climate"]),
        ("offline", ["Heater"]),
        ("swimming pool", []),
        ("", ["Ceiling Light", "Floor Lamp", "Blind", "Climate"]),
    ],
)
async def test_a_filter_is_a_room_a_kind_a_name_or_a_state(wanted: str, names: list[str]):
    assert (await listed(filter=wanted))[0] == names


async def test_pages():
    names, total, sentence = await listed(limit=2, offset=1)
    assert (names, total) == (["Floor Lamp", "Blind"], 4)
    assert "2 of them here" in sentence
    assert (await listed(offset=99))[:2] == ([], 4)


async def test_a_room_is_read_as_a_whole():
    house = ScriptedHome(
        sensor(6, "Climate", "Study"), thermostat(7, "Thermostat", "Study"), switch(8, "Fan", "Attic")
    )
    answer = await Tools(house).call("get_device_sensor_data", {"deviceName": "the study"})
    assert answer.sentence == (
        "In the Study: the Climate: temperature 21.4 degrees Celsius, its battery is low; "
        "the Thermostat: temperature 20.5 degrees Celsius."
    )
    assert answer.structured["room"] == "Study"
    assert [(item["device"], item["text"]) for item in answer.structured["readings"]] == [
        ("Climate", "21.4 °C"),
        ("Climate", "9 %"),
        ("Thermostat", "20.5 °C"),
    ]
    empty = await Tools(house).call("get_device_sensor_data", {"deviceName": "attic"})
    assert empty.sentence == "Nothing measures anything in the Attic."


async def test_twins_are_told_apart_by_their_nodes_and_found_by_what_was_told():
    twins = ScriptedHome(switch(3, "Lampe", "Flur", on=True), switch(4, "Lampe", "Flur"))
    tools = Tools(twins)
    listed = await tools.call("list_zwave_devices", {})
    assert "Lampe (node 3, on), Lampe (node 4, off)" in listed.sentence
    which = await tools.call("control_zwave_device", {"deviceName": "Lampe", "action": "on"})
    assert "the Lampe in the Flur (node 3) or the Lampe in the Flur (node 4)" in which.sentence
    for spelling in ("node 4", "Lampe (node 4, off)", "Lampe (node 4)", "lampe node four"):
        reply = await tools.call("control_zwave_device", {"deviceName": spelling, "action": "on"})
        assert reply.structured["nodeId"] == 4, spelling
    wrong = await tools.call("control_zwave_device", {"deviceName": "Fan (node 4)", "action": "on"})
    assert wrong.structured["outcome"] == "not_found"


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


def metered(node: Node, kwh: float) -> Node:
    return replace(
        node, values=(*node.values, Value(ValueId(node.id, 50, 0, "value", 65537), kwh, unit="kWh"))
    )


def charged(node: Node, percent: int) -> Node:
    level = ValueId(node.id, 128, 0, "level")
    values = tuple(replace(item, value=percent) if item.id == level else item for item in node.values)
    return replace(node, values=values)


@pytest.mark.parametrize(
    ("batteries", "expected"),
    [
        (
            (charged(sensor(17, "Fenster", "Küche"), 9), charged(sensor(18, "Fenster", "Küche"), 80)),
            "Battery low: Fenster (node 17) 9 percent; "
            "the lowest of the others: Fenster (node 18) 80 percent.",
        ),
        (
            (charged(sensor(3, "Window", "Bath"), 9), charged(sensor(4, "Window", "Attic"), 8)),
            "Battery low: Window (Attic) 8 percent and Window (Bath) 9 percent.",
        ),
        (
            (charged(sensor(3, "Window", "Bath", available=False), 50), switch(4, "Window", "Attic")),
            "No battery is low; the lowest of the others: Window (Bath) 50 percent; "
            "not answering: Window (Bath).",
        ),
    ],
)
async def test_whose_battery_it_is(batteries: tuple[Node, ...], expected: str) -> None:
    answer = await Tools(ScriptedHome(*batteries)).call("get_zwave_batteries", {})
    assert answer.sentence == expected
    assert {item["device"] for item in answer.structured["batteries"]} <= {"Fenster", "Window"}


async def test_what_a_scene_does_with_which() -> None:
    home = ScriptedHome(dimmer(2, "Lampe", "Wohnzimmer"), dimmer(3, "Lampe", "Wohnzimmer"))
    set_to = ((2, 0), (3, 40), (9, 0))
    values = tuple(SceneValue(ValueId(node, 38, 0, "targetValue"), level) for node, level in set_to)
    home.known_scenes = (Scene(1, "Kino", values),)
    answer = await Tools(home).call("list_zwave_scenes", {"sceneName": "kino"})
    assert answer.sentence == (
        "The scene Kino: Lampe (node 2) off, Lampe (node 3) on, 40 % and Node 9 is set to something."
    )
