"""LangGraph's agents with our tools: what fails is told to the model, and the agent goes on."""

import asyncio
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from tests.fakes.gateway_in_thread import GatewayInThread, gateway_in_thread

from voice_gateway.config import ServerSettings
from voice_gateway.progress import Progress, listener

pytestmark = pytest.mark.others

# (the tool, its arguments, what the model is told)
FAILING = [
    ("get_current_datetime", {"timezone": "Atlantis"}, "I do not know the time zone"),
    ("cancel_timer", {"name": "nobody's"}, "There's no timer running"),
    ("calculate", {"expression": "2 + 3", "colour": "red"}, "colour"),
    ("control_zwave_device", {"deviceName": "Kettle of Doom", "action": "on"}, "Kettle of Doom"),
    ("control_zwave_device", {"deviceName": "Floor Lamp", "volume": 3}, "volume"),
]
CALLS = [
    {"type": "tool_call", "id": str(number), "name": name, "args": args}
    for number, (name, args, _) in enumerate(FAILING)
]


class Scripted(BaseChatModel):
    """A model that makes all those calls at once, and then says what it was told."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "Scripted":
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        told = [str(one.content) for one in messages if isinstance(one, ToolMessage)]
        message = AIMessage("\n".join(told)) if told else AIMessage("", tool_calls=CALLS)
        return ChatResult(generations=[ChatGeneration(message=message)])


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayInThread]:
    zwave = ServerSettings(command=sys.executable, args=("-m", "zwave_mcp", "--simulate"))
    with gateway_in_thread(tmp_path_factory.mktemp("house"), {"zwave": zwave}) as house:
        yield house


def check(messages: list[BaseMessage]) -> None:
    answers = [one for one in messages if isinstance(one, ToolMessage)]
    assert [one.status for one in answers] == ["error"] * len(FAILING)
    for answer, (name, _, says) in zip(answers, FAILING, strict=True):
        assert answer.name == name
        assert says in str(answer.content)


def test_an_agent_goes_on_when_tools_fail(house: GatewayInThread) -> None:
    agent = create_agent(Scripted(), house.gateway.tools.all())

    asked = {"messages": [HumanMessage("go on")]}
    for messages in (agent.invoke(asked)["messages"], asyncio.run(agent.ainvoke(asked))["messages"]):
        check(messages)
        assert "Atlantis" in messages[-1].content


def test_a_tool_node_goes_on_when_tools_fail(house: GatewayInThread) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(house.gateway.tools.all()))
    graph.add_edge(START, "tools")
    asked = {"messages": [AIMessage("", tool_calls=CALLS)]}

    check(graph.compile().invoke(asked)["messages"])
    check(asyncio.run(graph.compile().ainvoke(asked))["messages"])


def test_an_agent_on_the_gateways_own_loop(house: GatewayInThread) -> None:
    """As a program that has no other: awaited it works, and waited for it is told, never stuck."""
    agent = create_agent(Scripted(), house.gateway.tools.all())
    asked = {"messages": [HumanMessage("go on")]}

    async def wait() -> Any:
        return agent.invoke(asked)

    check(house.do(agent.ainvoke(asked))["messages"])
    [*_, last] = house.do(wait())["messages"]
    assert "I do not know the time zone" in last.content
    assert "blocked" in last.content


async def test_the_graph_of_the_librarys_page_runs_tools_and_streams_progress():
    """In place of `ToolNode`, with an error as a message."""
    page = (Path(__file__).parents[2] / "docs" / "library.md").read_text(encoding="utf-8")
    (sample,) = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "langgraph" in code]
    names: dict[str, Any] = {}
    exec(sample, names)

    def slow(text: str) -> str:
        """Repeat."""
        return text

    async def stepping(text: str) -> str:
        """Repeat with progress."""
        if (report := listener()) is not None:
            report(Progress(1.0, 1.0))
        return text

    calls = [{"id": name, "name": name, "args": {"text": "hi"}} for name in ("slow", "stepping", "nothing")]
    events, ended = [], {}
    graph = names["graph"]([slow, stepping])
    async for kind, event in graph.astream(
        {"messages": [AIMessage("", tool_calls=calls)]}, stream_mode=["custom", "values"]
    ):
        if kind == "custom":
            events.append(event["type"])
        else:
            ended = event
    answers = [one for one in ended["messages"] if isinstance(one, ToolMessage)]

    assert [(one.tool_call_id, one.status) for one in answers] == [
        ("slow", "success"),
        ("stepping", "success"),
        ("nothing", "error"),
    ]
    assert events == ["tool_progress"]
