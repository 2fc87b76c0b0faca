"""MCP servers for programs that import the library: connected while the block runs, their tools as a list."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from voice_gateway.config import McpSettings, ServerSettings
from voice_gateway.config.servers import McpJson, read_entries, read_mcp_json
from voice_gateway.errors import ConfigError
from voice_gateway.mcp_client.integration import MCPIntegration, ServerStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.tools import BaseTool


class McpServers:
    """Connects, retries and degrades for as long as the block runs; a server that fails costs only its tools.

    `servers` has an entry for each server, as in the `mcpServers` of an `mcp.json`.
    """

    def __init__(
        self,
        servers: Mapping[str, Mapping[str, Any] | ServerSettings],
        *,
        settings: McpSettings | None = None,
    ) -> None:
        self._read = McpJson(Path("mcpServers"))
        read_entries(self._read, servers.items(), os.environ)
        if self._read.left_out:
            first = self._read.left_out[0]
            raise ConfigError(f"server {first.name}: {first.reason}")
        self._begin(settings)

    @classmethod
    def from_file(cls, path: str | Path, *, settings: McpSettings | None = None) -> Self:
        """The servers of an `mcp.json`. A bad entry costs that server alone: `left_out` names it and why."""
        servers = cls.__new__(cls)
        servers._read = read_mcp_json(Path(path), os.environ)
        servers._begin(settings)
        return servers

    def _begin(self, settings: McpSettings | None) -> None:
        self._tools: dict[str, Sequence[BaseTool]] = {}
        self._link = MCPIntegration(
            self._read.servers, settings or McpSettings(), on_tools=self._tools.__setitem__
        )
        self._group = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        """Returns when each server is connected or has used up its first attempts."""
        await self._group.__aenter__()
        self._group.create_task(self._link.run())
        await self._link.settled(installed=True)
        return self

    async def __aexit__(self, *error: Any) -> None:
        self._link.stop()
        await self._group.__aexit__(*error)

    @property
    def tools(self) -> "list[BaseTool]":
        """The tools that the servers offer now."""
        return [tool for name in self._read.servers for tool in self._tools.get(name, ())]

    @property
    def left_out(self) -> dict[str, str]:
        """Why an entry of the file is no server, by its name."""
        return {entry.name: entry.reason for entry in self._read.left_out}

    def status(self) -> list[ServerStatus]:
        return self._link.status()
