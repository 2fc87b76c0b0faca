"""A room alone is no device: it is asked which one is meant, and the answer may name a kind of them."""

import pytest
from tests.fakes.home_talk import HomeTalk

NOT_UNIT = "a simulated home at its own pace"

DEVICE = '[[device]]\nname = "{}"\nroom = "Library"\nkind = "{}"\nstate = "on"\n'
HOME = "[home]\nradio_seconds = 0\n" + "".join(
    DEVICE.format(*one) for one in (("Reading Lamp", "switch"), ("Mood Light", "light"), ("Kettle", "plug"))
)


async def answered(answer: str) -> tuple[set[str], str]:
    """What was switched, and what was said."""
    talk = HomeTalk(HOME)
    assert (await talk.hears("turn off the library")).text.startswith("Which one do you mean")
    reply = await talk.hears(answer)
    return {outcome.args["deviceName"] for outcome in reply.outcomes}, reply.text


@pytest.mark.parametrize("answer", ["the lights", "lights", "only the lights", "all the lights please"])
async def test_a_kind_of_device_answers_which_one(answer):
    switched, said = await answered(answer)

    assert switched == {"Reading Lamp", "Mood Light"}, said


async def test_a_kind_that_nothing_there_is_answers_nothing():
    switched, _ = await answered("the blinds")

    assert switched == set()


async def test_one_of_a_kind_is_asked_about_again_among_those():
    switched, said = await answered("the light")

    assert (switched, said) == (set(), "Which one do you mean: the Reading Lamp or the Mood Light?")
