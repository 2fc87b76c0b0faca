"""The same honesty with both providers over HTTP, and with the local brain."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from tests.eval.cases import read_cases
from tests.eval.receipts_eval import touched
from tests.fakes import anthropic_server, ollama_server
from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.brain.history import History
from voice_gateway.brain.llm.anthropic.client import AnthropicClient
from voice_gateway.brain.llm.ollama.client import OllamaClient
from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.brain.render_outcomes import NOT_DONE
from voice_gateway.brain.stage import Turn
from voice_gateway.config import AnthropicSettings, BrainSettings, OllamaSettings
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, Utterance

CALL = [("lamp", {"device": "lamp"})]


def lamp() -> BaseTool:
    async def lamp(device: str) -> str:
        return f"The {device} is on."

    return StructuredTool.from_function(coroutine=lamp, description="REQUIRED to turn on a lamp.")


@asynccontextmanager
async def provider(name: str) -> AsyncIterator[tuple[Any, Any, Any]]:
    """A server to script, its way of scripting, and a client of it."""
    tools = ToolManager()
    tools.add(lamp())
    executor = ToolExecutor(tools)
    client: OllamaClient | AnthropicClient
    if name == "ollama":
        async with ollama_server.FakeOllama() as ollama:
            client = OllamaClient(OllamaSettings(base_url=ollama.url), BrainSettings(), executor)
            yield ollama, ollama_server.Scripted, client
            await client.aclose()
    else:
        async with anthropic_server.FakeAnthropic() as anthropic:
            settings = AnthropicSettings(base_url=anthropic.url, api_key=anthropic_server.KEY, max_retries=0)
            client = AnthropicClient(settings, BrainSettings(), executor)
            yield anthropic, anthropic_server.Scripted, client
            await client.aclose()


async def ask(client: Any) -> tuple[Reply, list[str]]:
    said: list[str] = []
    async with asyncio.timeout(20):
        return await client.answer(Turn(Utterance("turn on the lamp"), say=said.append)), said


@pytest.mark.parametrize("name", ["ollama", "anthropic"])
async def test_a_claim_without_a_receipt_is_not_streamed(name: str) -> None:
    async with provider(name) as (server, _, client):
        server.script("I've turned on the lamp. It is bright now. ", "The lamp has been turned on. Enjoy.")
        reply, said = await ask(client)

    assert said == [NOT_DONE] == [reply.text]
    assert not reply.ok


@pytest.mark.parametrize("name", ["ollama", "anthropic"])
async def test_a_claim_before_its_call_waits_for_the_receipt(name: str) -> None:
    async with provider(name) as (server, scripted, client):
        server.script(scripted("I've turned on the lamp. ", calls=CALL), "I've turned on the lamp.")
        reply, said = await ask(client)

    assert said == [reply.text] == ["I've turned on the lamp."]
    assert reply.ok
    assert len(reply.outcomes) == 1


async def test_the_local_brain_says_nothing_that_would_be_refused() -> None:
    """Its answers are made of what the tools said; the same check finds nothing in them."""
    refused, answers = [], 0
    for case in read_cases()[::4]:
        brain = LocalBrain(ToolExecutor(manager_for(ScriptedHome.default())), BrainSettings())
        await brain.refresh()
        history = History()
        for text in case.turns:
            reply = await brain.answer(Turn(Utterance(text, room=case.room), history))
            if isinstance(reply, Reply):
                answers += 1
                if touched(reply.text, reply.outcomes, text):
                    refused.append((text, reply.text))

    assert answers > 80
    assert len(refused) <= answers * 0.02, refused
