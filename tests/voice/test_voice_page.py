"""docs/voice.md says what is so."""

import re
from pathlib import Path

from voice_gateway.channels.voice.transcriber import VoiceState
from voice_gateway.cli.parser import parser
from voice_gateway.config import VoiceSettings
from voice_gateway.config.kinds import WAKE_WORDS
from voice_gateway.config.tree import STT_ENGINES, TTS_ENGINES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "voice.md").read_text()


def test_every_state_is_told_of():
    told = re.findall(r"^\| ([a-z-]+) \| .* \| .* \|$", PAGE, re.MULTILINE)
    assert {state.value for state in VoiceState} <= set(told)


def test_every_command_it_names_is_there():
    help_text = parser().format_help()
    named = set(re.findall(r"voice-gateway (\w+)", PAGE))
    assert {"run", "say", "listen", "talk"} <= named
    assert all(name in help_text for name in named)


def test_every_setting_it_names_is_there():
    named = {name for name in re.findall(r"`(\w+_\w+|wake|stt|tts)`", PAGE) if name in PAGE}
    known = set(VoiceSettings.model_fields) | {"sensitive_channels"}
    keys = {"timings_ms", "audio_seconds", "transcribe_wait", "first_audio", "at_seconds"}
    assert named - keys <= known


def test_every_engine_of_the_settings_is_told_of():
    engines = {*STT_ENGINES, *TTS_ENGINES, *WAKE_WORDS}
    assert {engine for engine in engines if f"`{engine}`" not in PAGE} == set()
