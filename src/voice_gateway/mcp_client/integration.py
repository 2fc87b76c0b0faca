"""All MCP servers of the gateway: each has one owner task, and one that fails costs only its own tools."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.config import McpSettings, ServerSettings
from voice_gateway.errors import ToolUnavailable
from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.mcp_client.server import Server
from voice_gateway.mcp_client.status import Hide, Refusal, ServerStatus, hide_nothing

__all__ = ["MCPIntegration", "Refusal", "ServerStatus"]


class MCPIntegration:
    """Owns every server while `run` runs; `on_tools(server, tools)` replaces what that server offered."""

    def __init__(
        self,
        servers: Mapping[str, ServerSettings],
        settings: McpSettings,
        *,
        on_tools: Callable[[str, Sequence[BaseTool]], None],
        on_status: Callable[[ServerStatus], None] = lambda _status: None,
        local_tools: Callable[[], Sequence[str]] = lambda: (),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_resource: Callable[[str, str], None] = lambda _server, _uri: None,
        hide: Hide = hide_nothing,
        timeouts: LinkTimeouts = LinkTimeouts(),  # noqa: B008 (frozen)
    ) -> None:
        self._on_tools = on_tools
        self._on_status = on_status
        self._news = asyncio.Event()
        self.local_tools, self.sleep, self.on_resource = local_tools, sleep, on_resource
        self._servers = [
            Server(name, server, settings, self, timeouts=timeouts, hide=hide(server))
            for name, server in servers.items()
        ]

    async def run(self) -> None:
        """Returns after `stop`, when no server is left. Cancelling it stops the servers in the same way."""
        # Not a TaskGroup: it would cancel the owners, and a second cancel during their teardown leaves
        # processes behind. They stop by their event, which takes a bounded time; cancellation waits for that.
        owners = [asyncio.create_task(server.run()) for server in self._servers]  # noqa: TID251
        cancelled: asyncio.CancelledError | None = None
        wait_for = asyncio.FIRST_EXCEPTION
        while running := [owner for owner in owners if not owner.done()]:
            try:
                await asyncio.wait(running, return_when=wait_for)
            except asyncio.CancelledError as error:
                cancelled = error
            self.stop()
            wait_for = asyncio.ALL_COMPLETED
        for owner in owners:
            owner.result()  # a bug of ours is loud
        if cancelled is not None:
            raise cancelled

    async def settled(self, enough: Callable[[], bool] = lambda: False, *, installed: bool = False) -> None:
        """Returns when each server is connected, takes long to start, or has used up its first attempts, or
        when what came is `enough`. With `installed`, slow first starts are waited for, too."""
        while not enough() and not all(
            server.settled and not (installed and server.installing) for server in self._servers
        ):
            self._news.clear()
            await self._news.wait()

    def unsettled(self) -> list[str]:
        """Those whose tools may still come for the first time."""
        return [server.name for server in self._servers if server.installing or not server.settled]

    def drop(self, name: str) -> None:
        """This server is not needed any more: its tools go at once, and it ends by itself."""
        for server in [server for server in self._servers if server.name == name]:
            self._servers.remove(server)
            server.stop()
            self.tools_changed(name, ())

    def stop(self) -> None:
        for server in self._servers:
            server.stop()

    async def request(self, server: str, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        for owner in self._servers:
            if owner.name == server:
                return await owner.request(method, params)
        raise ToolUnavailable(f'There is no server "{server}".')

    async def hanging(self) -> list[str]:
        """The servers that are connected and do not answer a ping sent now."""
        answers = await asyncio.gather(*(server.answers() for server in self._servers))
        return [server.name for server, well in zip(self._servers, answers, strict=True) if not well]

    def status(self) -> list[ServerStatus]:
        return [server.status() for server in self._servers]

    def instructions(self) -> dict[str, str]:
        """The instructions for a model of each connected server that has tools."""
        linked = [server for server in self._servers if server.is_linked and server.tools]
        return {server.name: server.initialized.instructions for server in linked}

    # events of the servers

    def connected(self) -> list[str]:
        return [status.name for status in self.status() if status.state == "connected"]

    def tools_changed(self, server: str, tools: Sequence[BaseTool]) -> None:
        self._on_tools(server, tools)
        self._news.set()

    def status_changed(self, status: ServerStatus) -> None:
        if any(status.name == server.name for server in self._servers):  # else it was dropped
            self._on_status(status)
        self._news.set()
