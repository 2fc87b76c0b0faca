"""The line that says "ready": whatever is there or missing, it is made of whole sentences."""

import asyncio
from dataclasses import replace

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.ports import free_port
from tests.fakes.running_gateway import socket_of

from voice_gateway.app import opened
from voice_gateway.config import AnthropicSettings, McpSettings, OllamaSettings, ServerSettings, Settings
from voice_gateway.errors import UnfitAnswer
from voice_gateway.events import Changes, EventBus, PartState, State
from voice_gateway.llm.anthropic import client as anthropic_client
from voice_gateway.llm.ollama import chat as ollama_chat
from voice_gateway.mcp_client.integration import ServerStatus
from voice_gateway.reports import model_report, server_report, what_is_missing

BROKER = "The MQTT broker is not reachable; I keep trying."
BUILT_IN = 16  # tools without any server
MICROPHONE = "I cannot hear: plug one in, or start the sound server"  # as a library's own words end


pytestmark = pytest.mark.usefixtures("own_folder")


def settings(*servers: str) -> Settings:
    quick = McpSettings(attempts=1, base_delay_seconds=0.0, simulated_home=False)
    return Settings(
        mcp=quick, mcpServers={name: ServerSettings(command="no-such-program") for name in servers}
    )


async def line(servers: tuple[str, ...], broken: tuple[str, ...]) -> str:
    async with opened(settings(*servers)) as gateway:
        async with asyncio.timeout(30):
            await gateway.linked()
        for number, sentence in enumerate(broken):
            gateway.events.report(f"part {number}", State.DEGRADED, sentence)
        return gateway.ready_line()


LEFT = "I have the clock, timers, search and volume"


@pytest.mark.parametrize(
    ("servers", "broken", "behind"),
    [
        ((), (), ""),
        ((), (MICROPHONE, BROKER), f" {MICROPHONE}. {BROKER}"),
        (("one",), (), f" The one server is not answering; {LEFT}."),
        (("one", "two", "three"), (), f" The servers one, two and three are not answering; {LEFT}."),
    ],
)
async def test_every_sentence_of_the_ready_line_is_whole(servers, broken, behind):
    assert await line(servers, broken) == f"ready: {BUILT_IN} tools, no model.{behind}"


SLOW = "The MQTT broker has not answered yet."


async def test_what_is_still_starting_is_in_the_ready_line():
    async with opened(settings()) as gateway:
        gateway.events.report("mqtt", State.STARTING, SLOW)
        await gateway.events.decided(limit_seconds=0.01)

        assert gateway.ready_line() == f"ready: {BUILT_IN} tools, no model. {SLOW}"


async def test_what_ready_did_not_wait_for_is_told_when_it_comes_up():
    watch, changes = EventBus(), Changes()
    told: list[PartState] = []
    watch.subscribe(lambda event: told.append(part) if (part := changes.news(event)) else None)
    for part in ("quick", "slow"):
        watch.report(part, State.STARTING, f"The {part} part has not answered yet.")
    watch.report("quick", State.OK, "The quick part is there.")
    await watch.decided(limit_seconds=0.01)
    assert told == []  # the line that says ready names it

    watch.report("slow", State.OK, "The slow part is there.")

    assert [part.sentence for part in told] == ["The slow part is there."]


async def test_the_ready_line_names_every_door_and_its_address(commands):
    wyoming, broker = free_port(), free_port()
    commands.file(
        "voice-gateway.toml",
        f'[mcp]\nsimulated_home = false\n[mqtt]\nbroker_url = "mqtt://me:secret@127.0.0.1:{broker}"\n'
        f'[voice]\nwyoming_url = "tcp://127.0.0.1:{wyoming}"\n',
    )
    async with Running.opened(commands) as gateway:
        (told,) = [one for one in gateway.said if one.startswith("ready: ")]

    doors = [
        f"commands at {socket_of(commands)}",
        f"MQTT at 127.0.0.1:{broker} (voice/req)",
        f"Wyoming at tcp://127.0.0.1:{wyoming}",
    ]
    assert f"no model. Channels: {', '.join(doors)}. " in told
    assert "secret" not in told


# --- The sentences about parts, and when something counts as gone


CONNECTED = ServerStatus(
    name="zwave",
    state="connected",
    attempts=1,
    last_error=None,
    stderr_tail="",
    tools=("a", "b"),
    restarts=0,
    simulated=True,
)


@pytest.mark.parametrize(
    ("change", "state", "says"),
    [
        ({}, State.OK, "is connected (a simulated home) with 2 tools"),
        ({"state": "connecting"}, State.STARTING, "is starting"),
        ({"state": "connecting", "restarts": 1}, State.STARTING, "was lost and is being started again"),
        ({"state": "degraded"}, State.DEGRADED, "is not answering"),
        ({"state": "stopped"}, State.OFF, "is stopped"),
    ],
)
def test_each_state_of_a_server_has_its_sentence(change, state, says):
    found, sentence, advice = server_report(replace(CONNECTED, **change))

    assert found is state
    assert says in sentence
    assert bool(advice) is (state is State.DEGRADED)


def test_a_missing_server_is_named_with_what_still_works():
    down = replace(CONNECTED, state="degraded")
    tools = ["control_speaker_volume", "search_web", "set_timer"]

    assert what_is_missing([down], [], tools) == [
        "The zwave server is not answering; I have timers, search and volume."
    ]
    assert what_is_missing([CONNECTED], [], tools) == []


def test_an_answer_that_is_not_wanted_does_not_make_the_model_gone():
    ollama, anthropic = OllamaSettings(), AnthropicSettings()

    assert isinstance(ollama_chat.incomplete("length", ollama), UnfitAnswer)
    assert isinstance(ollama_chat.prompt_cut(4096, ollama), UnfitAnswer)
    assert isinstance(anthropic_client.incomplete("max_tokens", anthropic), UnfitAnswer)
    assert isinstance(anthropic_client.incomplete("refusal", anthropic), UnfitAnswer)
    assert not isinstance(ollama_chat.translated(ConnectionError(), ollama, None), UnfitAnswer)
    assert model_report(None, "m")[0] is State.OK


async def test_ready_waits_until_every_part_is_decided_but_not_for_ever():
    watch = EventBus()
    watch.report("a", State.STARTING, "…")
    waiting = asyncio.create_task(watch.decided(30))
    await asyncio.sleep(0)
    assert not waiting.done()
    watch.report("a", State.DEGRADED, "gone")
    await asyncio.wait_for(waiting, 20)

    watch.report("b", State.STARTING, "…")
    await asyncio.wait_for(watch.decided(0.01), 20)


def test_only_a_change_is_news_and_the_time_is_that_of_the_state():
    now = 1.0
    watch, seen = EventBus(lambda: now), []
    watch.subscribe(seen.append)
    watch.report("a", State.DEGRADED, "gone", "look")
    now = 2.0
    watch.report("a", State.DEGRADED, "gone", "look")
    watch.report("a", State.DEGRADED, "gone", "look elsewhere")

    assert [part.since for part in seen] == [1.0, 1.0]
    assert watch.parts()[0].to_json()["advice"] == "look elsewhere"
