"""EXE: the executor."""

import asyncio
import json
import logging
import socket
import threading
import time

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from tests.fakes.linked import fault_server, linked
from tests.fakes.some_tools import executor_with, mcp_tool, outcome_of

from voice_gateway.errors import LinkError, ToolError, ToolUnavailable
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall

pytestmark = pytest.mark.usefixtures("info_level")
SOON = 30.0  # seconds; what is awaited comes at once, or something is wrong


@pytest.fixture
def info_level(caplog):
    caplog.set_level(logging.INFO)


@tool
async def add(a: int, b: int = 2) -> str:
    """Add two numbers."""
    return str(a + b)


@pytest.mark.scenario("EXE-1")
async def test_a_call_runs_its_tool_and_returns_the_result_as_text():
    outcome = await executor_with(add).execute(ToolCall("7", "add", {"a": 1, "b": 4}))

    assert (outcome.call_id, outcome.name, outcome.text) == ("7", "add", "5")
    assert (outcome.ok, outcome.error) == (True, None)


@pytest.mark.scenario("EXE-2")
@pytest.mark.parametrize("level", [logging.DEBUG, logging.INFO])
async def test_an_execution_is_logged_with_tool_time_and_result_and_at_debug_with_arguments(level, caplog):
    caplog.set_level(level)
    await outcome_of(add, {"a": 1})

    record = caplog.records[-1]
    assert (record.levelname, record.tool, record.result) == ("INFO", "add", "3")
    assert getattr(record, "arguments", None) == ({"a": 1} if level == logging.DEBUG else None)
    assert 0 < record.seconds < SOON


@pytest.mark.scenario("EXE-2")
async def test_secrets_in_arguments_are_masked_in_the_log(caplog):
    caplog.set_level(logging.DEBUG)

    @tool
    async def log_in(user: str, password: str, headers: dict[str, str]) -> str:
        """Log in."""
        return "in"

    args = {
        "user": "ann",
        "password": "hunter2",
        "headers": {"Authorization": "Bearer abcdefghijk", "note": "Bearer abcdefghijk"},
    }
    outcome = await outcome_of(log_in, args)

    assert outcome.ok
    logged = str(caplog.records[-1].arguments)
    assert "ann" in logged
    assert "hunter2" not in logged
    assert "abcdefghijk" not in logged
    assert outcome.args == args, "only the log is masked"


@pytest.mark.scenario("EXE-2")
async def test_a_long_result_is_shortened_in_the_log_and_for_the_model_but_kept_in_the_outcome(caplog):
    text = "head " + "x" * 20_000 + " tail"

    @tool
    async def read_it() -> str:
        """Read it."""
        return text

    outcome = await outcome_of(read_it, result_cap=1000)

    assert outcome.text == text
    assert len(outcome.for_model) <= 1000
    assert outcome.for_model.startswith("head ")
    assert outcome.for_model.endswith(" tail")
    assert "characters left out" in outcome.for_model
    assert len(caplog.records[-1].result) < 300


@pytest.mark.scenario("EXE-3")
async def test_an_unknown_tool_is_answered_by_name(caplog):
    executor = executor_with(add)

    outcome = await executor.execute(ToolCall("1", "ad", {}))

    assert outcome.text == 'Error: Unknown tool "ad". Did you mean add?'
    assert (outcome.ok, outcome.error) == (False, "unknown_tool")
    assert caplog.records[-1].levelname == "WARNING"
    assert (await executor.execute(ToolCall("2", "add", {"a": 1}))).ok, "the conversation goes on"


@pytest.mark.scenario("EXE-4")
async def test_a_tool_that_raises_is_logged_with_context_and_answered_with_its_message(caplog):
    caplog.set_level(logging.DEBUG)

    @tool
    async def fragile(cup: str) -> str:
        """Break."""
        raise ValueError(f"the {cup} cup is broken")

    outcome = await outcome_of(fragile, {"cup": "blue"})

    assert outcome.text == "Error: the blue cup is broken"
    assert (outcome.ok, outcome.error) == (False, "failed")
    record = caplog.records[-1]
    assert (record.levelname, record.tool, record.arguments) == ("ERROR", "fragile", {"cup": "blue"})
    assert record.seconds > 0
    assert "ValueError" in logging.Formatter().formatException(record.exc_info)


@tool
def shout(word: str, times: int = 1) -> str:
    """Shout, in a thread."""
    return word.upper() * times


@tool(response_format="content_and_artifact")
async def measure(room: str) -> tuple[str, dict[str, int]]:
    """Measure."""
    return f"21 degrees in the {room}", {"degrees": 21}


class Whisper(BaseTool):
    name: str = "whisper"
    description: str = "Whisper."

    def _run(self, word: str) -> str:
        raise AssertionError("it has an async way")

    async def _arun(self, word: str) -> str:
        return word.lower()


class Invoked(Whisper):
    """A tool with an `ainvoke` of its own, which must not be passed over."""

    async def ainvoke(self, input, config=None, **kwargs):
        return f"invoked with {json.dumps(input)}"


@pytest.mark.scenario("EXE-5")
@pytest.mark.parametrize(
    ("chosen", "args"),
    [
        (add, {"a": 20}),
        (add, {"a": "20", "b": 1}),
        (shout, {"word": "hey", "times": 2}),
        (measure, {"room": "attic"}),
        (Whisper(), {"word": "HEY"}),
        (Invoked(), {"word": "hey"}),
        (mcp_tool("look", {"type": "object"}), {}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
@pytest.mark.parametrize("observed", [False, True])
async def test_the_result_is_that_of_the_tools_own_ainvoke(chosen, args, observed):
    """Its own coroutine, or LangChain's way there where somebody listens: the same comes out."""
    if observed:
        chosen = chosen.model_copy(update={"callbacks": [AsyncCallbackHandler()]})

    assert (await outcome_of(chosen, args)).text == await chosen.ainvoke(args)


@pytest.mark.scenario("EXE-5")
async def test_arguments_that_read_like_a_call_of_langchains_reach_the_tool_as_they_are():
    class Sorter(BaseTool):
        name: str = "sort"
        description: str = "Sort."

        def _run(self, type: str, word: str) -> str:
            return f"{type}: {word}"

    outcome = await outcome_of(Sorter(), {"type": "tool_call", "word": "hey"})

    assert outcome.text == "tool_call: hey"


@pytest.mark.scenario("EXE-5")
@pytest.mark.parametrize("observed", [False, True])
async def test_what_a_tool_gives_beside_its_text_is_not_lost_on_either_way(observed):
    chosen = measure.model_copy(update={"callbacks": [AsyncCallbackHandler()] if observed else None})

    outcome = await outcome_of(chosen, {"room": "attic"})

    assert outcome.text == await chosen.ainvoke({"room": "attic"})
    assert outcome.structured == {"degrees": 21}


@pytest.mark.scenario("EXE-5")
async def test_an_error_that_a_tool_handles_itself_is_no_success():
    @tool
    async def fragile() -> str:
        """Break."""
        raise ToolException("the cup is broken")

    fragile.handle_tool_error = True
    outcome = await outcome_of(fragile)

    assert (outcome.ok, outcome.text) == (False, f"Error: {await fragile.ainvoke({})}")


@pytest.mark.scenario("EXE-5")
async def test_the_tools_own_coroutine_runs_and_no_wrapper_stands_for_it():
    called_by = []

    @tool
    async def look(room: str) -> str:
        """Look."""
        called_by.append(asyncio.current_task())
        return room

    assert isinstance(look, StructuredTool)
    own, before = look.coroutine, dict(vars(look))
    executor = executor_with(look)
    assert (await executor.execute(ToolCall("1", "look", {"room": "attic"}))).text == "attic"

    assert executor.tools.find("look") is look
    assert look.coroutine is own
    assert vars(look) == before, "nothing was put on the tool"
    assert len(called_by) == 1


@pytest.mark.scenario("EXE-6")
async def test_an_async_tool_past_its_limit_is_cancelled_and_answered_with_a_timeout():
    ended = []

    @tool
    async def dream() -> str:
        """Sleep."""
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return "never"

    outcome = await outcome_of(dream, timeout_seconds=0.02)

    assert (outcome.ok, outcome.error) == (False, "timeout")
    assert outcome.text.startswith("Error: dream did not finish within 0.02 s and was cancelled.")
    assert ended == ["cancelled"]


@pytest.mark.scenario("EXE-6")
async def test_a_blocking_tool_past_its_limit_holds_up_nothing():
    release = threading.Event()

    @tool
    def block() -> str:
        """Block."""
        release.wait(SOON)
        return "late"

    executor = executor_with(block, add)
    try:
        outcome = await executor.execute(ToolCall("1", "block", {}), timeout_seconds=0.02)
        assert outcome.error == "timeout"
        assert "may still be running" in outcome.text
        assert (await executor.execute(ToolCall("2", "add", {"a": 1}))).ok
        assert await asyncio.get_running_loop().getaddrinfo("127.0.0.1", 80, type=socket.SOCK_STREAM)
    finally:
        release.set()


@pytest.mark.scenario("EXE-6")
async def test_an_mcp_server_is_told_of_a_call_past_its_limit_and_serves_the_next():
    manager = ToolManager()
    async with linked(fault_server()) as link:
        manager.add_mcp_tools("fault", list(link.tools["fault"].values()))
        executor = ToolExecutor(manager)
        late = await executor.execute(ToolCall("1", "hang"), timeout_seconds=0.2)
        told = await executor.execute(ToolCall("2", "was_cancelled"))

    assert (late.ok, late.error) == (False, "timeout")
    assert len(json.loads(told.text)) == 1, "notifications/cancelled came with one request's id"


class HastyLoop(asyncio.SelectorEventLoop):
    """Its clock jumps to whatever is due next, so half a minute passes at once."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self.ahead += max(0.0, self._scheduled[0].when() - self.time())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


@pytest.mark.scenario("EXE-6")
@pytest.mark.parametrize(
    ("settings", "own_limit", "seconds"),
    [({}, None, 30), ({"timeout_seconds": 45}, None, 45), ({"timeout_seconds": 45}, 7, 7)],
    ids=["unless configured", "configured", "of the tool"],
)
def test_the_limit_is_thirty_seconds_unless_configured_and_a_tool_may_have_its_own(
    settings, own_limit, seconds
):
    lasted = []

    async def dream(**_):
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            await asyncio.sleep(3600)
        finally:
            lasted.append(loop.time() - started)

    slow = mcp_tool(schema={"type": "object"}, answer=dream, timeout_seconds=own_limit)
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        outcome = runner.run(outcome_of(slow, **settings))

    assert outcome.error == "timeout"
    assert f"within {seconds} s" in outcome.text
    assert lasted == [pytest.approx(seconds, abs=1)]


@pytest.mark.scenario("EXE-7")
@pytest.mark.parametrize(
    ("error", "named"),
    [
        (ToolUnavailable("The weather service is not reachable."), "The weather service"),
        (ConnectionRefusedError(111, "Connection refused"), 'The server "zwave" is unavailable'),
        (socket.gaierror(-2, "Name or service not known"), 'The server "zwave" is unavailable'),
        (LinkError("connection closed"), 'The server "zwave" is unavailable'),
    ],
)
async def test_an_unreachable_service_is_named(error, named):
    async def fail(**_):
        raise error

    outcome = await outcome_of(mcp_tool(schema={"type": "object"}, answer=fail))

    assert outcome.error == "unavailable"
    assert named in outcome.text


@pytest.mark.scenario("EXE-8")
async def test_missing_and_wrong_arguments_are_named_with_the_signature():
    outcome = await outcome_of(mcp_tool(), {"action": "blink", "level": 500})

    assert outcome.error == "bad_arguments"
    for part in (
        "missing deviceName",
        'action is not one of "on", "off" or "dim"',
        "level is greater than the maximum of 100",
        "Required parameters: deviceName, action",
        "control_zwave_device(deviceName: string, action: on|off|dim, level?: integer 0-100)",
    ):
        assert part in outcome.text


@pytest.mark.scenario("EXE-8")
async def test_an_unknown_extra_argument_is_refused_not_dropped():
    ran = []

    @tool
    async def set_volume(volume: int, room: str = "kitchen") -> str:
        """Set it."""
        ran.append(room)
        return f"volume {volume} in {room}"

    outcome = await outcome_of(set_volume, {"volume": 10, "romo": "bath"})

    assert outcome.error == "bad_arguments"
    assert 'unknown parameter "romo"' in outcome.text
    assert "set_volume(volume: integer, room?: string)" in outcome.text
    assert ran == []


@pytest.mark.scenario("EXE-9")
async def test_time_is_measured_from_start_to_completion_also_of_a_failure():
    @tool
    async def wait_and_fail() -> str:
        """Wait."""
        await asyncio.sleep(0.02)
        raise ToolError("no")

    started = time.perf_counter()
    outcome = await outcome_of(wait_and_fail)

    assert 0.02 <= outcome.seconds <= time.perf_counter() - started


@pytest.mark.scenario("EXE-10")
async def test_a_slow_execution_warns_with_name_and_duration(caplog):
    @tool
    async def crawl(fail: bool = False) -> str:
        """Crawl."""
        await asyncio.sleep(1.001)
        if fail:
            raise ToolError("lost")
        return "there"

    executor = executor_with(crawl, add)
    outcomes = await executor.execute_all(
        [ToolCall("1", "crawl"), ToolCall("2", "crawl", {"fail": True}), ToolCall("3", "add", {"a": 1})]
    )

    slow = [record for record in caplog.records if record.getMessage() == "tool is slow"]
    assert [(record.levelname, record.tool) for record in slow] == [("WARNING", "crawl")] * 2
    assert [record.seconds for record in slow] == [
        pytest.approx(outcome.seconds, abs=0.01) for outcome in outcomes[:2]
    ]
    assert all(record.seconds > 1 for record in slow)


@pytest.mark.scenario("EXE-11")
async def test_the_contract_named_arguments_in_text_out_an_exception_with_a_message():
    @tool
    async def greet(name: str, polite: bool = False) -> str:
        """Greet."""
        if name == "nobody":
            raise ToolError("There is nobody to greet.", structured={"code": "nobody"})
        return f"Good day, {name}." if polite else f"Hi {name}."

    assert (await outcome_of(greet, {"name": "Ann", "polite": True})).text == "Good day, Ann."
    failed = await outcome_of(greet, {"name": "nobody"})
    assert (failed.text, failed.structured) == ("Error: There is nobody to greet.", {"code": "nobody"})
    assert json.loads(json.dumps(failed.to_json()))["error"] == "failed"
