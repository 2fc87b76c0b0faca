"""A yes is a yes only when nothing else was meant."""

import pytest

from voice_gateway.conversation.confirmation import Answer, read_answer

ASKED = "Unlock the front door? Say yes to confirm."


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
    assert read_answer(said, ASKED, None) is without_pin
    assert read_answer(said, ASKED, "1234") is with_pin
