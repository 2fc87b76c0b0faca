"""A gateway's timer clock as a process: `timer_process.py FILE [full]` tells what rings, line by line."""

import asyncio
import resource
import sys
from collections.abc import Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from voice_gateway.shared.lease import FileLease
from voice_gateway.tools.builtin import system_clock
from voice_gateway.tools.builtin.timers import Timer, TimerClock, TimerStore

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

NOT_UNIT = "timers as a process"


class TimerProcess:
    """Such a process, seen from a test."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    @asynccontextmanager
    async def opened(cls, file: Path, *options: str) -> "AsyncIterator[TimerProcess]":
        process = await asyncio.create_subprocess_exec(
            sys.executable, __file__, str(file), *options, stdout=asyncio.subprocess.PIPE
        )
        try:
            yield cls(process)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def says(self, words: str) -> None:
        async with asyncio.timeout(30):
            assert self.process.stdout is not None
            line = (await self.process.stdout.readline()).decode().strip()
        assert line == words


async def ring(timer: Timer) -> None:
    print(f"rings {timer.name}", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        print(f"silent {timer.name}", flush=True)


def missed(timers: Sequence[Timer]) -> None:
    for timer in timers:
        print(f"missed {timer.name}", flush=True)


async def main(file: Path, options: Sequence[str]) -> None:
    if "full" in options:  # every write to a file fails from here on
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    lease = FileLease(file.with_suffix(".lease"))
    await TimerClock(TimerStore(file), lease, now=system_clock).run(ring, missed)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
