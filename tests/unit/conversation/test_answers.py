"""A yes is a yes only when nothing else was meant. The sentences are in answers.yaml."""

from pathlib import Path

import pytest
import yaml

from voice_gateway.conversation.confirmation import Answer, AnswerReader, Choice
from voice_gateway.integrations.device import Device
from voice_gateway.understanding.templates import language

READER = AnswerReader(language("en"))
ASKED = "Shall I unlock the front door?"
SENTENCES = yaml.safe_load(Path(__file__).with_name("answers.yaml").read_text())
LIGHTS_ASKED = "Turn off the Ceiling Light, the Floor Lamp and the Kitchen Light?"
THINGS = (
    Device("Ceiling Light", "Living Room", "dimmer"),
    Device("Floor Lamp", "Living Room", "dimmer"),
    Device("Kitchen Light", "Kitchen", "switch"),
)


def test_an_answer_is_read_as_it_was_meant():
    read = {
        words: [READER.read(words, ASKED, pin) for pin in (None, "1234")] for words in SENTENCES["to_unlock"]
    }
    assert read == SENTENCES["to_unlock"]


def test_a_yes_with_the_pin_anywhere_in_a_short_sentence_counts():
    asked = f"{ASKED} Say yes and your PIN."
    expected = {**SENTENCES["with_the_pin_2468"], "yes " + "you know " * 10 + "2468": "other"}
    assert {words: READER.read(words, asked, "2468") for words in expected} == expected


@pytest.mark.parametrize(
    "words", ["yes, {}", "{}", "no, {}", "set the lamp to {}", "what is {}", "pin {} ok"]
)
def test_only_a_right_pin_shows_that_it_is_right(words):
    """What is not an answer is read alike whichever number is in it."""
    right = READER.read(words.format("2468"), ASKED, "2468")
    wrong = READER.read(words.format("1357"), ASKED, "2468")

    assert (right, wrong) == (Answer.YES, Answer.WRONG_PIN) or right is wrong


def test_an_answer_can_choose_some_of_the_calls():
    chosen = {words: READER.choice(words, LIGHTS_ASKED, THINGS) for words in SENTENCES["choices"]}
    assert chosen == {words: Choice(frozenset(places)) for words, places in SENTENCES["choices"].items()}


def test_an_ambiguous_choice_is_not_sure():
    choice = READER.choice("only the light", LIGHTS_ASKED, THINGS)
    assert choice is not None
    assert not choice.sure
    assert len(choice.places) > 1


def test_other_words_are_no_choice():
    choices = {words: READER.choice(words, LIGHTS_ASKED, THINGS) for words in SENTENCES["no_choice"]}
    assert [words for words, choice in choices.items() if choice is not None and choice.sure] == []
