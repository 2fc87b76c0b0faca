import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.scripted_home import blind, dimmer, switch

from home_names import wording
from zwave_mcp import sentences
from zwave_mcp.devices import Device, devices_of
from zwave_mcp.home import Node, Snapshot


def device(node: Node) -> Device:
    return devices_of(Snapshot((node,)))[0]


@pytest.mark.parametrize(
    ("name", "room", "called"),
    [
        ("Floor Lamp", "Living Room", "the Floor Lamp in the Living Room"),
        ("Dad's Lamp", "Max's Room", "Dad's Lamp in Max's Room"),
        ("The Big Lamp", "Kids' Room", "The Big Lamp in Kids' Room"),
        ("", "", "Node 2"),
        ("", "Garage", "Node 2 in the Garage"),
    ],
)
def test_a_device_is_called_as_people_call_it(name: str, room: str, called: str):
    assert wording.the(device(switch(2, name, room)), room=True) == called


def test_several_are_and_one_is():
    assert wording.doing(device(blind(2, "Study Blinds")), "close") == "The Study Blinds are closing."
    assert wording.doing(device(blind(2, "Window Blind")), "open") == "The Window Blind is opening."
    assert wording.done(device(switch(2, "Compass")), "on", "on") == "The Compass is now on."
    lights = device(dimmer(2, "Spot Lights"))
    assert wording.failed(lights, "off", "on, 40 %") == (
        "The Spot Lights did not turn off; they are still on at 40 percent."
    )
    assert wording.unreachable(lights).startswith("The Spot Lights do not answer")


STATES = st.sampled_from(
    ["on", "off", "on, 40 %", "on, 100 %", "open", "closed", "30 % open", "locked", "unknown"]
)


@settings(deadline=None)
@given(st.text(min_size=1, max_size=40), st.text(max_size=20), STATES)
def test_every_sentence_is_one_line_that_ends_well(name: str, room: str, state: str):
    lamp = device(dimmer(2, " ".join(name.split()), " ".join(room.split())))
    said = [
        wording.done(lamp, "on", state),
        wording.done(lamp, "stop", state),
        wording.doing(lamp, "on"),
        wording.doing(lamp, "dim", 40),
        wording.not_confirmed(lamp),
        sentences.queued(lamp),
        wording.unreachable(lamp),
        wording.failed(lamp, "on", state),
        wording.jammed(lamp, "lock"),
        sentences.cannot(lamp, "open"),
        wording.was_state(lamp, state),
        sentences.which([lamp, lamp]),
        sentences.not_found(name, [lamp]),
        sentences.one_at_a_time(name, [lamp]),
    ]
    for sentence in said:
        assert sentence[-1] in ".?"
        assert len(sentence.splitlines()) == 1 or len(f"{name}{room}".splitlines()) != 1
        assert " %" not in sentence or "%" in f"{name}{room}"
