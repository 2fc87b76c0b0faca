"""Access control of the web server: host, origin, rate, token and size, before any route sees a request."""

import asyncio
import hashlib
import re
import secrets
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import WebSettings
from voice_gateway.config.kinds import is_loopback

COOKIE = "voice_gateway_token"
CLIENT = "voice_gateway_client"  # tells browsers apart: a yes counts only from the one that was asked
LONGER_BODIES = ("/v1/", "/mcp")
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
NO_TOKEN_NEEDED = frozenset({"/login.html", "/login.js", "/login.css", "/icon.svg", "/api/login", "/enter"})
PROXY_HEADERS = ("forwarded", "x-forwarded-", "x-real-ip", "via")
RATE_LIMITED = ("/api/", "/v1/", "/mcp", "/metrics")
PROGRAMS = (*RATE_LIMITED, "/openapi.json")  # never loaded by pages of other sites
CLOSE = {"connection": "close"}
YEAR_SECONDS = 365 * 24 * 3600
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?")
MOST_ADDRESSES = 4096  # whose rates are remembered

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
        " connect-src 'self'; manifest-src 'self'; media-src 'self' blob:; worker-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "microphone=(self), camera=(), geolocation=(), payment=(), usb=()",
}


@dataclass(frozen=True, slots=True)
class Limits:
    body_seconds: float = 10.0  # to receive a request body
    send_seconds: float = 20.0  # for a client to read one piece of a stream
    heartbeat_seconds: float = 15.0  # shorter than the idle limit of proxies and browsers
    keep_alive_seconds: int = 20
    connections: int = 1000
    streams: int = 500
    unread_bytes: int = 1024 * 1024  # that one event listener may leave unread
    headers_bytes: int = 32 * 1024
    body_bytes: int = 64 * 1024
    longer_body_bytes: int = 1024 * 1024  # whole conversations that other programs send
    message_bytes: int = 1024 * 1024  # of one WebSocket message: 30 seconds of sound
    asks_a_second: float = 100.0
    asks_at_once: float = 400.0  # two hundred consoles of one machine may open together
    guesses_a_second: float = 1 / 6
    guesses_at_once: float = 20.0


LIMITS = Limits()


class RateLimit:
    """A token bucket for each client address."""

    def __init__(self, a_second: float, at_once: float, now: Callable[[], float] = monotonic) -> None:
        self._a_second, self._at_once, self._now = a_second, at_once, now
        self._left: dict[str, tuple[float, float]] = {}  # tokens left, and when they were counted

    def take(self, client: str) -> bool:
        """Takes one token; False if there is none left."""
        now = self._now()
        left, counted = self._left.pop(client, (self._at_once, now))
        left = min(self._at_once, left + (now - counted) * self._a_second)
        allowed = left >= 1
        self._left[client] = (left - 1 if allowed else left, now)
        while len(self._left) > MOST_ADDRESSES:  # the one that was silent longest
            del self._left[next(iter(self._left))]
        return allowed


def refusal(
    path: str,
    status: int,
    reason: str,
    parameter: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """The answer to a refused request; below `/v1` in the shape of OpenAI's API."""
    content: dict[str, Any] = {"error": reason}
    if path.startswith("/v1/"):
        kind = "invalid_request_error" if status < 500 else "server_error"
        content = {"error": {"message": reason, "type": kind, "param": parameter, "code": None}}
    return JSONResponse(content, status, headers)


class Guard:
    """Passes allowed requests on, with `state["allowed"]`: whether the token is still valid now."""

    def __init__(self, app: ASGIApp, settings: WebSettings, tokens: TokenFile, limits: Limits) -> None:
        self._app = app
        self._tokens = tokens
        self._needs_token = settings.needs_token
        self._hosts = {*LOOPBACK_NAMES, *settings.hosts, settings.host.casefold().strip("[]")}
        if settings.needs_token:  # other machines connect by a name of this one
            name = socket.gethostname().casefold()
            self._hosts |= {name, f"{name}.local", f"{name}.lan"}
        self._limits = limits
        self._asks = RateLimit(limits.asks_a_second, limits.asks_at_once)
        self._guesses = RateLimit(limits.guesses_a_second, limits.guesses_at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            self._check(scope, headers)
            limited = self._limited(scope, headers, receive) if scope["type"] == "http" else receive
        except HTTPException as error:
            more = {**SECURITY_HEADERS, "cache-control": "no-store", **(error.headers or {})}
            answer = refusal(scope["path"], error.status_code, error.detail, headers=more)
            await answer(scope, receive, send)
            return
        scope.setdefault("state", {})["allowed"] = lambda: self._may_enter(headers)
        sender = self._sender(scope, headers, send) if scope["type"] == "http" else send
        if scope["path"].startswith(("/api/", "/v1/")):
            # Every body of the API is JSON, whatever its type says: `curl -d` calls it a form.
            others = [field for field in scope["headers"] if field[0].lower() != b"content-type"]
            scope = {**scope, "headers": [*others, (b"content-type", b"application/json")]}
        await self._app(scope, limited, sender)

    def _check(self, scope: Scope, headers: Headers) -> None:
        """Raises HTTPException if the request must not be served."""
        path, client = scope["path"], scope["client"][0] if scope.get("client") else ""
        if sum(len(name) + len(value) for name, value in headers.raw) > self._limits.headers_bytes:
            raise HTTPException(431, "too long headers", CLOSE)
        host, local = _only(headers, "host"), scope.get("server")
        reached = self._needs_token and local is not None and _host_name(host) == local[0]
        # An attacker's DNS name may resolve to this address.
        if not reached and _host_name(host) not in self._hosts:
            raise HTTPException(421, "this is not the name of this gateway: see web.hosts in docs/web.md")
        if _is_cross_site(scope, headers, host):
            raise HTTPException(403, "a page of another site may not use this gateway")
        if path.startswith(RATE_LIMITED) and not self._asks.take(client):
            raise HTTPException(429, "too many requests", {"retry-after": "1"})
        if path in NO_TOKEN_NEEDED or self._may_enter(headers):
            return
        guessed = any(_tokens_of(headers)) and not self._guesses.take(client)
        if _wants_page(scope, headers):
            raise HTTPException(303, "a token is needed", {"location": "/login.html"})
        if guessed:
            raise HTTPException(429, "too many wrong tokens", {"retry-after": "60"})
        challenge = {"www-authenticate": 'Bearer realm="voice-gateway"'}
        raise HTTPException(401, "a token is needed: `voice-gateway web token` makes one", challenge)

    def _may_enter(self, headers: Headers) -> bool:
        """Whether no token is needed, or a valid one is given."""
        # A proxy on this machine may pass a request on for another machine.
        by_proxy = not is_loopback(_host_name(_only(headers, "host"))) or any(
            name.startswith(PROXY_HEADERS) for name in headers
        )
        if not self._needs_token and not by_proxy:
            return True
        return any(self._tokens.knows(token) for token in _tokens_of(headers))

    def _limited(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """A `receive` that refuses a body that is too large or too slow."""
        limits, read = self._limits, 0
        limit = limits.longer_body_bytes if scope["path"].startswith(LONGER_BODIES) else limits.body_bytes
        too_large = HTTPException(413, f"a request may have {limit} bytes", CLOSE)
        if (length := _only(headers, "content-length")) and "transfer-encoding" in headers:
            raise HTTPException(400, "a request has one length", CLOSE)  # smuggling through a proxy
        if length and int(length) > limit:
            raise too_large
        until: float | None = asyncio.get_running_loop().time() + limits.body_seconds

        async def limited() -> Message:
            nonlocal read, until
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "the request came too slowly", CLOSE) from None
            read += len(message.get("body", b""))
            if read > limit:
                raise too_large
            if not message.get("more_body", False):
                until = None  # from now on it waits for the client to leave
            return message

        return limited

    def _sender(self, scope: Scope, headers: Headers, send: Send) -> Send:
        """Adds headers. Cuts a stream off if its token is revoked or its client stops reading."""
        caching = "no-store" if scope["path"].startswith(PROGRAMS) else "no-cache"
        more = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
        if _wants_page(scope, headers) and not _cookie(headers, CLIENT):
            cookie = f"{CLIENT}={secrets.token_urlsafe(16)}; Path=/; HttpOnly; SameSite=Strict"
            more.append((b"set-cookie", f"{cookie}; Max-Age={YEAR_SECONDS}".encode()))

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                fields = [*message.get("headers", ()), *more]
                if not any(name.lower() == b"cache-control" for name, _ in fields):
                    fields.append((b"cache-control", caching.encode()))
                message = {**message, "headers": fields}
            elif message.get("more_body", False) and not scope["state"]["allowed"]():
                scope["state"]["abort"]()
                return
            try:
                async with asyncio.timeout(self._limits.send_seconds):
                    await send(message)
            except TimeoutError:
                scope["state"]["abort"]()

        return guarded


def _only(headers: Headers, name: str) -> str:
    """The header's value; empty if it is missing or repeated."""
    values = headers.getlist(name)
    return values[0].strip() if len(values) == 1 else ""


def _host_name(host: str) -> str:
    """The host without its port; empty if it is malformed."""
    match = _HOST.fullmatch(host.casefold())
    return (match[1] or match[2]).rstrip(".") if match and int(match[3] or 1) < 65_536 else ""


def _is_cross_site(scope: Scope, headers: Headers, host: str) -> bool:
    if "origin" in headers:
        origin = urlsplit(_only(headers, "origin"))
        return origin.scheme not in ("http", "https") or origin.netloc.casefold() != host.casefold()
    site = _only(headers, "sec-fetch-site")  # browsers send it also where they send no Origin
    return site in ("cross-site", "same-site") and (
        scope["type"] == "websocket" or scope["path"].startswith(PROGRAMS)
    )


def _tokens_of(headers: Headers) -> Iterable[str]:
    scheme, _, token = _only(headers, "authorization").partition(" ")
    if scheme.casefold() == "bearer" and token:
        yield token.strip()
    if token := _cookie(headers, COOKIE):
        yield token


def _cookie(headers: Headers, name: str) -> str:
    try:
        cookie = SimpleCookie(_only(headers, "cookie")).get(name)
    except CookieError:
        return ""
    return cookie.value if cookie is not None else ""


def client_of(request: HTTPConnection) -> str:
    """The browser, or the address of a program that keeps no cookies. A hash, because it is published."""
    address = request.client.host if request.client else ""
    client = _cookie(request.headers, CLIENT) or address
    return hashlib.sha256(client.encode("utf-8", "replace")).hexdigest()[:16]


def _wants_page(scope: Scope, headers: Headers) -> bool:
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return False
    return "text/html" in _only(headers, "accept") and not scope["path"].startswith(PROGRAMS)
