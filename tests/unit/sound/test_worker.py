"""Engines in their own thread: the event loop goes on, errors come back, nothing waits for a hung one."""

import asyncio
import subprocess
import sys
import threading

import pytest

from voice_gateway.sound.worker import Worker


@pytest.fixture
def worker():
    worker = Worker("test engine")
    yield worker
    worker.close()


async def test_jobs_run_in_order_in_one_named_thread(worker):
    def job(number):
        return number, threading.current_thread().name

    assert await asyncio.gather(*(worker.run(job, number) for number in range(5))) == [
        (number, "test engine") for number in range(5)
    ]


async def test_an_error_or_a_caller_that_has_gone_leaves_the_engine_usable(worker):
    with pytest.raises(ZeroDivisionError):
        await worker.run(lambda: 1 / 0)
    go = threading.Event()
    task = asyncio.create_task(worker.run(go.wait, 10))
    await asyncio.sleep(0)  # would never come back if the engine blocked the loop
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go.set()

    assert await worker.run(lambda: "next") == "next"


def test_a_hung_engine_does_not_hold_up_the_end_of_the_program():
    program = (
        "import asyncio, threading\n"
        "from voice_gateway.sound.worker import Worker\n"
        "async def main():\n"
        "    hung = asyncio.gather(Worker('w').run(threading.Event().wait))\n"
        "    await asyncio.sleep(0)\n"
        "    hung.cancel()\n"
        "asyncio.run(main())\n"
    )

    assert subprocess.run([sys.executable, "-c", program], timeout=30, check=False).returncode == 0


async def test_the_end_waits_for_what_still_runs_but_not_for_ever(worker):
    go, done = threading.Event(), threading.Event()

    def job():
        go.wait(10)
        done.set()

    running = asyncio.create_task(worker.run(job))
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_later(0.05, go.set)
    await worker.end()
    assert done.is_set()
    await running

    hung = asyncio.create_task(worker.run(threading.Event().wait))
    await asyncio.sleep(0)
    async with asyncio.timeout(30):
        await worker.end(limit_seconds=0.05)
    hung.cancel()
