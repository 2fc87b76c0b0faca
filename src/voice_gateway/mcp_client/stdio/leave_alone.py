"""A program of its own: lets a package manager finish after the gateway has ended, then ends what is left.

`python leave_alone.py GROUP SECONDS PIPE …` returns at once. Killed half-way, npm leaves a damaged cache; and
without a reader of its pipes it would die of the first line that it prints.
"""

import contextlib
import os
import select
import signal
import sys
import time


def main(group: int, seconds: float, pipes: list[int]) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and _is_there(group):
        for pipe in select.select(pipes, [], [], 0.5)[0]:
            with contextlib.suppress(BlockingIOError):
                if not os.read(pipe, 65536):
                    pipes.remove(pipe)
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    if os.fork():
        os._exit(0)
    os.setsid()
    main(int(sys.argv[1]), float(sys.argv[2]), [int(pipe) for pipe in sys.argv[3:]])
