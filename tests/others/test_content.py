"""server-everything and server-filesystem: progress, tasks, log messages, pictures and instructions."""

import base64

import pytest
from tests.fakes.linked import Linked, linked

from voice_gateway.config import ServerSettings
from voice_gateway.progress import Progress, progress_to
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolOutcome

pytestmark = [pytest.mark.others, pytest.mark.timeout(120)]


def executor_of(link: Linked, **options: float) -> ToolExecutor:
    manager = ToolManager()
    for server, tools in link.tools.items():
        manager.add_mcp_tools(server, list(tools.values()))
    return ToolExecutor(manager, timeout_seconds=options.get("timeout_seconds", 30.0))


async def called(executor: ToolExecutor, name: str, **arguments: object) -> ToolOutcome:
    return await executor.execute(ToolCall("1", name, arguments))


@pytest.fixture(params=["stdio", "everything_http", "everything_sse"])
def everything(request: pytest.FixtureRequest) -> ServerSettings:
    if request.param == "stdio":
        server: ServerSettings = request.getfixturevalue("servers")["everything"]
        return server
    return ServerSettings(url=request.getfixturevalue(request.param).url)


async def test_all_that_server_everything_has_to_give(everything):
    told: list[Progress] = []
    async with linked({"everything": everything}, connect_timeout_seconds=30.0) as link:
        executor = executor_of(link, timeout_seconds=1.5)
        with progress_to(told.append):
            long = await called(executor, "trigger-long-running-operation", duration=3, steps=6)
        assert long.text == "Long running operation completed. Duration: 3 seconds, Steps: 6."
        assert told[-1].share == 1.0

        research = await called(executor, "simulate-research-query", topic="bees")
        assert research.text.startswith("# Research Report: bees")

        image = await called(executor, "get-tiny-image")
        assert "[an image of 4 kB]" in image.text
        assert base64.b64decode(image.artifacts[0].data or "").startswith(b"\x89PNG")
        links = await called(executor, "get-resource-links", count=2)
        assert links.text.count("[a link to ") == 2

        assert "Everything Server" in link.integration.instructions()["everything"]
