"""Wake words in real recordings: heard when said, and only then."""

import shutil
from pathlib import Path

import pytest
from tests.fakes.speech import recordings

from voice_gateway.errors import HearingError
from voice_gateway.hearing.wake_word import MicroWakeWords, OpenWakeWords

WAKE = [one["file"] for one in recordings("wake")]
SESSIONS = recordings("wake_command")
BLOCK = 512


def detections(words, samples):
    words.reset()
    return [
        ((at + BLOCK) / 16000, detected)
        for at in range(0, len(samples), BLOCK)
        if (detected := words.feed(samples[at : at + BLOCK]))
    ]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session["file"])
def test_it_is_heard_soon_behind_its_end(open_words, sound, session):
    (at, _), *more = detections(open_words, sound(session["file"], before=0))

    assert at - session["wake_end_s"] < 0.35
    assert not more


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted as Linux lists them")
def test_it_computes_in_the_thread_that_feeds_it(speech, sound):
    before = set(Path("/proc/self/task").iterdir())
    words = OpenWakeWords(["hey_jarvis"])
    assert detections(words, sound(WAKE[0]))
    assert set(Path("/proc/self/task").iterdir()) <= before


def test_several_words_at_once_and_names_as_people_write_them(speech, sound):
    words = OpenWakeWords(["Okay Nabu", "hey-jarvis", "hey_jarvis"])

    assert [detected.word for _, detected in detections(words, sound(WAKE[0]))] == ["hey_jarvis"]


@pytest.mark.parametrize("engine", [OpenWakeWords, MicroWakeWords])
def test_an_unknown_word_is_answered_with_the_known_ones(speech, engine):
    with pytest.raises(HearingError, match=r'"computer" is not known: .* hey_jarvis, hey_mycroft'):
        engine(["computer"])


@pytest.mark.parametrize("content", [None, b"", b"TFL3" * 100, "half", "zeros"])
def test_a_damaged_word_of_the_users_own_is_an_error_and_not_a_crash(speech, tmp_path, content):
    import pyopen_wakeword

    whole = (Path(pyopen_wakeword.__path__[0]) / "models/hey_jarvis.tflite").read_bytes()
    made = {"half": whole[: len(whole) // 2], "zeros": whole[:4000] + bytes(200) + whole[4200:]}
    path = tmp_path / "computer.tflite"
    if content is not None:
        path.write_bytes(made[content] if isinstance(content, str) else content)

    with pytest.raises(HearingError, match=r"is damaged|is not there") as raised:
        OpenWakeWords([str(path)])

    assert str(path) in str(raised.value)


def test_a_good_word_of_the_users_own_works_under_its_own_name(speech, tmp_path, sound):
    import pyopen_wakeword

    path = tmp_path / "my_word.tflite"
    shutil.copy(Path(pyopen_wakeword.__path__[0]) / "models/hey_jarvis.tflite", path)

    assert [detected.word for _, detected in detections(OpenWakeWords([str(path)]), sound(WAKE[0]))] == [
        "my_word"
    ]


@pytest.mark.parametrize("config", [None, "{", '{"model": "x.tflite"}', "{}"])
def test_a_damaged_word_of_the_light_engine_is_an_error_too(speech, tmp_path, config):
    path = tmp_path / "computer.json"
    if config is not None:
        path.write_text(config)

    with pytest.raises(HearingError):
        MicroWakeWords([str(path)])


def test_recall_over_all_recordings(open_words, micro_words, sound):
    names = WAKE + [session["file"] for session in SESSIONS]

    assert sum(len(detections(open_words, sound(name))) == 1 for name in names) == len(names)
    assert sum(len(detections(micro_words, sound(name))) == 1 for name in names) >= 0.75 * len(names)


@pytest.mark.parametrize("kind", ["command", "distractor", "noise", "incomplete", "hesitation"])
def test_nothing_else_wakes(open_words, micro_words, sound, kind):
    names = [one["file"] for one in recordings(kind)]

    assert [name for name in names if detections(open_words, sound(name))] == []
    assert [name for name in names if detections(micro_words, sound(name))] == []
