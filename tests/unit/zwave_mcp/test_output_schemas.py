"""Every result fits what its tool declares, and the declarations are small."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from jsonschema import Draft202012Validator
from tests.fakes.scripted_home import ScriptedHome, bulb, chime, dimmer, lock, sensor, switch, thermostat
from tests.unit.zwave_mcp.care.conftest import SCHEMAS

from zwave_mcp.home import Health, HomeDown, NoAnswer, Node, Scene, SceneValue, ValueId
from zwave_mcp.schemas import ALL_TOOLS, TOOLS
from zwave_mcp.server import _tool
from zwave_mcp.tools import Tools

EVERY: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("devices.yaml").read_text(encoding="utf-8")
)["calls"]
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


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_a_tool_says_what_a_small_model_needs(spec):
    text = spec.description
    assert text.startswith("REQUIRED")  # the most important thing first
    assert "MUST call this whenever the user asks about" in text
    assert "DO NOT use for" in text
    assert "Good:" in text
    assert "Bad:" in text
    assert len(text) / 3.5 < 200  # tokens, counted generously
    assert len(text.split("{")) - 1 <= 7  # examples
    assert spec.parameters["additionalProperties"] is False
    for name, parameter in spec.parameters["properties"].items():
        assert "_" not in name
        assert parameter["description"]
    jsonschema.Draft202012Validator.check_schema(spec.parameters)
    jsonschema.Draft202012Validator.check_schema(spec.output)
