"""LangChain around the executor: the calls of a message, the message of an outcome, a graph's node."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from langchain_core.messages import AIMessage, ToolMessage

from voice_gateway.progress import Progress, progress_to
from voice_gateway.turn import ToolCall, ToolOutcome

if TYPE_CHECKING:
    from voice_gateway.tools.executor import ToolExecutor

OUTSIDE = "outside"  # marks a message with words from outside the house; no provider is sent it

Calls = AIMessage | Sequence[Any]  # a model's message, or tool calls as LangChain writes them, or ours
Node = Callable[[Any], Awaitable[dict[str, list[ToolMessage]]]]


def calls_of(calls: Calls) -> list[ToolCall]:
    """The calls of a message, those with unreadable arguments too: each gets its result."""
    if isinstance(calls, AIMessage):
        calls = [*calls.tool_calls, *calls.invalid_tool_calls]
    if isinstance(calls, str | Mapping) or not all(isinstance(call, Mapping | ToolCall) for call in calls):
        raise TypeError(f"expected an AIMessage or a list of tool calls, not {type(calls).__name__}")
    return [
        call
        if isinstance(call, ToolCall)
        else ToolCall(call.get("id") or "", call.get("name") or "", call.get("args"))
        for call in calls
    ]


def to_message(outcome: ToolOutcome) -> ToolMessage:
    """What a model gets of an outcome (MSG-5). Each field that is given costs time, in every call."""
    unusual: dict[str, Any] = {} if outcome.ok else {"status": "error"}
    if outcome.outside:
        unusual["additional_kwargs"] = {OUTSIDE: True}
    content = outcome.for_model or outcome.text
    return ToolMessage(content=content, tool_call_id=outcome.call_id, name=outcome.name, **unusual)


def node_of(executor: "ToolExecutor") -> Node:
    """A LangGraph node that runs the calls of the last message; progress is streamed as custom events."""

    async def tools(state: Any) -> dict[str, list[ToolMessage]]:
        messages = state["messages"] if isinstance(state, Mapping) else state.messages
        writer = _stream_writer()

        def report(step: Progress) -> None:
            writer({"type": "tool_progress", **step.to_json()})

        with progress_to(report):
            return {"messages": await executor.run(messages[-1])}

    return tools


def _stream_writer() -> Callable[[Any], None]:
    """LangGraph's writer of custom events; outside of a running graph they go nowhere."""
    from langgraph.config import get_stream_writer

    with suppress(RuntimeError):
        return cast(Callable[[Any], None], get_stream_writer())
    return lambda _event: None
