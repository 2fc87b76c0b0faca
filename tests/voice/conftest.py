"""Real engines, loaded once, and a real sound server: the whole folder is `make test-voice`."""

from pathlib import Path

import numpy as np
import pytest
from tests.fakes.speech import FOLDER, need_speech

from voice_gateway.config import VoiceSettings
from voice_gateway.hearing.engines import load_recorder
from voice_gateway.hearing.transcriber import MoonshineTranscriber
from voice_gateway.hearing.wake_word import MicroWakeWords, OpenWakeWords
from voice_gateway.sound.wav import read_wav

SILENCE = 0.5  # seconds around a recording that has none of its own


@pytest.hookimpl(tryfirst=True)  # before it is decided which marks are run
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.voice)


@pytest.fixture(scope="session")
def speech():
    need_speech()


@pytest.fixture(scope="session")
def sound(speech):
    """A recording by its name, with some silence around it."""

    def read(name: str, *, before: float = SILENCE, behind: float = SILENCE):
        parts = np.zeros(round(before * 16000), np.int16), read_wav(FOLDER / name)
        return np.concatenate([*parts, np.zeros(round(behind * 16000), np.int16)])

    return read


@pytest.fixture(scope="session")
def moonshine(speech):
    """Shared, because loading takes longer than any transcription; it needs no event loop of its own."""
    return MoonshineTranscriber()


@pytest.fixture(scope="session")
def open_words(speech):
    return OpenWakeWords(["hey_jarvis"])


@pytest.fixture(scope="session")
def micro_words(speech):
    return MicroWakeWords(["hey_jarvis"])


@pytest.fixture(scope="session")
def new_recorder(speech):
    return lambda **settings: load_recorder(VoiceSettings(**settings))
