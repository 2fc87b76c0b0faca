"""MSG-3: what is heard reaches the tools through the conversation and its ToolExecutor alone."""

import ast
import logging
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.speech import FOLDER, need_speech
from tests.fakes.speech_packages import need_packages

from voice_gateway.app import opened
from voice_gateway.config import load
from voice_gateway.events import Acted, EventBus, Heard
from voice_gateway.tools import executor

CHANNELS = Path(__file__).resolve().parents[2] / "src" / "voice_gateway" / "channels"


@pytest.mark.scenario("MSG-3")
async def test_a_recording_ends_in_a_tool_call_of_the_executor(tmp_path, monkeypatch, caplog):
    need_speech()
    need_packages("hibari")
    from voice_gateway.speaking.speaker import KeepingSpeaker

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOICE_GATEWAY_MCP_CONNECT_TIMEOUT_SECONDS", "60")  # a loaded machine
    caplog.set_level(logging.INFO, executor.__name__)
    watch, speaker = EventBus(), KeepingSpeaker()
    events: list[Any] = []
    turns: list[Any] = []
    watch.subscribe(events.append)
    async with (
        opened(load(None).settings, events=watch) as gateway,
        gateway.channels.listener(speaker) as hear,
    ):
        await hear(FOLDER / "session_0_am_michael.wav", turns.append)

    executed = [record.tool for record in caplog.records if record.name == executor.__name__]
    assert executed.count("control_zwave_device") == 1
    said = next(event.utterance for event in events if isinstance(event, Heard))
    assert said.channel == "voice"
    outcome = next(event.outcome for event in events if isinstance(event, Acted))
    assert outcome.ok
    assert outcome.structured["device"] == "Kitchen Light"
    assert outcome.structured["state"] == "on"
    assert [turn.reply.ok for turn in turns] == [True]
    assert "kitchen light" in turns[0].reply.text.casefold()
    assert speaker.seconds > 0.7


@pytest.mark.scenario("MSG-3")
def test_the_voice_door_has_no_tool_code_of_its_own():
    files = list((CHANNELS / "voice").glob("*.py"))
    assert len(files) >= 5
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in named if ".tools" in name or "mcp" in name or "langchain" in name]
