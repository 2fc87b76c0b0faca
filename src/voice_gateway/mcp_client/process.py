"""A stdio server's process: environment, pipes, frames on a line, and a stop that leaves nothing alive."""

import asyncio
import atexit
import contextlib
import json
import logging
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voice_gateway.backoff import wait_at_most
from voice_gateway.config import ServerSettings
from voice_gateway.errors import LinkError
from voice_gateway.logs import one_line
from voice_gateway.mcp_client.connection import REPLY_LIMIT, SHOWN, shorten

log = logging.getLogger(__name__)

# What a program needs to find its files, its language and the certificates it trusts. Nothing else of the
# gateway's environment reaches a server: keys and passwords live there too (proxy addresses often carry one).
PASSED_ON = frozenset(
    "HOME LOGNAME PATH SHELL TERM USER LANG LANGUAGE TZ TMPDIR SSL_CERT_FILE SSL_CERT_DIR".split()
)
PASSED_ON_PREFIXES = ("LC_", "XDG_")

STDERR_KEPT = 64 * 1024  # bytes of a server's stderr that are remembered
STDERR_LINES, STDERR_SHOWN = 20, 2000  # of these a log shows
WRITE_HIGH_WATER = 1024 * 1024  # above this, calls wait until the server has read
LAST_WORDS_SECONDS = 0.2  # a dead server's pipes may still hold its last reply and its reason
KILL_SECONDS = 1.0  # for the kernel to report a killed process
READ_SIZE = 64 * 1024  # what a pipe holds
HEAD_KEPT = 256  # bytes of a line that is skipped
UNTERMINATED_LIMIT = 64 * 1024  # a frame without its newline is looked for up to here
RECOVERY_TRIES = 100  # places on a line where a frame may begin
_FRAME_START = re.compile(r'\{\s*"(?:jsonrpc|id|result|error|method)"\s*:')
_decoder = json.JSONDecoder()

_alive: set[int] = set()  # process groups that we started and have not stopped yet


@atexit.register
def _kill_what_is_left() -> None:
    """The last resort, when the program ends without having stopped its servers."""
    for group in tuple(_alive):
        _signal_group(group, signal.SIGKILL)


def server_environment(extra: Mapping[str, str], own: Mapping[str, str] | None = None) -> dict[str, str]:
    source = os.environ if own is None else own
    passed = {
        key: value
        for key, value in source.items()
        if (key in PASSED_ON or key.startswith(PASSED_ON_PREFIXES)) and not value.startswith("()")
    }
    return passed | dict(extra)


def find_program(command: str, path: str | None) -> str:
    """The program to run; one installed beside this Python is found without its folder being in PATH."""
    program = str(Path(command).expanduser()) if command.startswith("~") else command
    if shutil.which(program, path=path) is None:
        neighbour = Path(sys.executable).parent / program
        if os.sep not in program and os.access(neighbour, os.X_OK):
            return str(neighbour)
    return program


class LineBuffer:
    """Cuts chunks into lines. Every byte is joined once, so a long line costs no more than its length.

    A line over the limit is skipped; `on_too_long` gets its first bytes as soon as it passes the limit.
    """

    def __init__(self, on_too_long: Callable[[bytes], None], limit: int = REPLY_LIMIT) -> None:
        self._on_too_long = on_too_long
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        if not self._size and chunk.find(b"\n") == len(chunk) - 1 <= self._limit:
            return [chunk[:-1]]  # one whole line, as usual
        *complete, rest = chunk.split(b"\n")
        lines: list[bytes] = []
        for part in complete:
            self._keep(part)
            if self._size <= self._limit:
                lines.append(b"".join(self._parts))
            self.drop()
        self._keep(rest)
        return lines

    def unterminated(self) -> bytes | None:
        """What waits for its newline, if it is short enough to be looked at."""
        return b"".join(self._parts) if self._size <= UNTERMINATED_LIMIT else None

    def drop(self) -> None:
        self._parts, self._size = [], 0

    def _keep(self, part: bytes) -> None:
        if self._size <= self._limit:
            self._parts.append(part)
            if self._size + len(part) > self._limit:
                self._on_too_long(b"".join(self._parts)[:HEAD_KEPT])
                self._parts = []
        self._size += len(part)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The JSON objects of one line, and what else stood on it."""

    frames: list[dict[str, Any]]
    noise: str = ""


def parse(line: bytes) -> Parsed:
    """The frames of one line. Invalid UTF-8 is replaced; text glued to a frame is separated from it."""
    text = line.decode("utf-8", "replace").strip("\ufeff \t\r\n")
    if not text:
        return Parsed([])
    try:
        value = _decoder.decode(text)
    except (ValueError, RecursionError):  # RecursionError: nested too deeply to be meant
        return _recover(text)
    if isinstance(value, dict):
        return Parsed([value])
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return Parsed(value)  # a batch, as the protocol of 2025-03-26 allowed
    return Parsed([], text)


def shown(line: bytes) -> str:
    """The beginning of a line, for a log."""
    text = line[: 4 * SHOWN].decode("utf-8", "replace").strip()
    return shorten(text) if len(line) <= 4 * SHOWN else f"{text[:SHOWN]}… ({len(line)} bytes)"


def _recover(text: str) -> Parsed:
    frames: list[dict[str, Any]] = []
    noise: list[str] = []
    rest = search = 0
    for _ in range(RECOVERY_TRIES):
        start = _FRAME_START.search(text, search)
        if start is None:
            break
        try:
            value, end = _decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            search = start.end()  # cut off; a whole one may follow
            continue
        frames.append(value)
        noise.append(text[rest : start.start()])
        rest = search = end
    noise.append(text[rest:])
    return Parsed(frames, " ".join(part.strip() for part in noise if part.strip()))


class ServerProcess(asyncio.SubprocessProtocol):
    """Callbacks instead of reader tasks: a line costs no task switch, and there is no task to leak.

    Stdout comes through a pipe of our own: asyncio's would deliver each chunk one loop iteration later and
    allocate a large buffer for every read. `hide` removes the server's secrets from its stderr.
    """

    def __init__(
        self,
        name: str,
        *,
        on_line: Callable[[bytes], None],
        on_long_line: Callable[[bytes], None],
        on_end: Callable[[], None],
        hide: Callable[[str], str],
    ) -> None:
        self._name = name
        self._hide = hide
        self._on_line = on_line
        self._on_end = on_end
        self._lines = LineBuffer(on_long_line)
        self._stderr = b""
        self._writable = asyncio.Event()
        self._writable.set()
        self._exited = asyncio.Event()
        self._stderr_closed = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self._stdin: asyncio.WriteTransport | None = None
        self._stdout: int | None = None  # our end of its pipe
        self.pid = 0
        self.end: str | None = None  # why nothing more will come

    async def start(self, settings: ServerSettings) -> None:
        assert settings.command is not None
        env = server_environment(settings.env)
        loop = asyncio.get_running_loop()
        try:
            program = find_program(settings.command, env.get("PATH"))
            self._stdout, its_end = os.pipe()
            try:
                spawned = loop.subprocess_exec(
                    lambda: self,
                    program,
                    *settings.args,
                    stdout=its_end,
                    env=env,
                    cwd=settings.cwd,
                    start_new_session=True,  # its own process group: Ctrl-C is ours, its children end with it
                )
                await _to_its_end(spawned)
            finally:
                os.close(its_end)
        except (OSError, ValueError) as error:
            self._close_stdout()
            raise LinkError(_why_not_started(settings, error)) from error
        os.set_blocking(self._stdout, False)
        loop.add_reader(self._stdout, self._read)

    # asyncio's callbacks

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self.pid = transport.get_pid() or 0
        _alive.add(self.pid)
        stdin = transport.get_pipe_transport(0)
        assert isinstance(stdin, asyncio.WriteTransport)
        stdin.set_write_buffer_limits(high=WRITE_HIGH_WATER)
        self._stdin = stdin

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if log.isEnabledFor(logging.DEBUG):
            for line in data.decode("utf-8", "replace").splitlines():
                log.debug("%s| %s", self._name, self._hide(line))
        self._stderr = (self._stderr + data)[-STDERR_KEPT:]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 2:
            self._stderr_closed.set()
        elif fd == 0:
            self.resume_writing()

    def process_exited(self) -> None:
        """Its last reply may still be in the pipe; a child of it may hold the pipe open for ever."""
        self._exited.set()
        seconds = 0.0 if self._stdout is None else LAST_WORDS_SECONDS
        asyncio.get_running_loop().call_later(seconds, self._ended)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def _read(self) -> None:
        assert self._stdout is not None
        try:
            data = os.read(self._stdout, READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        if not data:  # usually the exit follows at once and is the better reason
            self._close_stdout()
            seconds = 0.0 if self._exited.is_set() else LAST_WORDS_SECONDS
            asyncio.get_running_loop().call_later(seconds, self._ended, "closed its output")
            return
        for line in self._lines.feed(data):
            self._on_line(line)
        if data.endswith(b"}") and (frame := self._lines.unterminated()):
            parsed = parse(frame)
            if parsed.frames and not parsed.noise:
                self._lines.drop()
                self._on_line(frame)

    # what the session uses

    def write(self, line: bytes) -> None:
        """Never waits. What the server does not read is kept, up to the high-water mark and one line more."""
        if self.end is not None or self._stdin is None or self._stdin.is_closing():
            raise LinkError(f'The server "{self._name}" {self.end or "takes no more input"}.')
        self._stdin.write(line)

    @property
    def congested(self) -> bool:
        """The server has not read for so long that calls have to wait."""
        return not self._writable.is_set()

    async def drained(self) -> None:
        await self._writable.wait()

    def stderr_tail(self) -> str:
        # Hidden before it is cut: half a secret is not recognised.
        text = self._hide(self._stderr.decode("utf-8", "replace"))[-4 * STDERR_SHOWN :]
        # It ends up on terminals, too: a server's colours and cursor movements are written out.
        lines = [one_line(line) for line in text.strip().splitlines()[-STDERR_LINES:]]
        return "\n".join(lines)[-STDERR_SHOWN:]

    async def last_words(self) -> None:
        """A server that has just died may have its reason still in the pipe."""
        if self._exited.is_set():
            await wait_at_most(self._stderr_closed, LAST_WORDS_SECONDS)

    async def stop(self, budget_seconds: float) -> None:
        """End of input, SIGTERM, SIGKILL; after a clean exit too, for the children it leaves behind.

        Two limits: a child that makes a session of its own escapes any group; and when the gateway itself is
        killed with SIGKILL, a server learns of it only by the end of its input.
        """
        if self._transport is None or self._stdin is None:
            return  # it was never started
        try:
            if self._stdin.get_write_buffer_size():
                self._stdin.abort()  # it does not read; what waits for it would keep the pipe open
            else:
                self._stdin.close()
            if not await self._exits_within(budget_seconds / 2):
                _signal_group(self.pid, signal.SIGTERM)
                await self._exits_within(budget_seconds / 4)
        finally:
            _signal_group(self.pid, signal.SIGKILL)
            _alive.discard(self.pid)
        if not await self._exits_within(KILL_SECONDS):
            log.error("MCP server process cannot be killed", extra={"server": self._name, "pid": self.pid})
        for _ in range(20):  # its children: the kernel tells of them only when asked
            if not _signal_group(self.pid, 0):
                break
            await asyncio.sleep(0.005)
        if self._stdin.get_write_buffer_size():
            self._stdin.abort()
        with contextlib.suppress(PermissionError):  # a setuid child; asyncio tries to kill it once more
            self._transport.close()
        self._close_stdout()
        await asyncio.sleep(0)  # asyncio's pipes close one round of the loop later
        self._ended("was stopped")

    # inside

    async def _exits_within(self, seconds: float) -> bool:
        await wait_at_most(self._exited, seconds)
        return self._exited.is_set()

    def _ended(self, reason: str | None = None) -> None:
        if self.end is None:
            code = self._transport.get_returncode() if self._transport is not None else None
            self.end = _exit_reason(code) if code is not None else (reason or "ended")
            self.resume_writing()
            self._on_end()

    def _close_stdout(self) -> None:
        if self._stdout is not None:
            asyncio.get_running_loop().remove_reader(self._stdout)
            os.close(self._stdout)
            self._stdout = None


async def _to_its_end(spawning: Coroutine[None, None, object]) -> None:
    """Finish a spawn even if the caller is cancelled, then raise the cancellation.

    asyncio would kill the process but not its children, and then wait for as long as one holds a pipe.
    """
    task = asyncio.ensure_future(spawning)  # noqa: TID251 (awaited right here, whatever is cancelled)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


def _signal_group(group: int, number: int) -> bool:
    """Whether the group has a process."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # a setuid child; or macOS, for a zombie
        log.debug("MCP server process may not be signalled", extra={"pid": group})
    return True


def _why_not_started(settings: ServerSettings, error: OSError | ValueError) -> str:
    if settings.cwd is not None and not settings.cwd.is_dir():
        return f"its working folder {settings.cwd} does not exist"
    if isinstance(error, FileNotFoundError):
        return f'the command "{settings.command}" was not found'
    if isinstance(error, PermissionError):
        return f'the command "{settings.command}" may not be executed'
    return f'the command "{settings.command}" could not be started: {error}'


def _exit_reason(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"
