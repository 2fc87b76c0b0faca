"""docs/voice.md names every state and engine of the voice, and only commands that exist."""

import re
from pathlib import Path

from voice_gateway.channels.voice.transcriber import VoiceState
from voice_gateway.cli.parser import parser
from voice_gateway.config.tree import STT_ENGINES, TTS_ENGINES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "voice.md").read_text()


def test_states_engines_and_commands_are_those_of_the_code():
    in_tables = set(re.findall(r"^\| ([a-z-]+) \| .* \| .* \|$", PAGE, re.MULTILINE))
    assert {state.value for state in VoiceState} <= in_tables
    assert [
        name
        for name in (*STT_ENGINES, *TTS_ENGINES, "openwakeword", "microwakeword")
        if f"`{name}`" not in PAGE
    ] == []
    commands = set(re.findall(r"voice-gateway (\w+)", PAGE))
    assert {"run", "say", "listen", "talk"} <= commands
    assert [name for name in commands if name not in parser().format_help()] == []
