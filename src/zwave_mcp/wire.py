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
from dataclasses import dataclass
from typing import Final

log = logging.getLogger(__name__)

_CHUNK: Final = 65_536
_LONGEST_LINE: Final = 4_000_000  # no request comes near; more is a client gone wild
_TAIL: Final = 1_000  # of an over-long line: enough for a last member


@dataclass(frozen=True, slots=True)
class TooLong:
    """Both ends of an over-long line, to find out whose it was."""

    head: str
    tail: str
    limit: int = _LONGEST_LINE


class Lines:
    """The lines of a descriptor, until its end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: asyncio.Queue[str | TooLong | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str | TooLong]:
        while (line := await self._queue.get()) is not None:
            yield line

    def _read(self) -> None:
        head, rest = b"", b""  # the beginning of an over-long line, and what has come of the present one
        try:
            while chunk := os.read(self._descriptor, _CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self._pass_on(head, line)
                    head = b""
                if not head and len(rest) > _LONGEST_LINE:
                    head = rest
                rest = rest[-_TAIL:] if head else rest
        except OSError as error:
            log.warning("stdin failed", extra={"error": str(error)})
        self._pass_on(head, rest)
        self._hand_over(None)

    def _pass_on(self, head: bytes, line: bytes) -> None:
        text = line.decode("utf-8", "replace").strip()
        if head or len(line) > _LONGEST_LINE:
            log.warning("over-long line dropped")
            self._hand_over(TooLong((head or line).decode("utf-8", "replace"), text[-_TAIL:]))
        elif text:
            self._hand_over(text)

    def _hand_over(self, line: str | TooLong | None) -> None:
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
