"""Puts the web door together: which routes there are, and which parts of the gateway stand behind them."""

from typing import TYPE_CHECKING, Any

from voice_gateway.config import data_folder
from voice_gateway.doors.web.door import Start, WebDoor
from voice_gateway.doors.web.tokens import TokenFile

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway

TOKEN_FILE = "web-token.json"
# Imported in a thread, while servers start; by then none of it is needed.
HEAVY = ("voice_gateway.doors.web.asking",)


def token_file() -> TokenFile:
    return TokenFile(data_folder() / TOKEN_FILE)


def web_door(gateway: "Gateway") -> WebDoor:
    def routes(start: Start) -> list[Any]:
        from starlette.routing import Route

        from voice_gateway.doors.web.asking import Asking
        from voice_gateway.doors.web.devices import Devices
        from voice_gateway.doors.web.feed import Feed

        feed = Feed(gateway.watch)
        devices = Devices(lambda: gateway.local.home, feed)
        gateway.local.subscribe(lambda _change: devices.changed())
        return [
            *Asking(gateway.conversation.answer, feed, start).routes(),
            Route("/api/events", feed.events, methods=["GET"]),
            *devices.routes(),
        ]

    return WebDoor(gateway.settings.web, routes, gateway.watch, token_file(), heavy=HEAVY)
