"""Code of ours that runs in the caller's own task: its limit, and whose cancellation is whose."""

import asyncio

import pytest

from voice_gateway.tools.runner import Expired, ToolRaised, run_here

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
    assert await asyncio.wait_for(run_here(LATE, exchange.run()), SOON) == "3"


async def test_what_never_waits_needs_no_clock():
    async def at_once() -> str:
        return "now"

    assert await run_here(LATE, at_once()) == "now"


async def test_after_the_limit_the_work_is_told_and_the_task_is_not_cancelled():
    exchange = Exchange()
    with pytest.raises(Expired):
        await run_here(0.01, exchange.run())
    assert exchange.ended_by is asyncio.CancelledError
    assert asyncio.current_task().cancelling() == 0


async def test_a_reply_that_came_in_time_counts_though_the_limit_passed_before_it_was_read():
    exchange = Exchange()
    task = asyncio.create_task(run_here(0, exchange.run()))
    await asyncio.sleep(0)  # the task waits now, and its time is over in the next round
    exchange.reply.set_result("just in time")
    assert await asyncio.wait_for(task, SOON) == "just in time"


async def test_the_limit_is_kept_though_something_else_came_in_the_moment_it_passed():
    first, second = Exchange(), Exchange()

    async def both() -> str:
        await first.run()
        return await second.run()

    task = asyncio.create_task(run_here(0, both()))
    await asyncio.sleep(0)
    first.reply.set_result("not all yet")
    with pytest.raises(Expired):
        await asyncio.wait_for(task, SOON)
    assert second.ended_by is asyncio.CancelledError


async def test_cancelling_the_caller_gets_out_and_the_work_is_told():
    exchange = Exchange()
    task = asyncio.create_task(run_here(LATE, exchange.run()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)
    assert exchange.ended_by is asyncio.CancelledError


async def test_cancelled_while_the_limit_passes_is_cancelled():
    exchange = Exchange()
    task = asyncio.create_task(run_here(0, exchange.run()))
    exchange.reply.add_done_callback(lambda _: task.cancel())  # before the task hears of it
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)


@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError(), asyncio.CancelledError()])
async def test_what_the_work_raises_is_carried_as_its_own(error):
    async def fail() -> None:
        raise error

    with pytest.raises(ToolRaised) as raised:
        await run_here(LATE, fail())
    assert raised.value.error is error


async def test_a_caller_that_is_dropped_closes_the_work():
    exchange = Exchange()
    running = run_here(LATE, exchange.run())
    running.send(None)
    running.close()
    assert exchange.ended_by is GeneratorExit
