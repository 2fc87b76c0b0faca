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
from typing import Any, Final

log = logging.getLogger(__name__)

_CHUNK: Final = 65_536
_LONGEST_LINE: Final = 4_000_000  # no request comes near
TOO_LONG: Final = ""  # stands for an over-long line; empty ones are skipped


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


_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_INVALID_PARAMS: Final = -32602


def refusal(line: str) -> str | None:
    """One line with the error, or None when the line is a message (or an answer, which gets none)."""
    if line == TOO_LONG:
        return _error(_INVALID_REQUEST, f"Longer than {_LONGEST_LINE} bytes", None)
    from mcp_types import JSONRPCNotification, jsonrpc_message_adapter

    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)  # what the SDK does next
    except ValueError:
        return _why(line)
    # A request whose id it cannot use is a notification to the SDK: nothing would be done or said.
    if isinstance(message, JSONRPCNotification) and '"id"' in line and "id" in json.loads(line):
        return _error(_INVALID_REQUEST, "id must be a text or a whole number", None)
    return None


def _why(line: str) -> str | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _error(_PARSE_ERROR, "Not JSON", None)
    if not isinstance(message, dict):
        return _error(_INVALID_REQUEST, "Not a JSON-RPC message", None)
    if "result" in message or "error" in message:
        return None
    named = isinstance(message.get("method"), str) and message.get("jsonrpc") == "2.0"
    if named and not isinstance(message.get("params", {}), dict):
        return _error(_INVALID_PARAMS, "params must be an object", message.get("id"))
    return _error(_INVALID_REQUEST, "Not a JSON-RPC 2.0 request", message.get("id"))


def _error(code: int, text: str, request_id: Any) -> str:
    usable = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    error = {"code": code, "message": text}
    return json.dumps({"jsonrpc": "2.0", "id": request_id if usable else None, "error": error}) + "\n"
