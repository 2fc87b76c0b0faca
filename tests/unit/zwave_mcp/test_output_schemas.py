"""Every field that a tool gives is declared, and every result fits what is declared."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.fakes.scripted_home import ScriptedHome, dimmer, lock, sensor, switch, thermostat

from zwave_mcp.home import Health, HomeDown, NoAnswer, Scene, SceneValue, ValueId
from zwave_mcp.schemas import TOOLS
from zwave_mcp.tools import Tools

SCHEMAS = {spec.name: spec.output for spec in TOOLS}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_zwave_devices", {}),
    ("list_zwave_devices", {"limit": 0}),
    ("get_zwave_device", {"deviceName": "desk lamp"}),
    ("get_zwave_device", {"deviceName": "thermostat"}),
    ("get_zwave_device", {"deviceName": "lamp"}),
    ("get_device_sensor_data", {"deviceName": "climate sensor"}),
    ("get_device_sensor_data", {"deviceName": "office"}),
    ("control_zwave_device", {"deviceName": "desk lamp", "action": "on"}),
    ("control_zwave_device", {"deviceName": "lamp", "action": "on"}),
    ("control_zwave_device", {"deviceName": "gone", "action": "on"}),
    ("control_zwave_lock", {"deviceName": "front door", "action": "unlock"}),
    ("set_zwave_thermostat", {"deviceName": "thermostat", "temperature": 21}),
    ("activate_zwave_scene", {"sceneName": "movie"}),
    ("activate_zwave_scene", {"sceneName": "odd"}),
    ("activate_zwave_scene", {"sceneName": "gone"}),
    ("check_zwave_health", {}),
]


def a_home() -> ScriptedHome:
    home = ScriptedHome(
        switch(2, "Desk Lamp", "Office"),
        dimmer(3, "Floor Lamp", "Office"),
        sensor(5, "Climate Sensor", "Office"),
        lock(6, "Front Door"),
        thermostat(7, "Thermostat"),
    )
    home.polled = [False]
    home.known_scenes = (
        Scene(1, "Movie", (SceneValue(ValueId(2, 37, 0, "targetValue"), False),)),
        Scene(2, "Odd", (SceneValue(ValueId(99, 37, 0, "targetValue"), True),)),
    )
    return home


def fits(tool: str, structured: Any) -> None:
    unknown = set(structured) - set(SCHEMAS[tool]["properties"])
    assert not unknown, f"{tool} does not declare {unknown}"
    Draft202012Validator(SCHEMAS[tool]).validate(dict(structured))


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[f"{tool} {given}" for tool, given in CALLS])
@pytest.mark.parametrize("trouble", ["", "down", "silent"])
async def test_every_result_is_as_it_was_declared(tool: str, arguments: dict[str, Any], trouble: str) -> None:
    home = a_home()
    if trouble == "down":
        home.down, home.state = HomeDown("Nothing is there."), Health(ok=False, problem="Nothing is there.")
    if trouble == "silent":
        home.written, home.polled = NoAnswer("silence"), [NoAnswer("silence")]
    answer = await Tools(home, allow_unlock=True).call(tool, arguments)
    fits(tool, answer.structured)
