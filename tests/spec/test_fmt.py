"""FMT — tools as Ollama and Qwen expect them. (What FMT-7 needs a real model for is in tests/live.)"""

import copy
import json
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field
from tests.fakes.anthropic_server import KEY, FakeAnthropic
from tests.fakes.ollama_server import FakeOllama, Scripted

from voice_gateway.config import AnthropicSettings, BrainSettings, OllamaSettings, ToolsSettings
from voice_gateway.languages import say
from voice_gateway.llm.anthropic.client import AnthropicClient
from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.llm.ollama.qwen_format import to_qwen_tools
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import schema_of
from voice_gateway.turn import ToolTraits, Utterance
from voice_gateway.turns.history import History
from voice_gateway.turns.stage import Turn

NOW = datetime(2026, 11, 15, 10, 32, tzinfo=UTC)


class Mode(Enum):
    warm = "warm"
    cold = "cold"


class Point(BaseModel):
    x: int = Field(description="across")
    y: int | None = None


class Everything(BaseModel):
    device: str = Field(description="Name of the device", min_length=1, max_length=40)
    level: int | None = Field(None, ge=0, le=100, description="Brightness")
    mode: Mode = Mode.warm
    when: Literal["now", "later"] = "now"
    tags: list[str] = Field(default_factory=list, max_length=3)
    at: Point | None = None
    code: str = Field("a1", pattern="^[a-z][0-9]$")
    either: int | str = 5


def typed() -> BaseTool:
    async def set_everything(**arguments: Any) -> str:
        return f"Set {arguments['device']} to {arguments.get('level')}."

    return StructuredTool.from_function(
        coroutine=set_everything, name="set_everything", description="Sets things.", args_schema=Everything
    )


def from_server(server: str, name: str, schema: dict[str, Any], prefix: str = "") -> BaseTool:
    async def run(**arguments: Any) -> tuple[str, Any]:
        return f"{server} did {name} with {json.dumps(arguments)}", None

    return StructuredTool(
        name=prefix + name,
        description=f"Tool {name} of {server}.",
        args_schema=schema,
        coroutine=run,
        response_format="content_and_artifact",
        metadata={"traits": ToolTraits(source=server, original_name=name), "lc_name": name},
    )


LAMP = {
    "type": "object",
    "properties": {
        "deviceName": {"type": "string"},
        "level": {"type": "integer", "minimum": 0, "maximum": 99},
    },
    "required": ["deviceName"],
    "additionalProperties": False,
}


def bare() -> BaseTool:
    async def ping() -> str:
        return "pong"

    return StructuredTool.from_function(coroutine=ping, description="Answers pong.")


@pytest.fixture
async def ollama() -> AsyncIterator[FakeOllama]:
    async with FakeOllama() as server:
        yield server


def client_for(server: FakeOllama, *tools: BaseTool) -> OllamaClient:
    manager = ToolManager()
    for tool in tools:
        manager.add(tool)
    settings = OllamaSettings(base_url=server.url)
    return OllamaClient(settings, BrainSettings(), ToolExecutor(manager), clock=lambda: NOW)


@pytest.mark.scenario("FMT-1")
def test_a_tool_becomes_a_function_of_name_description_and_parameters() -> None:
    converted = to_qwen_tools([from_server("zwave", "control", LAMP, prefix="zwave_")])

    assert converted == [
        {
            "type": "function",
            "function": {
                "name": "control",
                "description": "Tool control of zwave.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "deviceName": {"type": "string"},
                        "level": {"type": "integer", "description": "(0 to 99)"},
                    },
                    "required": ["deviceName"],
                },
            },
        }
    ]


@pytest.mark.scenario("FMT-1")
def test_the_parameters_are_the_tools_json_schema_where_the_wire_carries_it() -> None:
    schema = {
        "type": "object",
        "properties": {
            "deviceName": {"type": "string", "description": "Which device"},
            "action": {"type": "string", "enum": ["on", "off"], "description": "What to do"},
            "rooms": {"type": "array", "items": {"type": "string"}},
            "level": {"type": "number"},
        },
        "required": ["deviceName", "action"],
    }

    (converted,) = to_qwen_tools([from_server("zwave", "control", schema)])

    assert converted["function"]["parameters"] == schema


CALLS_IT_TAKES = st.fixed_dictionaries(
    {"device": st.text(min_size=1, max_size=40)},
    optional={
        "level": st.integers(0, 100),
        "mode": st.sampled_from(["warm", "cold"]),
        "when": st.sampled_from(["now", "later"]),
        "tags": st.lists(st.text(), max_size=3),
        "at": st.fixed_dictionaries({"x": st.integers()}, optional={"y": st.integers()}),
        "code": st.from_regex(r"\A[a-z][0-9]\Z"),
        "either": st.integers() | st.text(),
    },
)


@pytest.mark.scenario("FMT-1")
@given(CALLS_IT_TAKES)
def test_no_call_that_the_tools_own_schema_takes_is_forbidden_by_the_one_that_is_sent(
    args: dict[str, Any],
) -> None:
    (converted,) = to_qwen_tools([typed()])
    own, sent = schema_of(typed()), converted["function"]["parameters"]

    assert sent["properties"].keys() == own["properties"].keys()
    assert sent["required"] == own["required"]
    assert Draft202012Validator(own).is_valid(args)
    assert Draft202012Validator(sent).is_valid(args)


@pytest.mark.scenario("FMT-1")
def test_two_tools_of_one_name_are_offered_with_their_servers() -> None:
    tools = [from_server("one", "control", LAMP), from_server("two", "control", LAMP), bare()]

    assert [tool["function"]["name"] for tool in to_qwen_tools(tools)] == [
        "one__control",
        "two__control",
        "ping",
    ]


@pytest.mark.scenario("FMT-2")
def test_a_list_converts_tool_by_tool_and_nothing_is_changed() -> None:
    tools = [typed(), from_server("zwave", "control", LAMP), bare()]
    before = [
        (tool.name, tool.description, copy.deepcopy(schema_of(tool)), dict(tool.metadata or {}))
        for tool in tools
    ]

    converted = to_qwen_tools(tools)
    converted[1]["function"]["parameters"]["properties"]["deviceName"]["type"] = "changed"

    assert [tool["function"]["name"] for tool in converted] == ["set_everything", "control", "ping"]
    after = [(tool.name, tool.description, schema_of(tool), dict(tool.metadata or {})) for tool in tools]
    assert after == before


@pytest.mark.scenario("FMT-3")
async def test_no_tools_is_an_empty_list(ollama: FakeOllama) -> None:
    assert to_qwen_tools([]) == []
    assert to_qwen_tools(None) == []
    client = client_for(ollama)
    reply = await client.answer(Turn(Utterance("hello")))
    await client.aclose()
    assert reply.text == "All right."
    assert not ollama.chats[0].get("tools")


@pytest.mark.scenario("FMT-4")
def test_a_debug_line_says_how_many(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        to_qwen_tools([typed(), bare()])

    record = caplog.records[-1]
    assert record.getMessage() == "🔧 Converted 2 tools from LangChain to Qwen format"
    assert record.levelname == "DEBUG"


@pytest.mark.scenario("FMT-5")
async def test_only_the_ollama_client_converts(ollama: FakeOllama, caplog: pytest.LogCaptureFixture) -> None:
    manager = ToolManager()
    manager.add_mcp_tools("zwave", [from_server("zwave", "control", LAMP)])
    executor = ToolExecutor(manager)
    before = manager.all()

    with caplog.at_level(logging.DEBUG):
        async with FakeAnthropic() as server:
            settings = AnthropicSettings(base_url=server.url, api_key=KEY)
            cloud = AnthropicClient(settings, BrainSettings(), executor)
            await cloud.answer(Turn(Utterance("hello")))
            await cloud.aclose()
    assert not [record for record in caplog.records if "Qwen" in record.getMessage()]
    assert server.chats[0]["tools"][0]["input_schema"] == LAMP

    local = OllamaClient(OllamaSettings(base_url=ollama.url), BrainSettings(), executor)
    await local.answer(Turn(Utterance("hello")))
    await local.aclose()
    assert all(one is other for one, other in zip(manager.all(), before, strict=True))
    assert schema_of(manager.all()[0]) == LAMP


@pytest.mark.scenario("FMT-6")
@pytest.mark.parametrize(
    "tool",
    [
        typed(),
        bare(),
        from_server("s", "none", {}),
        from_server("s", "null", {"type": "object", "properties": None, "required": ["ghost"]}),
        from_server(
            "s",
            "any_of",
            {"anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"type": "null"}]},
        ),
        from_server(
            "s",
            "loop",
            {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/A"}},
                "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}},
            },
        ),
        from_server(
            "s", "true", {"type": "object", "properties": {"a": True, "description": {"type": "string"}}}
        ),
        *builtin_tools(ToolsSettings()),
    ],
    ids=lambda tool: tool.name,
)
def test_a_converted_tool_has_exactly_the_expected_keys_and_a_valid_schema(tool: BaseTool) -> None:
    (converted,) = to_qwen_tools([tool])

    assert set(converted) == {"type", "function"}
    assert converted["type"] == "function"
    assert set(converted["function"]) == {"name", "description", "parameters"}
    parameters = converted["function"]["parameters"]
    assert parameters["type"] == "object"
    Draft202012Validator.check_schema(parameters)
    for name, part in parameters["properties"].items():
        assert set(part) <= {"type", "items", "description", "enum"}, name
    assert set(parameters.get("required", ())) <= set(parameters["properties"])
    assert set(schema_of(tool).get("properties") or parameters["properties"]) == set(parameters["properties"])


@pytest.mark.scenario("FMT-7")
async def test_what_goes_over_the_wire_is_exactly_what_was_converted(ollama: FakeOllama) -> None:
    tools = [*builtin_tools(ToolsSettings()), typed(), from_server("zwave", "control", LAMP), bare()]
    client = client_for(ollama, *tools)

    await client.answer(Turn(Utterance("hello")))
    await client.aclose()

    request = ollama.requests[-1]
    assert (request.method, request.path) == ("POST", "/api/chat")
    sent = ollama.chats[0]["tools"]
    assert sent == to_qwen_tools(client.offer().tools)


@pytest.mark.scenario("FMT-8")
async def test_the_call_runs_the_original_tool_and_its_result_goes_back(ollama: FakeOllama) -> None:
    ollama.script(Scripted(calls=[("control", {"deviceName": "Lamp", "level": 30})]), "You are welcome.")
    client = client_for(ollama, from_server("zwave", "control", LAMP))
    history = History()

    reply = await client.answer(Turn(Utterance("lamp to 30"), history))
    await client.answer(Turn(Utterance("thanks"), history))  # the next request may be the next turn's
    await client.aclose()

    text = 'zwave did control with {"deviceName": "Lamp", "level": 30}'
    assert [outcome.text for outcome in reply.outcomes] == [text]
    assert ollama.chats[1]["messages"][3] == {"role": "tool", "content": text}
    assert reply.text == say("act.reported")
