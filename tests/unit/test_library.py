"""The public library: what a program imports, and the examples of its page."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, InvalidToolCall
from langchain_core.tools import tool

import voice_gateway
from voice_gateway import ALLOWED, Decision, McpServers, ToolExecutor, ToolManager, ToolTraits, Verdict
from voice_gateway.errors import ConfigError
from voice_gateway.tools.traits import InvalidTool, with_traits

PAGE = Path(__file__).parents[2] / "docs" / "library.md"
HEAVY = (
    "aiomqtt anthropic fastapi hassil langchain_anthropic langchain_ollama mcp numpy ollama pint redis rich"
    " tomlkit uvicorn yaml voice_gateway.app voice_gateway.channels voice_gateway.llm"
)


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def shout(text: str) -> str:
    """Repeat a text loudly."""
    return text.upper()


def calls(*named: tuple[str, Any]) -> AIMessage:
    known = [{"id": str(at), "name": name, "args": args} for at, (name, args) in enumerate(named)]
    return AIMessage("", tool_calls=known)


async def test_each_call_has_one_message_in_order():
    message = calls(("shout", {"text": "hi"}), ("nothing", {}), ("add", {"a": "1", "b": 2}))
    message.invalid_tool_calls = [
        InvalidToolCall(type="invalid_tool_call", id="9", name="add", args="{", error=None)
    ]

    answers = await ToolExecutor([add, shout]).run(message)

    assert [(answer.tool_call_id, answer.status) for answer in answers] == [
        ("0", "success"),
        ("1", "error"),
        ("2", "success"),
        ("9", "error"),
    ]
    assert [answers[0].content, answers[2].content] == ["HI", "3"]


async def test_outcomes_say_status_and_time():
    (outcome,) = await ToolExecutor(ToolManager([add])).outcomes(calls(("add", {"a": 1, "b": 2})))

    assert (outcome.ok, outcome.text, outcome.seconds > 0) == (True, "3", True)


@pytest.mark.parametrize("wrong", ["add", 3, {"name": "add"}, object()])
def test_what_is_no_tool_is_refused_at_once(wrong):
    with pytest.raises(InvalidTool):
        ToolExecutor([wrong])


async def test_a_policy_is_one_callable():
    def policy(call, traits):
        return ALLOWED if call.name == "shout" else Verdict(Decision.REFUSED, "no sums")

    executor = ToolExecutor([add, shout], gate=policy)

    answers = await executor.run(calls(("add", {"a": 1, "b": 2}), ("shout", {"text": "a"})))

    assert [answer.status for answer in answers] == ["error", "success"]


@pytest.mark.parametrize("quotes", [False, True])
async def test_text_from_outside_is_quoted_only_where_that_is_wished(quotes):
    foreign = with_traits(add.model_copy(), ToolTraits(source="sums", trusted=False))

    (answer,) = await ToolExecutor([foreign], quotes=quotes).run(calls(("add", {"a": 1, "b": 2})))

    assert (answer.content == "3") is not quotes


async def test_a_server_that_cannot_start_costs_only_its_tools(tmp_path):
    file = tmp_path / "mcp.json"
    home = f'{{"command": "{sys.executable}", "args": ["-m", "zwave_mcp", "--simulate"]}}'
    file.write_text(f'{{"mcpServers": {{"home": {home}, "other": {{"speed": 3}}}}}}')

    async with McpServers.from_file(file) as servers:
        (answer,) = await ToolExecutor(servers.tools).run(calls(("list_zwave_devices", {})))
        states = [status.state for status in servers.status()]

    assert (answer.status, states, list(servers.left_out)) == ("success", ["connected"], ["other"])


def test_an_unusable_entry_in_code_is_an_error():
    with pytest.raises(ConfigError, match="other"):
        McpServers({"other": {"speed": 3}})


def test_running_a_call_imports_little():
    """Measured in a process of its own, because pytest has imported everything."""
    code = (
        "import asyncio, sys; from voice_gateway import McpServers, ToolExecutor\n"
        "def add(a: int) -> int:\n    'Add.'\n    return a\n"
        "asyncio.run(ToolExecutor([add]).run([{'id': '1', 'name': 'add', 'args': {'a': 1}}]))\n"
        f"print([name for name in {HEAVY.split()!r} if name in sys.modules])"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout.strip() == "[]"


def test_only_public_names_are_exported():
    assert all(getattr(voice_gateway, name) is not None for name in voice_gateway.__all__)
    with pytest.raises(AttributeError):
        _ = voice_gateway.Nothing


def test_the_page_is_short():
    assert len(PAGE.read_text(encoding="utf-8").split()) <= 600


@pytest.mark.parametrize("number", [0, 1, 3])
async def test_the_examples_of_the_page_run(number):
    """The one for LangGraph runs in tests/others."""
    sample = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[number]
    names: dict[str, Any] = {}
    exec(sample, names)

    (answer,) = await names["main"]()

    assert answer.status == ("error" if number == 3 else "success")
