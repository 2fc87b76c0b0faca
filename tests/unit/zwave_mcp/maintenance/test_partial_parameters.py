"""Settings that share one number, each in some of its bits."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, switch

from zwave_mcp.home import Value, ValueId
from zwave_mcp.tools import Tools

LOW, HIGH = 255, 65280


def a_home() -> ScriptedHome:
    lamp = switch(2, "Desk Lamp")
    parts = [
        Value(ValueId(2, 112, 0, 5, mask), was, label, minimum=0, maximum=99, writeable=True)
        for mask, was, label in ((LOW, 10, "Ramp up"), (HIGH, 20, "Ramp down"))
    ]
    home = ScriptedHome(replace(lamp, values=(*lamp.values, *parts)))
    home.told = {f"2-112-0-5-{LOW}": 30, f"2-112-0-5-{HIGH}": 30}
    return home


async def call(home: ScriptedHome, tool: str, **given: str) -> Any:
    return await Tools(home).call(tool, {"deviceName": "desk lamp", **given})


@pytest.mark.parametrize(("name", "mask", "was"), [("ramp up", LOW, "10"), ("ramp down", HIGH, "20")])
async def test_what_puts_a_part_back_means_that_part_alone(name: str, mask: int, was: str):
    home = a_home()
    changed = await call(home, "set_zwave_parameter", parameter=name, value="30")
    assert changed.structured["outcome"] == "confirmed"
    (back,) = changed.structured["before"]
    home.told = {f"2-112-0-5-{mask}": int(was)}

    undone = await Tools(home).call(back["name"], back["args"])

    assert undone.structured["outcome"] == "confirmed"
    assert home.sent == [(f"2-112-0-5-{mask}", 30), (f"2-112-0-5-{mask}", int(was))]


async def test_the_number_alone_is_asked_about():
    home = a_home()
    said = await call(home, "set_zwave_parameter", parameter="5", value="30")
    assert (said.structured["outcome"], home.sent) == ("ambiguous", [])
    assert f"Ramp up (number 5[{LOW}]) or Ramp down (number 5[{HIGH}])" in said.sentence


async def test_each_part_is_listed_with_its_bits():
    said = await call(a_home(), "get_zwave_parameters")
    assert [(one["number"], one["mask"]) for one in said.structured["parameters"]] == [(5, LOW), (5, HIGH)]
