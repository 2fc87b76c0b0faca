"""What somebody asks and wants who sees the home for the first time."""

import pytest
from tests.fakes.home_talk import HomeTalk

NOT_UNIT = "a simulated home at its own pace"
HOME = """
[home]
radio_seconds = 0
[[device]]
name = "Ceiling Fan"
room = "Lounge"
kind = "fan"
state = 33
[[device]]
name = "Mood Light"
room = "Lounge"
kind = "light"
[[device]]
name = "Reading Lamp"
room = "Lounge"
kind = "dimmer"
[[device]]
name = "Reading Corner"
room = "Lounge"
kind = "dimmer"
[[device]]
name = "Lamp"
room = "Attic"
kind = "switch"
[[device]]
name = "Lamp"
room = "Attic"
kind = "switch"
[[device]]
name = "Weather"
room = "Garden"
kind = "sensor"
measures = ["light"]
battery = 12
[[device]]
name = "Leak Sensor"
room = "Cellar"
kind = "sensor"
measures = ["water"]
[[device]]
name = "Bathroom Window"
room = "Bathroom"
kind = "sensor"
measures = ["door", "temperature"]
[[device]]
name = "Porch Light"
room = "Entrance"
kind = "switch"
[[scene]]
name = "Reading"
set = [{ device = "Reading Lamp", state = 60 }]
"""


@pytest.fixture
def talk() -> HomeTalk:
    return HomeTalk(HOME)


async def answers(talk: HomeTalk, *said: str) -> str:
    for one in said[:-1]:
        await talk.hears(one)
    return (await talk.hears(said[-1])).text


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("is the cellar dry", "No water is detected in the Cellar."),
        ("is the cellar flooded", "No, no water is detected in the Cellar."),
        ("is the bathroom window open", "No, the Bathroom Window is closed."),
        ("what speed is the fan", "The Ceiling Fan is on at 33 percent."),
        ("how fast is the ceiling fan running", "The Ceiling Fan is on at 33 percent."),
        ("slow the fan down", "The Ceiling Fan is now on at 13 percent."),
        ("speed up the fan", "The Ceiling Fan is now on at 53 percent."),
        ("make the fan medium", "The Ceiling Fan is now on at 67 percent."),
        ("how full is the battery of the weather sensor", "The battery of the Weather is 12 percent."),
        ("how much battery does the weather sensor have left", "The battery of the Weather is 12 percent."),
        ("what lights are in the attic", "There are 2 lights in the Attic: Lamp in the Attic (node 6) and "
         "Lamp in the Attic (node 7)."),
        ("turn on the lamp with node 7", "The Lamp in the Attic (node 7) is now on."),
        ("activate the reading lamp", "The Reading Lamp is now on."),
    ],
)  # fmt: skip
async def test_it_is_understood(talk: HomeTalk, said: str, answer: str) -> None:
    assert await answers(talk, said) == answer


@pytest.mark.parametrize("said", ["how bright is it outside", "how bright is it in the garden"])
async def test_how_bright_it_is_a_sensor_tells(talk: HomeTalk, said: str) -> None:
    assert (await answers(talk, said)).endswith(" lux.")


async def test_a_scene_that_was_told_of_comes_before_part_of_other_names(talk: HomeTalk) -> None:
    said = await answers(talk, "what scenes are there", "activate reading")
    assert said.startswith("The scene Reading ")


async def test_kelvins_that_nothing_can_show_are_refused(talk: HomeTalk) -> None:
    said = await answers(talk, "set the mood light to 500 kelvin")
    assert "1000" in said
    assert "12000" in said


async def test_a_new_name_works_at_once_and_the_old_one_no_longer(talk: HomeTalk) -> None:
    await answers(talk, "turn on the porch light", "rename the porch light to entrance light")
    assert await answers(talk, "turn off the entrance light") == "The Entrance Light is now off."
    assert (await answers(talk, "turn on the porch light")).startswith("I don't know a device called porch")


async def test_calling_it_something_else_renames_it(talk: HomeTalk) -> None:
    said = await answers(talk, "call the leak sensor the boiler leak sensor")
    assert said == "Leak Sensor is now called Boiler Leak Sensor."
