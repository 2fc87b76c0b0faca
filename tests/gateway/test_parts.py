"""The sentences about parts, and when something counts as gone."""

import asyncio
from dataclasses import replace

import pytest

from voice_gateway.config import AnthropicSettings, OllamaSettings
from voice_gateway.errors import ErrorKind, UnfitAnswer
from voice_gateway.events import Acted, EventBus, State
from voice_gateway.llm.anthropic import client as anthropic_client
from voice_gateway.llm.ollama import chat as ollama_chat
from voice_gateway.mcp_client.integration import ServerStatus
from voice_gateway.reports import model_report, outside_parts, server_report, what_is_missing
from voice_gateway.turn import ToolOutcome, Utterance

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


def test_what_is_missing_is_named_with_what_is_missing():
    down = replace(CONNECTED, state="degraded")
    tools = ["control_speaker_volume", "search_web", "set_timer"]

    assert what_is_missing([down], [], tools) == [
        "The zwave server is not answering; I have timers, search and volume."
    ]
    assert what_is_missing([CONNECTED], [], tools) == []


def acted(name: str, *, ok: bool, error: str | None = None) -> Acted:
    return Acted(
        Utterance("x"),
        ToolOutcome("1", name, "Error: no", ok, 0.1, error=ErrorKind(error) if error else None),
    )


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (acted("search_web", ok=False, error="unavailable"), State.DEGRADED),
        (acted("search_web", ok=False, error="timeout"), State.DEGRADED),
        (acted("search_web", ok=False, error="bad_arguments"), None),  # the question was wrong, not the net
        (acted("search_web", ok=True), State.OK),
        (acted("get_current_datetime", ok=False, error="unavailable"), None),
    ],
)
def test_the_internet_is_judged_by_how_calls_end(outcome, state):
    watch = EventBus()
    watch.subscribe(outside_parts(watch))
    watch.publish(outcome)

    assert watch.state("search") is state


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
