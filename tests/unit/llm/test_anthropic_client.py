"""The Anthropic client against a loopback server that is as strict as the Messages API."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from tests.fakes.anthropic_server import KEY, FakeAnthropic, Scripted
from tests.fakes.limits import with_limits

from voice_gateway.config import AnthropicSettings, BrainSettings
from voice_gateway.errors import BrainError
from voice_gateway.integrations.device import Device
from voice_gateway.llm.anthropic.client import AnthropicClient
from voice_gateway.llm.prompt import NAMES, SYSTEM_PROMPT
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, ToolTraits, Utterance
from voice_gateway.turns.history import History
from voice_gateway.turns.stage import Turn

NOW = datetime(2026, 11, 15, 10, 32, tzinfo=UTC)
SCHEMA = {
    "type": "object",
    "properties": {"deviceName": {"type": "string", "minLength": 1}},
    "required": ["deviceName"],
}


def tool(name: str, schema: dict[str, Any], server: str = "home") -> BaseTool:
    async def run(**arguments: Any) -> tuple[str, Any]:
        return f"{name} {arguments.get('deviceName', '')} is on.", None

    return StructuredTool(
        name=name,
        description=f"Switches {name}.",
        args_schema=schema,
        coroutine=run,
        response_format="content_and_artifact",
        metadata={"traits": ToolTraits(source=server, original_name=name), "lc_name": name},
    )


class Bench:
    def __init__(self, server: FakeAnthropic) -> None:
        self.server = server
        self.tools = ToolManager()
        self.tools.add_mcp_tools("home", [tool("lamp", SCHEMA)])
        self.home: tuple[Device, ...] = ()
        self.clients: list[AnthropicClient] = []

    def client(self, **settings: Any) -> AnthropicClient:
        options = {"base_url": self.server.url, "api_key": KEY, "max_retries": 0, **settings}
        made = AnthropicClient(
            with_limits(AnthropicSettings, **options),
            BrainSettings(),
            ToolExecutor(self.tools),
            clock=lambda: NOW,
            devices=lambda: self.home,
        )
        self.clients.append(made)
        return made


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    async with FakeAnthropic() as server:
        bench = Bench(server)
        yield bench
        for client in bench.clients:
            await client.aclose()


async def ask(client: AnthropicClient, text: str = "hello", **turn: Any) -> Reply:
    async with asyncio.timeout(50):
        return await client.answer(Turn(Utterance(text), **turn))


async def fails(client: AnthropicClient, text: str = "hello", **turn: Any) -> BrainError:
    with pytest.raises(BrainError) as caught:
        await ask(client, text, **turn)
    return caught.value


async def test_system_prompt_and_tools_are_marked_for_caching_and_limits_are_sent(bench: Bench) -> None:
    bench.tools.add_mcp_tools("two", [tool("fan", {})])
    await ask(bench.client())

    body = bench.server.chats[0]
    assert body["system"] == [{"type": "text", "text": SYSTEM_PROMPT, "cache_control": {"type": "ephemeral"}}]
    first, last = body["tools"]
    assert first["input_schema"] == SCHEMA
    assert "cache_control" not in first
    assert last["cache_control"] == {"type": "ephemeral"}
    assert last["input_schema"] == {"type": "object", "properties": {}}
    assert body["max_tokens"] == 1024
    assert body["messages"][-1]["content"] == "[Sunday 15 November 2026, 10:32] hello"


async def test_the_home_is_the_last_of_what_is_cached_so_a_change_costs_least(bench: Bench) -> None:
    client = bench.client()
    mark = {"cache_control": {"type": "ephemeral"}}
    for bench.home in (
        (Device("Fan", "Bath", "switch", "on"),),
        (Device("Fan", "Bath", "switch", "off"),),
        (Device("Vent", "Bath", "switch"),),
    ):
        await ask(client)
    await ask(bench.client(home_token_budget=0))

    first, other_state, renamed, none = bench.server.chats
    assert first["system"] == [
        {"type": "text", "text": SYSTEM_PROMPT, **mark},
        {"type": "text", "text": f'[{NAMES}\n"Bath": "Fan"]', **mark},
    ]
    assert other_state["system"] == first["system"]
    assert renamed["system"][0] == first["system"][0]
    assert renamed["tools"] == first["tools"]
    assert '"Bath": "Vent"' in renamed["system"][1]["text"]
    assert len(none["system"]) == 1


async def test_a_turn_with_calls_streams_and_ends(bench: Bench) -> None:
    said: list[str] = []
    bench.server.script(
        Scripted("One moment, please. So.", calls=[("lamp", {"deviceName": "lamp"})]), "Shall I dim it?"
    )
    reply = await ask(bench.client(), "lamp on", say=lambda part: said.append(part.text))

    assert said == ["Lamp lamp is on."]
    assert reply.text == "Lamp lamp is on."
    assert [outcome.args for outcome in reply.outcomes] == [{"deviceName": "lamp"}]
    assert (reply.stage, reply.model, reply.ok) == ("anthropic", "claude-haiku-4-5", True)


@pytest.mark.parametrize("stop_reason", ["max_tokens", "pause_turn", "refusal", "end_turn"])
async def test_a_truncated_call_is_never_run(bench: Bench, stop_reason: str) -> None:
    bench.server.script(Scripted(calls=[("lamp", '{"deviceName": "La')], stop_reason=stop_reason))
    history = History()
    await fails(bench.client(), history=history)

    assert history.messages == []
    assert len(bench.server.chats) == 1


@pytest.mark.parametrize(
    ("reply", "words", "spoken"),
    [
        (Scripted(status=529, error_type="overloaded_error"), "in trouble", "busy"),
        (Scripted(status=429, error_type="rate_limit_error"), "rate-limited", "busy"),
        (Scripted(status=500, error_type="api_error"), "in trouble", "busy"),
        (Scripted("It is", error_type="overloaded_error"), "in trouble", "busy"),
        (Scripted("It is", error_type="api_error"), "in trouble", "busy"),
        (Scripted("It is", end="abort"), "connection", "reach"),
        (Scripted("It is", end="stall"), "did not answer within", "too long"),
        (Scripted("It is", end="no_stop"), "without its end", "middle"),
        (Scripted("It is", stop_reason="max_tokens"), "1024 tokens", "too long"),
        (Scripted(stop_reason="refusal"), "refused", "rather not"),
        (Scripted(status=400, error_type="invalid_request_error"), "scripted", "Sorry"),
    ],
)
async def test_every_trouble_is_one_clear_error(
    bench: Bench, reply: Scripted, words: str, spoken: str
) -> None:
    bench.server.script(reply)
    history = History()
    error = await fails(bench.client(timeout_seconds=0.5), history=history)

    assert words in str(error)
    assert spoken in error.spoken
    assert history.messages == []


async def test_an_answer_that_never_ends_has_a_limit_too(bench: Bench) -> None:
    bench.server.script(Scripted("It is", end="trickle"))
    error = await fails(bench.client(timeout_seconds=0.2))

    assert "did not answer" in str(error)


async def test_trouble_that_passes_is_tried_again(bench: Bench) -> None:
    bench.server.script(Scripted(status=529, error_type="overloaded_error"), "Hello.")

    assert (await ask(bench.client(max_retries=1))).text == "Hello."


@pytest.mark.parametrize("key", [None, "", "  "])
async def test_a_missing_key_names_the_variable(bench: Bench, key: str | None) -> None:
    client = bench.client(api_key=key)
    error = await fails(client)

    assert "ANTHROPIC_API_KEY is not set" in str(error)
    assert error.spoken == "I have no key for my language model."
    assert bench.server.requests == []
    assert not await client.prepare()


async def test_a_wrong_key_names_the_variable_and_not_the_key(bench: Bench) -> None:
    error = await fails(bench.client(api_key="sk-wrong"))

    assert "ANTHROPIC_API_KEY" in str(error)
    assert "sk-wrong" not in f"{error} {error.spoken}"


async def test_names_that_the_api_refuses_are_made_sendable(bench: Bench) -> None:
    bench.tools.add_mcp_tools("two", [tool("lämp 💡", SCHEMA), tool("lamp", SCHEMA)])
    history = History(
        [
            HumanMessage(content="before"),
            AIMessage(content="", tool_calls=[{"id": "a:1", "name": "lämp 💡", "args": {}}]),
            ToolMessage(content="on", tool_call_id="a:1"),
        ]
    )
    client = bench.client()
    names = {tool.name for tool in client.offer().tools}
    emoji = next(name for name in names if name.startswith("l_mp"))
    bench.server.script(Scripted(calls=[(emoji, {"deviceName": "x"})]), "It is on.")

    reply = await ask(client, history=history)

    assert reply.text == "Lämp 💡 x is on."
    assert [outcome.text for outcome in reply.outcomes] == ["lämp 💡 x is on."]
    assert {"home__lamp", "two__lamp"} <= names


async def test_warm_up_sends_nothing(bench: Bench) -> None:
    client = bench.client()
    assert await client.prepare()
    await client.keep_warm()

    assert bench.server.requests == []
