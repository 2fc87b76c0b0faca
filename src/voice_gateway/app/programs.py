"""What stands behind the web door's routes for programs: OpenAI's shape, MCP, health, metrics, routines."""

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voice_gateway import __version__
from voice_gateway.app.operations import all_parts
from voice_gateway.app.tool_list import tool_request
from voice_gateway.doors.web.door import Start
from voice_gateway.watch import PartState

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway


def routes(gateway: "Gateway", start: Start, config: Path | None) -> list[Any]:
    """`config` is the file of the gateway's settings, for the doctor."""
    from voice_gateway.doors.web.doctor import Doctor
    from voice_gateway.doors.web.figures import Figures
    from voice_gateway.doors.web.health import Health
    from voice_gateway.doors.web.mcp import McpDoor
    from voice_gateway.doors.web.metrics import Metrics
    from voice_gateway.doors.web.openai import OpenAi
    from voice_gateway.doors.web.routines import PlannedRoutines

    talk, link, started = gateway.conversation, gateway.link, time.time()

    def known_tool(name: str) -> str | None:
        tool = gateway.tools.find(name)
        return gateway.tools.offered_name(tool) if tool is not None else None

    async def parts() -> Sequence[PartState]:
        return await all_parts(gateway, started)

    async def tools() -> Sequence[Mapping[str, Any]]:
        return [one["tool"] for one in (await tool_request(gateway, {"action": "list"}))["tools"]]

    figures = Figures(known_tool)
    gateway.watch.subscribe(figures.watched)
    routines = PlannedRoutines(gateway.routines.book, talk.make_calls)
    return [
        *OpenAi(talk.answer, start, gateway.watch).routes(),
        *McpDoor(talk.answer, talk.make_calls, tools, routines, start=start, version=__version__).routes(),
        *routines.routes(),
        *Health(figures, parts, link.status).routes(),
        *Metrics(figures, gateway.watch.parts, link.status, __version__).routes(),
        *Doctor(_doctor(config), start).routes(),
    ]


def _doctor(config: Path | None) -> list[str]:
    chosen = ["--config", str(config.resolve())] if config is not None else []
    return [sys.executable, "-m", "voice_gateway", "doctor", "--lines", *chosen]
