"""Every result fits what its tool declares, and the declarations are small."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.fakes.scripted_home import ScriptedHome, bulb, chime, dimmer, lock, sensor, switch, thermostat
from tests.unit.zwave_mcp.care.conftest import SCHEMAS

from zwave_mcp.home import Health, HomeDown, NoAnswer, Node, Scene, SceneValue, ValueId
from zwave_mcp.schemas import ALL_TOOLS
from zwave_mcp.server import _tool
from zwave_mcp.tools import Tools

LAMP, THERMOSTAT = {"deviceName": "desk lamp"}, {"deviceName": "thermostat"}
EVERY: dict[str, list[dict[str, Any]]] = {
    "list_zwave_devices": [{}, {"limit": 0}],
    "get_zwave_device": [LAMP, THERMOSTAT, {"deviceName": "lamp"}, {"deviceName": "office lights"}],
    "get_device_sensor_data": [{"deviceName": "climate sensor"}, {"deviceName": "office"}],
    "control_zwave_device": [
        *({"deviceName": name, "action": "on"} for name in ("desk lamp", "lamp", "gone", "office lights")),
        {"deviceName": "office lights", "action": "toggle"},
    ],
    "control_zwave_lock": [{"deviceName": "front door", "action": "unlock"}],
    "set_zwave_thermostat": [{**THERMOSTAT, "temperature": 21}],
    "activate_zwave_scene": [{"sceneName": name} for name in ("movie", "odd", "gone")],
    "check_zwave_health": [{}],
    "set_zwave_color": [
        {"deviceName": "mood light", "color": "bright"},
        *({"deviceName": name, "color": "blue"} for name in ("mood light", "mood lights", "office lights")),
    ],
    "play_zwave_sound": [
        {"deviceName": "door chime", "action": "play", "tone": "ding dong", "volume": 40},
        {"deviceName": "door chime", "action": "stop"},
        {"deviceName": "door chime", "action": "play", "tone": "gong"},
    ],
    "list_zwave_scenes": [{}, {"sceneName": "odd"}],
    "get_zwave_batteries": [{}],
    "get_zwave_energy": [{}],
}
CALLS = [(tool, given) for tool, every in EVERY.items() for given in every]


def a_home() -> ScriptedHome:
    home = ScriptedHome(
        switch(2, "Desk Lamp", "Office"),
        dimmer(3, "Floor Lamp", "Office"),
        sensor(5, "Climate Sensor", "Office"),
        lock(6, "Front Door"),
        thermostat(7, "Thermostat"),
        bulb(8, "Mood Light", {2: 0, 3: 0, 4: 9}, "Lounge"),
        bulb(9, "Ceiling Bulb", {2: 0, 3: 0, 4: 9}, "Lounge"),
        chime(10, "Door Chime", {1: "Ding Dong (3 sec)"}),
        Node(4096, "Office Lights", members=(2, 3)),
        Node(4097, "Mood Lights", members=(8, 9)),
    )
    home.polled = [False]
    home.known_scenes = (
        Scene(1, "Movie", (SceneValue(ValueId(2, 37, 0, "targetValue"), False),)),
        Scene(2, "Odd", (SceneValue(ValueId(99, 37, 0, "targetValue"), True),)),
    )
    return home


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[f"{tool} {given}" for tool, given in CALLS])
@pytest.mark.parametrize("trouble", ["", "down", "silent"])
async def test_every_result_is_as_it_was_declared(tool: str, arguments: dict[str, Any], trouble: str) -> None:
    home = a_home()
    if trouble == "down":
        home.down, home.state = HomeDown("Nothing is there."), Health(ok=False, problem="Nothing is there.")
    if trouble == "silent":
        home.written, home.polled = NoAnswer("silence"), [NoAnswer("silence")]
    answer = await Tools(home, allow_unlock=True).call(tool, arguments)
    Draft202012Validator(SCHEMAS[tool]).validate(dict(answer.structured))
    if trouble == "down" and arguments != {"limit": 0}:
        assert (answer.structured["outcome"], answer.is_error) == ("system_down", True)


def test_every_tool_is_called_here_or_by_the_tests_of_the_house() -> None:
    house = {"get_zwave_user_codes", "rename_zwave_device", "ping_zwave_device"}
    assert set(EVERY) | house == set(SCHEMAS)


def test_the_list_of_tools_is_small() -> None:
    tools = [_tool(spec).model_dump(by_alias=True, exclude_none=True, mode="json") for spec in ALL_TOOLS]
    assert len(json.dumps({"tools": tools})) <= 25_000
