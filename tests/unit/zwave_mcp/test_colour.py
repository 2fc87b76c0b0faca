"""Colours: by the components that a light has, done only when each of them was told, and put back exactly."""

from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, bulb, devices_of, switch

from zwave_mcp.home import NoAnswer, Node, Snapshot, Status, Value, ValueId, WriteResult
from zwave_mcp.results import Result
from zwave_mcp.tools import Tools

RGBW = {0: 0, 2: 255, 3: 120, 4: 0}
WHITE_ONLY = {0: 200, 1: 55}
TARGET = "4-51-0-targetColor"


async def paint(home: ScriptedHome, **args: Any) -> Result:
    return await Tools(home).call("set_zwave_color", {"deviceName": "Mood Light", **args})


def home_of(node: Node, *, polled: list[Any] | None = None) -> ScriptedHome:
    home = ScriptedHome(node)
    if polled is not None:
        home.written, home.polled = WriteResult(Status.ACKNOWLEDGED), polled
    return home


def rgb(red: int, green: int, blue: int, **whites: int) -> dict[str, int]:
    return {**whites, "red": red, "green": green, "blue": blue}


@pytest.mark.parametrize(
    ("parts", "args", "sent", "expected"),
    [
        (RGBW, {"color": "blue"}, rgb(0, 0, 255, warmWhite=0), "blue"),
        (RGBW, {"color": "#00FF40"}, rgb(0, 255, 64, warmWhite=0), "green"),
        (RGBW, {"color": "Light-Blue"}, rgb(173, 216, 230, warmWhite=0), "light blue"),
        (RGBW, {"color": "warm white"}, rgb(0, 0, 0, warmWhite=255), "warm white"),
        (RGBW, {"temperature": 2700}, rgb(0, 0, 0, warmWhite=255), "warm white"),
        (WHITE_ONLY, {"temperature": 4000}, {"warmWhite": 113, "coldWhite": 142}, "neutral white"),
        (WHITE_ONLY, {"temperature": 6500}, {"warmWhite": 0, "coldWhite": 255}, "6500 kelvin"),
        (WHITE_ONLY, {"color": "white"}, {"warmWhite": 113, "coldWhite": 142}, "neutral white"),
        (WHITE_ONLY, {"color": "3000K"}, {"warmWhite": 211, "coldWhite": 44}, "3000 kelvin"),
        ({0: 9}, {"color": "warm white"}, {"warmWhite": 255}, "warm white"),
        ({0: 9}, {"temperature": 3000}, {"warmWhite": 255}, "warm white"),
        ({0: 9}, {"color": "white"}, {"warmWhite": 255}, "warm white"),
        ({1: 9}, {"color": "cold white"}, {"coldWhite": 255}, "cold white"),
    ],
)
async def test_what_is_sent_has_every_component_that_the_light_has(parts, args, sent, expected):
    home = home_of(bulb(4, "Mood Light", parts))

    answer = await paint(home, **args)

    assert home.sent == [(TARGET, sent)]
    assert answer.sentence == f"The Mood Light is now {expected}."
    assert answer.structured["outcome"] == "confirmed"


@pytest.mark.parametrize(
    ("parts", "args", "outcome", "expected"),
    [
        (RGBW, {"color": "bright"}, "invalid", 'There is no colour "bright" of light.'),
        (RGBW, {"color": "#12345"}, "invalid", 'There is no colour "#12345" of light.'),
        (RGBW, {"color": "#gg0000"}, "invalid", 'There is no colour "#gg0000" of light.'),
        (RGBW, {"color": "#000000"}, "invalid", "a light that shall be dark is turned off"),
        (RGBW, {"temperature": 300}, "invalid", "must be between 1000 and 12000 kelvin"),
        (RGBW, {"temperature": -5}, "invalid", "must be between 1000 and 12000 kelvin"),
        (WHITE_ONLY, {"temperature": 2000}, "invalid", "must be between 2700 and 6500 kelvin"),
        (WHITE_ONLY, {"color": "red"}, "unsupported", "shows no colours, only white from warm to cold."),
        ({0: 9}, {"color": "red"}, "unsupported", "shows no colours, only one white."),
        ({0: 9}, {"temperature": 4000}, "unsupported", "has only one white, which is warm."),
        ({0: 9}, {"color": "cold white"}, "unsupported", "has only one white, which is warm."),
        ({1: 9}, {"color": "warm white"}, "unsupported", "has only one white, which is cold."),
        (RGBW, {}, "invalid", "one of both"),
        (RGBW, {"brightness": 40}, "invalid", "one of both"),
        (RGBW, {"color": "red", "temperature": 2700}, "invalid", "one of both"),
        (RGBW, {"color": "red", "brightness": 0}, "invalid", "brightness is"),
        (RGBW, {"color": "red", "brightness": 101}, "invalid", "brightness is"),
        (RGBW, {"color": 7}, "invalid", "color is not"),
        (RGBW, {"temperature": float("nan")}, "invalid", "temperature"),
        ({}, {"color": "red"}, "unsupported", "The Mood Light shows no colours."),
    ],
)
async def test_what_cannot_be_is_said_and_nothing_is_sent(parts, args, outcome, expected):
    home = home_of(bulb(4, "Mood Light", parts))

    answer = await paint(home, **args)

    assert home.sent == []
    assert (answer.structured["outcome"], answer.is_error) == (outcome, True)
    assert expected in answer.sentence


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


@pytest.mark.parametrize(
    ("parts", "color"),
    [
        ({2: 1, 3: 2, 4: 3}, "#010203"),
        (RGBW, "#ff78000000"),
        (WHITE_ONLY, "#000000c837"),
        ({0: 9, 1: 8, 2: 7, 3: 6, 4: 5}, "#0706050908"),
    ],
)
async def test_what_was_before_is_told_exactly(parts, color):
    answer = await paint(home_of(bulb(4, "Mood Light", parts)), color="white")
    assert answer.structured["before"] == [
        {"name": "set_zwave_color", "args": {"deviceName": "Mood Light", "color": color}}
    ]


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
