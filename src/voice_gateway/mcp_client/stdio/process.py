"""A server's process: its three pipes, its end, and a stop that leaves nothing of it alive."""

import asyncio
import atexit
import contextlib
import logging
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from voice_gateway.backoff import wait_at_most
from voice_gateway.config import ServerSettings
from voice_gateway.errors import LinkError
from voice_gateway.logs import one_line
from voice_gateway.mcp_client.stdio import leave_alone
from voice_gateway.mcp_client.stdio.frames import LineBuffer, LongLine, parse
from voice_gateway.mcp_client.stdio.launch import find_program, server_environment, why_not_started

log = logging.getLogger(__name__)

STDERR_KEPT = 64 * 1024  # bytes of a server's stderr that are remembered
STDERR_LINES, STDERR_SHOWN = 20, 2000  # of these a log shows
WRITE_HIGH_WATER = 1024 * 1024  # above this, calls wait until the server has read
LAST_WORDS_SECONDS = 0.2  # a dead server's pipes may still hold its last reply and its reason
KILL_SECONDS = 1.0  # for the kernel to report a killed process
READ_SIZE = 64 * 1024  # what a pipe holds

_alive: set[int] = set()  # process groups that we started and have not stopped yet


@atexit.register
def _kill_what_is_left() -> None:
    """The last resort, when the program ends without having stopped its servers."""
    for group in tuple(_alive):
        _signal_group(group, signal.SIGKILL)


class ServerProcess(asyncio.SubprocessProtocol):
    """Callbacks instead of reader tasks: a line costs no task switch, and there is no task to leak.

    The server's output comes through a pipe of our own: asyncio hands on what it reads one round of the loop
    later, out of a buffer so large that each read is paid for with fresh pages of memory.
    """

    def __init__(
        self,
        name: str,
        on_line: Callable[[bytes], None],
        on_end: Callable[[], None],
        hide: Callable[[str], str] = str,
        on_long_line: Callable[[LongLine], None] = lambda _line: None,
    ) -> None:
        """`hide` takes the server's secrets out of what is told of it."""
        self._name = name
        self._on_long_line = on_long_line
        self._hide = hide
        self._on_line = on_line
        self._on_end = on_end
        self._lines = LineBuffer(self._too_long)
        self._stderr: deque[bytes] = deque()
        self._stderr_size = 0
        self._writable = asyncio.Event()
        self._writable.set()
        self._exited = asyncio.Event()
        self._silent = asyncio.Event()  # stderr is at its end
        self._transport: asyncio.SubprocessTransport | None = None
        self._stdin: asyncio.WriteTransport | None = None
        self._stdout: int | None = None  # our end of its pipe
        self._paused = False  # nothing is read for the moment
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
            raise LinkError(why_not_started(settings, error)) from error
        os.set_blocking(self._stdout, False)
        self.resume_reading()

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
        self._remember(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 2:
            self._silent.set()
        elif fd == 0:
            self._writable.set()

    def _read(self) -> None:
        assert self._stdout is not None
        try:
            data = os.read(self._stdout, READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        if not data:
            self._stdout_ended()
            return
        for line in self._lines.feed(data):
            self._on_line(line)
        if (frame := self._lines.unterminated()) is not None:
            self._try_unterminated(frame)

    def _stdout_ended(self) -> None:
        self._close_stdout()
        if self._exited.is_set():
            self._ended()
        else:
            # Usually the exit follows at once and is the better reason.
            asyncio.get_running_loop().call_later(LAST_WORDS_SECONDS, self._ended, "closed its output")

    def process_exited(self) -> None:
        self._exited.set()
        if self._stdout is not None:
            # Its last reply may still be in the pipe; a child of it may hold the pipe open for ever.
            asyncio.get_running_loop().call_later(LAST_WORDS_SECONDS, self._ended)
        else:
            self._ended()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # what the connection uses

    @property
    def congested(self) -> bool:
        """The server has not read for so long that calls have to wait."""
        return not self._writable.is_set()

    def write(self, line: bytes) -> None:
        """Never waits. What the server does not read is kept, up to the high-water mark and one line more."""
        if self.end is not None or self._stdin is None or self._stdin.is_closing():
            raise LinkError(f'The server "{self._name}" {self.end or "takes no more input"}.')
        self._stdin.write(line)

    async def drained(self) -> None:
        await self._writable.wait()

    def pause_reading(self) -> None:
        """Read nothing until `resume_reading`: the server waits with what it writes."""
        if self._stdout is not None:
            asyncio.get_running_loop().remove_reader(self._stdout)
            self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        if self._stdout is not None:
            asyncio.get_running_loop().add_reader(self._stdout, self._read)

    def stderr_tail(self) -> str:
        # Hidden before it is cut: half a secret is not recognised.
        text = self._hide(b"".join(self._stderr).decode("utf-8", "replace"))[-4 * STDERR_SHOWN :]
        # It ends up on terminals, too: a server's colours and cursor movements are written out.
        lines = [one_line(line) for line in text.strip().splitlines()[-STDERR_LINES:]]
        return "\n".join(lines)[-STDERR_SHOWN:]

    async def last_words(self) -> None:
        """A server that has just died may have its reason still in the pipe."""
        if self._exited.is_set():
            await _within(self._silent, LAST_WORDS_SECONDS)

    async def stop(self, budget_seconds: float) -> None:
        """End of input, SIGTERM, SIGKILL; after a clean exit too, for the children it leaves behind.

        Two limits: a child that makes a session of its own escapes any group; and when the gateway itself is
        killed with SIGKILL, a server learns of it only by the end of its input.
        """
        if self._transport is None or self._stdin is None:
            return  # it was never started
        try:
            _close(self._stdin)
            if not await _within(self._exited, budget_seconds / 2):
                _signal_group(self.pid, signal.SIGTERM)
                await _within(self._exited, budget_seconds / 4)
        finally:
            _signal_group(self.pid, signal.SIGKILL)
            _alive.discard(self.pid)
        if not await _within(self._exited, KILL_SECONDS):
            log.error("MCP server process cannot be killed", extra={"server": self._name, "pid": self.pid})
        await self._children_gone()
        if self._stdin.get_write_buffer_size():
            self._stdin.abort()
        with contextlib.suppress(PermissionError):  # a setuid child; asyncio tries to kill it once more
            self._transport.close()
        self._close_stdout()
        self._paused = False
        await asyncio.sleep(0)  # asyncio's pipes close one round of the loop later
        self._ended("was stopped")

    async def leave(self, seconds: float) -> None:
        """It goes on without us, with nothing to read; what is left of it after that time is ended."""
        assert self._transport is not None
        errors = self._transport.get_pipe_transport(2)
        pipes = [pipe for pipe in (self._stdout, _descriptor(errors)) if pipe is not None]
        _watch_over(self.pid, seconds, pipes)
        _alive.discard(self.pid)
        self._transport.get_extra_info("subprocess").returncode = 0  # else asyncio kills it with the pipes
        if self._stdin is not None:
            _close(self._stdin)
        self._transport.close()
        self._close_stdout()
        await asyncio.sleep(0)
        self._ended("was left to finish its installation")

    # inside

    async def _children_gone(self) -> None:
        # Not our own children, so the kernel tells us only when asked; killed, they are gone in a moment.
        for _ in range(20):
            if not _signal_group(self.pid, 0):
                return
            await asyncio.sleep(0.005)

    def _ended(self, reason: str | None = None) -> None:
        if self._paused:  # what is being looked at may be its last reply
            asyncio.get_running_loop().call_later(LAST_WORDS_SECONDS, self._ended, reason)
        elif self.end is None:
            code = self._transport.get_returncode() if self._transport is not None else None
            self.end = _exit_reason(code) if code is not None else (reason or "ended")
            self._writable.set()
            self._on_end()

    def _close_stdout(self) -> None:
        if self._stdout is not None:
            asyncio.get_running_loop().remove_reader(self._stdout)
            os.close(self._stdout)
            self._stdout = None

    def _remember(self, data: bytes) -> None:
        if log.isEnabledFor(logging.DEBUG):
            for line in data.decode("utf-8", "replace").splitlines():
                log.debug("%s| %s", self._name, self._hide(line))
        self._stderr.append(data)
        self._stderr_size += len(data)
        while self._stderr_size - len(self._stderr[0]) >= STDERR_KEPT:
            self._stderr_size -= len(self._stderr.popleft())

    def _too_long(self, line: LongLine) -> None:
        if line.complete:
            facts = {"server": self._name, "bytes": line.size}
            log.warning("MCP server wrote a line that is too long", extra=facts)
        self._on_long_line(line)

    def _try_unterminated(self, frame: bytes) -> None:
        parsed = parse(frame)
        if parsed.frames and not parsed.noise:
            self._lines.drop()
            self._on_line(frame)


async def _to_its_end(spawning: Coroutine[Any, Any, object]) -> None:
    """A spawn is short, and never given up half-way; who cancels is heard when the process is ours.

    asyncio would kill the process, but not its children, and then wait for as long as one holds a pipe.
    """
    task = asyncio.ensure_future(spawning)  # noqa: TID251 (awaited right here, whoever cancels)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


def _watch_over(group: int, seconds: float, pipes: list[int]) -> None:
    command = [sys.executable, "-I", leave_alone.__file__, str(group), str(seconds), *map(str, pipes)]
    quiet = subprocess.DEVNULL
    subprocess.run(command, pass_fds=pipes, stdin=quiet, stdout=quiet, stderr=quiet, check=False)


def _descriptor(pipe: asyncio.BaseTransport | None) -> int | None:
    file = pipe.get_extra_info("pipe") if pipe is not None else None
    return None if file is None or file.closed else int(file.fileno())


def _close(stdin: asyncio.WriteTransport) -> None:
    if stdin.get_write_buffer_size():
        stdin.abort()  # it does not read; what waits for it would keep the pipe open
    else:
        stdin.close()


async def _within(event: asyncio.Event, seconds: float) -> bool:
    await wait_at_most(event, seconds)
    return event.is_set()


def _signal_group(group: int, number: int) -> bool:
    """Whether anybody was there."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # a setuid child; or macOS, for a zombie
        log.debug("MCP server process may not be signalled", extra={"pid": group})
    return True


def _exit_reason(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"
