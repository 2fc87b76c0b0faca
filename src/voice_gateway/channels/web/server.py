"""The HTTP server itself: uvicorn's protocols on a socket of ours, without its loop, signals and logs."""

import asyncio
import logging
import ssl
from collections.abc import Sequence
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from voice_gateway.channels.web.guard import Guard
from voice_gateway.channels.web.limits import LIMITS, Limits
from voice_gateway.channels.web.refusals import WENT_WRONG, refusal_json
from voice_gateway.channels.web.static_files import static_route
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import WebSettings
from voice_gateway.errors import LinkError

STOP_SECONDS = 1.0


def application(
    settings: WebSettings, tokens: TokenFile, routes: Sequence[BaseRoute], limits: Limits = LIMITS
) -> ASGIApp:
    """Everything that is served, behind the guard."""
    app = Starlette(
        routes=[*routes, static_route()],
        exception_handlers={HTTPException: _refused, Exception: _failed},
    )
    app.router.redirect_slashes = False
    return Guard(app, settings, tokens, limits)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = refusal_json(request.url.path, error.status_code, error.detail)
    return JSONResponse(said, error.status_code, headers=error.headers)


async def _failed(request: Request, _error: Exception) -> Response:
    return JSONResponse(refusal_json(request.url.path, 500, WENT_WRONG), 500)


class HttpServer:
    """One port."""

    def __init__(self, app: ASGIApp, settings: WebSettings, limits: Limits = LIMITS) -> None:
        self._settings = settings
        self._limits = limits
        self._state = ServerState()
        self._server: asyncio.Server | None = None
        self._config = uvicorn.Config(
            self._quietly(app),
            http=_Connection,
            ws=WebSocketsSansIOProtocol,
            ws_max_size=limits.message_bytes,
            ws_max_queue=8,
            ws_per_message_deflate=False,  # a small message may unpack to a large one
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=limits.keep_alive_seconds,
            h11_max_incomplete_event_size=limits.headers_bytes,
        )
        # What strangers send is no warning for the owner.
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)

    def _quietly(self, app: ASGIApp) -> ASGIApp:
        async def ended(scope: Any, receive: Any, send: Any) -> None:
            try:
                await app(scope, receive, send)
            except asyncio.CancelledError:
                if self._server is not None:
                    raise
                # We are closing: uvicorn would log every open console as an error.

        return ended

    async def open(self) -> int:
        """The port that it listens on. OSError: it cannot be had; LinkError: the certificate is no good."""
        self._config.load()
        encryption = _encryption(self._settings)
        self._server = await asyncio.get_running_loop().create_server(
            self._connection,
            self._settings.host,
            self._settings.port,
            ssl=encryption,
            ssl_handshake_timeout=self._limits.header_seconds if encryption else None,
        )
        return int(self._server.sockets[0].getsockname()[1])

    def _connection(self) -> asyncio.Protocol:
        return _Connection(self._config, self._state, {"limits": self._limits})

    async def wait_closed(self) -> None:
        assert self._server is not None
        await self._server.serve_forever()

    async def close(self) -> None:
        """Open streams are ended, not waited for; a turn that was asked for comes to its end in the
        conversation or is cut off with everything else."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for connection in list(self._state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # they learn of it
        for task in self._state.tasks:
            task.cancel()
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=STOP_SECONDS)


def _encryption(settings: WebSettings) -> ssl.SSLContext | None:
    """LinkError: the certificate or its key is no good."""
    if settings.tls_cert is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        # Of a key with a passphrase OpenSSL would ask for it at the terminal, and hold up everything.
        context.load_cert_chain(settings.tls_cert, settings.tls_key, password="")
    except OSError as error:
        raise LinkError(error.strerror or str(error)) from error
    return context


class _Connection(H11Protocol):
    """Who is slow to say what it wants, or to read what it asked for, is let go."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "abort": transport.abort}
        if self._too_many():
            transport.abort()
            return
        self._begin()

    def _too_many(self) -> bool:
        limits: Limits = self.app_state["limits"]
        same = sum(_address(one) == _address(self) for one in self.connections)
        return len(self.connections) > limits.connections or same > limits.connections_of_one

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._ended()
        elif self._limit is None:
            self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().timeout_keep_alive_handler()

    def _begin(self) -> None:
        self._limit = self.loop.call_later(self.app_state["limits"].header_seconds, self.transport.abort)

    def _ended(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None


def _address(connection: object) -> str:
    """Of who is at the other end, as uvicorn's protocols know it."""
    client: tuple[str, int] | None = getattr(connection, "client", None)
    return client[0] if client else ""
