"""Questions that name no device, answered by what a Home Assistant's sensors watch for."""

import pytest
from tests.fakes.home_assistant_home import Entity
from tests.unit.brain.local.test_home_assistant_home import house_read


def sensor(what: str, state: str, name: str = "Thing", room: str = "Kitchen") -> Entity:
    return Entity(f"binary_sensor.{what}", name, room, state, {"device_class": what})


@pytest.mark.parametrize(
    ("said", "sensors", "answer"),
    [
        ("is there smoke anywhere", (), "Nothing here can tell me whether there is smoke."),
        ("is there smoke anywhere", (sensor("smoke", "off"),), "No, no smoke is detected."),
        ("is there smoke anywhere", (sensor("smoke", "on"),), "Yes: smoke is detected in the Kitchen."),
        ("is there smoke anywhere", (sensor("smoke", "unavailable"),),
         "I don't know: I can't reach the Thing."),
        ("is there smoke anywhere", (sensor("smoke", "unknown"),), "I don't know: the Thing has not told."),
        ("does anything leak", (sensor("moisture", "on"),), "Yes: water is detected in the Kitchen."),
        ("does anything leak", (sensor("moisture", "off"),), "No, no water is detected."),
        ("is there gas in the kitchen", (sensor("gas", "off"),), "No, no gas is detected in the Kitchen."),
        ("is a window open", (sensor("window", "on", "Contact 3"),), "Yes, the Contact 3 is open."),
        ("is a window open", (sensor("window", "off", "Contact 3"),), "No, no window is open."),
        ("is any window open", (sensor("window", "unavailable", "Contact 3"),),
         "I don't know. I can't reach the Contact 3."),
        ("is a window open", (sensor("opening", "on", "Hatch"),),
         "Nothing here can tell me whether a window is open."),
        ("how is the smoke alarm", (sensor("smoke", "off"),), "No smoke is detected."),
    ],
)  # fmt: skip
async def test_who_watches_for_it_answers(said: str, sensors: tuple[Entity, ...], answer: str) -> None:
    house = await house_read(*sensors)
    assert await house.say(said) == answer
