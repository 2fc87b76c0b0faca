"""Puts the web door together: which routes there are, and which parts of the gateway stand behind them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from voice_gateway.config import web_token_file
from voice_gateway.doors.web.door import Start, WebDoor
from voice_gateway.doors.web.tokens import TokenFile
from voice_gateway.watch import Event, Planned

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway

# Imported in a thread, while servers start; by then none of it is needed.
HEAVY = (
    "voice_gateway.doors.web.asking",
    "voice_gateway.doors.web.health",
    "voice_gateway.doors.web.mcp",
    "voice_gateway.doors.web.metrics",
    "voice_gateway.doors.web.openai",
)


def web_door(gateway: "Gateway", config: Path | None) -> WebDoor:
    """`config` is the file of its settings."""

    def routes(start: Start) -> list[Any]:
        from starlette.routing import Route

        from voice_gateway.app import programs
        from voice_gateway.doors.web.asking import Asking
        from voice_gateway.doors.web.devices import Devices
        from voice_gateway.doors.web.feed import Feed
        from voice_gateway.doors.web.login import LoginPage
        from voice_gateway.doors.web.microphones import Microphones
        from voice_gateway.doors.web.openapi import openapi_routes
        from voice_gateway.doors.web.routines import routine_json
        from voice_gateway.doors.web.turns import Turns

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
            *programs.routes(gateway, start, config),
        ]

    tokens = TokenFile(web_token_file())
    return WebDoor(gateway.settings.web, routes, gateway.watch, tokens, heavy=HEAVY)


def _engines(gateway: "Gateway") -> Any:
    from voice_gateway.doors.web.voice import Engines

    doors = gateway.doors
    return Engines(doors.transcriber, doors.synthesizer, gateway.settings.voice, gateway.watch)
