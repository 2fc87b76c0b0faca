"""The web channel: opens its port, retries while the port is taken, and reports the console's address."""

import asyncio
import importlib
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import WebSettings
from voice_gateway.errors import LinkError
from voice_gateway.events import EventBus, State
from voice_gateway.problems import WEB_CERTIFICATE, WEB_NO_TLS, WEB_NO_TOKEN, WEB_PORT

if TYPE_CHECKING:
    from voice_gateway.channels.web.guard import Limits

log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0  # until a port that is taken may be free
SERVER = "voice_gateway.channels.web.server"  # imports FastAPI and uvicorn

Start = Callable[[Coroutine[Any, Any, None]], object]  # runs work that outlives a connection


@dataclass(eq=False)
class WebChannel:
    """`routes` is called once the server's libraries are imported."""

    settings: WebSettings
    routes: Callable[[Start], Sequence[Any]]
    events: EventBus
    tokens: TokenFile
    retry_seconds: float = RETRY_SECONDS
    limits: "Limits | None" = None
    port: int = 0  # 0 while it does not listen
    tried: asyncio.Event = field(default_factory=asyncio.Event)  # it listens, or has failed once

    @property
    def address(self) -> str:
        """The console's URL; empty while the port is not open."""
        if not self.port:
            return ""
        host = self.settings.host
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        scheme = "https" if self.settings.tls_cert else "http"
        return f"{scheme}://{shown}:{self.port}/"

    def login_link(self) -> str:
        """A URL that logs one browser in, where people of this machine need a login; else empty."""
        if not self.settings.login_by_link or not self.address:
            return ""
        return f"{self.address}enter?key={self.tokens.link_key()}"

    async def run(self) -> None:
        """Serves until cancelled."""
        self.events.report("web", State.STARTING, "The web console is starting.")
        await asyncio.to_thread(importlib.import_module, SERVER)
        async with asyncio.TaskGroup() as tasks:
            await self._serve(lambda work: tasks.create_task(_logged(work), name="web"))

    async def _serve(self, start: Start) -> None:
        from voice_gateway.channels.web.guard import LIMITS
        from voice_gateway.channels.web.server import application, listening

        limits, host, port = self.limits or LIMITS, self.settings.host, self.settings.port
        app = application(self.settings, self.tokens, self.routes(start), limits)
        while True:
            try:
                async with listening(app, self.settings, limits) as self.port:
                    self._report()
                    self.tried.set()
                    await self._follow_token()
            except LinkError as error:
                self._failed(WEB_CERTIFICATE.format(reason=error))
            except OSError as error:
                self._failed(WEB_PORT.format(host=host, port=port, reason=error.strerror or str(error)))
            finally:
                self.port = 0
            await asyncio.sleep(self.retry_seconds)

    async def _follow_token(self) -> None:
        """Reports when another process makes or revokes the token."""
        known = self.tokens.exists
        while True:
            await asyncio.sleep(self.retry_seconds)
            if self.settings.needs_token and self.tokens.exists != known:
                known = not known
                self._report()

    def _report(self) -> None:
        if not self.settings.needs_token or self.settings.login_by_link:
            self.events.report("web", State.OK, f"The web console is at {self.address}.")
        elif not self.tokens.exists:
            self.events.report("web", State.DEGRADED, WEB_NO_TOKEN)
        else:
            plain = "" if self.settings.tls_cert else f" {WEB_NO_TLS}"
            self.events.report("web", State.OK, f"The web console is at {self.address}.{plain}")

    def _failed(self, sentence: str) -> None:
        self.events.report("web", State.DEGRADED, sentence)
        self.tried.set()


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    """Logs an exception: the work of one request does not end the channel."""
    try:
        await work
    except Exception:
        log.exception("a web request failed")
