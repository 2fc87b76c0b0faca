"""Builds the web channel: its routes, and the parts of the gateway behind them."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voice_gateway import __version__
from voice_gateway.app.control_api import ControlApi
from voice_gateway.channels import ModelReplies
from voice_gateway.channels.web.channel import Start, WebChannel
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import web_token_file
from voice_gateway.events import Planned

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway


def web_channel(gateway: "Gateway", config: Path | None) -> WebChannel:
    """`config` is the settings file, which the doctor reads too."""
    tokens = TokenFile(web_token_file())
    settings, events = gateway.settings.web, gateway.events
    return WebChannel(settings, lambda start: web_routes(gateway, start, tokens, config), events, tokens)


def web_routes(gateway: "Gateway", start: Start, tokens: TokenFile, config: Path | None) -> list[Any]:
    """Every route of the API, in FastAPI routers. Called when the libraries are imported."""
    from voice_gateway.channels.web.ask_api import AskApi, login_router
    from voice_gateway.channels.web.home_api import DevicesApi, Routines, routine_json
    from voice_gateway.channels.web.mcp import McpChannel
    from voice_gateway.channels.web.openai import OpenAi
    from voice_gateway.channels.web.sse import Feed
    from voice_gateway.channels.web.stats import Stats, metrics_router
    from voice_gateway.channels.web.system_api import Doctor, Health, turns_router
    from voice_gateway.channels.web.voice import Engines, voice_router

    talk, home, events = gateway.conversation, gateway.local.cache, gateway.events
    api, feed = ControlApi(gateway), Feed(events)
    gateway.consoles.append(lambda: feed.consoles)
    asks = AskApi(talk.answer, feed, start)
    devices = DevicesApi(lambda: home.home, home.known, talk.make_calls, asks, feed)
    home.look_on(devices.publish_changes)
    routines = Routines(gateway.routines.book, talk.make_calls)

    def known_tool(name: str) -> str | None:
        tool = gateway.tools.find(name)
        return gateway.tools.offered_name(tool) if tool is not None else None

    stats = Stats(known_tool, __version__)
    events.subscribe(stats.on_event)

    def publish_routines(event: Planned) -> None:
        if event.kind == "routine" and feed.listened:
            plans = [routine_json(dict(plan)) for plan in event.plans.values()]
            feed.publish("routines", {"routines": plans})

    events.subscribe(publish_routines, Planned)

    async def tools() -> Sequence[Mapping[str, Any]]:
        listed = await api.tools({"action": "list"})
        return [record["tool"] for record in listed["tools"]]

    def engines() -> Engines:
        channels, chosen = gateway.channels, gateway.settings
        tone = chosen.speech.model_tone
        return Engines(channels.transcriber, channels.synthesizer, chosen.voice, events, tone)

    return [
        asks.router(),
        devices.router(),
        routines.router(),
        login_router(tokens),
        turns_router(gateway.recorder),
        voice_router(engines, talk.answer, feed, ModelReplies(events), start),
        Health(stats, api.parts, gateway.link.status).router(),
        Doctor(_doctor(config), start).router(),
        metrics_router(stats, events.parts, gateway.link.status),
        OpenAi(talk.answer, start, events).router(),
        McpChannel(talk.answer, talk.make_calls, tools, routines, start=start, version=__version__).route(),
    ]


def _doctor(config: Path | None) -> list[str]:
    chosen = ["--config", str(config.resolve())] if config is not None else []
    return [sys.executable, "-m", "voice_gateway", "doctor", "--lines", *chosen]
