"""The owner of one server: connects it, keeps it connected, hands its tools on, takes calls from any task."""

import asyncio
import contextlib
import importlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from voice_gateway.backoff import backoff_seconds, wait_at_most
from voice_gateway.config import McpSettings, ServerSettings
from voice_gateway.errors import GatewayError, LinkError, ToolError, ToolUnavailable
from voice_gateway.logs import MultilineText, one_line
from voice_gateway.mcp_client.connection import (
    NOT_UNDERSTOOD,
    TOOLS_CHANGED,
    CallLost,
    Connection,
    InitializeResult,
    LinkTimeouts,
    Refused,
    mapping,
)
from voice_gateway.mcp_client.convert import to_langchain_tools
from voice_gateway.mcp_client.status import Refusal, ServerStatus, State, failure_report, refusal
from voice_gateway.mcp_client.stdio import StdioConnection
from voice_gateway.progress import listener, read_progress

if TYPE_CHECKING:
    from voice_gateway.mcp_client.integration import MCPIntegration

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.1  # announcements of changed tools come in bursts
LEAST_LATER_DELAY_SECONDS = 1.0
TASK_KEPT_MILLISECONDS = 600_000  # the server may forget a task after that
LEAST_POLL_SECONDS, POLL_SECONDS, MOST_POLL_SECONDS = 0.1, 1.0, 5.0  # of a task's status
LONGEST_MESSAGE = 2000  # characters of a log message of the server
STARTING_DELAY_SECONDS = 4.0  # at most, for a Home Assistant that is just starting
ADDRESS_DELAY_SECONDS = 10.0  # at most, with an address: to ask there costs less than to start a process


class Server:
    """Lives in one task (`run`), and ends by `stop`, never by cancelling twice.

    `hide` removes the server's secrets from what is reported about it.
    """

    def __init__(
        self,
        name: str,
        settings: ServerSettings,
        mcp: McpSettings,
        link: "MCPIntegration",
        *,
        timeouts: LinkTimeouts,
        hide: Callable[[str], str],
    ) -> None:
        self.name = name
        self._timeouts = timeouts
        self._hide = hide
        self._settings = settings
        self._mcp = mcp
        self._link = link
        self._connection: Connection | None = None  # only while it can take calls
        self._attempting: asyncio.Event | None = None  # set when the attempt under way is decided
        self._wake = asyncio.Event()  # one of the three below, or stop
        self._ended = self._changed = self._suspected = False
        self._stopping = False
        self._limit: asyncio.Timeout | None = None
        self._connected_at: float | None = None
        self._failures = 0
        self._restarts = 0
        self._state: State = "connecting"
        self._last_error: str | None = None
        self._refusal: Refusal | None = None
        self._stderr_tail = ""
        self._definitions: list[Mapping[str, Any]] | None = None  # what was announced
        self._first_start = settings.url is None  # a package manager may have to install it
        self.tools: tuple[str, ...] = ()
        self.initialized = InitializeResult()  # of the last connection
        self.installing = False  # its first start takes longer than a usual one
        self.settled = False  # connected, or the first attempts are used up

    async def run(self) -> None:
        try:
            while not self._stopping:
                await self._live()
                if not self._stopping:
                    await self._pause()
        finally:
            self._attempt_decided()
            self._withdraw()
            self._set_state("stopped")
            self.settled = True

    def stop(self) -> None:
        """Ends waiting, connecting and holding at once; `run` returns when the server's process is gone."""
        self._stopping = True
        self._wake.set()
        if self._limit is not None:
            with contextlib.suppress(RuntimeError):  # it has just run out by itself
                self._limit.reschedule(_now())

    def status(self) -> ServerStatus:
        connection = self._connection
        return ServerStatus(
            name=self.name,
            state=self._state,
            attempts=self._failures + (self._state != "degraded"),
            last_error=self._last_error,
            stderr_tail=connection.stderr_tail() if connection else self._stderr_tail,
            tools=self.tools,
            restarts=self._restarts,
            simulated=self._settings.simulated,
            refusal=self._refusal,
            installing=self.installing,
        )

    @property
    def is_linked(self) -> bool:
        """It takes requests now."""
        return self._connection is not None

    async def answers(self) -> bool:
        """Whether it answers a ping; True for one that is not connected, which has a state of its own."""
        connection = self._connection
        return connection is None or await connection.is_alive()

    # calls, from any task

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._send(methodcaller("call", tool, arguments), lambda: self._only_looks(tool))

    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._send(methodcaller("request", method, params), lambda: method != "tools/call")

    async def call_as_task(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """For a tool that runs only as a task: start it, poll its status, fetch its result."""
        params = {"name": tool, "arguments": dict(arguments), "task": {"ttl": TASK_KEPT_MILLISECONDS}}
        created = await self.request("tools/call", params)
        task = created.get("task")
        if not isinstance(task, Mapping):
            return created  # it was quick, and answered at once
        task_id = task.get("taskId")
        if not isinstance(task_id, str):
            raise ToolError(NOT_UNDERSTOOD)
        try:
            status = await self._final_status(task_id, task)
            if status == "input_required":  # an elicitation would be answered here
                raise ToolError("The tool has a question, and questions of tools cannot be asked yet.")
        except BaseException:
            if self._connection is not None:
                self._connection.post("tasks/cancel", {"taskId": task_id})
            raise
        if status == "cancelled":
            raise ToolError("The server has cancelled it.")
        return await self.request("tasks/result", {"taskId": task_id})

    async def _final_status(self, task_id: str, task: Mapping[str, Any]) -> str:
        """Each answer that it is still working is progress: only the hard limit applies."""
        on_progress, steps = listener(), 0
        while (status := task.get("status")) == "working":
            steps += 1
            if on_progress is not None and (report := read_progress(steps, None, task.get("statusMessage"))):
                on_progress(report)
            await asyncio.sleep(_poll_seconds(task.get("pollInterval")))
            task = await self.request("tasks/get", {"taskId": task_id})
        if status not in ("completed", "failed", "cancelled", "input_required"):
            raise ToolError(NOT_UNDERSTOOD)
        return str(status)

    async def _send(
        self, send: Callable[[Connection], Awaitable[Mapping[str, Any]]], reads: Callable[[], bool]
    ) -> Mapping[str, Any]:
        """Waits for a restart that is under way; without one, a missing connection fails the call at once.

        A lost call is repeated once if it only reads, or if the server surely did not run it: a restarted
        server rejects every call of the old session before it looks at the tool.
        """
        connection = self._connection or await self._next_connection()
        try:
            return await send(connection)
        except CallLost as lost:
            if not (lost.not_run or reads()):
                raise
            if lost.replaced and self._connection in (connection, None):
                await wait_at_most(self._attempt_begins(), 2 * self._mcp.connect_timeout_seconds)
                if self._connection in (connection, None):
                    raise
        return await send(self._connection or await self._next_connection())

    async def _next_connection(self) -> Connection:
        if self._attempting is not None:
            await self._attempting.wait()
        if self._connection is None:
            raise ToolUnavailable(f'The server "{self.name}" is not connected at the moment.')
        return self._connection

    def _only_looks(self, tool: str) -> bool:
        """By the server's own word, which is good enough for asking the same server once more."""
        known = (known for known in map(mapping, self._definitions or ()) if known.get("name") == tool)
        return mapping(next(known, {}).get("annotations")).get("readOnlyHint") is True

    def _attempt_begins(self) -> asyncio.Event:
        self._attempting = self._attempting or asyncio.Event()
        return self._attempting

    def _attempt_decided(self) -> None:
        if self._attempting is not None:
            self._attempting.set()
            self._attempting = None

    # events of the connection

    def ended(self) -> None:
        self._ended = True
        self._no_more_calls()
        self._wake.set()

    def notified(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "notifications/message":
            content = one_line(self._hide(str(params.get("data"))[: 2 * LONGEST_MESSAGE]))
            log.debug("MCP server says", extra={"server": self.name, "content": content[:LONGEST_MESSAGE]})
        elif method == "notifications/resources/updated":
            self._link.on_resource(self.name, str(params.get("uri")))
        elif method == TOOLS_CHANGED:
            self._changed = True
            self._wake.set()

    def suspect(self) -> None:
        self._suspected = True
        self._wake.set()

    # one life of the server

    async def _live(self) -> None:
        self._attempt_begins()
        self._ended = self._changed = self._suspected = False
        self._connected_at = None
        if self._state != "degraded":
            self._set_state("connecting")
        facts = {"server": self.name, "attempt": self._failures + 1, "delay_seconds": self._delay()}
        log.info("MCP connection attempt", extra=facts)
        connection = await self._new_connection()
        reason: str | None = None
        try:
            self._connected(connection, await self._open(connection))
            reason = await self._hold(connection)
        except LinkError as error:
            reason = str(error)
            self._note_refusal(error)
        finally:
            self._no_more_calls()
            ran, died = self._ran(), self._ended
            await connection.close(broken=not self._stopping)
            self._stderr_tail = connection.stderr_tail()
        if not self._stopping:
            self._failed(one_line(self._hide(reason or "")), ran)
        elif died:  # by itself: nothing else would tell why
            self._log_failure(one_line(self._hide(connection.end or "")))

    async def _new_connection(self) -> Connection:
        kind: Callable[..., Connection] = StdioConnection
        if self._settings.url is not None:
            # Imports the SDK, which takes 0.7 s: not in the event loop, and not within the time limit.
            module = "voice_gateway.mcp_client.http"
            kind = (await asyncio.to_thread(importlib.import_module, module)).HttpConnection
        return kind(
            self.name,
            self._settings,
            self,
            stop_seconds=self._mcp.stop_timeout_seconds,
            timeouts=self._timeouts,
            hide=self._hide,
        )

    async def _open(self, connection: Connection) -> list[Mapping[str, Any]]:
        """The first start gets a long limit, for npx, uvx or docker may have to fetch the server; after the
        usual limit nothing else waits for it."""
        usual = seconds = self._mcp.connect_timeout_seconds
        late: asyncio.TimerHandle | None = None
        if self._first_start and self._mcp.first_start_seconds > usual:
            seconds = self._mcp.first_start_seconds
            late = asyncio.get_running_loop().call_later(usual, self._starts_slowly)
        try:
            async with self._interruptible(seconds):
                await connection.open()
                definitions = await connection.list_tools()
            self._first_start = False
        except TimeoutError:
            self._first_start = False
            raise LinkError(f"it did not answer within {seconds:g} s") from None
        finally:
            self.installing = False
            if late is not None:
                late.cancel()
        return definitions

    def _starts_slowly(self) -> None:
        self.installing = self.settled = True
        facts = {"server": self.name, "limit_seconds": self._mcp.first_start_seconds}
        log.info("MCP server takes long to start", extra=facts)
        self._link.status_changed(self.status())

    def _connected(self, connection: Connection, definitions: list[Mapping[str, Any]]) -> None:
        self._connected_at = _now()
        self._refusal = None
        self.initialized = connection.initialized
        if connection.end is None:
            self._connection = connection
        self._announce(definitions)
        attempt = self._failures + 1
        facts = {"server": self.name, "attempt": attempt, "tools": len(self.tools)}
        log.info("MCP connection succeeded on attempt %d", attempt, extra=facts)
        self._set_state("connected")
        self._attempt_decided()
        self.settled = True

    async def _hold(self, connection: Connection) -> str:
        """Returns why it is over."""
        while not self._stopping and not self._ended:
            await self._wake.wait()
            self._wake.clear()
            if self._suspected and not self._ended and not await self._is_alive(connection):
                return "it does not answer any more"
            if self._changed and not self._ended:
                await self._relist(connection)
        return connection.end or "it was stopped"

    async def _is_alive(self, connection: Connection) -> bool:
        self._suspected = False
        try:
            async with self._interruptible(None):
                return await connection.is_alive()
        except TimeoutError:
            return True  # we are stopping: it no longer matters

    async def _relist(self, connection: Connection) -> None:
        await asyncio.sleep(SETTLE_SECONDS)
        self._changed = False
        try:
            async with self._interruptible(self._mcp.connect_timeout_seconds):
                if self._announce(await connection.list_tools()):
                    self._link.status_changed(self.status())
        except (GatewayError, TimeoutError) as error:
            facts = {"server": self.name, "error": str(error), "stderr": connection.stderr_tail()}
            if not self._stopping:
                log.warning("MCP tools could not be listed again; the earlier ones stay", extra=facts)

    # failures

    def _note_refusal(self, error: LinkError) -> None:
        before, self._refusal = self._refusal, None
        if isinstance(error, Refused):
            self._refusal = refusal(self._settings, error.status, error.words, self._failures + 1)
        if self._state == "degraded" and self._refusal is not before:
            self._link.status_changed(self.status())

    def _failed(self, reason: str, ran_seconds: float) -> None:
        changed, self._last_error = reason != self._last_error, reason
        if ran_seconds >= self._timeouts.short_run_seconds:
            self._failures = 0
        else:
            self._failures += 1
            self._attempt_decided()
        # A server that is missing for hours is news with another reason, or when the attempts doubled.
        news = changed or self._failures.bit_count() == 1
        if self._state == "degraded" or self._failures < self._mcp.attempts:
            quiet = self._state == "degraded" and not news
            self._log_failure(reason, logging.DEBUG if quiet else logging.WARNING)
        else:
            self._degrade(news=news or self._failures == self._mcp.attempts)

    def _log_failure(self, reason: str, level: int = logging.WARNING) -> None:
        phrase = "MCP connection attempt failed" if self._connected_at is None else "MCP server is gone"
        facts = {
            "server": self.name,
            "attempt": self._failures,
            "attempts": self._mcp.attempts,
            "error": reason,
            "stderr": self._stderr_tail,
            "delay_seconds": None if self._stopping else self._delay(),
        }
        log.log(level, phrase, extra=facts)

    def _degrade(self, *, news: bool) -> None:
        self._withdraw()
        self._set_state("degraded")
        others = [name for name in self._link.connected() if name != self.name]
        report = failure_report(self.status(), self._settings, self._link.local_tools(), others)
        log.log(logging.ERROR if news else logging.DEBUG, MultilineText(report), extra={"server": self.name})
        self.settled = True

    async def _pause(self) -> None:
        if (delay := self._delay()) > 0:
            with contextlib.suppress(TimeoutError):
                async with self._interruptible(None):
                    await self._link.sleep(delay)

    def _delay(self) -> float:
        """Before the next attempt: none, then 2, 4, 8 … s; it never gives up."""
        longest = self._mcp.max_delay_seconds
        if self._settings.url is not None:
            longest = min(longest, ADDRESS_DELAY_SECONDS)
        delay = backoff_seconds(self._failures, first=self._mcp.base_delay_seconds, longest=longest)
        if self._refusal is Refusal.STARTING:
            delay = min(delay, STARTING_DELAY_SECONDS)
        # "No delay" is meant for the first attempts; for ever after it would only heat the house.
        later = 0 < self._failures >= self._mcp.attempts
        return max(delay, LEAST_LATER_DELAY_SECONDS) if later else delay

    # small steps

    @contextlib.asynccontextmanager
    async def _interruptible(self, seconds: float | None) -> AsyncIterator[None]:
        """A limit that `stop` brings forward: the owner is never cancelled, and yet stops at once."""
        async with asyncio.timeout(seconds) as limit:
            if self._stopping:
                limit.reschedule(_now())
            self._limit = limit
            try:
                yield
            finally:
                self._limit = None

    def _ran(self) -> float:
        return 0.0 if self._connected_at is None else _now() - self._connected_at

    def _no_more_calls(self) -> None:
        self._connection = None
        if self._ran() >= self._timeouts.short_run_seconds and not self._stopping:
            self._attempt_begins()  # it is restarted at once: calls that come now wait for it
        if self._state == "connected" and not self._stopping:
            self._restarts += 1
            self._set_state("connecting")  # at once: the next attempt may be a while away

    def _announce(self, definitions: list[Mapping[str, Any]]) -> bool:
        """Whether they are other tools; a restart alone changes nothing for the model."""
        if definitions == self._definitions:
            return False
        tools = to_langchain_tools(
            definitions,
            server=self.name,
            call=self.call,
            call_as_task=self.call_as_task,
            timeout_seconds=self._settings.timeout_seconds,
            trusted=self._settings.trusted,
            cancellation_safe=self._settings.url is None,  # over HTTP the SDK decides when a call ends
        )
        self._definitions = definitions
        self.tools = tuple(tool.name for tool in tools)
        self._link.tools_changed(self.name, tools)
        return True

    def _withdraw(self) -> None:
        if self._definitions is not None:
            self._definitions, self.tools = None, ()
            self._link.tools_changed(self.name, [])

    def _set_state(self, state: State) -> None:
        if state != self._state:
            self._state = state
            self._link.status_changed(self.status())


def _poll_seconds(milliseconds: Any) -> float:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return POLL_SECONDS
    return min(max(milliseconds / 1000, LEAST_POLL_SECONDS), MOST_POLL_SECONDS)


def _now() -> float:
    return asyncio.get_running_loop().time()
