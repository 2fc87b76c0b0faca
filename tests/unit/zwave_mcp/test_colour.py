"""Colours: by the components that a light has, done only when each of them was told, and put back exactly."""

from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, bulb, devices_of, switch

from zwave_mcp.home import NoAnswer, Node, Snapshot, Status, Value, ValueId, WriteResult
from zwave_mcp.results import Result
from zwave_mcp.tools import Tools

RGBW = {0: 0, 2: 255, 3: 120, 4: 0}
TARGET = "4-51-0-targetColor"


async def paint(home: ScriptedHome, **args: Any) -> Result:
    return await Tools(home).call("set_zwave_color", {"deviceName": "Mood Light", **args})


def home_of(node: Node, *, polled: list[Any] | None = None) -> ScriptedHome:
    home = ScriptedHome(node)
    if polled is not None:
        home.written, home.polled = WriteResult(Status.ACKNOWLEDGED), polled
    return home


@pytest.mark.parametrize(
    ("reported", "outcome", "changed"),
    [
        ([0, 0, 0, 255], "confirmed", True),
        ([0, 255, 120, 0], "failed", False),
        ([0, 0, 0, 7], "failed", True),
        ([0, 0, 90, 255], "failed", True),
    ],
)
async def test_it_is_done_when_every_component_is(reported: list[int], outcome: str, changed: bool):
    home = home_of(bulb(4, "Mood Light", RGBW), polled=[None])
    parts = zip((0, 2, 3, 4), reported, strict=True)
    home.told = {f"4-51-0-currentColor-{key}": level for key, level in parts}
    answer = await paint(home, color="blue")
    assert (answer.structured["outcome"], "before" in answer.structured) == (outcome, changed)


async def test_a_light_that_is_off_is_turned_on_and_its_brightness_is_asked_for():
    off = home_of(bulb(4, "Mood Light", RGBW, level=0), polled=[0, 0, 0, 255, 75])
    answer = await paint(off, color="blue")
    assert [target for target, _ in off.sent] == [TARGET, "4-38-0-targetValue"]
    assert answer.sentence == "The Mood Light is now blue at 76 percent."
    assert answer.structured["state"] == "on, 76 %, blue"

    on = home_of(bulb(4, "Mood Light", RGBW, level=60))
    answer = await paint(on, color="blue", brightness=30)
    assert on.sent[-1] == ("4-38-0-targetValue", 30)
    assert answer.structured["state"] == "on, 30 %, blue"


async def test_a_plug_with_a_lamp_of_its_own_stays_as_it_is():
    """Many metering plugs show their power by a colour: what hangs on them must not be switched."""
    plain = switch(4, "Mood Light", on=False)
    more = bulb(4, "Mood Light", RGBW).values[4:]
    meter = Value(ValueId(4, 50, 0, "value", 66049), 12.0, unit="W")
    home = home_of(Node(4, "Mood Light", status="Alive", values=(*plain.values, *more, meter)))

    answer = await paint(home, color="blue")

    (device,) = devices_of(Snapshot(home.nodes))
    assert (device.kind, [target for target, _ in home.sent]) == ("plug", [TARGET])
    assert answer.structured["outcome"] == "confirmed"


# --- put back


async def test_a_light_that_was_off_is_off_again_and_an_unknown_colour_is_said():
    answer = await paint(
        home_of(bulb(4, "Mood Light", {**RGBW, 2: None}, level=0), polled=[0, 0, 0, 255, 9]), color="blue"
    )
    assert answer.structured["before"] == [
        {"name": "control_zwave_device", "args": {"deviceName": "Mood Light", "action": "off"}}
    ]
    assert answer.structured["undo"] == "It is not known which colour the Mood Light had before."


# --- words


@pytest.mark.parametrize(
    ("level", "parts", "state"), [(99, {0: 0, 2: 0, 3: 0, 4: 255}, "on, 100 %, blue"), (40, {}, "on, 40 %")]
)
async def test_which_colour_it_has_the_light_says_and_not_the_driver(level, parts, state):
    home = home_of(bulb(4, "Mood Light", RGBW))  # remembered: orange
    home.told = {"4-38-0-currentValue": level}
    home.told |= {f"4-51-0-currentColor-{key}": part for key, part in parts.items()}
    home.polled = [NoAnswer("silence")]
    answer = await Tools(home).call("get_zwave_device", {"deviceName": "Mood Light"})
    assert (answer.structured["state"], answer.structured["outcome"]) == (state, "confirmed")
