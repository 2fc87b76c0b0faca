"""Speech to text of real recordings: commands come out right, noise gives nothing."""

import numpy as np
import pytest
from tests.fakes.speech import recordings, word_errors, words

from voice_gateway.hearing.endpoint import Ended, Speculate
from voice_gateway.hearing.transcriber import noise_reason, sounds_unfinished

FRAME = 0.032


@pytest.mark.parametrize("session", recordings("wake_command"), ids=lambda one: one["file"])
async def test_a_session_ends_where_speech_ends_and_says_the_command(
    new_recorder, open_words, moonshine, sound, session
):
    segment = behind_wake_word(new_recorder(), open_words, sound(session["file"], before=0))

    assert segment.speech_end_seconds - session["speech_end_s"] == pytest.approx(0.05, abs=0.08)
    assert segment.end_seconds - segment.speech_end_seconds == pytest.approx(0.5, abs=2 * FRAME)
    assert words(await moonshine.transcribe(segment.samples)) == words(session["command"])


def behind_wake_word(recorder, wake, samples):
    wake.reset()
    awake = False
    for at in range(0, len(samples), 512):
        block = samples[at : at + 512]
        if awake:
            events = recorder.feed(block)
        else:
            recorder.watch(block)
            awake = wake.feed(block) is not None
            events = recorder.start(behind_wake_word=True, no_speech_seconds=5.0) if awake else []
        for event in events:
            if isinstance(event, Ended):
                return event.segment
    raise AssertionError("no segment")


async def test_half_a_sentence_sounds_unfinished_and_the_rest_is_waited_for(new_recorder, moonshine, sound):
    """A pause of 0.9 s within a command: the transcript so far tells the endpoint to wait."""
    recorder = new_recorder()
    samples, ended = sound("hesitation_900ms.wav", behind=1.5), []
    for at in range(0, len(samples), 512):
        for event in recorder.feed(samples[at : at + 512]):
            if isinstance(event, Speculate) and sounds_unfinished(
                await moonshine.transcribe(event.segment.samples)
            ):
                recorder.needed_silence(1.2)
            if isinstance(event, Ended):
                ended.append(event.segment)

    assert len(ended) == 1
    said = words(await moonshine.transcribe(ended[0].samples))
    assert said[:5] + said[6:] == words("set the living room light 50 percent")  # it hears "two" for "to"


async def test_word_errors_over_all_commands(new_recorder, moonshine, sound):
    wrong = total = exact = 0
    for one in recordings("command"):
        events = new_recorder().feed(sound(one["file"], behind=1.0))
        segments = [event.segment for event in events if isinstance(event, Ended)]
        said = " ".join([await moonshine.transcribe(segment.samples) for segment in segments])
        assert not any(noise_reason(said, segment) for segment in segments)
        errors = word_errors(words(one["text"]), words(said))
        print(f"{errors} {one['text']!r} → {said!r}")
        wrong, total, exact = wrong + errors, total + len(words(one["text"])), exact + (errors == 0)

    print(f"word error rate {wrong / total:.1%}, {exact} of {len(recordings('command'))} exact")
    assert wrong / total <= 0.03


async def test_wake_word_and_command_without_a_pause(new_recorder, open_words, moonshine, sound):
    """Whoever speaks on at once is understood nearly as well."""
    wakes, commands, right = recordings("wake"), recordings("command"), 0
    for number, wake in enumerate(wakes):
        command = commands[number * 4 + 1]
        joined = np.concatenate([_spoken(sound(wake["file"])), _spoken(sound(command["file"]))])
        silence = np.zeros(8000, np.int16), np.zeros(16000, np.int16)
        segment = behind_wake_word(
            new_recorder(), open_words, np.concatenate([silence[0], joined, silence[1]])
        )
        said = await moonshine.transcribe(segment.samples)
        right += words(said) == words(command["text"])
        print(f"{command['text']!r} → {said!r}")

    assert right >= 8


def _spoken(samples):
    loud = np.nonzero(np.abs(samples.astype(int)) > 300)[0]
    return samples[loud[0] : loud[-1] + 1]
