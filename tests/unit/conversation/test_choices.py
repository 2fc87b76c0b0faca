"""Whatever is said to a question: it is read or not, and nothing is chosen that was not asked about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.locked_house import LOCK, UNLOCK, House

from voice_gateway.conversation.choices import Thing, read_choice
from voice_gateway.turn import Reply

THINGS = (
    Thing("Floor Lamp", "Living Room", "dimmer"),
    Thing("Desk Lamp", "Office", "switch"),
    Thing("Front Door", "Hall", "lock"),
)
QUESTION = "Turn on the Floor Lamp and the Desk Lamp and unlock the Front Door?"
WORDS = (
    "yes no only not the but just lamp front door unlock turn on off first last second other 2 both all "
    "everything except leave keep dont it them and or office living room in my one ones of please alone skip"
).split()


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join))
def test_any_words_are_a_choice_among_what_was_asked_or_none(said):
    choice = read_choice(said, QUESTION, THINGS)
    assert choice is None or choice.places <= {0, 1, 2}


@pytest.mark.parametrize("said", ["only unlock", "keep other ones", "not turn on", "just the other one"])
def test_a_choice_without_a_thing_is_none_to_act_on(said):
    choice = read_choice(said, QUESTION, THINGS)
    assert choice is None or not choice.sure


WITHOUT_YES = st.lists(st.sampled_from([word for word in WORDS if word != "yes"]), min_size=1, max_size=7)


@given(WITHOUT_YES.map(" ".join))
async def test_no_choice_opens_a_door(said):
    async def doubtful(turn):
        return Reply("", tuple(await turn.asking().run(house.stage.executor, [UNLOCK, LOCK])))

    house = House(doubtful, *["nothing more"] * 3)
    await house.hears("what about the doors")

    await house.hears(said)

    assert "unlock" not in house.lock.actions
