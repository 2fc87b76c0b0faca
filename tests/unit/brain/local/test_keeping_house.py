"""Keeping house by word: what is looked at, what is asked about first, and what is no such wish."""

import pytest
from tests.fakes.home_talk import HomeTalk
from tests.unit.zwave_mcp.maintenance.conftest import HOME

from zwave_mcp.maintenance.network import Door


@pytest.fixture
def talk() -> HomeTalk:
    return HomeTalk(HOME)


@pytest.mark.parametrize(
    ("said", "begins"),
    [
        ("Which batteries are low?", "This battery is low: Back Door"),
        ("are any batteries low", "This battery is low: Back Door"),
        ("battery report", "This battery is low"),
        ("which battery is lowest", "This battery is low"),
        ("does anything need a new battery", "This battery is low"),
        ("how much energy did the dryer use today", "The Dryer used 0 kilowatt hours today"),
        ("how much power did the dryer use on monday", "Nothing was measured of the Dryer"),
        ("how much electricity did we use today", "Today 0 kilowatt hours"),
        ("how much energy has the coffee maker used today", "The Coffee Maker only tells its power"),
        ("who has a code for the front door", "The Front Door has 3 codes in use, by Anna, user 2 and Ben"),
        ("who has a code", "The Front Door has 3 codes in use"),
        ("what is the code for the front door", "The digits of a code are never told."),
        ("what are the parameters of the desk lamp", "The Desk Lamp has 3 parameters"),
        ("what parameters does the desk lamp have", "The Desk Lamp has 3 parameters"),
        ("what is the parameter power limit of the desk lamp", "The Desk Lamp: Power Limit is 2500 watts"),
        ("what scenes are there", "There is one scene: Movie Night."),
        ("what does the movie night scene do", "The scene Movie Night: Desk Lamp off"),
        ("is everything okay with the house", "The simulated Z-Wave home is up"),
        ("is everything ok", "The simulated Z-Wave home is up"),
        ("is the z-wave network okay", "The simulated Z-Wave home is up"),
        ("what is broken", "The simulated Z-Wave home is up"),
        ("are there any problems", "The simulated Z-Wave home is up"),
        ("ping the desk lamp", "The Desk Lamp answered"),
        ("ping the space heater", "The Space Heater in the Garage does not answer"),
        ("is the network open", "The network is closed"),
    ],
)
async def test_a_look_is_answered_at_once(talk: HomeTalk, said: str, begins: str) -> None:
    reply = await talk.hears(said)
    assert reply.text.startswith(begins)
    assert not reply.expects_answer


@pytest.mark.parametrize(
    ("said", "asked", "then"),
    [
        (
            "set the parameter power limit of the desk lamp to 3000",
            "Set power limit of the Desk Lamp to 3000?",
            "Power Limit of the Desk Lamp is now 3000 watts.",
        ),
        (
            "set the parameter led indicator of the desk lamp to always off",
            "Set led indicator of the Desk Lamp to always off?",
            "LED Indicator of the Desk Lamp is now Always off.",
        ),
        (
            "rename the front door to big door",
            "Rename the front door to Big Door?",
            "Front Door is now called",
        ),
        ("interview the desk lamp again", "Interview the Desk Lamp again?", "The interview of the Desk Lamp"),
        ("rebuild the routes", "Rebuild the routes of the whole network?", "The routes of the whole"),
        ("heal the network", "Rebuild the routes of the whole network?", "The routes of the whole"),
        ("add a device", "Open the network for a device to join?", "A device can join now: press its button"),
        ("remove a device from the network", "Open the network for a device to leave?", "A device can leave"),
    ],
)
async def test_what_changes_the_network_or_a_lock_is_asked_about_first(
    talk: HomeTalk, said: str, asked: str, then: str
) -> None:
    question = await talk.hears(said)
    assert question.text == f"{asked} Say yes to confirm."
    assert await talk.home.network.door() is Door.CLOSED
    assert (await talk.hears("yes")).text.startswith(then)


async def test_what_would_be_refused_is_told_before_the_yes(talk: HomeTalk) -> None:
    reply = await talk.hears("set the parameter power limit of the desk lamp to 9000")
    assert "9000 is out of range for Power Limit; it can be from 0 to 3600 watts." in reply.text
    assert not reply.expects_answer


async def test_another_name_is_given_at_once_and_taken_back(talk: HomeTalk) -> None:
    assert (await talk.hears("rename the desk lamp to reading lamp")).text == (
        "Desk Lamp is now called Reading Lamp."
    )
    assert (await talk.hears("undo")).text == "Reading Lamp is now called Desk Lamp."
    assert (await talk.hears("move the desk lamp to the kitchen")).text == (
        "The Desk Lamp is now in the Kitchen."
    )


async def test_what_was_opened_is_closed_by_a_word_without_a_question(talk: HomeTalk) -> None:
    await talk.hears("add a device", "yes")
    assert await talk.home.network.door() is Door.ADDING
    assert (await talk.hears("stop adding")).text == "The network is closed."
    assert await talk.home.network.door() is Door.CLOSED


@pytest.mark.parametrize(
    "said",
    [
        "don't add a device",
        "should I add a device",
        "she said rename the desk lamp to fred",
        "why would anybody rename the desk lamp to fred",
        "if it rains rebuild the routes",
        "rename the desk lamp",
        "add milk to the shopping list",
    ],
)
async def test_no_such_wish_changes_nothing_and_asks_for_no_yes(talk: HomeTalk, said: str) -> None:
    reply = await talk.hears(said)
    assert not any(not outcome.read_only for outcome in reply.outcomes)
    assert "Say yes to confirm" not in reply.text
    assert talk.home.spec.devices[0].name == "Desk Lamp"
    assert await talk.home.network.door() is Door.CLOSED
