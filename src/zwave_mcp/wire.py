"""Newline-delimited text over two file descriptors, with nothing that could hold up the end of the process.

The SDK reads and writes in worker threads that cannot be interrupted: a signal then has to wait for the next
line. Here both are daemon threads on raw descriptors, which die with the process.
"""

import asyncio
import logging
import os
import queue
import threading
from collections.abc import AsyncIterator
from typing import Final

log = logging.getLogger(__name__)

_CHUNK: Final = 65_536


class Lines:
    """The lines of a descriptor, until its end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._queue.get()) is not None:
            if line.strip():
                yield line

    def _read(self) -> None:
        rest = b""
        try:
            while chunk := os.read(self._descriptor, _CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self._hand_over(line.decode("utf-8", "replace"))
        except OSError as error:
            log.warning("stdin failed", extra={"error": str(error)})
        self._hand_over(rest.decode("utf-8", "replace"))
        self._hand_over(None)

    def _hand_over(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
        except RuntimeError:  # the loop is closed: we are ending
            return


class Writer:
    """What the SDK writes to; `drain` waits until all of it has left."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: queue.SimpleQueue[bytes | threading.Event] = queue.SimpleQueue()
        self.written = 0  # messages
        threading.Thread(target=self._write, name="stdout", daemon=True).start()

    async def write(self, text: str) -> int:
        self.written += 1
        self._queue.put(text.encode())
        return len(text)

    async def flush(self) -> None:
        return

    def drain(self, timeout_seconds: float) -> None:
        done = threading.Event()
        self._queue.put(done)
        done.wait(timeout_seconds)

    def _write(self) -> None:
        broken = False
        while True:
            item = self._queue.get()
            if isinstance(item, threading.Event):
                item.set()
                continue
            view = memoryview(item)
            while view and not broken:
                try:
                    view = view[os.write(self._descriptor, view) :]
                except OSError:  # the client is gone; end of input follows
                    broken = True
