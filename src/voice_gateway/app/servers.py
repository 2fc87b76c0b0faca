"""The MCP servers of a gateway: started once, and the waits for their tools."""

import asyncio
import contextlib
from typing import TYPE_CHECKING

from voice_gateway.reports import left_out_report
from voice_gateway.tools.manager import contenders

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway

TOOLS_WAIT_SECONDS = 12.0  # a turn waits this long for servers: the usual attempts (0, 2, 4 s) fit in
GRACE_SECONDS = 0.5


class ToolServers:
    def __init__(self, gateway: "Gateway", tasks: asyncio.TaskGroup) -> None:
        self._gateway, self._link, self._tasks = gateway, gateway.link, tasks
        self._servers = gateway.settings.mcpServers
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to connect the MCP servers. Built-in tools do not wait for them."""
        if self._task is None:
            for status in self._link.status():
                self._gateway.report_server(status)
            for report in map(left_out_report, self._gateway.settings.left_out):
                self._gateway.events.report(report.part, report.state, report.sentence, report.advice)
            self._task = self._tasks.create_task(self._link.run(), name="mcp")

    async def linked(self, *, installed: bool = False) -> None:
        """Returns when every MCP server is connected or has used up its first attempts.

        With `installed` it also waits for servers that are being installed.
        """
        self.start()
        await self._link.settled(installed=installed)

    def contenders(self, tool: str) -> list[str]:
        """The servers that are still connecting and may bring the tool that this name would then mean."""
        coming = {name: self._servers[name].trusted for name in self._link.unsettled()}
        return contenders(self._gateway.tools, tool, coming, list(self._servers))

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
        connecting = [status.name for status in self._link.status() if status.state == "connecting"]
        coming = any(name in self._servers and self._servers[name].is_home for name in connecting)
        return bool(self._gateway.sources.all()) and not coming

    async def close(self) -> None:
        """Wait for the link, which was told to stop; a second cancel would wedge it."""
        if self._task is not None:
            await asyncio.wait([self._task])
