"""Whether the running task is being stopped, for loops around a library that may forget a cancellation.

`asyncio.wait_for` on Python 3.11 loses one that comes together with the answer it waits for, and both the
MQTT and the Redis library wait like that. A loop that does not look would outlive its stop.
"""

import asyncio


def is_stopping() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def end_when_stopping() -> None:
    if is_stopping():
        raise asyncio.CancelledError
