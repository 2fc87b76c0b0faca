"""Temperatures that no thermostat should get, although the gateway names no limits."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, thermostat

from zwave_mcp.home import Node
from zwave_mcp.tools import Tools


def without(*limits: str, unit: str = "°C", mode: int = 1) -> Node:
    node = thermostat(7, "Thermostat", unit=unit, mode=mode)
    gone: dict[str, Any] = dict.fromkeys(limits)
    return replace(node, values=tuple(replace(value, **gone) for value in node.values))


async def asked_for(home: ScriptedHome, temperature: float, **more: Any) -> tuple[str, str, list[Any]]:
    home.polled = [temperature]
    answer = await Tools(home).call(
        "set_zwave_thermostat", {"deviceName": "thermostat", "temperature": temperature, **more}
    )
    return answer.structured["outcome"], answer.sentence, [value for _, value in home.sent]


@pytest.mark.parametrize("mode", [1, 2])
@pytest.mark.parametrize(
    ("unit", "temperature", "sent"),
    [
        *(("°C", 500, False), ("°C", 41, False), ("°C", 3, False), ("°C", -10, False), ("°C", 22, True)),
        *(("°F", 500, False), ("°F", 105, False), ("°F", 20, False), ("°F", 72, True)),
    ],
)
async def test_without_limits_of_its_own_the_usual_ones_hold(
    mode: int, unit: str, temperature: float, sent: bool
):
    home = ScriptedHome(without("minimum", "maximum", unit=unit, mode=mode))
    outcome, sentence, writes = await asked_for(home, temperature)
    assert (outcome, writes) == (("confirmed", [temperature]) if sent else ("invalid", []))
    if not sent:
        low, high = ("40", "104") if "F" in unit else ("4", "40")
        assert sentence.startswith(f"The temperature must be between {low} and {high} degrees")


@pytest.mark.parametrize(
    ("missing", "temperature", "expected"),
    [
        ("maximum", 60, "between 5 and 40"),
        ("minimum", 1, "between 4 and 30"),
        ("minimum", 31, "between 4 and 30"),
    ],
)
async def test_of_one_limit_the_other_is_the_usual_one(missing: str, temperature: float, expected: str):
    outcome, sentence, writes = await asked_for(ScriptedHome(without(missing)), temperature)
    assert (outcome, expected in sentence, writes) == ("invalid", True, [])


async def test_its_own_limits_win():
    node = thermostat(7, "Thermostat")
    wide = replace(node, values=tuple(replace(value, minimum=0.0, maximum=60.0) for value in node.values))
    assert (await asked_for(ScriptedHome(wide), 55))[0] == "confirmed"


async def test_fahrenheit_for_a_thermostat_in_celsius_is_converted_before():
    home = ScriptedHome(without("minimum", "maximum"))
    assert (await asked_for(home, 200, unit="F"))[0] == "invalid"
