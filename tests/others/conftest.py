"""Software of others: its servers, each started for the test that asks for it, and a gateway's commands."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.fakes.gateway_process import commands_fixture  # noqa: F401
from tests.fakes.mosquitto import broker_fixture  # noqa: F401
from tests.fakes.others import AGENTS, HttpServer, everything, listening, stdio_servers, written_here

from voice_gateway.config import ServerSettings

# At the end: what our own environment has, it has in the same version.
sys.path.append(str(AGENTS))


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Other runs do without these files, which import what only `make test-others` installs."""
    return None if config.option.markexpr == "others" else True


@pytest.fixture
def servers(tmp_path: Path) -> dict[str, ServerSettings]:
    """How each stdio server is started: everything, filesystem, memory, thinking, time, git, fetch, sqlite,
    fastmcp, mcp1."""
    return stdio_servers(tmp_path)


@pytest.fixture
async def everything_http(tmp_path: Path) -> AsyncIterator[HttpServer]:
    async with everything("streamableHttp", tmp_path) as server:
        yield server


@pytest.fixture
async def everything_sse(tmp_path: Path) -> AsyncIterator[HttpServer]:
    async with everything("sse", tmp_path) as server:
        yield server


@pytest.fixture
async def fastmcp_http(tmp_path: Path) -> AsyncIterator[HttpServer]:
    async with listening(written_here("fastmcp_server.py", "http"), "/mcp", tmp_path) as server:
        yield server


@pytest.fixture
async def mcp1_http(tmp_path: Path) -> AsyncIterator[HttpServer]:
    server = written_here("mcp1_server.py", "streamable-http", part="older")
    async with listening(server, "/mcp", tmp_path) as running:
        yield running
