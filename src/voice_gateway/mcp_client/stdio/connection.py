"""One life of a stdio server: spawn, initialize, list its tools, take calls, stop."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from voice_gateway.config import ServerSettings
from voice_gateway.errors import GatewayError, LinkError
from voice_gateway.mcp_client.connection import (
    PROTOCOL_VERSION,
    PROTOCOL_VERSIONS,
    SUSPECT_AFTER,
    ConnectionEvents,
    InitializeResult,
    LinkTimeouts,
    all_pages,
    client_version,
    shorten,
)
from voice_gateway.mcp_client.server_log import wanted_level
from voice_gateway.mcp_client.stdio.session import JsonRpcSession

HOME_SERVER, DEVICES = "zwave", "zwave://devices"  # our Z-Wave server; any change of a device updates this
BROKEN_STOP_SECONDS = 0.5  # a server that misbehaved gets no long farewell


class StdioConnection:
    """Opened and closed by one task; calls come from any."""

    def __init__(
        self,
        name: str,
        settings: ServerSettings,
        events: ConnectionEvents,
        *,
        stop_seconds: float,
        timeouts: LinkTimeouts,
        hide: Callable[[str], str],
    ) -> None:
        self._name = name
        self._settings = settings
        self._events = events
        self._timeouts = timeouts
        self._stop_seconds = stop_seconds
        self._session = JsonRpcSession(name, events, self._ended, hide)
        self._process = self._session.process
        self.call, self.request, self.post = self._session.call, self._session.request, self._session.post
        self.stderr_tail = self._process.stderr_tail
        self.initialized = InitializeResult()
        self.definitions: list[Mapping[str, Any]] = []
        self.end: str | None = None

    async def open(self) -> None:
        """Connected and listed, or a LinkError that says why not. `close` is due in either case."""
        await self._process.start(self._settings)
        try:
            self.initialized = await self._initialize()
            if "logging" in self.initialized.capabilities:
                self.post("logging/setLevel", {"level": wanted_level()})
            self.definitions = await self.list_tools()
            if self.initialized.server_name == HOME_SERVER and self.initialized.subscribes:
                await self.request("resources/subscribe", {"uri": DEVICES})
        except GatewayError as error:
            await self._process.last_words()
            raise LinkError(self.end or str(error)) from error

    async def close(self, *, broken: bool) -> None:
        """`broken`: the server misbehaved, and gets no long farewell."""
        self._session.close(f'The server "{self._name}" was stopped.')
        await self._process.last_words()
        await self._process.stop(BROKEN_STOP_SECONDS if broken else self._stop_seconds)

    async def list_tools(self) -> list[Mapping[str, Any]]:
        return await all_pages(self._page)

    async def is_alive(self) -> bool:
        """Whether the server still talks; asked when several calls in a row were given up."""
        if self._session.unanswered >= 2 * SUSPECT_AFTER and not self._session.busy:
            return False  # it talks, but it does not work
        try:
            async with asyncio.timeout(self._timeouts.ping_seconds):
                await self.request("ping", {})
        except TimeoutError:
            return False
        except GatewayError:
            return self.end is None  # an error is an answer too
        return True

    async def _initialize(self) -> InitializeResult:
        """The handshake of all versions up to 2025-11-25; a `server/discover` probe would come before it."""
        client = {"name": "voice-gateway", "version": client_version()}
        params = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": client}
        result = await self.request("initialize", params)
        version = result.get("protocolVersion")
        if version not in PROTOCOL_VERSIONS or not isinstance(result.get("capabilities"), Mapping):
            raise LinkError(f"it did not speak the protocol: {shorten(str(result))}")
        self._session.notify("notifications/initialized", {})
        return InitializeResult.of(result)

    async def _page(self, cursor: str | None) -> tuple[list[Mapping[str, Any]], Any]:
        page = await self.request("tools/list", {} if cursor is None else {"cursor": cursor})
        tools = page.get("tools")
        if not isinstance(tools, list):
            raise LinkError("its reply to tools/list holds no list of tools")
        return tools, page.get("nextCursor")

    def _ended(self) -> None:
        self.end = f"the server {self._process.end}"
        self._session.close(f'The server "{self._name}" {self._process.end}.', self._process.stderr_tail())
        self._events.ended()
