"""The owner of one server: connects, keeps it connected, and hands its tools on."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from voice_gateway.config import McpSettings, ServerSettings
from voice_gateway.errors import GatewayError, LinkError
from voice_gateway.logs import MultilineText, one_line
from voice_gateway.mcp_client.calls import Calls
from voice_gateway.mcp_client.connection import Connection, Greeting, LinkTimeouts, Refused
from voice_gateway.mcp_client.convert import to_langchain_tools
from voice_gateway.mcp_client.patience import Patience, attempt_delay
from voice_gateway.mcp_client.server_log import ServerLog
from voice_gateway.mcp_client.status import (
    LinkListeners,
    Refusal,
    ServerStatus,
    State,
    failure_report,
    refusal,
)
from voice_gateway.mcp_client.stdio import StdioConnection

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.1  # announcements of changed tools come in bursts


class Server:
    """Lives in one task (`run`), and ends by `stop`, never by cancelling twice."""

    def __init__(
        self,
        name: str,
        settings: ServerSettings,
        mcp: McpSettings,
        listeners: LinkListeners,
        *,
        timeouts: LinkTimeouts,
        hide: Callable[[str], str],
    ) -> None:
        """`hide` takes the server's secrets out of what is told of it."""
        self._name = name
        self._timeouts = timeouts
        self._hide = hide
        self._log = ServerLog(name, hide)
        self._settings = settings
        self._mcp = mcp
        self._listeners = listeners
        self.calls = Calls(
            name,
            only_looks=self._only_looks,
            hurry=self._hurry,
            restart_seconds=2 * mcp.connect_timeout_seconds,
        )
        self._wake = asyncio.Event()  # one of the three below, or stop
        self._ended = self._changed = self._suspected = False
        self._stopping = False
        self._pausing = False  # between two attempts
        self._limit: asyncio.Timeout | None = None
        self._connected_at: float | None = None
        self._failures = 0
        self._restarts = 0
        self._state: State = "connecting"
        self._last_error: str | None = None
        self._refusal: Refusal | None = None
        self._stderr_tail = ""
        self._definitions: list[Mapping[str, Any]] | None = None  # what was announced
        self._tools: tuple[str, ...] = ()
        self.greeting = Greeting()  # of the last connection
        self.installing = False  # a package manager is at work
        self.settled = False  # connected, or the first attempts are used up

    @property
    def name(self) -> str:
        return self._name

    async def run(self) -> None:
        try:
            while not self._stopping:
                await self._live()
                if not self._stopping:
                    await self._pause()
        finally:
            self.calls.attempt_decided()
            self._withdraw()
            self._set_state("stopped")
            self.settled = True

    def stop(self) -> None:
        """Ends waiting, connecting and holding at once; `run` returns when the server's process is gone."""
        self._stopping = True
        self._wake.set()
        if self._limit is not None:
            with contextlib.suppress(RuntimeError):  # it has just run out by itself
                self._limit.reschedule(asyncio.get_running_loop().time())

    def status(self) -> ServerStatus:
        connection = self.calls.connection
        return ServerStatus(
            name=self._name,
            state=self._state,
            attempts=self._failures + (self._state != "degraded"),
            last_error=self._last_error,
            stderr_tail=connection.stderr_tail() if connection else self._stderr_tail,
            tools=self._tools,
            restarts=self._restarts,
            simulated=self._settings.simulated,
            refusal=self._refusal,
            installing=self.installing,
        )

    def _only_looks(self, tool: str) -> bool:
        """By the server's own word, which is good enough for asking the same server once more."""
        for definition in self._definitions or ():
            if isinstance(definition, Mapping) and definition.get("name") == tool:
                hints = definition.get("annotations")
                return isinstance(hints, Mapping) and hints.get("readOnlyHint") is True
        return False

    @property
    def tools(self) -> tuple[str, ...]:
        return self._tools

    @property
    def is_linked(self) -> bool:
        """It takes requests now."""
        return self.calls.connection is not None

    async def answers(self) -> bool:
        """Whether it talks to us now. One that is not connected has its own state; nothing comes of a no."""
        connection = self.calls.connection
        return connection is None or await connection.is_alive()

    # what a connection tells us

    def ended(self) -> None:
        self._ended = True
        self._no_more_calls()
        self._wake.set()

    def tools_changed(self) -> None:
        self._changed = True
        self._wake.set()

    def resource_updated(self, uri: str) -> None:
        self._listeners.on_resource(self._name, uri)

    def logged(self, params: Mapping[str, Any]) -> None:
        self._log.take(params)

    def suspect(self) -> None:
        self._suspected = True
        self._wake.set()

    # one life of the server

    async def _live(self) -> None:
        self._begin()
        connection = self._new_connection()
        reason: str | None = None
        try:
            await self._open(connection)
            self._connected(connection)
            reason = await self._hold(connection)
        except LinkError as error:
            reason = str(error)
            self._note_refusal(error)
        finally:
            self._no_more_calls()
            ran = self._ran()
            died = self._ended
            await connection.close(broken=not self._stopping)
            self._stderr_tail = connection.stderr_tail()
        if not self._stopping:
            self._failed(one_line(self._hide(reason or "")), ran)
        elif died:  # by itself: nothing else would tell why
            self._log_failure(one_line(self._hide(connection.end or "")))

    def _begin(self) -> None:
        self.calls.wait_for_attempt()
        self._ended = self._changed = self._suspected = False
        self._connected_at = None
        if self._state != "degraded":
            self._set_state("connecting")
        facts = {"server": self._name, "attempt": self._failures + 1, "delay_seconds": self._delay()}
        log.info("MCP connection attempt", extra=facts)

    def _new_connection(self) -> Connection:
        if self._settings.url is None:
            kind: Callable[..., Connection] = StdioConnection
        else:
            from voice_gateway.mcp_client.http.connection import HttpConnection

            kind = HttpConnection
        return kind(
            self._name,
            self._settings,
            self,
            stop_seconds=self._mcp.stop_timeout_seconds,
            timeouts=self._timeouts,
            hide=self._hide,
        )

    async def _open(self, connection: Connection) -> None:
        patience = Patience(self._mcp, connection.is_installing, self._is_installing)
        try:
            async with self._interruptible(None):
                await connection.start()
            async with self._interruptible(None) as limit:
                patience.begin(limit)
                await connection.open()
        except TimeoutError:
            raise LinkError(patience.reason) from None
        finally:
            patience.end()
            self.installing = False

    def _is_installing(self) -> None:
        """The others need not wait for it."""
        if not self.installing:
            self.installing = self.settled = True
            facts = {"server": self._name, "limit_seconds": self._mcp.first_start_seconds}
            log.info("MCP server is being installed", extra=facts)
            self._listeners.on_status(self.status())

    def _connected(self, connection: Connection) -> None:
        self._connected_at = asyncio.get_running_loop().time()
        self._refusal = None
        self.greeting = connection.greeting
        if connection.end is None:
            self.calls.connection = connection
        self._announce(connection.definitions)
        attempt = self._failures + 1
        facts = {"server": self._name, "attempt": attempt, "tools": len(self._tools)}
        log.info("MCP connection succeeded on attempt %d", attempt, extra=facts)
        self._set_state("connected")
        self.calls.attempt_decided()
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
                self._announce(await connection.list_tools())
                self._listeners.on_status(self.status())
        except (GatewayError, TimeoutError) as error:
            facts = {"server": self._name, "error": str(error), "stderr": connection.stderr_tail()}
            if not self._stopping:
                log.warning("MCP tools could not be listed again; the earlier ones stay", extra=facts)

    # failures

    def _note_refusal(self, error: LinkError) -> None:
        before, self._refusal = self._refusal, None
        if isinstance(error, Refused):
            self._refusal = refusal(self._settings, error.status, error.words, self._failures + 1)
        if self._state == "degraded" and self._refusal is not before:
            self._listeners.on_status(self.status())

    def _failed(self, reason: str, ran_seconds: float) -> None:
        changed, self._last_error = reason != self._last_error, reason
        if ran_seconds >= self._timeouts.short_run_seconds:
            self._failures = 0
        else:
            self._failures += 1
            self.calls.attempt_decided()
        # A server that is missing for hours is news with another reason, or when the attempts doubled.
        news = changed or self._failures.bit_count() == 1
        if self._state == "degraded":
            self._log_failure(reason, logging.WARNING if news else logging.DEBUG)
        elif self._failures < self._mcp.attempts:
            self._log_failure(reason)
        else:
            self._degrade(reason, news=news or self._failures == self._mcp.attempts)

    def _log_failure(self, reason: str, level: int = logging.WARNING) -> None:
        phrase = "MCP connection attempt failed" if self._connected_at is None else "MCP server is gone"
        facts = {
            "server": self._name,
            "attempt": self._failures,
            "attempts": self._mcp.attempts,
            "error": reason,
            "stderr": self._stderr_tail,
            "delay_seconds": None if self._stopping else self._delay(),
        }
        log.log(level, phrase, extra=facts)

    def _degrade(self, reason: str, *, news: bool) -> None:
        report = failure_report(
            self._name,
            self._settings,
            attempts=self._failures,
            reason=reason,
            stderr=self._stderr_tail,
            local_tools=self._listeners.local_tools(),
            other_servers=[name for name in self._listeners.connected() if name != self._name],
        )
        log.log(logging.ERROR if news else logging.DEBUG, MultilineText(report), extra={"server": self._name})
        self._withdraw()
        self._set_state("degraded")
        self.settled = True

    async def _pause(self) -> None:
        if (delay := self._delay()) > 0:
            self._pausing = self._state == "connecting"  # one that is degraded has no tools to call
            with contextlib.suppress(TimeoutError):
                async with self._interruptible(None):
                    await self._listeners.sleep(delay)
            self._pausing = False

    def _hurry(self) -> None:
        """Somebody wants something of a server that may be back; to ask at an address costs little."""
        if self._settings.url is not None and self._pausing and self._limit is not None:
            self.calls.wait_for_attempt()
            self._limit.reschedule(asyncio.get_running_loop().time())

    def _delay(self) -> float:
        by_address, starting = self._settings.url is not None, self._refusal is Refusal.STARTING
        return attempt_delay(self._mcp, self._failures, by_address=by_address, starting=starting)

    # small steps

    @contextlib.asynccontextmanager
    async def _interruptible(self, seconds: float | None) -> AsyncIterator[asyncio.Timeout]:
        """A limit that `stop` brings forward: the owner is never cancelled, and yet stops at once."""
        async with asyncio.timeout(seconds) as limit:
            if self._stopping:
                limit.reschedule(asyncio.get_running_loop().time())
            self._limit = limit
            try:
                yield limit
            finally:
                self._limit = None

    def _ran(self) -> float:
        return 0.0 if self._connected_at is None else asyncio.get_running_loop().time() - self._connected_at

    def _no_more_calls(self) -> None:
        self.calls.connection = None
        if self._ran() >= self._timeouts.short_run_seconds and not self._stopping:
            self.calls.wait_for_attempt()  # it is restarted at once: calls that come now wait for it
        if self._state == "connected" and not self._stopping:
            self._restarts += 1
            self._set_state("connecting")  # at once: the next attempt may be a while away

    def _announce(self, definitions: list[Mapping[str, Any]]) -> None:
        if definitions == self._definitions:
            return  # a restart alone changes nothing for the model
        tools = to_langchain_tools(
            definitions,
            server=self._name,
            call=self.calls.call,
            call_as_task=self.calls.call_as_task,
            timeout_seconds=self._settings.timeout_seconds,
            trusted=self._settings.trusted,
            cancellation_safe=self._settings.url is None,  # over HTTP the SDK decides when a call ends
        )
        self._definitions = definitions
        self._tools = tuple(tool.name for tool in tools)
        self._listeners.on_tools(self._name, tools)

    def _withdraw(self) -> None:
        if self._definitions is not None:
            self._definitions, self._tools = None, ()
            self._listeners.on_tools(self._name, [])

    def _set_state(self, state: State) -> None:
        if state != self._state:
            self._state = state
            self._listeners.on_status(self.status())
