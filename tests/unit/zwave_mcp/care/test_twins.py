"""Two devices of one name: in one room told apart by their numbers, else by their rooms."""

from dataclasses import replace

import pytest
from tests.fakes.scripted_home import ScriptedHome, dimmer, sensor, switch

from zwave_mcp.home import Node, Scene, SceneValue, Value, ValueId
from zwave_mcp.tools import Tools


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
