"""`transcribe` and `audio` as a person or a script runs them, with whatever file comes along."""

import json

import pytest
from tests.fakes.speech import FOLDER, need_speech
from tests.fakes.wavs import tone, wav_bytes


@pytest.mark.slow
async def test_transcribe_prints_what_is_said(commands):
    need_speech()

    done = await commands.run("transcribe", str(FOLDER / "session_0_am_michael.wav"))

    assert (done.code, done.err) == (0, "")
    assert done.out.lower().endswith("turn on the kitchen light.\n")


@pytest.mark.slow
async def test_transcribe_json_has_the_promised_shape(commands):
    need_speech()

    done = await commands.run("transcribe", "--json", str(FOLDER / "hesitation_900ms.wav"))

    assert set(done.json) == {"text", "segments", "engine", "seconds"}
    assert [set(one) for one in done.json["segments"]] == [
        {"start_seconds", "end_seconds", "text", "noise", "seconds"}
    ] * 2
    assert done.json["segments"][0]["end_seconds"] < done.json["segments"][1]["start_seconds"]
    assert done.json["text"].startswith("Set the living room")


async def test_no_speech_is_no_text_and_no_failure(commands):
    need_speech()

    done = await commands.run("transcribe", str(FOLDER / "noise_beeps_3s.wav"))

    assert (done.code, done.out) == (0, "")
    assert "no speech was found" in done.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file or directory"),
        (b"", "is empty"),
        (wav_bytes(tone(0.0)), "has no sound in it"),
        (wav_bytes(tone(1.0))[:30], "is damaged"),
        (b"ID3" + bytes(100), "an MP3 file, not a WAV file: convert it with `ffmpeg"),
    ],
)
async def test_a_file_that_cannot_be_used_is_one_line_and_exit_code_1(commands, content, words):
    need_speech()
    path = commands.folder / "a.wav"
    if content is not None:
        path.write_bytes(content)

    done = await commands.run("transcribe", str(path))

    assert (done.code, done.out) == (1, "")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert done.err.startswith("voice-gateway: ")


async def test_speech_packages_that_are_not_installed_are_one_line_and_exit_code_1(commands):
    (commands.folder / "numpy.py").write_text("raise ModuleNotFoundError('no numpy', name='numpy')")

    done = await commands.run("transcribe", "a.wav", PYTHONPATH=str(commands.folder))

    assert done.code == 1
    assert "hearing needs numpy: run `make setup`" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("import os; os.abort()", "it ended a program that looked at it (SIGABRT)"),
        ("raise RuntimeError('Unanticipated host error')", "Unanticipated host error"),
    ],
)
async def test_a_sound_system_that_breaks_its_users_is_one_line_and_exit_code_1(commands, trouble, words):
    (commands.folder / "sounddevice.py").write_text(trouble)

    done = await commands.run("audio", "list", PYTHONPATH=str(commands.folder))

    assert (done.code, done.out) == (1, "")
    assert words in done.err
    assert "the sound system" in done.err
    assert done.err.count("\n") == 1


async def test_no_sound_library_is_one_line_and_exit_code_1(commands):
    (commands.folder / "sounddevice.py").write_text("raise OSError('PortAudio library not found')")

    done = await commands.run("audio", "list", PYTHONPATH=str(commands.folder))

    assert done.code == 1
    assert "PortAudio library, which is not installed: `apt install libportaudio2`" in done.err
    assert done.err.count("\n") == 1


async def test_no_device_is_said_in_a_line(commands):
    (commands.folder / "sounddevice.py").write_text(
        "query_hostapis = query_devices = lambda: ()\nclass default: device = (-1, -1)\n"
        "class PortAudioError(Exception): pass\n"
    )

    listed = await commands.run("audio", "--json", PYTHONPATH=str(commands.folder))
    tested = await commands.run("audio", "test", PYTHONPATH=str(commands.folder))

    assert (listed.code, json.loads(listed.out)) == (1, {"devices": []})
    assert tested.code == 1
    assert "there is no microphone" in tested.err
    assert tested.err.count("\n") == 1


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "nan", "1e9"])
async def test_nonsense_for_seconds_is_exit_code_2(commands, seconds):
    done = await commands.run("audio", "test", "--seconds", seconds)

    assert done.code == 2
    assert "must be a number of seconds" in done.err
