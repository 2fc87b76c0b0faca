"""The Z-Wave server as a real process, driven by the official client."""

import contextlib
import os
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.fakes import warm_python

NOT_UNIT = "a Z-Wave server as a process"


def environment(**more: str) -> dict[str, str]:
    """Only what a server needs: nothing of the developer's own settings reaches it."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **more}


@dataclass
class Client:
    session: ClientSession
    notices: list[Any] = field(default_factory=list)

    async def call(self, tool: str, **arguments: Any) -> tuple[str, dict[str, Any], bool]:
        """Sentence, structured content, and whether it is an error."""
        result = await self.session.call_tool(tool, arguments)
        return result.content[0].text, result.structured_content or {}, bool(result.is_error)


@contextlib.asynccontextmanager
async def zwave(
    state_file: Path, *arguments: str, home: Path | None = None, **env: str
) -> AsyncIterator[Client]:
    simulate = ["--simulate", str(home)] if home else ["--simulate"]
    command = ["-m", "zwave_mcp", *simulate, "--state-file", str(state_file), *arguments]
    server = StdioServerParameters(command=warm_python.python(), args=command, env=environment(**env))
    notices: list[Any] = []

    async def notice(message: Any) -> None:
        notices.append(message)

    with tempfile.TemporaryFile("w+") as errors:
        async with (
            stdio_client(server, errlog=errors) as streams,
            ClientSession(*streams, message_handler=notice) as session,
        ):
            await session.initialize()
            yield Client(session, notices)
