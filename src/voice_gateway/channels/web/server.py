"""The HTTP server: a FastAPI application behind the guard, and uvicorn's protocols on a socket of ours."""

import asyncio
import contextlib
import logging
import mimetypes
import ssl
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from voice_gateway import __version__
from voice_gateway.channels.web.guard import LIMITS, PROGRAMS, Guard, Limits, refusal
from voice_gateway.channels.web.responses import ERROR
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import WebSettings
from voice_gateway.errors import LinkError, ToolError
from voice_gateway.recorder.store import RecorderLost

STOP_SECONDS = 1.0
STATIC = Path(__file__).parent / "static"
NO_JSON = "the body must be JSON"
# The reason is logged; a stranger does not learn it.
WENT_WRONG = "something went wrong in the gateway"

log = logging.getLogger(__name__)

Routes = Sequence[APIRouter | BaseRoute]


def application(
    settings: WebSettings, tokens: TokenFile, routes: Routes = (), limits: Limits = LIMITS
) -> ASGIApp:
    """Everything that is served, behind the guard."""
    app = FastAPI(
        title="Voice Gateway",
        version=__version__,
        description="On loopback no token is needed; elsewhere `voice-gateway web token` makes one.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        exception_handlers={
            HTTPException: _http_error,
            RequestValidationError: _validation_error,
            ToolError: _unavailable,
            RecorderLost: _unavailable,
            Exception: _unexpected_error,
        },
    )
    app.state.routers = [route for route in routes if isinstance(route, APIRouter)]
    for route in routes:
        if isinstance(route, APIRouter):
            app.include_router(route, responses=route.responses or {"4XX": {"model": ERROR}})
        else:
            app.router.routes.append(route)
    mimetypes.add_type("application/manifest+json", ".webmanifest")
    app.router.routes.append(_Pages("/", StaticFiles(directory=STATIC, html=True)))
    return Guard(app, settings, tokens, limits)


class _Pages(Mount):
    """The console's files. An unknown address of the API is not a missing page."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["path"].startswith(PROGRAMS):
            return Match.NONE, {}
        return super().matches(scope)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    reason = NO_JSON if error.detail == "There was an error parsing the body" else error.detail
    headers = error.headers
    if error.status_code == 405:  # the router names the methods of one route only
        routes = [route for router in request.app.state.routers for route in router.routes]
        matching = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
        methods = {method for route in matching for method in route.methods} or {"GET", "HEAD"}  # of a page
        headers = {"allow": ", ".join(sorted(methods))}
    return refusal(request.url.path, error.status_code, reason, headers=headers)


async def _validation_error(request: Request, error: Exception) -> Response:
    """One sentence about the first mistake; 400 for OpenAI's clients and where the body is not JSON."""
    assert isinstance(error, RequestValidationError)
    first, path = error.errors()[0], request.url.path
    if first["type"] == "json_invalid" or (first["type"], first["loc"]) == ("missing", ("body",)):
        return refusal(path, 400, NO_JSON)
    where = ".".join(str(part) for part in first["loc"][1:])
    reason = f"{where or 'the body'}: {first['msg']}"
    return refusal(path, 400 if path.startswith("/v1/") else 422, reason, where)


async def _unavailable(request: Request, error: Exception) -> Response:
    return refusal(request.url.path, 503, str(error))


async def _unexpected_error(request: Request, error: Exception) -> Response:
    log.error("a web request failed", exc_info=error)
    return refusal(request.url.path, 500, WENT_WRONG)


@contextlib.asynccontextmanager
async def listening(app: ASGIApp, settings: WebSettings, limits: Limits = LIMITS) -> AsyncIterator[int]:
    """Serves one port, which it yields; at the end, open streams end at once.

    OSError: the port cannot be used; LinkError: the certificate cannot.
    """
    # Malformed requests, and streams that are open when the server closes, are no errors.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    config, state = (
        uvicorn.Config(
            app,
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
            limit_concurrency=limits.connections,
            timeout_keep_alive=limits.keep_alive_seconds,
            h11_max_incomplete_event_size=limits.headers_bytes,
        ),
        ServerState(),
    )
    config.load()
    server = await asyncio.get_running_loop().create_server(
        lambda: _Connection(config, state, {"limits": limits}),
        settings.host,
        settings.port,
        ssl=_encryption(settings),
    )
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for connection in list(state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # connection_lost runs
        for task in state.tasks:
            task.cancel()
        if state.tasks:
            await asyncio.wait(state.tasks, timeout=STOP_SECONDS)


def _encryption(settings: WebSettings) -> ssl.SSLContext | None:
    """LinkError: the certificate or its key cannot be used."""
    if settings.tls_cert is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        # With an empty password OpenSSL does not ask for a passphrase at the terminal.
        context.load_cert_chain(settings.tls_cert, settings.tls_key, password="")
    except OSError as error:
        raise LinkError(error.strerror or str(error)) from error
    return context


class _Connection(H11Protocol):
    """Lets the application cut off a client that does not read."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "abort": transport.abort}
