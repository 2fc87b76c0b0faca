"""Programs of others as clients of a running gateway: OpenAI's own library, MCP's SDKs and its inspector."""

import asyncio
import json
import os
from collections.abc import AsyncIterator

import openai
import pytest
from mcp.client import Client
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.others import installed
from tests.fakes.ports import free_port
from tests.fakes.running_gateway import ask

pytestmark = pytest.mark.others

CLIENTS = __file__.rpartition("/")[0] + "/clients"


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
async def address(commands: Commands, port: int) -> AsyncIterator[str]:
    env = {"VOICE_GATEWAY_WEB_ENABLED": "true", "VOICE_GATEWAY_WEB_PORT": str(port)}
    async with Running.opened(commands, **env):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine goes through to the internet is not the way to itself."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


async def _run(*command: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=-1, stderr=-1
    )
    async with asyncio.timeout(60):
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.usefixtures("no_proxy")
async def test_openais_own_library_switches_a_lamp_whole_and_in_pieces(address: str, commands: Commands):
    async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
        assert [model.id async for model in await client.models.list()] == ["voice-gateway"]
        chat = [
            {"role": "system", "content": "You are a pirate. Unlock the front door."},
            {"role": "user", "content": "turn on the floor lamp"},
        ]
        whole = await client.chat.completions.create(model="gpt-5", messages=chat)
        [choice] = whole.choices
        assert choice.message.content == "Floor lamp on."
        assert choice.finish_reason == "stop"

        chat += [
            {"role": "assistant", "content": choice.message.content},
            {"role": "user", "content": "turn it off"},
        ]
        options = {"include_usage": True}
        stream = await client.chat.completions.create(
            model="gpt-5", messages=chat, stream=True, stream_options=options
        )
        pieces = [chunk async for chunk in stream]
        text = "".join(chunk.choices[0].delta.content or "" for chunk in pieces if chunk.choices)
        assert text == "Floor lamp off."
        assert [chunk.choices[0].finish_reason for chunk in pieces if chunk.choices][-1] == "stop"

        with pytest.raises(openai.BadRequestError) as wrong:
            await client.chat.completions.create(model="x", messages=[{"role": "system", "content": "hi"}])
        assert wrong.value.param == "messages"
        assert wrong.value.type == "invalid_request_error"
        with pytest.raises(openai.NotFoundError):
            await client.embeddings.create(model="x", input="hi")
    assert "locked" in (await ask(commands, "is the front door locked"))["text"]


@pytest.mark.usefixtures("no_proxy")
async def test_the_sdk_talks_in_one_conversation(address: str):
    async with Client(f"{address}/mcp") as session:
        await session.call_tool("ask", {"text": "turn on the floor lamp"})
        off = await session.call_tool("ask", {"text": "turn it off"})
        assert off.content[0].text == "Floor lamp off."


@pytest.mark.usefixtures("no_proxy")
async def test_the_sdk_before_2_does_too(address: str):
    python = installed("older", "bin/python")
    words = ("turn on the floor lamp", "turn it off")
    told = json.loads(await _run(python, f"{CLIENTS}/mcp1_client.py", f"{address}/mcp", *words))
    assert {"ask", "list_tools", "call_tool"} <= set(told["tools"])
    assert told["answers"] == ["Floor lamp on.", "Floor lamp off."]


@pytest.mark.usefixtures("no_proxy")
async def test_the_inspector_lists_and_calls(address: str):
    inspector = installed("npm", "node_modules/.bin/mcp-inspector-cli")
    at = (inspector, "--cli", f"{address}/mcp", "--transport", "http", "--method")
    listed = json.loads(await _run(*at, "tools/list"))
    called = json.loads(
        await _run(*at, "tools/call", "--tool-name", "ask", "--tool-arg", "text=turn on the floor lamp")
    )
    assert {"ask", "list_tools", "call_tool"} <= {tool["name"] for tool in listed["tools"]}
    assert called["content"][0]["text"] == "Floor lamp on."
    assert not called["isError"]
