import pytest
from tests.fakes.scripted_home import blind, devices_of, dimmer, switch

from home_names import wording
from zwave_mcp.devices import Device
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
        "The Spot Lights were not turned off; they are still on at 40 percent."
    )
    assert wording.unreachable(lights).startswith("The Spot Lights do not answer")
