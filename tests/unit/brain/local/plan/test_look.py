"""A question about the home is composed: how it is asked, which devices, and a state."""

import pytest
from tests.fakes.home_tools import ScriptedHome
from tests.fakes.local_talk import Talk


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("which lights are on", "The Floor Lamp, the Kitchen Light and the Desk Lamp are on."),
        ("how many of our lights are on", "3: the Floor Lamp, the Kitchen Light and the Desk Lamp are on."),
        ("which rooms have lights on", "The Floor Lamp, the Kitchen Light and the Desk Lamp are on."),
        ("is there a light on anywhere", "Yes, the Floor Lamp, the Kitchen Light and the Desk Lamp are on."),
        ("is anything on in the kitchen", "Yes, the Kitchen Light is on in the Kitchen."),
        ("who left the light on in the office", "Yes, the Desk Lamp is on."),
        ("isn't the front door locked", "Yes, the Front Door is locked."),
        ("check whether the desk lamp is off", "No, the Desk Lamp is on."),
        ("did you lock the front door", "The Front Door is locked."),
        ("what lights are in the office", "There is 1 light in the Office: Desk Lamp."),
    ],
)
async def test_a_question_is_answered_by_a_look(said: str, answer: str) -> None:
    talk = Talk()
    reply = await talk.reply(said)

    assert reply.text == answer
    assert talk.acts == []


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("is there smoke anywhere", "Yes: smoke is detected in the Attic."),
        ("is a window open", "Yes, the Attic Window is open."),
        ("which lights are on", "The Attic Lamp is on."),
    ],
)
async def test_a_home_of_many_pages_is_looked_at_to_its_end(said: str, answer: str) -> None:
    many = [(f"Plug {number}", "Hall", "plug", "off", True) for number in range(250)]
    home = ScriptedHome.of(
        [
            ("First Alarm", "Hall", "sensor", "no smoke", True),
            *many,
            ("Attic Window", "Attic", "sensor", "open, 21.4 °C", True),
            ("Attic Lamp", "Attic", "switch", "on", True),
            ("Smoke Alarm", "Attic", "sensor", "smoke detected", True),
        ]
    )
    for alarm in (home.devices[0], home.devices[-1]):
        alarm["events"] = ["smoke"]

    assert (await Talk(home).reply(said)).text == answer


@pytest.mark.parametrize(
    ("state", "answer"),
    [
        ("open, 21.4 °C", "Yes, the Attic Window is open."),
        ("open, tampered with", "Yes, the Attic Window is open."),
        ("21.4 °C, closed", "No, no window is open."),
        ("21.4 °C", "Nothing here can tell me whether a window is open."),
    ],
)
async def test_a_contact_that_tells_more_is_still_a_contact(state: str, answer: str) -> None:
    home = ScriptedHome.of([("Attic Window", "Attic", "sensor", state, True)])
    assert (await Talk(home).reply("is a window open")).text == answer


@pytest.mark.parametrize(
    ("states", "answer"),
    [
        (("unknown",), "I don't know. The Window 0 has not told."),
        (("unknown", "closed"), "No, no window is open. The Window 0 has not told."),
        (("unknown", "open"), "Yes, the Window 1 is open. The Window 0 has not told."),
    ],
)
async def test_a_contact_that_has_told_nothing_is_not_closed(states: tuple[str, ...], answer: str) -> None:
    rows = [(f"Window {place}", "Attic", "sensor", state, True) for place, state in enumerate(states)]
    assert (await Talk(ScriptedHome.of(rows)).reply("is any window open")).text == answer


async def test_a_contact_that_does_not_answer_is_named() -> None:
    home = ScriptedHome.of([("Window", "Attic", "sensor", "unknown", False)])
    assert (await Talk(home).reply("is any window open")).text == "I don't know. I can't reach the Window."
