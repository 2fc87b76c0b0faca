"""A running MCPIntegration around real server processes, with everything a test wants to see of it."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool
from tests.fakes.limits import with_limits
from tests.fakes.waiting import until

from voice_gateway.config import McpSettings, ServerSettings
from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.mcp_client.integration import MCPIntegration, ServerStatus
from voice_gateway.mcp_client.status import Hide, hide_nothing

NOT_UNIT = "servers as processes"

FAKES = Path(__file__).parent
LIMIT = 30.0  # no wait of a test is longer: a loaded machine may need long; a hang never ends

QUICK = {"stop_timeout_seconds": 0.6, "connect_timeout_seconds": LIMIT, "first_start_seconds": 0.001}


def fault_server(*faults: str, **settings: Any) -> ServerSettings:
    return ServerSettings(command=sys.executable, args=(str(FAKES / "fault_server.py"), *faults), **settings)


@dataclass
class Linked:
    """The link, and what it has said so far."""

    integration: MCPIntegration = field(init=False)
    tools: dict[str, dict[str, BaseTool]] = field(default_factory=dict)  # server -> original name -> tool
    announcements: list[tuple[str, int]] = field(default_factory=list)
    statuses: list[ServerStatus] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    patience: float = 4.0  # shorter waits pass at once; longer ones last until the test says so
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    def on_tools(self, server: str, tools: Sequence[BaseTool]) -> None:
        self.tools[server] = {(tool.metadata or {})["traits"].original_name: tool for tool in tools}
        self.announcements.append((server, len(tools)))
        self.changed.set()

    def on_status(self, status: ServerStatus) -> None:
        self.statuses.append(status)
        self.changed.set()

    async def sleep(self, seconds: float) -> None:
        self.delays.append(seconds)
        self.changed.set()
        if seconds > self.patience:
            await self.go_on.wait()

    async def call(self, tool: str, server: str = "fault", **arguments: Any) -> str:
        """What the tool's own coroutine gives; a real call over the real link."""
        coroutine = self.tools[server][tool].coroutine  # type: ignore[attr-defined]
        text, _ = await coroutine(**arguments)
        return text

    def status(self, server: str = "fault") -> ServerStatus:
        return next(status for status in self.integration.status() if status.name == server)

    async def until(self, what: Callable[[], bool]) -> None:
        """Waits for a condition, looked at whenever something was announced."""
        async with asyncio.timeout(LIMIT):
            while not what():
                self.changed.clear()
                await self.changed.wait()


@contextlib.asynccontextmanager
async def linked(
    servers: Mapping[str, ServerSettings] | ServerSettings,
    *,
    settle: bool = True,
    patience: float = 4.0,
    local_tools: Sequence[str] = (),
    hide: Hide = hide_nothing,
    timeouts: LinkTimeouts = LinkTimeouts(),  # noqa: B008 (frozen)
    **settings: Any,
) -> AsyncIterator[Linked]:
    """Started and settled; at the end stopped with nothing left behind: no task, descriptor or process."""
    link = Linked(patience=patience)
    known = {"fault": servers} if isinstance(servers, ServerSettings) else servers
    link.integration = MCPIntegration(
        known,
        with_limits(McpSettings, **{**QUICK, **settings}),
        on_tools=link.on_tools,
        on_status=link.on_status,
        local_tools=lambda: local_tools,
        sleep=link.sleep,
        hide=hide,
        timeouts=timeouts,
    )
    descriptors, tasks, processes = open_descriptors(), asyncio.all_tasks(), children()
    run = asyncio.get_running_loop().create_task(link.integration.run())
    try:
        if settle:
            async with asyncio.timeout(LIMIT):
                await link.integration.settled()
        yield link
    finally:
        link.integration.stop()
        async with asyncio.timeout(LIMIT):
            await run
    await until(lambda: asyncio.all_tasks() == tasks)  # a server in this process sees late that we hung up
    await until(lambda: open_descriptors() <= descriptors)
    assert children() == processes
    assert all(status.state == "stopped" for status in link.integration.status())


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def children() -> set[str]:
    """Processes that we have started and that are still there, zombies too."""
    found: set[str] = set()
    for threads_children in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError):  # the thread has just ended
            found.update(threads_children.read_text().split())
    return found


def alive(pid: int) -> bool:
    """Running, and not merely waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone before, or while it was read
        return False
