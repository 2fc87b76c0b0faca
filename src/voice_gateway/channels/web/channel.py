"""The web door: opens its port, tries again while it is taken, and says where the console is."""

import asyncio
import importlib
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from voice_gateway.channels.web.limits import LIMITS, Limits
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import WebSettings
from voice_gateway.errors import LinkError
from voice_gateway.events import EventBus, State
from voice_gateway.problems.channels import WEB
from voice_gateway.problems.sentences import WEB_CERTIFICATE, WEB_NO_TLS, WEB_NO_TOKEN, WEB_PORT

if TYPE_CHECKING:
    from voice_gateway.channels.web.server import HttpServer

log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0  # until a port that is taken may be free
Start = Callable[[Coroutine[Any, Any, None]], object]  # work that outlives a connection
HEAVY = "voice_gateway.channels.web.server"  # with Starlette and uvicorn


class WebChannel:
    """`routes` makes what is served, when its libraries are there."""

    def __init__(
        self,
        settings: WebSettings,
        routes: Callable[[Start], Sequence[Any]],
        watch: EventBus,
        tokens: TokenFile,
        *,
        heavy: Sequence[str] = (),  # modules that are imported beside what else starts
        retry_seconds: float = RETRY_SECONDS,
        limits: Limits = LIMITS,
    ) -> None:
        self._settings = settings
        self._routes = routes
        self._watch = watch
        self._tokens = tokens
        self._heavy = (HEAVY, *heavy)
        self._retry_seconds = retry_seconds
        self._limits = limits
        self.port = 0  # that it really listens on; 0: it does not
        self.tried = asyncio.Event()  # it listens, or it is known that it cannot for now

    @property
    def address(self) -> str:
        """What to type into a browser; empty while there is nothing to see."""
        if not self.port:
            return ""
        host = self._settings.host
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        scheme = "https" if self._settings.tls_cert else "http"
        return f"{scheme}://{shown}:{self.port}/"

    async def run(self) -> None:
        """Until cancelled."""
        self._watch.report("web", State.STARTING, "The web console is starting.")
        for module in self._heavy:
            await asyncio.to_thread(importlib.import_module, module)
        async with asyncio.TaskGroup() as turns:
            await self._open(lambda work: turns.create_task(_survived(work), name="web"))

    async def _open(self, start: Start) -> None:
        from voice_gateway.channels.web.server import HttpServer, application

        app = application(self._settings, self._tokens, self._routes(start), self._limits)
        while True:
            server = HttpServer(app, self._settings, self._limits)
            try:
                self.port = await server.open()
                break
            except LinkError as error:
                self._failed(WEB_CERTIFICATE.format(reason=error))
            except OSError as error:
                reason = error.strerror or str(error)
                host, port = self._settings.host, self._settings.port
                self._failed(WEB_PORT.format(host=host, port=port, reason=reason))
            await asyncio.sleep(self._retry_seconds)
        try:
            await self._serve(server)
        finally:
            self.port = 0
            await server.close()

    async def _serve(self, server: "HttpServer") -> None:
        self._report()
        self.tried.set()
        async with asyncio.TaskGroup() as tasks:
            if self._settings.needs_token:
                tasks.create_task(self._follow_token(), name="web token")
            await server.wait_closed()

    async def _follow_token(self) -> None:
        """Another process makes and revokes it."""
        known = self._tokens.exists
        while True:
            await asyncio.sleep(self._retry_seconds)
            if self._tokens.exists != known:
                known = not known
                self._report()

    def _report(self) -> None:
        if not self._settings.needs_token:
            self._watch.report("web", State.OK, f"The web console is at {self.address}.")
        elif not self._tokens.exists:
            self._watch.report("web", State.DEGRADED, WEB_NO_TOKEN, WEB.advice)
        else:
            plain = "" if self._settings.tls_cert else f" {WEB_NO_TLS}"
            self._watch.report("web", State.OK, f"The web console is at {self.address}.{plain}")

    def _failed(self, sentence: str) -> None:
        self._watch.report("web", State.DEGRADED, sentence, WEB.advice)
        self.tried.set()


async def _survived(work: Coroutine[Any, Any, None]) -> None:
    """What one request asked for does not end the door."""
    try:
        await work
    except Exception:
        log.exception("a request of the web door failed")
