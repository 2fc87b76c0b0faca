"""A question about the home is composed: how it is asked, which devices, and a state."""

import pytest
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
