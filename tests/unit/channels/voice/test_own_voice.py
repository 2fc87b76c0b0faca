"""What we played is not what somebody said."""

import math

import pytest

from voice_gateway.channels.voice.own_voice import STEP_SECONDS, OwnVoice


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def silence(start: float, end: float, step: float) -> list[float]:
    return [0.0] * round((end - start) / step)


def melody(at: float) -> float:
    return 0.3 + 0.2 * math.sin(9 * at) + 0.1 * math.sin(23 * at)


def played(start: float, end: float, step: float) -> list[float]:
    return [melody(start + number * step) for number in range(round((end - start) / step))]


def spoken(text: str, seconds: float, loudness=silence) -> tuple[OwnVoice, Clock]:
    clock = Clock()
    own = OwnVoice(loudness, clock)
    with own.saying(text):
        clock.now += seconds
    return own, clock


def test_a_late_and_quiet_echo_is_our_own_voice_and_another_voice_or_silence_is_not():
    own, _ = spoken("anything", 1.0, played)
    late = 100.0 - 0.16  # what is heard now was played before
    echo = [0.1 * melody(late + number * STEP_SECONDS) for number in range(30)]
    other = [0.3 + 0.2 * math.sin(14 * number * STEP_SECONDS) for number in range(30)]
    assert own.reason("what was heard wrongly", echo, 100.0, 100.0) == "it sounds like what I played"
    assert own.reason("turn it off", other, 100.0, 100.0) is None
    for silence_or_crumbs in ([], [0.0] * 30, [0.1, 0.2]):
        assert not own.same_sound(silence_or_crumbs, 100.0)


def test_a_part_of_our_sentence_counts_only_while_we_say_it():
    own, clock = spoken("Which light, the kitchen light or the bedroom light?", 2.0)
    clock.now += 1.5
    assert own.reason("the kitchen light", [], 101.0, 101.3) == "I was just saying that"
    assert own.reason("the kitchen light", [], 102.5, 102.8) is None


def test_our_whole_sentence_is_ours_shortly_after_and_not_much_later():
    own, clock = spoken("Should I unlock the front door?", 2.0)
    clock.now += 3
    assert own.reason("should I unlock the front door", [], 102.2, 102.5) == "I have just said that"
    assert own.reason("should I unlock the front door", [], 103.5, 103.8) is None
    assert own.reason("yes", [], 102.2, 102.5) is None


def test_our_own_wake_word_is_known_until_its_echo_is_over():
    own, clock = spoken('Say "Hey Jarvis" first.', 1.0)
    clock.now += 0.3
    assert own.said_wake_word(["hey_jarvis"])
    assert not own.said_wake_word(["okay_nabu"])
    clock.now += 2
    assert not own.said_wake_word(["hey_jarvis"])


@pytest.mark.parametrize("first_to_end", [0, 1])
def test_of_two_sentences_at_once_each_comes_to_its_end(first_to_end):
    clock = Clock()
    own = OwnVoice(silence, clock)
    both = [own.saying('I listen for "hey jarvis".'), own.saying("Hey Jarvis is my name.")]
    for one in both:
        one.__enter__()
    assert own.said_wake_word(["hey_jarvis"])
    for number in (first_to_end, 1 - first_to_end):
        clock.now += 1
        both[number].__exit__(None, None, None)
    clock.now += 1
    assert not own.said_wake_word(["hey_jarvis"])
