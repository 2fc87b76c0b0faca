"""The control channel: other commands of the same user reach the running gateway by a local socket."""

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from voice_gateway.channels import json_text
from voice_gateway.channels.marks import mark_lines
from voice_gateway.errors import LinkError
from voice_gateway.interruption import Interruption
from voice_gateway.private_files import ROOT, changeable_by_others, private_folder
from voice_gateway.turn import Reply

log = logging.getLogger(__name__)

LONGEST_REQUEST = 16 * 1024 * 1024  # bytes
LONGEST_ANSWER = 256 * 1024 * 1024  # bytes; results of tools are sent whole
ANSWER_LIMIT_SECONDS = 600.0
HELLO_LIMIT_SECONDS = 5.0
TRY_AGAIN_SECONDS = 2.0

# One JSON object in, one JSON object out. A client that leaves interrupts the operation.
Operation = Callable[[Mapping[str, Any], Interruption], Awaitable[Any]]


class ControlChannel:
    """Serves named operations. A request is one line of JSON, and so is its answer."""

    def __init__(self, file: Path, operations: Mapping[str, Operation]) -> None:
        self._file = file
        self._operations = operations
        self.is_open = False
        self.tried = asyncio.Event()  # the socket is open, or could not be opened

    async def run(self) -> None:
        """Serves until cancelled. Without the socket the gateway works, and so do commands, on their own."""
        server = await self._opened()
        try:
            async with server:
                await server.serve_forever()
        finally:
            with contextlib.suppress(OSError):
                self._file.unlink()

    async def _opened(self) -> asyncio.Server:
        """Retries until the socket can be opened: another gateway may end, a folder become writable."""
        warned = False
        while True:
            try:
                server = await self._open()
                self.is_open = True
                return server
            except OSError as error:
                if not warned:
                    log.warning(f"control socket is not available: {error}", extra={"file": str(self._file)})
                warned = True
            finally:
                self.tried.set()
            await asyncio.sleep(TRY_AGAIN_SECONDS)

    async def _open(self) -> asyncio.Server:
        private_folder(self._file.parent)
        if self._file.parent.stat().st_uid != os.geteuid():
            raise OSError(f"{self._file.parent} belongs to another user")
        if self._file.exists():
            if await is_served(self._file):
                raise OSError("another gateway is running; commands reach that one")
            self._file.unlink()  # of a gateway that was killed
        server = await asyncio.start_unix_server(self._serve, self._file, limit=LONGEST_REQUEST)
        self._file.chmod(0o600)
        return server

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Reading ahead shows that the client has left. Awaited by the loop below.
        following = asyncio.ensure_future(reader.readline())  # noqa: TID251

        try:
            while line := await following:
                following = asyncio.ensure_future(reader.readline())  # noqa: TID251
                interruption = Interruption()
                leaving = partial(_left, interruption)
                following.add_done_callback(leaving)
                answer = await self._answer(line, interruption)
                following.remove_done_callback(leaving)
                writer.write(json_text(answer).encode() + b"\n")
                await writer.drain()
        except (OSError, ValueError) as error:  # ValueError: a line beyond the limit
            log.info("control connection ended", extra={"reason": str(error)})
        finally:
            following.cancel()
            writer.close()

    async def _answer(self, line: bytes, interruption: Interruption) -> dict[str, Any]:
        try:
            asked = json.loads(line)
            operation = self._operations[asked["op"]]
        except (ValueError, TypeError, KeyError, RecursionError):
            return {"error": "not a request that I know"}
        try:
            return {"result": await operation(asked, interruption)}
        except Exception as error:  # the client must get an answer
            log.exception("control request failed")
            return {"error": f"{type(error).__name__}: {error}"}


def _left(interruption: Interruption, following: "asyncio.Task[bytes]") -> None:
    """Interrupts the operation of a client that has left."""
    if following.cancelled() or (following.exception() is None and following.result()):
        return  # the channel is closing, or the next request has come
    log.info("the client has left")
    interruption.now()


def answer_json(reply: Reply) -> dict[str, Any]:
    """A reply, with the lines that `ask` shows beside it."""
    return {"reply": reply.to_json(), "explained": reply.explained(), "marks": mark_lines(reply.outcomes)}


class Silent(LinkError):
    """A gateway runs and does not answer: it is frozen or very busy."""


async def greet(file: Path) -> Any:
    """What the running gateway says of itself. Raises LinkError if none runs, Silent if it hangs."""
    return await request(file, {"op": "hello"}, limit_seconds=HELLO_LIMIT_SECONDS)


async def request(
    file: Path, message: Mapping[str, Any], *, limit_seconds: float = ANSWER_LIMIT_SECONDS
) -> Any:
    """The answer of the running gateway. Raises LinkError if none runs or it does not answer."""
    try:
        reader, writer = await asyncio.open_unix_connection(file, limit=LONGEST_ANSWER)
    except OSError as error:
        raise LinkError(f"no gateway is running: {error}") from error
    if not _is_ours(file):
        writer.close()
        log.warning("control socket belongs to somebody else, it is not used", extra={"file": str(file)})
        raise LinkError(f"no gateway of yours is running: {file} belongs to somebody else")
    try:
        writer.write(json_text(message).encode() + b"\n")
        async with asyncio.timeout(limit_seconds):
            await writer.drain()
            answer = json.loads(await reader.readline())
    except TimeoutError as error:
        raise Silent(
            f"a gateway is running, but did not answer within {limit_seconds:g} s: it is frozen or very busy"
        ) from error
    except (OSError, ValueError) as error:
        raise LinkError(
            "the running gateway did not answer; what was asked may or may not have happened"
        ) from error
    finally:
        writer.close()
    if "result" not in answer:
        raise LinkError(f"the running gateway could not do that: {answer.get('error')}")
    return answer["result"]


def _is_ours(file: Path) -> bool:
    """Whether only this user or root can have made the socket. Root also trusts the user of a service, in a
    folder that only root could have given to it."""
    if file.parent.stat().st_uid in (os.geteuid(), ROOT):
        return True
    return os.geteuid() == ROOT and not changeable_by_others(file.parent.resolve().parent)


async def is_served(file: Path) -> bool:
    try:
        await greet(file)
    except LinkError as error:
        return isinstance(error, Silent)
    return True
