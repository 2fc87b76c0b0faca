"""Temperatures that no thermostat should get, although the gateway names no limits."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, thermostat

from zwave_mcp.tools import Tools

NONE: dict[str, Any] = {"minimum": None, "maximum": None}
USUAL = "between 4 and 40 degrees Celsius"


@pytest.mark.parametrize("mode", [1, 2])
@pytest.mark.parametrize(
    ("unit", "limits", "wanted", "refusal"),
    [
        *(("°C", NONE, {"temperature": degrees}, USUAL) for degrees in (500, 41, 3, -10)),
        ("°C", NONE, {"temperature": 22}, ""),
        *(("°F", NONE, {"temperature": degrees}, "between 40 and 104") for degrees in (500, 105, 20)),
        ("°F", NONE, {"temperature": 72}, ""),
        ("°C", NONE, {"temperature": 200, "unit": "F"}, USUAL),  # converted before
        ("°C", {"minimum": 5.0, "maximum": None}, {"temperature": 60}, "between 5 and 40"),
        ("°C", {"minimum": None, "maximum": 30.0}, {"temperature": 1}, "between 4 and 30"),
        ("°C", {"minimum": 0.0, "maximum": 60.0}, {"temperature": 55}, ""),
    ],
)
async def test_the_usual_limits_hold_where_the_thermostat_names_none(
    mode: int, unit: str, limits: dict[str, Any], wanted: dict[str, Any], refusal: str
):
    node = thermostat(7, "Thermostat", unit=unit, mode=mode)
    home = ScriptedHome(replace(node, values=tuple(replace(value, **limits) for value in node.values)))
    home.polled = [wanted["temperature"]]
    answer = await Tools(home).call("set_zwave_thermostat", {"deviceName": "thermostat", **wanted})
    sent = [] if refusal else [wanted["temperature"]]
    assert (answer.structured["outcome"], [value for _, value in home.sent]) == (
        "invalid" if refusal else "confirmed",
        sent,
    )
    assert refusal in answer.sentence
