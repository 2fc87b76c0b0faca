"""Puts the web door together: which routes there are, and which parts of the gateway stand behind them."""

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voice_gateway import __version__
from voice_gateway.app.control_api import all_parts
from voice_gateway.app.tool_list import tool_request
from voice_gateway.channels.web.channel import Start, WebChannel
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import web_token_file
from voice_gateway.events import Event, PartState, Planned

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway

# Imported in a thread, while servers start; by then none of it is needed.
HEAVY = (
    "voice_gateway.channels.web.ask_api",
    "voice_gateway.channels.web.health",
    "voice_gateway.channels.web.mcp",
    "voice_gateway.channels.web.metrics",
    "voice_gateway.channels.web.openai",
)


def web_door(gateway: "Gateway", config: Path | None) -> WebChannel:
    """`config` is the file of its settings."""

    def routes(start: Start) -> list[Any]:
        from starlette.routing import Route

        from voice_gateway.channels.web.ask_api import Asking
        from voice_gateway.channels.web.devices import Devices
        from voice_gateway.channels.web.login import LoginPage
        from voice_gateway.channels.web.microphones import Microphones
        from voice_gateway.channels.web.openapi import openapi_routes
        from voice_gateway.channels.web.routines import routine_json
        from voice_gateway.channels.web.sse import Feed
        from voice_gateway.channels.web.turns import Turns

        talk, feed = gateway.conversation, Feed(gateway.watch)
        asking = Asking(talk.answer, feed, start)
        home = gateway.local
        devices = Devices(lambda: home.home, home.known, talk.make_calls, asking, feed)
        gateway.local.look_on(devices.changed)

        def planned(event: Event) -> None:
            if isinstance(event, Planned) and event.kind == "routine" and feed.listened:
                feed.tell("routines", {"routines": [routine_json(dict(one)) for one in event.plans.values()]})

        gateway.watch.subscribe(planned)
        return [
            *asking.routes(),
            Route("/api/events", feed.events, methods=["GET"]),
            *devices.routes(),
            *Microphones(lambda: _engines(gateway), talk.answer, feed, start).routes(),
            *Turns(gateway.recorder).routes(),
            *LoginPage(tokens).routes(),
            *openapi_routes(),
            *program_routes(gateway, start, config),
        ]

    tokens = TokenFile(web_token_file())
    return WebChannel(gateway.settings.web, routes, gateway.watch, tokens, heavy=HEAVY)


def program_routes(gateway: "Gateway", start: Start, config: Path | None) -> list[Any]:
    """For programs: OpenAI's shape, MCP, health, metrics, routines; `config` is for the doctor."""
    from voice_gateway.channels.web.doctor import Doctor
    from voice_gateway.channels.web.health import Health
    from voice_gateway.channels.web.mcp import McpChannel
    from voice_gateway.channels.web.metrics import Metrics
    from voice_gateway.channels.web.openai import OpenAi
    from voice_gateway.channels.web.routines import PlannedRoutines
    from voice_gateway.channels.web.stats import Figures

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
        *McpChannel(talk.answer, talk.make_calls, tools, routines, start=start, version=__version__).routes(),
        *routines.routes(),
        *Health(figures, parts, link.status).routes(),
        *Metrics(figures, gateway.watch.parts, link.status, __version__).routes(),
        *Doctor(_doctor(config), start).routes(),
    ]


def _doctor(config: Path | None) -> list[str]:
    chosen = ["--config", str(config.resolve())] if config is not None else []
    return [sys.executable, "-m", "voice_gateway", "doctor", "--lines", *chosen]


def _engines(gateway: "Gateway") -> Any:
    from voice_gateway.channels.web.voice import Engines

    doors = gateway.doors
    return Engines(doors.transcriber, doors.synthesizer, gateway.settings.voice, gateway.watch)
