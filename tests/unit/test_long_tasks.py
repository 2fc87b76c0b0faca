"""What the loops of long tasks share."""

import asyncio

import pytest

from voice_gateway.backoff import Backoff, backoff_seconds, end_when_stopping


def test_each_failure_doubles_the_wait_up_to_the_longest():
    waits = [backoff_seconds(failures, first=2.0, longest=10.0) for failures in (0, 1, 2, 3, 4, 1000)]
    assert waits == [0.0, 2.0, 4.0, 8.0, 10.0, 10.0]


def test_a_success_begins_anew():
    wait = Backoff(1.0, 60.0)
    assert [wait.next(), wait.next(), wait.seconds] == [1.0, 2.0, 4.0]
    wait.reset()
    assert wait.next() == 1.0


async def test_a_loop_that_was_told_to_stop_ends_although_the_cancel_was_lost():
    async def loop() -> None:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            end_when_stopping()
            raise AssertionError("it did not see that it is stopping") from None

    task = asyncio.ensure_future(loop())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
