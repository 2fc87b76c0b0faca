"""`/api/doctor`: the doctor, told as it goes; a process of its own, so that what it tries disturbs nobody."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.streams import EventStream, Stream, sse

LIMIT_SECONDS = 600.0  # a server may have to be installed
STOP_SECONDS = 5.0  # in which it ends the servers that it has started
LONGEST_LINE = 1024 * 1024  # bytes


class Doctor:
    """`command` prints a JSON object for each check, in a line of its own. One at a time: each tries every
    server and every engine."""

    def __init__(self, command: Sequence[str], start: Start) -> None:
        self._command = command
        self._start = start  # whoever leaves: it is ended in peace
        self._busy = False
        self._process: asyncio.subprocess.Process | None = None

    def routes(self) -> list[BaseRoute]:
        return [Route("/api/doctor", self.doctor, methods=["POST"])]

    async def doctor(self, request: Request) -> Response:
        if self._busy:
            raise HTTPException(409, "the doctor is at work already")
        self._busy = True
        stream = Stream()
        self._start(self._examine(stream))
        return EventStream(request, stream.pieces(), on_end=self._leave)

    def _leave(self) -> None:
        """Whoever asked has all of it, or does not wait any more."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()

    async def _examine(self, stream: Stream) -> None:
        checks: list[dict[str, Any]] = []
        problem = ""
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                async for check in self._checks():
                    checks.append(check)
                    stream.put(sse("check", check))
        except TimeoutError:
            problem = "it took too long"
        except (OSError, ValueError) as error:
            problem = str(error)
        finally:
            self._busy, self._process = False, None
            failed = [check for check in checks if check.get("verdict") == "failed"]
            ok = bool(checks) and not failed and not problem
            told = {"ok": ok, "checks": len(checks), "failed": len(failed)}
            stream.put(sse("done", told | ({"error": problem} if problem else {})))
            stream.end()

    async def _checks(self) -> AsyncIterator[dict[str, Any]]:
        self._process = process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=LONGEST_LINE,
        )
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                yield json.loads(line)
            # It ends by itself: a signal now would take its return code from who waits for that.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), STOP_SECONDS)
        finally:
            await _ended(process)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """It gets the time to end what it has started itself."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
