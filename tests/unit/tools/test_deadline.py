"""Foreign code in a task or a thread: its limit, whose cancellation is whose, an end that waits for none."""

import asyncio
import contextvars
import threading

import pytest
from langchain_core.tools import StructuredTool, tool
from tests.fakes.some_tools import executor_with, outcome_of
from tests.fakes.waiting import until

from voice_gateway.progress import Progress, listener
from voice_gateway.tools.executor import MOST_HUNG_PER_TOOL
from voice_gateway.tools.gateway_tool import GatewayTool
from voice_gateway.turn import ToolCall

SOON = 5.0
SCHEMA = {"type": "object", "properties": {}}


class Exchange:
    """A request and its reply, as the link to a server awaits them."""

    def __init__(self) -> None:
        self.reply: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.begun = asyncio.Event()
        self.ended_by: type[BaseException] | None = None
        self.task: asyncio.Task | None = None

    async def run(self, **_: object) -> tuple[str, None]:
        self.task = asyncio.current_task()
        self.begun.set()
        try:
            return await self.reply, None
        except BaseException as error:
            self.ended_by = type(error)
            raise


@pytest.fixture(params=[False, True], ids=["in a task of its own", "in the caller's task"])
def here(request):
    return request.param


def asking(run, here=False, **settings):
    ask = GatewayTool(
        name="ask", description="Ask.", args_schema=SCHEMA, coroutine=run, cancellation_safe=here
    )
    return executor_with(ask, **settings).execute(ToolCall("1", "ask", {}))


async def test_cancelling_the_caller_gets_out_and_the_tool_is_cancelled(here):
    exchange = Exchange()
    task = asyncio.create_task(asking(exchange.run, here))
    await asyncio.wait_for(exchange.begun.wait(), SOON)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)
    assert exchange.ended_by is asyncio.CancelledError


async def test_cancelling_the_caller_while_the_limit_passes_gets_out(here):
    exchange = Exchange()
    task = asyncio.create_task(asking(exchange.run, here, timeout_seconds=0.001))
    exchange.reply.add_done_callback(lambda _: task.cancel())  # while the tool is still being stopped
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)


@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError(), asyncio.CancelledError()])
async def test_what_the_tool_raises_is_its_own_failure_and_no_timeout(error, here):
    async def fail(**_: object) -> None:
        raise error

    assert (await asking(fail, here)).error == "failed"


@pytest.mark.parametrize(("hard", "says"), [(60, "42"), (10, "within 10 s")])
async def test_progress_moves_the_deadline_up_to_the_hard_limit(hard, says, here, leaping_clock):
    async def work(**_: object) -> tuple[str, None]:
        report = listener()
        assert report is not None
        for step in range(6):
            report(Progress(step))
            await asyncio.sleep(3)
        return "42", None

    outcome = await asking(work, here, timeout_seconds=5, hard_timeout_seconds=hard)
    assert says in outcome.text
    assert listener() is None


async def test_a_call_whose_progress_stops_is_ended_and_says_so(here, leaping_clock):
    exchange = Exchange()

    async def work(**_: object) -> tuple[str, None]:
        await asyncio.sleep(1)  # the deadline runs by now
        report = listener()
        assert report is not None
        report(Progress(1))
        return await exchange.run()

    outcome = await asking(work, here, timeout_seconds=5)
    assert "made no progress for 5 s" in outcome.text
    assert "It may still happen" in outcome.text
    assert exchange.ended_by is asyncio.CancelledError
    assert asyncio.current_task().cancelling() == 0


# blocking tools: real threads, real limits


def blocking(name: str, release: threading.Event) -> StructuredTool:
    def block() -> str:
        release.wait(SOON)
        return "done"

    return StructuredTool.from_function(block, name=name, description="Block.")


@pytest.fixture
def release():
    event = threading.Event()
    yield event
    event.set()


async def test_a_blocking_tool_runs_in_a_daemon_thread_of_its_own_with_the_turns_context():
    turn = contextvars.ContextVar("turn", default="")

    @tool
    def where() -> str:
        """Where."""
        thread = threading.current_thread()
        return f"{thread.name} {thread.daemon} {turn.get()}"

    turn.set("t1")
    assert (await outcome_of(where)).text == "tool where True t1"


def running_threads(name: str) -> int:
    return sum(thread.name == name for thread in threading.enumerate())


async def test_more_calls_than_threads_are_refused_and_later_run_again(release):
    executor = executor_with(blocking("block", release), max_parallel=2)
    limit = 4 * 2  # room for several messages' worth of calls
    running = [
        asyncio.create_task(executor.execute(ToolCall(str(number), "block", {}))) for number in range(limit)
    ]
    await until(lambda: running_threads("tool block") == limit)

    refused = await executor.execute(ToolCall("x", "block", {}))

    assert refused.error == "unavailable"
    assert f"block is busy: all {limit} threads for blocking tools are taken" in refused.text
    release.set()
    assert all(outcome.ok for outcome in await asyncio.gather(*running))
    assert (await executor.execute(ToolCall("y", "block", {}))).ok


async def test_a_tool_that_hangs_gets_no_more_threads_and_others_still_do(release):
    other = threading.Event()
    other.set()
    executor = executor_with(blocking("hang", release), blocking("fine", other))
    for _ in range(MOST_HUNG_PER_TOOL):
        assert (await executor.execute(ToolCall("1", "hang", {}), timeout_seconds=0.01)).error == "timeout"

    refused = await executor.execute(ToolCall("2", "hang", {}))

    assert refused.error == "unavailable"
    assert "4 earlier calls of it still hang" in refused.text
    assert (await executor.execute(ToolCall("3", "fine", {}))).ok
    release.set()
    await until(lambda: running_threads("tool hang") == 0)
    assert (await executor.execute(ToolCall("4", "hang", {}))).ok
