"""Keeping house by word: what is looked at, what is asked about first, and what is no such wish."""

import pytest
from tests.fakes.home_talk import HomeTalk
from tests.unit.zwave_mcp.maintenance.conftest import HOME


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
        ("what scenes are there", "There is one scene: Movie Night."),
        ("what does the movie night scene do", "The scene Movie Night: Desk Lamp off"),
        ("is everything okay with the house", "The simulated Z-Wave home is up"),
        ("is everything ok", "The simulated Z-Wave home is up"),
        ("is the z-wave network okay", "The simulated Z-Wave home is up"),
        ("what is broken", "The simulated Z-Wave home is up"),
        ("are there any problems", "The simulated Z-Wave home is up"),
        ("ping the desk lamp", "The Desk Lamp answered"),
        ("ping the space heater", "The Space Heater in the Garage does not answer"),
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
            "rename the front door to big door",
            "Rename the front door to Big Door?",
            "Front Door is now called",
        ),
    ],
)
async def test_what_changes_the_network_or_a_lock_is_asked_about_first(
    talk: HomeTalk, said: str, asked: str, then: str
) -> None:
    question = await talk.hears(said)
    assert question.text == f"{asked} Say yes to confirm."
    assert (await talk.hears("yes")).text.startswith(then)


async def test_another_name_is_given_at_once_and_taken_back(talk: HomeTalk) -> None:
    assert (await talk.hears("rename the desk lamp to reading lamp")).text == (
        "Desk Lamp is now called Reading Lamp."
    )
    assert (await talk.hears("undo")).text == "Reading Lamp is now called Desk Lamp."
    assert (await talk.hears("move the desk lamp to the kitchen")).text == (
        "The Desk Lamp is now in the Kitchen."
    )


@pytest.mark.parametrize(
    "said",
    [
        "she said rename the desk lamp to fred",
        "why would anybody rename the desk lamp to fred",
        "rename the desk lamp",
        "add milk to the shopping list",
    ],
)
async def test_no_such_wish_changes_nothing_and_asks_for_no_yes(talk: HomeTalk, said: str) -> None:
    reply = await talk.hears(said)
    assert not any(not outcome.read_only for outcome in reply.outcomes)
    assert "Say yes to confirm" not in reply.text
    assert talk.home.spec.devices[0].name == "Desk Lamp"
