"""Newline-delimited text over two file descriptors, with nothing that could hold up the end of the process.

The SDK reads and writes in worker threads that cannot be interrupted: a signal then has to wait for the next
line. Here both are daemon threads on raw descriptors, which die with the process.
"""

import asyncio
import json
import logging
import os
import queue
import threading
from collections.abc import AsyncIterator
from typing import Final

log = logging.getLogger(__name__)

_CHUNK: Final = 65_536
_LONGEST_LINE: Final = 4_000_000  # no request comes near
TOO_LONG: Final = ""  # stands for an over-long line; empty ones are skipped
_INVALID_REQUEST, _PARSE_ERROR = -32600, -32700


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
            yield line

    def _read(self) -> None:
        rest, dropping = b"", False
        try:
            while chunk := os.read(self._descriptor, _CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self._pass_on(line, dropping)
                    dropping = False
                if dropping or len(rest) > _LONGEST_LINE:
                    rest, dropping = b"", True
        except OSError as error:
            log.warning("stdin failed", extra={"error": str(error)})
        self._pass_on(rest, dropping)
        self._hand_over(None)

    def _pass_on(self, line: bytes, dropping: bool) -> None:
        text = line.decode("utf-8", "replace").strip()
        if dropping or len(line) > _LONGEST_LINE:
            log.warning("over-long line dropped")
            self._hand_over(TOO_LONG)
        elif text:
            self._hand_over(text)

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


def refusal(line: str) -> str | None:
    """One line with the error for what is no message; None for a message, and for an answer."""
    from mcp_types import JSONRPCNotification, jsonrpc_message_adapter

    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)  # what the SDK does next
        if not isinstance(message, JSONRPCNotification) or '"id"' not in line:
            return None
    except ValueError:
        message = None
    code = _INVALID_REQUEST
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        raw, code = None, _PARSE_ERROR
    given = raw if isinstance(raw, dict) else {}
    # A request whose id the SDK cannot use is a notification to it: it would get no answer.
    if "result" in given or "error" in given or (message is not None and "id" not in given):
        return None
    request_id = given.get("id")
    usable = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    error = {"code": code, "message": "Not a JSON-RPC 2.0 message"}
    answer = {"jsonrpc": "2.0", "id": request_id if usable else None, "error": error}
    return json.dumps(answer) + "\n"
