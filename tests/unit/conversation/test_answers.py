"""A yes is a yes only when nothing else was meant."""

import pytest

from voice_gateway.conversation.answers import Answer, AnswerReader, Choice, ProposedThing
from voice_gateway.understanding.templates import language

READER = AnswerReader(language("en"))
ASKED = "Shall I unlock the front door?"


@pytest.mark.parametrize(
    ("said", "without_pin", "with_pin"),
    [
        ("yes", Answer.YES, Answer.WRONG_PIN),
        ("Yes, please.", Answer.YES, Answer.WRONG_PIN),
        ("um, yes", Answer.YES, Answer.WRONG_PIN),
        ("do it", Answer.YES, Answer.WRONG_PIN),
        ("yes unlock the front door", Answer.YES, Answer.WRONG_PIN),
        ("yes, one two three four", Answer.YES, Answer.YES),
        ("yes my pin is 1234", Answer.YES, Answer.YES),
        ("1 2 3 4", Answer.OTHER, Answer.YES),
        ("one two three five", Answer.OTHER, Answer.WRONG_PIN),
        ("no", Answer.NO, Answer.NO),
        ("don't", Answer.NO, Answer.NO),
        ("never mind", Answer.NO, Answer.NO),
        ("no turn on the lamp instead", Answer.OTHER, Answer.OTHER),
        ("okay turn on the lamp", Answer.OTHER, Answer.OTHER),
        ("yes and open the garage", Answer.OTHER, Answer.OTHER),
        ("is it yes or no", Answer.OTHER, Answer.OTHER),
        ("", Answer.OTHER, Answer.OTHER),
    ],
)
def test_an_answer_is_read_as_it_was_meant(said, without_pin, with_pin):
    assert READER.read(said, ASKED, None) is without_pin
    assert READER.read(said, ASKED, "1234") is with_pin


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("2468", Answer.YES),
        ("yes, open it, 2468", Answer.YES),
        ("the pin is 2468 yes", Answer.YES),
        ("PIN: 2468", Answer.YES),
        ("yes the pin is two four six eight", Answer.YES),
        ("go ahead, twenty-four sixty-eight, thanks", Answer.YES),
        ("um yeah sure it's 24 68", Answer.YES),
        ("my code is 2-4-6-8, please unlock the front door", Answer.YES),
        ("yes honey, it's Joe, 2468", Answer.YES),
        ("yes 2469", Answer.WRONG_PIN),
        ("24681", Answer.WRONG_PIN),
        ("yes 246", Answer.WRONG_PIN),
        ("the pin is 1111 or 2468", Answer.WRONG_PIN),
        ("no, 2468", Answer.NO),
        ("don't open it, 2468", Answer.NO),
        ("2468 wait, leave it locked", Answer.NO),
        ("the pin is 2468 but do not open", Answer.NO),
        ("yes but not now 2468", Answer.NO),
        ("okay turn on the kitchen lamp for 2468 seconds", Answer.OTHER),
        ("set the thermostat to 2468", Answer.OTHER),
        ("what is 2468 divided by two", Answer.OTHER),
        ("is it 2468", Answer.OTHER),
        ("yes " + "you know " * 10 + "2468", Answer.OTHER),
    ],
)
def test_a_yes_with_the_pin_anywhere_in_a_short_sentence_counts(said, answer):
    assert READER.read(said, "Shall I unlock the front door? Say yes and your PIN.", "2468") is answer


@pytest.mark.parametrize("said", ["yes, {}", "{}", "no, {}", "set the lamp to {}", "what is {}", "pin {} ok"])
def test_only_a_right_pin_shows_that_it_is_right(said):
    """What is not an answer is read alike whichever number is in it."""
    right = READER.read(said.format("2468"), ASKED, "2468")
    wrong = READER.read(said.format("1357"), ASKED, "2468")

    assert (right, wrong) == (Answer.YES, Answer.WRONG_PIN) or right is wrong


LIGHTS_ASKED = "Turn off the Ceiling Light, the Floor Lamp and the Kitchen Light?"
THINGS = (
    ProposedThing("Ceiling Light", "Living Room", "dimmer"),
    ProposedThing("Floor Lamp", "Living Room", "dimmer"),
    ProposedThing("Kitchen Light", "Kitchen", "switch"),
)


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("only the lamp", {1}),
        ("just the floor lamp please", {1}),
        ("no, only the kitchen", {2}),
        ("yes, but only the ceiling light", {0}),
        ("not the kitchen", {0, 1}),
        ("yes, but not the kitchen", {0, 1}),
        ("all but the floor lamp", {0, 2}),
        ("everything except the kitchen light", {0, 1}),
        ("leave the kitchen light on", {0, 1}),
        ("don't touch the kitchen", {0, 1}),
        ("not the ceiling light and the floor lamp", {2}),
        ("just the first two", {0, 1}),
        ("only the last one", {2}),
        ("the first one", {0}),
        ("the floor lamp", {1}),
        ("yes, the floor lamp and the kitchen light", {1, 2}),
        ("yes, turn off the kitchen light", {2}),
        ("only the living room", {0, 1}),
    ],
)
def test_an_answer_can_choose_some_of_the_calls(said, places):
    assert READER.choice(said, LIGHTS_ASKED, THINGS) == Choice(frozenset(places))


def test_an_ambiguous_choice_is_not_sure():
    found = READER.choice("only the light", LIGHTS_ASKED, THINGS)
    assert found is not None
    assert not found.sure
    assert len(found.places) > 1


@pytest.mark.parametrize(
    "said",
    [
        "yes",
        "no",
        "not now",
        "just do it",
        "turn on the floor lamp",
        "only the garage",
        "not the aquarium",
        "only the floor lamp on",
        "just tell me a joke",
        "what time is it",
        "dim the floor lamp to 40",
        "the weather is nice",
    ],
)
def test_other_words_are_no_choice(said):
    found = READER.choice(said, LIGHTS_ASKED, THINGS)
    assert found is None or not found.sure
