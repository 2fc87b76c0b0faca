"""Foreign code in a task or a thread: its limit, whose cancellation is whose, an end that waits for none."""

import asyncio
import contextvars
import subprocess
import sys
import threading

import pytest
from langchain_core.tools import BaseTool, StructuredTool, tool
from tests.fakes.some_tools import executor_with, outcome_of
from tests.fakes.waiting import until

from voice_gateway.progress import Progress, listener
from voice_gateway.tools.limit import Expired, Pace
from voice_gateway.tools.runner import MOST_HUNG_PER_TOOL, Runner, ToolRaised, run_here
from voice_gateway.turn import ToolCall

SOON, LATE = 5.0, 60.0


class Exchange:
    """A request and its reply, as the link to a server awaits them."""

    def __init__(self) -> None:
        self.reply: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.ended_by: type[BaseException] | None = None

    async def run(self) -> str:
        try:
            return await self.reply
        except BaseException as error:
            self.ended_by = type(error)
            raise


async def test_the_reply_is_given_as_soon_as_it_is_there():
    exchange = Exchange()
    asyncio.get_running_loop().call_soon(exchange.reply.set_result, "3")
    assert await asyncio.wait_for(Runner().run("ask", LATE, exchange.run), SOON) == "3"


async def test_after_the_limit_the_work_is_told_and_the_caller_is_not_cancelled():
    exchange = Exchange()
    with pytest.raises(Expired):
        await Runner().run("ask", 0.01, exchange.run)
    assert exchange.ended_by is asyncio.CancelledError
    assert asyncio.current_task().cancelling() == 0


async def test_cancelling_the_caller_gets_out_and_the_work_is_told():
    exchange = Exchange()
    task = asyncio.create_task(Runner().run("ask", LATE, exchange.run))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)
    assert exchange.ended_by is asyncio.CancelledError


async def test_cancelled_while_the_limit_passes_is_cancelled():
    exchange = Exchange()
    task = asyncio.create_task(Runner().run("ask", 0, exchange.run))
    exchange.reply.add_done_callback(lambda _: task.cancel())  # while the work is still being stopped
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)


@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError(), asyncio.CancelledError(), SystemExit(3)])
async def test_what_the_work_raises_is_carried_as_its_own(error):
    async def fail() -> None:
        raise error

    with pytest.raises(ToolRaised) as raised:
        await Runner().run("fail", LATE, fail)
    assert raised.value.error is error


# code of ours, in the task of whoever calls


def here(work, limit=LATE):
    return run_here(limit, work, Pace(LATE))


async def test_what_runs_here_gives_its_reply_in_the_callers_own_task():
    tasks = []

    async def work() -> str:
        tasks.append(asyncio.current_task())
        return await exchange.run()

    exchange = Exchange()
    asyncio.get_running_loop().call_soon(exchange.reply.set_result, "3")
    assert await here(work()) == "3"
    assert tasks == [asyncio.current_task()]


async def test_after_the_limit_what_runs_here_is_told_and_the_task_is_not_cancelled():
    exchange = Exchange()
    with pytest.raises(Expired):
        await here(exchange.run(), 0.01)
    assert exchange.ended_by is asyncio.CancelledError
    assert asyncio.current_task().cancelling() == 0


async def test_a_reply_that_came_in_time_counts_though_the_limit_passed_before_it_was_read():
    exchange = Exchange()
    task = asyncio.create_task(here(exchange.run(), 0))
    await asyncio.sleep(0)  # the task waits now, and its time is over in the next round
    exchange.reply.set_result("just in time")
    assert await asyncio.wait_for(task, SOON) == "just in time"


async def test_the_limit_is_kept_though_something_else_came_in_the_moment_it_passed():
    first, second = Exchange(), Exchange()

    async def both() -> str:
        await first.run()
        return await second.run()

    task = asyncio.create_task(here(both(), 0))
    await asyncio.sleep(0)
    first.reply.set_result("not all yet")
    with pytest.raises(Expired):
        await asyncio.wait_for(task, SOON)
    assert second.ended_by is asyncio.CancelledError


async def test_cancelling_who_called_here_gets_out_and_the_work_is_told():
    exchange = Exchange()
    task = asyncio.create_task(here(exchange.run()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)
    assert exchange.ended_by is asyncio.CancelledError


async def test_who_called_here_and_is_cancelled_while_the_limit_passes_is_cancelled():
    exchange = Exchange()
    task = asyncio.create_task(here(exchange.run(), 0))
    exchange.reply.add_done_callback(lambda _: task.cancel())  # before the task hears of it
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)


async def test_who_tidies_up_after_a_cancellation_still_learns_of_its_own_limit():
    ended = []

    async def tidy() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            with pytest.raises(Expired):
                await here(Exchange().run(), 0)
            ended.append("limit")

    task = asyncio.create_task(tidy())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)
    assert ended == ["limit"]


@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError(), asyncio.CancelledError()])
async def test_what_is_raised_here_is_carried_as_the_works_own(error):
    async def fail() -> None:
        raise error

    with pytest.raises(ToolRaised) as raised:
        await here(fail())
    assert raised.value.error is error


async def test_a_caller_that_is_dropped_closes_the_work():
    exchange = Exchange()
    running = here(exchange.run())
    running.send(None)
    running.close()
    assert exchange.ended_by is GeneratorExit


async def test_progress_is_heard_after_a_wait_too_and_its_listener_stays_inside():
    pace, exchange = Pace(LATE), Exchange()

    async def work() -> str:
        reply = await exchange.run()
        told = listener()
        assert told is not None
        told(Progress(1))
        return reply

    asyncio.get_running_loop().call_soon(exchange.reply.set_result, "3")
    assert await run_here(LATE, work(), pace) == "3"
    assert pace.has_moved()
    assert listener() is None


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


async def test_a_tool_class_with_only_a_blocking_way_runs_in_a_thread_too():
    class Slow(BaseTool):
        name: str = "slow"
        description: str = "Slow."

        def _run(self, word: str) -> str:
            return f"{word} in {threading.current_thread().name}"

    assert (await outcome_of(Slow(), {"word": "hey"})).text == "hey in tool slow"


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


@pytest.mark.slow
def test_the_end_of_the_program_waits_for_no_hung_tool():
    program = """
import asyncio, time
from langchain_core.tools import tool
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall

@tool
def hang() -> str:
    "Hang."
    time.sleep(3600)
    return "never"

async def main():
    tools = ToolManager()
    tools.add(hang)
    return (await ToolExecutor(tools).execute(ToolCall("1", "hang", {}), timeout_seconds=0.05)).error

print(asyncio.run(main()))
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=50
    )
    assert (ended.stdout, ended.returncode) == ("timeout\n", 0)
