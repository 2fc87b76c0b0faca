"""What a scene does with what is more than on and off."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, bulb, dimmer, lock, thermostat

from zwave_mcp.home import Node, Scene, SceneValue, Value, ValueId
from zwave_mcp.tools import Tools

RGB = {2: 0, 3: 0, 4: 255}  # it is blue now
DOOR = lock(6, "Front Door", jammed=True)
CODE = ValueId(7, 99, 0, "userCode", 1)


def heater() -> Node:
    node = thermostat(7, "Thermostat")
    fan = Value(ValueId(7, 68, 0, "mode"), 0, "Thermostat fan mode", states={0: "Auto low", 1: "Low"})
    return replace(node, values=(*node.values, fan, Value(CODE, None, "User Code (1)")))


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (ValueId(7, 67, 0, "setpoint", 1), 21.5, "Thermostat set to 21.5 °C"),
        (ValueId(7, 64, 0, "mode"), 1, "Thermostat in heat mode"),
        (ValueId(7, 64, 0, "mode"), 0, "Thermostat off"),
        (ValueId(7, 68, 0, "mode"), 1, "Thermostat Thermostat fan mode low"),
        (CODE, "1234", "Thermostat is set to something"),
        (ValueId(4, 51, 0, "hexColor"), "0000ff", "Mood Light blue"),
        (ValueId(4, 51, 0, "targetColor"), {"red": 255, "green": 0, "blue": 0}, "Mood Light red"),
        (ValueId(4, 51, 0, "targetColor", 3), 102, "Mood Light green 40 %"),
        (ValueId(4, 51, 0, "targetColor"), {"warmWhite": 255}, "Mood Light is set to something"),
        (ValueId(4, 38, 0, "targetValue"), 40, "Mood Light on, 40 %"),
        (ValueId(9, 38, 0, "targetValue"), 40, "Node 9 is set to something"),
        (ValueId(6, 98, 0, "targetMode"), 255, "Front Door locked"),
        (ValueId(3, 99, 0, "nonsense"), [1], "Floor Lamp is set to something"),
    ],
)
async def test_the_value_is_said(where: ValueId, value: Any, said: str):
    home = ScriptedHome(dimmer(3, "Floor Lamp"), bulb(4, "Mood Light", RGB), heater(), DOOR)
    home.known_scenes = (Scene(1, "Movie", (SceneValue(where, value),)),)
    answer = await Tools(home).call("list_zwave_scenes", {"sceneName": "movie"})
    assert answer.sentence == f"The scene Movie: {said}."
