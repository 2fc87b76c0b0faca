import math
from typing import Any

import jsonschema
import pytest
from tests.fakes.scripted_home import ScriptedHome, blind, dimmer, sensor, switch

from zwave_mcp.schemas import TOOLS
from zwave_mcp.tools import Tools


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"deviceName": "Lamp"}, '"action" is a required property.'),
        ({}, '"deviceName" is a required property; "action"'),
        ({"deviceName": "", "action": "on"}, "deviceName is shorter than 1 character."),
        ({"deviceName": "  \n", "action": "on"}, "deviceName is blank."),
        ({"deviceName": "x" * 10_000, "action": "on"}, "deviceName is longer than 100 characters."),
        ({"deviceName": 7, "action": "on"}, 'deviceName is not of type "string".'),
        ({"deviceName": "Lamp", "action": "explode"}, 'action is not one of "on", "off"'),
        ({"deviceName": "Lamp", "action": "dim", "level": 101}, "level is greater than the maximum of 100."),
        ({"deviceName": "Lamp", "action": "dim", "level": math.nan}, 'level is not of type "integer".'),
        ({"deviceName": "Lamp", "action": "dim", "level": 10**400}, "level is greater"),
        ({"deviceName": "Lamp", "action": "dim", "level": True}, 'level is not of type "integer".'),
        ({"device_name": "Lamp", "action": "on"}, '"deviceName" is a required property; Additional'),
    ],
)
async def test_bad_arguments_are_refused_with_a_sentence(arguments: dict[str, Any], expected: str):
    home = ScriptedHome(switch(2, "Lamp"))
    answer = await Tools(home).call("control_zwave_device", arguments)
    assert answer.sentence.startswith(expected)
    assert (answer.structured["outcome"], answer.is_error, home.sent) == ("invalid", True, [])


async def test_a_whole_number_may_be_written_with_a_point_and_null_means_nothing():
    home = ScriptedHome(dimmer(2, "Lamp"))
    await Tools(home).call("control_zwave_device", {"deviceName": "Lamp", "action": "dim", "level": 40.0})
    await Tools(home).call("control_zwave_device", {"deviceName": "Lamp", "action": "off", "level": None})
    assert [value for _, value in home.sent] == [40, 0]


@pytest.mark.parametrize(
    ("name", "action", "level", "outcome", "expected"),
    [
        ("Lamp", "dim", None, "invalid", "To dim the Lamp a level from 0 to 100 percent is needed."),
        ("Lamp", "off", 40, "invalid", 'A level of 40 percent does not go with "off".'),
        ("Lamp", "on", 0, "invalid", 'A level of 0 percent does not go with "on".'),
        ("Lamp", "toggle", 40, "invalid", 'A level of 40 percent does not go with "toggle".'),
        ("Lamp", "open", None, "unsupported", "The Lamp cannot be opened;"),
        ("Fan", "dim", 40, "unsupported", "The Fan cannot be dimmed; it can only be turned on and off."),
        ("Fan", "on", 40, "unsupported", "The Fan cannot be dimmed;"),
        ("Blind", "on", None, "unsupported", "The Blind cannot be turned on;"),
        ("Blind", "close", 30, "invalid", 'A level of 30 percent does not go with "close".'),
        ("Gauge", "on", None, "unsupported", "The Gauge cannot be turned on; it only measures."),
        ("Gate", "on", None, "unsupported", "The Gate cannot be turned on; it can be opened and closed."),
        ("Gate", "dim", 50, "unsupported", "The Gate cannot be dimmed;"),
    ],
)
async def test_what_a_device_cannot_do_is_not_sent(name, action, level, outcome, expected):
    home = ScriptedHome(
        dimmer(2, "Lamp"), switch(3, "Fan"), blind(4, "Blind"), sensor(5, "Gauge"), blind(6, "Gate")
    )
    arguments = {"deviceName": name, "action": action} | ({} if level is None else {"level": level})
    answer = await Tools(home).call("control_zwave_device", arguments)
    assert answer.sentence.startswith(expected)
    assert (answer.structured["outcome"], home.sent) == (outcome, [])


@pytest.mark.parametrize(
    ("name", "action", "level", "sent"),
    [
        ("Lamp", "on", 40, 40),
        ("Lamp", "dim", 0, 0),
        ("Lamp", "dim", 1, 1),
        ("Lamp", "dim", 100, 99),
        ("Lamp", "off", 0, 0),
        ("Blind", "dim", 50, 50),
        ("Blind", "open", 30, 30),
        ("Blind", "dim", 0, 0),
    ],
)
async def test_a_level_is_sent_as_z_wave_has_it(name, action, level, sent):
    home = ScriptedHome(dimmer(2, "Lamp"), blind(4, "Blind"))
    home.polled = [sent]
    await Tools(home).call("control_zwave_device", {"deviceName": name, "action": action, "level": level})
    assert [value for _, value in home.sent] == [sent]


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
