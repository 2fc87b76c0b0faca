"""All MCP servers of the gateway: each has one owner task, and one that fails costs only its own tools."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.config import McpSettings, ServerSettings
from voice_gateway.errors import GatewayError, ToolError, ToolUnavailable
from voice_gateway.mcp_client.catalogue import Catalogue, Contents, Shelf, catalogue
from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.mcp_client.server import Server
from voice_gateway.mcp_client.status import Hide, LinkListeners, Refusal, ServerStatus, hide_nothing

__all__ = ["MCPIntegration", "Refusal", "ServerStatus"]


class MCPIntegration:
    """Owns every server while `run` runs; `on_tools(server, tools)` replaces what that server offered."""

    def __init__(
        self,
        servers: Mapping[str, ServerSettings],
        settings: McpSettings,
        *,
        on_tools: Callable[[str, Sequence[BaseTool]], None],
        on_status: Callable[[ServerStatus], None] | None = None,
        local_tools: Callable[[], Sequence[str]] = lambda: (),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_resource: Callable[[str, str], None] = lambda _server, _uri: None,
        hide: Hide = hide_nothing,
        timeouts: LinkTimeouts = LinkTimeouts(),  # noqa: B008 (frozen)
    ) -> None:
        self._on_tools = on_tools
        self._on_status = on_status
        self._news = asyncio.Event()
        listeners = LinkListeners(
            self._tools_changed, self._status_changed, local_tools, self._connected, sleep, on_resource
        )
        self._servers = [
            Server(name, server, settings, listeners, timeouts=timeouts, hide=hide(server))
            for name, server in servers.items()
        ]

    async def run(self) -> None:
        """Returns after `stop`, when no server is left. Cancelling it stops the servers in the same way."""
        # Not a TaskGroup: it would cancel the owners, and a second cancel during their teardown leaves
        # processes behind. They stop by their event, which takes a bounded time; cancellation waits for that.
        owners = [asyncio.create_task(server.run()) for server in self._servers]  # noqa: TID251
        if not owners:
            return
        cancelled: asyncio.CancelledError | None = None
        try:
            await asyncio.wait(owners, return_when=asyncio.FIRST_EXCEPTION)
        except asyncio.CancelledError as error:
            cancelled = error
        self.stop()
        while running := [owner for owner in owners if not owner.done()]:
            try:
                await asyncio.wait(running)
            except asyncio.CancelledError as error:
                cancelled = error
        for owner in owners:
            owner.result()  # a bug of ours is loud
        if cancelled is not None:
            raise cancelled

    async def settled(self, enough: Callable[[], bool] = lambda: False, *, installed: bool = False) -> None:
        """Each server is connected, is being installed, or has used up its first attempts; or what came is
        `enough`. With `installed`, installations are waited for, too."""
        while not enough() and not all(
            server.settled and not (installed and server.installing) for server in self._servers
        ):
            self._news.clear()
            await self._news.wait()

    def unsettled(self) -> list[str]:
        """Those whose tools may still come for the first time."""
        return [one.name for one in self._servers if one.installing or not one.settled]

    def drop(self, name: str) -> None:
        """This server is not needed any more: its tools go at once, and it ends by itself."""
        for server in [one for one in self._servers if one.name == name]:
            self._servers.remove(server)
            server.stop()
            self._tools_changed(name, ())

    def stop(self) -> None:
        for server in self._servers:
            server.stop()

    async def request(self, server: str, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Of one server, by its name."""
        for one in self._servers:
            if one.name == server:
                return await one.calls.request(method, params)
        raise ToolUnavailable(f'There is no server "{server}".')

    async def hanging(self) -> list[str]:
        """The servers that are connected and do not answer, asked now; it takes as long as a ping may."""
        answers = await asyncio.gather(*(server.answers() for server in self._servers))
        return [one.status().name for one, well in zip(self._servers, answers, strict=True) if not well]

    # what servers offer beside tools

    async def resources(self) -> Catalogue:
        return await catalogue(self._shelves(), of="resources")

    async def prompts(self) -> Catalogue:
        return await catalogue(self._shelves(), of="prompts")

    async def read_resource(self, uri: str, server: str | None = None) -> Contents:
        """By the server that lists it or has a template for it, else by whichever knows it."""
        shelves = self._shelves(server, "resources")
        if len(shelves) > 1:
            listed = (await catalogue(shelves, of="resources")).resources
            owners = [one.server for one in listed if one.fits(uri)]
            shelves = sorted(shelves, key=lambda shelf: shelf.server not in owners)
        problem: ToolError | None = None
        for shelf in shelves:
            try:
                return await shelf.read(uri)
            except GatewayError as error:  # told is what the likeliest said, which is asked first
                problem = problem or ToolError(f'The server "{shelf.server}" could not read it: {error}')
        raise problem or ToolError(f"No server that is connected has resources{_called(server)}.")

    async def get_prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> Contents:
        for shelf in self._shelves(server, "prompts"):
            return await shelf.prompt(name, arguments)
        raise ToolError(f"No server that is connected has prompts{_called(server)}.")

    def instructions(self) -> dict[str, str]:
        """What each connected server that has tools says to a model, in its own words."""
        return {one.name: one.greeting.instructions for one in self._servers if one.is_linked and one.tools}

    def _shelves(self, server: str | None = None, offer: str = "") -> list[Shelf]:
        found = [Shelf(one.name, one.greeting, one.calls.request) for one in self._servers if one.is_linked]
        return [
            one
            for one in found
            if server in (None, one.server) and (not offer or offer in one.greeting.offers)
        ]

    def status(self) -> list[ServerStatus]:
        return [server.status() for server in self._servers]

    def _connected(self) -> list[str]:
        return [status.name for status in self.status() if status.state == "connected"]

    def _tools_changed(self, server: str, tools: Sequence[BaseTool]) -> None:
        self._on_tools(server, tools)
        self._news.set()

    def _status_changed(self, status: ServerStatus) -> None:
        dropped = all(status.name != server.name for server in self._servers)
        if self._on_status is not None and not dropped:
            self._on_status(status)
        self._news.set()


def _called(server: str | None) -> str:
    return f' and is called "{server}"' if server else ""
