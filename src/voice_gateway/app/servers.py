"""The MCP servers of a gateway: started once, and the waits for their tools."""

import asyncio
import contextlib
from collections.abc import Callable

from voice_gateway.config import Settings
from voice_gateway.events import EventBus, State
from voice_gateway.integrations.sources import Sources
from voice_gateway.mcp_client.integration import MCPIntegration, ServerStatus
from voice_gateway.reports import left_out_report
from voice_gateway.tools.manager import ToolManager, contenders

TOOLS_WAIT_SECONDS = 12.0  # a turn waits this long for servers: the usual attempts (0, 2, 4 s) fit in
GRACE_SECONDS = 0.5


class ToolServers:
    def __init__(
        self,
        settings: Settings,
        link: MCPIntegration,
        tools: ToolManager,
        sources: Sources,
        events: EventBus,
        *,
        tasks: asyncio.TaskGroup,
        report: Callable[[ServerStatus], None],
    ) -> None:
        self._settings = settings
        self._link = link
        self._tools = tools
        self._sources = sources
        self._events = events
        self._tasks = tasks
        self._report = report
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to connect the MCP servers. Built-in tools do not wait for them."""
        if self._task is None:
            for status in self._link.status():
                self._report(status)
            for entry in self._settings.left_out:
                report = left_out_report(entry)
                part = report.part
                self._events.report(part, State.DEGRADED, report.sentence, report.advice)
            self._task = self._tasks.create_task(self._link.run(), name="mcp")

    async def linked(self, *, installed: bool = False) -> None:
        """Returns when every MCP server is connected or has used up its first attempts.

        With `installed` it also waits for servers that are being installed.
        """
        self.start()
        await self._link.settled(installed=installed)

    def contenders(self, tool: str) -> list[str]:
        """The servers that are still connecting and may bring the tool that this name would then mean."""
        servers = self._settings.mcpServers
        coming = {name: servers[name].trusted for name in self._link.unsettled()}
        return contenders(self._tools, tool, coming, list(servers))

    async def tool_known(self, tool: str, limit_seconds: float | None = None) -> None:
        """Returns when it is clear which server's tool this name means, or when the time is over."""
        if self.contenders(tool):
            self.start()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(limit_seconds):
                    await self._link.settled(lambda: not self.contenders(tool), installed=True)

    async def tools_known(self) -> None:
        """Returns when all tools are known, or after a limit: a server may hang."""
        self.start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TOOLS_WAIT_SECONDS):
                await self._link.settled()

    async def homes_known(self) -> None:
        """Returns when the home servers are connected; the others get half a second more."""
        self.start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TOOLS_WAIT_SECONDS):
                await self._link.settled(self._homes_linked)
            async with asyncio.timeout(GRACE_SECONDS):
                await self._link.settled()

    def _homes_linked(self) -> bool:
        """Whether every home server is connected: with half of a home a name may match a wrong device."""
        servers = self._settings.mcpServers
        connecting = [status.name for status in self._link.status() if status.state == "connecting"]
        coming = any(name in servers and servers[name].is_home for name in connecting)
        return bool(self._sources.all()) and not coming

    async def close(self) -> None:
        """Wait for the link, which was told to stop; a second cancel would wedge it."""
        if self._task is not None:
            await asyncio.wait([self._task])
