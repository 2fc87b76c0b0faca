"""Builds every part, introduces them to each other, and owns every long task."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from voice_gateway.brain.client import Stage
from voice_gateway.brain.intents.abilities import abilities
from voice_gateway.brain.intents.stage import LocalBrain
from voice_gateway.config import Settings
from voice_gateway.conversation import Conversation
from voice_gateway.mcp_link.integration import MCPIntegration, ServerStatus
from voice_gateway.store import Store
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager

if TYPE_CHECKING:
    from voice_gateway.brain.anthropic import AnthropicClient
    from voice_gateway.brain.ollama import OllamaClient


class Gateway:
    """The parts of one running gateway. Open it with `async with opened(settings) as gateway`."""

    def __init__(
        self,
        settings: Settings,
        tasks: asyncio.TaskGroup,
        *,
        store: Store | None = None,
        on_status: Callable[[ServerStatus], None] | None = None,
    ) -> None:
        self.settings = settings
        self._tasks = tasks
        self._link_task: asyncio.Task[None] | None = None
        self._long: list[asyncio.Task[None]] = []
        self.tools = ToolManager()
        for tool in builtin_tools(settings.tools):
            self.tools.add(tool)
        self.executor = ToolExecutor(
            self.tools,
            timeout_seconds=settings.tools.timeout_seconds,
            max_parallel=settings.tools.max_parallel,
            result_cap=settings.tools.result_cap,
            slow_seconds=settings.tools.slow_seconds,
        )
        local_names = [tool.name for tool in self.tools.all()]
        self.link = MCPIntegration(
            settings.mcpServers,
            settings.mcp,
            on_tools=self.tools.add_mcp_tools,
            on_status=on_status,
            local_tools=lambda: local_names,
        )
        self.local = LocalBrain(self.executor, settings.brain, home_ready=self.linked)
        self.model = self._model()
        stages: list[Stage] = [self.local]
        if self.model is not None:
            stages.append(self.model)
        self.conversation = Conversation(
            stages,
            self.executor,
            settings.brain,
            settings.permission,
            store=store,
            kinds_of=self.local.kinds_of,
            unknown=self._what_i_can,
        )

    def _model(self) -> "OllamaClient | AnthropicClient | None":
        settings = self.settings
        if settings.brain.provider == "ollama":
            from voice_gateway.brain.ollama import OllamaClient

            priority = settings.tools.priority
            return OllamaClient(settings.ollama, settings.brain, self.executor, priority=priority)
        if settings.brain.provider == "anthropic":
            from voice_gateway.brain.anthropic import AnthropicClient

            return AnthropicClient(settings.anthropic, settings.brain, self.executor)
        return None

    def _what_i_can(self) -> str:
        return f"I don't know how to do that. {abilities(self.tools.all(), self.local.home)}"

    def left_out(self) -> Mapping[str, str]:
        """The tools that the model does not see, and why. Without a model nothing is left out."""
        return self.model.offer().left_out if self.model is not None else {}

    def start_link(self) -> None:
        """Begin to connect the MCP servers; what built-in tools can answer does not wait for them."""
        if self._link_task is None:
            self._link_task = self._tasks.create_task(self.link.run(), name="mcp")

    async def linked(self) -> None:
        """Returns when every MCP server is connected or has used up its first attempts."""
        self.start_link()
        await self.link.settled()

    def start_long_tasks(self) -> None:
        """What a gateway that stays up does beside answering."""
        self.start_link()
        self._start(self.local.keep_fresh(), "brain.local")
        if self.model is not None:
            self._start(self.model.keep_warm(), "brain.model")

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self._long.append(self._tasks.create_task(work, name=name))

    async def close(self) -> None:
        """What asks stops before what answers. The link stops by its event, never by a second cancel."""
        for task in self._long:
            task.cancel()
        if self.model is not None:
            await self.model.aclose()
        self.link.stop()
        if self._link_task is not None:
            await asyncio.wait([self._link_task])


@asynccontextmanager
async def opened(
    settings: Settings,
    *,
    store: Store | None = None,
    on_status: Callable[[ServerStatus], None] | None = None,
) -> AsyncIterator[Gateway]:
    """A gateway whose tasks all end, and whose servers all stop, when the block is left."""
    async with asyncio.TaskGroup() as tasks:
        gateway = Gateway(settings, tasks, store=store, on_status=on_status)
        try:
            yield gateway
        finally:
            await gateway.close()
