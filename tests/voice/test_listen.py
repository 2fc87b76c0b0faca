"""`listen` and `say` as a person runs them, with real engines and the simulated home."""

import json
import re

import pytest
from tests.fakes.gateway_process import Commands
from tests.fakes.speech import FOLDER, need_speech, recordings, words
from tests.fakes.speech_packages import need_packages

from voice_gateway.app import opened
from voice_gateway.cli.listen import stage_lines
from voice_gateway.config import load
from voice_gateway.speaking.speaker import KeepingSpeaker

# The tool that each label of the recordings stands for.
TOOLS = {
    "datetime": {"get_current_datetime"},
    "volume": {"control_speaker_volume"},
    "control_device": {"control_zwave_device", "control_zwave_lock", "set_zwave_thermostat"},
    "list_devices": {"list_zwave_devices"},
}


@pytest.fixture
def commands(tmp_path):
    need_speech()
    need_packages("hibari")
    return Commands(tmp_path)


@pytest.fixture
async def home(tmp_path, monkeypatch):
    need_packages("hibari")

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("PULSE_SERVER", "unix:/nowhere")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOICE_GATEWAY_MCP_CONNECT_TIMEOUT_SECONDS", "60")  # a loaded machine
    async with opened(load(None).settings) as gateway:
        yield gateway


async def heard(gateway, *names, **options):
    """The turns of these recordings, one behind the other."""
    turns = []
    async with gateway.channels.listener(KeepingSpeaker(), **options) as hear:
        for name in names:
            await hear(FOLDER / name, turns.append)
    return turns


def lines(ended):
    return [json.loads(line) for line in ended.out.splitlines()]


async def test_a_session_prints_transcript_tool_call_and_reply(commands):
    ended = await commands.run(
        "listen", str(FOLDER / "session_2_bf_emma.wav"), "--json", "--out", "answer.wav"
    )

    [turn] = lines(ended)
    assert ended.code == 0, ended.err
    assert turn["wake"]["word"] == "hey_jarvis"
    assert turn["wake"]["at_seconds"] == pytest.approx(1.6, abs=0.3)
    assert words(turn["transcript"]) == ["what", "time", "is", "it"]
    assert turn["stage"] == "local"
    assert [outcome["name"] for outcome in turn["outcomes"]] == ["get_current_datetime"]
    assert turn["timings_ms"]["endpoint"] == pytest.approx(320, abs=40)
    assert turn["timings_ms"]["first_audio"] > turn["timings_ms"]["endpoint"]
    assert 0.5 < turn["audio_seconds"] < 3
    heard = await commands.run("listen", "answer.wav", "--no-wake", "--json")
    # "It's 5:25 PM.", "It's twelve o seven a m.": which of them is heard depends on the hour.
    assert re.search(r"^it's .*[ap]\W*m\b", lines(heard)[0]["transcript"].lower())


async def test_say_writes_words_that_can_be_heard(commands):
    ended = await commands.run("say", "The **kitchen** light", "is on.", "--out", "said.wav", "--json")

    assert ended.code == 0, ended.err
    assert ended.json["text"] == "The kitchen light is on."
    heard = await commands.run("listen", "said.wav", "--no-wake", "--json")
    assert words(lines(heard)[0]["transcript"]) == ["the", "kitchen", "light", "is", "on"]


async def test_spoken_commands_reach_the_right_tools(home, speech):
    """All commands but searches, which need the internet, one after the other in one gateway."""
    right, wrong = 0, []
    spoken = [one for one in recordings("command") if one["tool"] in TOOLS]
    turns = await heard(home, *(one["file"] for one in spoken), whole=True)
    shown = "\n".join(stage_lines(turns[0]))
    assert all(words in shown for words in ("heard: ", "first sound of the answer"))
    for one, turn in zip(spoken, turns, strict=True):
        used = {outcome.name for outcome in turn.reply.outcomes} if turn.reply else set()
        asked = turn.reply is not None and turn.reply.expects_answer  # which light, or whether it may
        if asked or (used and used <= TOOLS[one["tool"]]):
            right += 1
        else:
            wrong.append((one["text"], turn.text, used))
    assert right >= 0.9 * len(spoken), wrong


@pytest.mark.parametrize("kind", ["noise", "distractor"])
async def test_what_is_no_command_gives_no_turn(home, speech, kind):
    assert await heard(home, *(one["file"] for one in recordings(kind))) == []


async def test_a_recording_that_is_not_there_is_said_as_json(commands):
    done = await commands.run("listen", "--json", "nosuch.wav")
    assert (done.code, done.json["ok"]) == (1, False)
    assert "nosuch.wav" in done.json["problem"]
