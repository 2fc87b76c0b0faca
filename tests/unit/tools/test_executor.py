"""Exactly one outcome per call, whatever happens; and only cancellation gets out."""

import asyncio
import contextvars
import threading
from contextlib import suppress
from typing import Annotated, Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler, Callbacks
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import InjectedToolCallId, StructuredTool, ToolException, tool
from langchain_core.tracers.context import collect_runs
from tests.fakes.some_tools import Seen, executor_with, mcp_tool, outcome_of

from voice_gateway.errors import ToolError
from voice_gateway.tools import executor as executor_module
from voice_gateway.tools.messages import to_message
from voice_gateway.turn import ALLOWED, Decision, OutcomeStatus, ToolCall, Verdict

SOON = 30.0


@tool
async def add(a: int, b: int = 2) -> str:
    """Add two numbers."""
    return str(a + b)


def raising(error: BaseException) -> StructuredTool:
    async def fail() -> str:
        raise error

    return StructuredTool.from_function(coroutine=fail, name="fail", description="Fail.")


# --- malformed calls ---


@pytest.mark.parametrize(
    "args", ["nonsense", "[1]", "12", [1], [], 7, True, {"a": object()}, {"a": None}, {1: 2}]
)
async def test_malformed_arguments_get_an_outcome_that_names_what_is_required(args):
    outcome = await executor_with(add).execute(ToolCall("1", "add", args))

    assert outcome.error == "bad_arguments"
    assert "Required parameters: a. Use add(a: integer, b?: integer)" in outcome.text


async def test_a_missing_id_is_made_and_unique():
    ids: list[Any] = ["", None, 5]
    outcomes = await executor_with(add).execute_all([ToolCall(given, "add", {"a": 1}) for given in ids])

    assert all(outcome.ok and len(outcome.call_id) >= 16 for outcome in outcomes)
    assert len({outcome.call_id for outcome in outcomes}) == 3


@pytest.mark.parametrize("name", ["", "💡", "x" * 100_000, None, "add\n", "a\ud800b"])
async def test_any_name_gets_an_outcome(name):
    outcome = await executor_with(add).execute(ToolCall("1", name, {"a": 1}))

    assert outcome.ok == (name == "add\n")
    assert len(outcome.text) < 400
    assert to_message(outcome).content.encode()


# --- tools that misbehave ---


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (SystemExit(3), "failed", "Error: fail tried to end the program (SystemExit)."),
        (GeneratorExit(), "failed", "Error: fail tried to end the program (GeneratorExit)."),
        (asyncio.CancelledError(), "failed", "Error: fail was cancelled from inside."),
        (TimeoutError("no answer"), "failed", "Error: fail gave up waiting: no answer"),
        (TimeoutError(110, "Connection timed out"), "unavailable", "[Errno 110] Connection timed out"),
        (ValueError(), "failed", "Error: ValueError"),
        (KeyError("room"), "failed", "Error: KeyError: 'room'"),
        (FileNotFoundError(2, "No such file"), "failed", "Error: [Errno 2] No such file"),
        (OSError("Multiple exceptions"), "unavailable", "The service that fail needs is unavailable"),
        (ExceptionGroup("many", [ConnectionResetError("gone")]), "unavailable", "gone"),
        (ToolException("out of paper"), "failed", "Error: out of paper"),
        (StopIteration(), "failed", "Error: coroutine raised StopIteration"),
    ],
)
async def test_whatever_a_tool_raises_becomes_a_failed_outcome(error, kind, text):
    outcome = await outcome_of(raising(error))

    assert outcome.error == kind
    assert text in outcome.text


async def test_a_tool_that_cancels_its_own_task_does_not_cancel_the_turn():
    @tool
    async def give_up() -> str:
        """Give up."""
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(SOON)
        return "never"

    assert (await outcome_of(give_up)).text == "Error: give_up was cancelled from inside."
    assert asyncio.current_task().cancelling() == 0


async def test_what_a_tool_sets_in_its_context_stays_there():
    mood = contextvars.ContextVar("mood", default="calm")

    @tool
    async def rage() -> str:
        """Rage."""
        before = mood.get()
        mood.set("angry")
        return before

    mood.set("happy")
    assert (await outcome_of(rage)).text == "happy", "it sees the turn's context"
    assert mood.get() == "happy"


def test_a_tool_that_swallows_cancellation_holds_up_neither_the_turn_nor_the_end_of_the_program(
    monkeypatch, caplog
):
    monkeypatch.setattr(executor_module, "GRACE_SECONDS", 0.02)
    stopped = threading.Event()

    @tool
    async def stubborn() -> str:
        """Never stop."""
        while not stopped.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(SOON)
        return "never"

    async def one_turn() -> str | None:
        executor = executor_with(stubborn)
        return (await executor.execute(ToolCall("1", "stubborn", {}), timeout_seconds=0.02)).error

    ended = []
    thread = threading.Thread(target=lambda: ended.append(asyncio.run(one_turn())), daemon=True)
    thread.start()
    thread.join(SOON)
    assert ended == ["timeout"]
    assert "a tool ignores its cancellation and was left behind" in caplog.messages
    stopped.set()


# --- many calls ---


async def test_calls_run_at_the_same_time_up_to_the_cap_and_come_back_in_order():
    running, most = 0, 0

    @tool
    async def work(number: int) -> str:
        """Work."""
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001 * (10 - number % 10))
        running -= 1
        if number == 13:
            raise ValueError("unlucky")
        return str(number)

    calls = [ToolCall(str(number), "work", {"number": number}) for number in range(100)]
    outcomes = await executor_with(work).execute_all(calls)

    assert most == 8
    assert [outcome.call_id for outcome in outcomes] == [str(number) for number in range(100)]
    assert [outcome.text for outcome in outcomes if outcome.ok] == [str(n) for n in range(100) if n != 13]
    assert outcomes[13].text == "Error: unlucky"
    assert await executor_with(work).execute_all([]) == []


# --- gates ---


async def test_gates_see_the_arguments_as_they_would_reach_the_tool_and_may_refuse():
    seen, asked = Seen(), []

    def first(call, traits):
        asked.append((call.name, call.args, traits.source))
        return ALLOWED

    def second(call, traits):
        return Verdict(Decision.REFUSED, "Not from here.")

    executor = executor_with(mcp_tool(seen=seen), gate=first)
    call = ToolCall("1", "control_zwave_device", {"device_name": "Lamp", "command": "ON"})
    refused = await executor.execute(call, gate=second)

    assert asked == [("control_zwave_device", {"deviceName": "Lamp", "action": "on"}, "zwave")]
    assert (refused.ok, refused.error, refused.text) == (False, "failed", "Error: Not from here.")
    assert refused.structured == {"outcome": "not_permitted"}
    assert (refused.status, refused.ran) == (OutcomeStatus.NOT_PERMITTED, False)
    assert seen.calls == []
    assert (await executor.execute(call)).ok


@pytest.mark.parametrize("error", [RuntimeError("gate is broken"), asyncio.CancelledError()])
async def test_a_gate_that_fails_lets_nothing_through(error, caplog):
    seen = Seen()

    def broken(call, traits):
        raise error

    outcome = await outcome_of(mcp_tool(seen=seen), {"deviceName": "x", "action": "on"}, gate=broken)

    assert (outcome.ok, outcome.error, seen.calls) == (False, "failed", [])
    assert caplog.records[-1].exc_info


@pytest.mark.parametrize(("trusted", "ran"), [(True, [{}, {"confirmed": True}]), (False, [{}])])
async def test_only_a_trusted_server_asks_for_the_users_yes(trusted, ran):
    seen = Seen()

    async def wipe(**arguments):
        if not arguments:
            raise ToolError("Are you sure?", structured={"needsYes": True})
        return "Wiped.", None

    executor = executor_with(mcp_tool("wipe", {}, seen=seen, answer=wipe, home=True, trusted=trusted))
    outcome = await executor.execute(ToolCall("1", "wipe", {}), gate=lambda _call, _traits: ALLOWED)

    assert (outcome.ok, seen.calls) == (trusted, ran)


# --- LangChain's own way ---


async def test_a_tool_that_wants_config_callbacks_or_injected_values_gets_them():
    @tool
    async def nosy(
        word: str,
        config: RunnableConfig,
        call_id: Annotated[str, InjectedToolCallId],
        callbacks: Callbacks = None,
    ) -> str:
        """Ask."""
        return f"{word} {call_id} {config is not None} {callbacks is not None}"

    outcome = await executor_with(nosy).execute(ToolCall("c7", "nosy", {"word": "hi"}))

    assert outcome.text == "hi c7 True True"


class Listener(AsyncCallbackHandler):
    def __init__(self) -> None:
        self.heard: list[str] = []

    async def on_tool_start(self, serialized, input_str, **_) -> None:
        self.heard.append(f"start {serialized['name']}")

    async def on_tool_end(self, output, **_) -> None:
        self.heard.append(f"end {output}")


async def test_callbacks_of_a_surrounding_run_and_collected_runs_see_the_call():
    listener = Listener()
    executor = executor_with(add)

    async def turn(_):
        return (await executor.execute(ToolCall("1", "add", {"a": 1}))).text

    assert await RunnableLambda(turn).ainvoke(None, {"callbacks": [listener]}) == "3"
    assert listener.heard == ["start add", "end 3"]
    with collect_runs() as runs:
        await turn(None)
    assert [run.name for run in runs.traced_runs] == ["add"]
    assert await turn(None) == "3"
    assert len(runs.traced_runs) == 1


async def test_a_servers_parameters_called_config_and_runtime_survive_callbacks():
    seen = Seen()
    schema = {"type": "object", "properties": {"config": {"type": "string"}, "runtime": {}, "callbacks": {}}}
    args = {"config": "fast", "runtime": 1, "callbacks": []}
    watched = mcp_tool("start", schema, seen=seen).model_copy(update={"callbacks": [Listener()]})

    await outcome_of(mcp_tool("start", schema, seen=seen), args)
    await outcome_of(watched, args)

    assert seen.calls == [args, args]


async def test_a_changed_collection_is_seen_at_the_next_call():
    def answering(text: str) -> StructuredTool:
        async def answer() -> str:
            return text

        return StructuredTool.from_function(coroutine=answer, name="say", description="Say.")

    executor = executor_with(answering("one"))
    assert (await executor.execute(ToolCall("1", "say", {}))).text == "one"

    executor.tools.add(answering("two"))

    assert (await executor.execute(ToolCall("1", "say", {}))).text == "two"


@pytest.mark.parametrize(
    "call", [{"id": "7", "name": "add", "args": {"a": 1}}, {"name": "add"}, {}, None, "add"]
)
async def test_even_what_is_no_call_gets_an_outcome(call):
    outcome = await executor_with(add).execute(call)

    assert outcome.ok == (outcome.call_id == "7")
    assert outcome.call_id
