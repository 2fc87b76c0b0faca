"""MSG — the conversation with the model. (MSG-3 is proven with the voice door.)"""

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_ollama import ChatOllama
from tests.fakes.anthropic_server import KEY, FakeAnthropic, WatchedChat
from tests.fakes.anthropic_server import Scripted as AnthropicReply
from tests.fakes.model import Calls, FakeModel
from tests.fakes.ollama_server import FakeOllama
from tests.fakes.ollama_server import Scripted as OllamaReply

from voice_gateway.config import AnthropicSettings, BrainSettings, OllamaSettings
from voice_gateway.llm.anthropic.client import AnthropicClient, make_chat
from voice_gateway.llm.loop import run_loop
from voice_gateway.llm.ollama.chat import OllamaChat
from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.llm.ollama.qwen_format import to_qwen_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, ToolCall, ToolOutcome, ToolTraits, Utterance
from voice_gateway.turns.history import NO_RESULT, History
from voice_gateway.turns.stage import Turn

NOW = datetime(2026, 11, 15, 10, 32, tzinfo=UTC)


class Recording(ToolExecutor):
    """The real executor, which also writes down what it was asked to run."""

    def __init__(self, tools: ToolManager) -> None:
        super().__init__(tools, timeout_seconds=5)
        self.calls: list[ToolCall] = []

    async def execute(self, call: ToolCall, **options: Any) -> ToolOutcome:
        self.calls.append(call)
        return await super().execute(call, **options)


def lamp() -> BaseTool:
    async def control_lamp(device: str, action: str) -> str:
        if device == "heater":
            raise ToolException("the heater does not answer")
        return f"The {device} is {action}."

    return StructuredTool.from_function(
        coroutine=control_lamp,
        description="REQUIRED to switch lamps.",
        metadata={"traits": ToolTraits(source="home", original_name="control_lamp")},
    )


def clock() -> BaseTool:
    async def read_clock() -> str:
        return "It is 10:32."

    return StructuredTool.from_function(
        coroutine=read_clock, description="Tells the time.", metadata={"traits": ToolTraits(read_only=True)}
    )


@pytest.fixture
def executor() -> Recording:
    tools = ToolManager()
    tools.add(clock())
    tools.add_mcp_tools("home", [lamp()])
    return Recording(tools)


@pytest.fixture
async def ollama() -> AsyncIterator[FakeOllama]:
    async with FakeOllama() as server:
        yield server


@pytest.fixture
async def anthropic() -> AsyncIterator[FakeAnthropic]:
    async with FakeAnthropic() as server:
        yield server


def ollama_client(server: FakeOllama, executor: ToolExecutor) -> OllamaClient:
    return OllamaClient(OllamaSettings(base_url=server.url), BrainSettings(), executor, clock=lambda: NOW)


def anthropic_client(server: FakeAnthropic, executor: ToolExecutor, **options: Any) -> AnthropicClient:
    settings = AnthropicSettings(base_url=server.url, api_key=KEY)
    return AnthropicClient(settings, BrainSettings(), executor, clock=lambda: NOW, **options)


async def loop(
    model: FakeModel, executor: ToolExecutor, history: History | None = None, text: str = "go"
) -> Reply:
    model.tools = executor.tools.all()
    turn = Turn(Utterance(text), history=history if history is not None else History())
    return await run_loop(model, turn, executor, user_text=text)


LAMP = ("control_lamp", {"device": "floor lamp", "action": "on"})


@pytest.mark.scenario("MSG-1")
async def test_anthropic_hands_every_call_to_the_executor_and_binds_langchain_tools(
    anthropic: FakeAnthropic, executor: Recording
) -> None:
    bound: list[list[Any]] = []

    def watched(settings: AnthropicSettings) -> Any:
        return WatchedChat(make_chat(settings), bound)

    anthropic.script(
        AnthropicReply("One moment. I will look.", calls=[LAMP, ("read_clock", {})]), "The lamp is on."
    )
    client = anthropic_client(anthropic, executor, new_chat=watched)

    reply = await client.answer(Turn(Utterance("lamp on, and what time is it")))
    await client.aclose()

    assert [(call.name, call.args) for call in executor.calls] == [LAMP, ("read_clock", {})]
    assert [outcome.text for outcome in reply.outcomes] == ["The floor lamp is on.", "It is 10:32."]
    assert reply.text == "The floor lamp is on. It is 10:32."
    assert reply.stage == "anthropic"
    assert all(isinstance(tool, BaseTool) for tool in bound[0])
    assert [tool["name"] for tool in anthropic.chats[0]["tools"]] == ["read_clock", "control_lamp"]


@pytest.mark.scenario("MSG-2")
async def test_ollama_hands_every_call_to_the_executor(ollama: FakeOllama, executor: Recording) -> None:
    ollama.script(OllamaReply(calls=[LAMP, ("read_clock", {})]), "The lamp is on.")
    client = ollama_client(ollama, executor)

    reply = await client.answer(Turn(Utterance("lamp on, and what time is it")))
    await client.aclose()

    assert [(call.name, call.args) for call in executor.calls] == [LAMP, ("read_clock", {})]
    assert [outcome.text for outcome in reply.outcomes] == ["The floor lamp is on.", "It is 10:32."]
    assert (reply.text, reply.stage, reply.model, reply.ok) == (
        "The floor lamp is on. It is 10:32.",
        "ollama",
        "qwen2.5:0.5b",
        True,
    )


async def asked_of_langchain(server: FakeOllama, question: str) -> AIMessage:
    """The same request without us: what LangChain's own client makes of Ollama's reply."""
    chat = ChatOllama(model="qwen2.5:0.5b", base_url=server.url, client_kwargs={"trust_env": False})
    try:
        return await chat.ainvoke(question, tools=to_qwen_tools([clock(), lamp()]))
    finally:
        await chat._async_client.close()
        chat._client.close()


@pytest.mark.scenario("MSG-2")
@pytest.mark.parametrize(
    "reply",
    [
        OllamaReply(calls=[LAMP, ("read_clock", {})]),
        OllamaReply("One moment.", calls=[("read_clock", {})]),
        OllamaReply(calls=[("control_lamp", {"device": "lämp", "level": 3.5, "deep": {"a": [1, None]}})]),
        OllamaReply('{"name": "read_clock", "arguments": {}}'),
        OllamaReply('<tool_call>\n{"name": "read_clock", "arguments": {}}\n</tool_call>'),
        OllamaReply('```json\n{"name": "read_clock", "arguments": {}}\n```'),
    ],
    ids=["two calls", "words and a call", "odd arguments", "json", "qwen's tags", "fenced"],
)
async def test_calls_and_text_are_those_that_langchain_reads_from_ollama(
    ollama: FakeOllama, reply: OllamaReply
) -> None:
    """The client adds nothing and takes nothing out: it has no reader of its own for Ollama's format."""
    ollama.script(reply, reply)
    chat = OllamaChat(OllamaSettings(base_url=ollama.url))
    tools = to_qwen_tools([clock(), lamp()])

    ours = await chat.send([HumanMessage(content="go")], tools, lambda _: None)
    await chat.aclose()
    theirs = await asked_of_langchain(ollama, "go")

    assert [(call["name"], call["args"]) for call in ours.tool_calls] == reply.calls
    assert [(call["name"], call["args"]) for call in theirs.tool_calls] == reply.calls
    assert (ours.text, ours.invalid_tool_calls) == (theirs.text, theirs.invalid_tool_calls)
    assert ours.text == reply.text


@pytest.mark.scenario("MSG-4")
async def test_a_request_and_its_results_enter_the_history_and_all_of_it_is_sent(executor: Recording) -> None:
    model = FakeModel([Calls(LAMP, ("read_clock", {}), text="One moment."), "Hello."])
    history = History()

    await loop(model, executor, history, "lamp on and the time")
    told = history.messages[-1]
    await loop(model, executor, history, "thanks")  # the next request, which is the next turn's

    human, request, first, second, closing, _ = model.asked[1]
    assert closing == told
    assert (closing.type, closing.text) == ("ai", "The floor lamp is on. It is 10:32.")
    assert isinstance(human, HumanMessage)
    assert isinstance(request, AIMessage)
    assert (request.text, [call["name"] for call in request.tool_calls]) == (
        "One moment.",
        ["control_lamp", "read_clock"],
    )
    assert isinstance(first, ToolMessage)
    assert isinstance(second, ToolMessage)
    assert [first.tool_call_id, second.tool_call_id] == [call["id"] for call in request.tool_calls]
    assert [first.content, second.content] == ["The floor lamp is on.", "It is 10:32."]
    assert [type(message) for message in history.messages[-1:]] == [AIMessage]


@pytest.mark.scenario("MSG-6")
async def test_every_call_has_an_id_of_its_own_a_name_and_parsed_arguments(executor: Recording) -> None:
    same = [
        {"id": "call_0", "name": "read_clock", "args": {}},
        {"id": "call_0", "name": "read_clock", "args": {}},
    ]
    unnamed: list[Any] = [{"id": None, "name": "read_clock", "args": {}}]
    model = FakeModel(
        [AIMessage(content="", tool_calls=same), AIMessage(content="", tool_calls=unnamed + same[:1]), "Ten."]
    )

    reply = await loop(model, executor)

    ids = [call.id for call in executor.calls]
    assert len(ids) == 4
    assert len(set(ids)) == 4
    assert all(ids)
    assert all(isinstance(call.args, dict) and executor.tools.find(call.name) for call in executor.calls)
    assert {outcome.call_id for outcome in reply.outcomes} == set(ids)


@pytest.mark.scenario("MSG-6")
async def test_a_call_that_langchain_could_not_parse_gets_an_outcome_too(executor: Recording) -> None:
    broken = {
        "id": "x",
        "name": "control_lamp",
        "args": '{"device": "la',
        "error": "not JSON",
        "type": "invalid_tool_call",
    }
    model = FakeModel([AIMessage(content="", invalid_tool_calls=[broken]), "I could not."])

    reply = await loop(model, executor)

    assert [outcome.error for outcome in reply.outcomes] == ["bad_arguments"]
    message = model.asked[1][-1]
    assert isinstance(message, ToolMessage)
    assert (message.tool_call_id, message.status) == ("x", "error")


@pytest.mark.scenario("MSG-7")
async def test_over_several_rounds_the_history_grows_and_each_call_gets_all_of_it(
    executor: Recording,
) -> None:
    history = History()
    script: list[Any] = [Calls(LAMP), Calls(("read_clock", {})), "The lamp is on.", "You are welcome."]
    model = FakeModel(script, several_steps=True)

    await loop(model, executor, history, "lamp on, then the time")
    await loop(model, executor, history, "thanks")

    kinds = [[message.type for message in asked] for asked in model.asked]
    assert kinds == [
        ["human"],
        ["human", "ai", "tool"],
        ["human", "ai", "tool", "ai", "tool"],
        ["human", "ai", "tool", "ai", "tool", "ai", "human"],
    ]
    assert model.asked[3][:5] == model.asked[2]
    assert [message.type for message in history.messages] == [*kinds[3], "ai"]


@pytest.mark.scenario("MSG-8")
async def test_a_failing_tool_is_told_to_the_model_which_can_answer_with_it(executor: Recording) -> None:
    model = FakeModel(
        [Calls(("control_lamp", {"device": "heater", "action": "on"})), "The heater does not answer."]
    )

    reply = await loop(model, executor)

    message = model.asked[1][-1]
    assert isinstance(message, ToolMessage)
    assert message.content == "Error: the heater does not answer"
    assert message.tool_call_id == "r1c0"
    assert (reply.text, reply.ok) == ("That didn't work: the heater does not answer.", False)


@pytest.mark.scenario("MSG-9")
async def test_an_unknown_tool_is_answered_and_the_loop_goes_on(
    executor: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    model = FakeModel([Calls(("fly", {}), ("read_clock", {})), "I cannot fly. It is 10:32."])
    history = History()

    with caplog.at_level(logging.WARNING):
        reply = await loop(model, executor, history)

    unknown, known = model.asked[1][-2:]
    assert isinstance(unknown, ToolMessage)
    assert str(unknown.content).startswith('Error: Unknown tool "fly"')
    assert unknown.tool_call_id == "r1c0"
    assert known.content == "It is 10:32."
    (warning,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert (warning.getMessage(), vars(warning)["tool"]) == ("unknown tool", "fly")
    assert [message.type for message in history.messages] == ["human", "ai", "tool", "tool", "ai"]
    assert [outcome.error for outcome in reply.outcomes] == ["unknown_tool", None]
    assert "It is 10:32." in reply.text
    assert not reply.ok


@pytest.mark.scenario("MSG-10")
async def test_a_missing_result_is_replaced_before_the_next_send(executor: Recording) -> None:
    calls = [{"id": "a", "name": "read_clock", "args": {}}, {"id": "b", "name": "read_clock", "args": {}}]
    history = History(
        [
            HumanMessage(content="before"),
            AIMessage(content="", tool_calls=calls),
            ToolMessage(content="late orphan", tool_call_id="zzz"),
            ToolMessage(content="It is 9:00.", tool_call_id="b"),
        ]
    )
    model = FakeModel(["Hello."])

    await loop(model, executor, history, "hi")

    sent = [(message.type, message.text) for message in model.asked[0]]
    assert sent == [
        ("human", "before"),
        ("ai", ""),
        ("tool", NO_RESULT),
        ("tool", "It is 9:00."),
        ("human", "hi"),
    ]


@pytest.mark.scenario("MSG-10")
async def test_a_turn_cancelled_in_the_middle_of_its_calls_leaves_a_valid_history() -> None:
    started, never = asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        started.set()
        await never.wait()
        return "never"

    tools = ToolManager()
    tools.add(clock())
    tools.add(StructuredTool.from_function(coroutine=slow, description="Waits for ever."))
    executor = Recording(tools)
    history = History()
    task = asyncio.create_task(loop(FakeModel([Calls(("read_clock", {}), ("slow", {}))]), executor, history))

    async with asyncio.timeout(30):
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert [message.text for message in history.messages] == ["go", "", "It is 10:32.", NO_RESULT]
    assert history.paired() == history.messages
