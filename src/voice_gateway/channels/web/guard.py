"""Access control of the web server: host, origin, rate, token and size, before any route sees a request."""

import asyncio
import socket
from collections.abc import Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voice_gateway.channels.web.limits import Limits, RateLimit
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import WebSettings
from voice_gateway.config.web import is_loopback

COOKIE = "voice_gateway_token"
LONGER_BODIES = ("/v1/", "/mcp")
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
NO_TOKEN_NEEDED = frozenset({"/login.html", "/login.js", "/login.css", "/icon.svg", "/api/login"})
PROXY_HEADERS = ("forwarded", "x-forwarded-", "x-real-ip", "via")
RATE_LIMITED = ("/api/", "/v1/", "/mcp", "/metrics")
PROGRAMS = (*RATE_LIMITED, "/openapi.json")  # never loaded by pages of other sites
CLOSE = {"connection": "close"}

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


class Refusal(Exception):
    """The request is not served."""

    def __init__(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.headers = dict(headers or {})


def error_json(path: str, status: int, reason: str, parameter: str | None = None) -> dict[str, Any]:
    """The body of a refused request; below `/v1` in the shape of OpenAI's API."""
    if not path.startswith("/v1/"):
        return {"error": reason}
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": reason, "type": kind, "param": parameter, "code": None}}


class Guard:
    """Passes allowed requests on, with `state["allowed"]`: whether the token is still valid now."""

    def __init__(self, app: ASGIApp, settings: WebSettings, tokens: TokenFile, limits: Limits) -> None:
        self._app = app
        self._tokens = tokens
        self._needs_token = settings.needs_token
        self._hosts = frozenset((*LOOPBACK_NAMES, *settings.hosts, *_own_names(settings)))
        self._limits = limits
        self._asks = RateLimit(limits.asks_a_second, limits.asks_at_once)
        self._guesses = RateLimit(limits.guesses_a_second, limits.guesses_at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            self._check(scope, headers)
            body = await _body(scope, headers, receive, self._limits) if scope["type"] == "http" else b""
        except Refusal as refusal:
            content = error_json(scope["path"], refusal.status, str(refusal))
            answer = {**SECURITY_HEADERS, "cache-control": "no-store", **refusal.headers}
            await JSONResponse(content, refusal.status, answer)(scope, receive, send)
            return
        if body is None:
            return
        scope.setdefault("state", {})["allowed"] = lambda: self._may_enter(headers)
        if scope["type"] == "http":
            await self._app(_as_json(scope), _whole(body, receive), self._sender(scope, send))
        else:
            await self._app(scope, receive, send)

    def _check(self, scope: Scope, headers: Headers) -> None:
        """Raises Refusal if the request must not be served."""
        path, client = scope["path"], scope["client"][0] if scope.get("client") else ""
        if sum(len(name) + len(value) for name, value in headers.raw) > self._limits.headers_bytes:
            raise Refusal(431, "too long headers", CLOSE)
        host = _only(headers, "host")
        if host is None or not self._is_ours(host, scope):
            raise Refusal(421, "this is not the name of this gateway: see web.hosts in docs/web.md")
        if _is_cross_site(scope, headers, host):
            raise Refusal(403, "a page of another site may not use this gateway")
        if path.startswith(RATE_LIMITED) and not self._asks.take(client):
            raise Refusal(429, "too many requests", {"retry-after": "1"})
        if path in NO_TOKEN_NEEDED or self._may_enter(headers):
            return
        guessed = any(_tokens_of(headers)) and not self._guesses.take(client)
        if _wants_page(scope, headers):
            raise Refusal(303, "a token is needed", {"location": "/login.html"})
        if guessed:
            raise Refusal(429, "too many wrong tokens", {"retry-after": "60"})
        challenge = {"www-authenticate": 'Bearer realm="voice-gateway"'}
        raise Refusal(401, "a token is needed: `voice-gateway web token` makes one", challenge)

    def _is_ours(self, host: str, scope: Scope) -> bool:
        """Whether the Host header names this gateway. An attacker's DNS name for this address does not."""
        name, local = _host_name(host), scope.get("server")
        reached = self._needs_token and local is not None and name == local[0]
        return name in self._hosts or reached

    def _may_enter(self, headers: Headers) -> bool:
        if not self._needs_token and not _by_proxy(headers):
            return True
        return any(self._tokens.knows(token) for token in _tokens_of(headers))

    def _sender(self, scope: Scope, send: Send) -> Send:
        """Adds security headers. Cuts a stream off if its token is revoked or its client stops reading."""
        caching = "no-store" if scope["path"].startswith(PROGRAMS) else "no-cache"
        more = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), *more]
                if not any(name.lower() == b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", caching.encode()))
                message = {**message, "headers": headers}
            elif message.get("more_body", False) and not scope["state"]["allowed"]():
                scope["state"]["abort"]()
                return
            try:
                async with asyncio.timeout(self._limits.send_seconds):
                    await send(message)
            except TimeoutError:
                scope["state"]["abort"]()

        return guarded


def _own_names(settings: WebSettings) -> Iterable[str]:
    """The configured address and, if other machines may connect, the names of this machine."""
    yield settings.host.casefold().strip("[]")
    if settings.needs_token:
        name = socket.gethostname().casefold()
        yield from (name, f"{name}.local", f"{name}.lan")


def _only(headers: Headers, name: str) -> str | None:
    """The header's value; None if it is missing or repeated."""
    values = headers.getlist(name)
    return values[0].strip() if len(values) == 1 else None


def _host_name(host: str) -> str:
    """The host without its port; "" if it is malformed."""
    try:
        parts = urlsplit(f"//{host}")
        if parts.port is not None and not 0 < parts.port < 65_536:
            return ""
    except ValueError:
        return ""
    if parts.netloc != host or parts.username is not None:
        return ""
    return (parts.hostname or "").rstrip(".")


def _is_cross_site(scope: Scope, headers: Headers, host: str) -> bool:
    if "origin" in headers:
        origin = urlsplit(_only(headers, "origin") or "")
        return origin.scheme not in ("http", "https") or origin.netloc.casefold() != host.casefold()
    site = _only(headers, "sec-fetch-site")  # browsers send it also where they send no Origin
    return site in ("cross-site", "same-site") and (
        scope["type"] == "websocket" or scope["path"].startswith(PROGRAMS)
    )


def _by_proxy(headers: Headers) -> bool:
    """Whether a proxy on this machine may have passed the request on for another machine."""
    by_name = not is_loopback(_host_name(_only(headers, "host") or ""))
    return by_name or any(name.startswith(PROXY_HEADERS) for name in headers)


def _tokens_of(headers: Headers) -> Iterable[str]:
    scheme, _, token = (_only(headers, "authorization") or "").partition(" ")
    if scheme.casefold() == "bearer" and token:
        yield token.strip()
    try:
        cookie = SimpleCookie(_only(headers, "cookie") or "").get(COOKIE)
    except CookieError:
        cookie = None
    if cookie is not None:
        yield cookie.value


def _wants_page(scope: Scope, headers: Headers) -> bool:
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return False
    return "text/html" in (_only(headers, "accept") or "") and not scope["path"].startswith(PROGRAMS)


async def _body(scope: Scope, headers: Headers, receive: Receive, limits: Limits) -> bytes | None:
    """The whole body, or None if the client has left. Refusal: too large, too slow, or two lengths."""
    limit = limits.longer_body_bytes if scope["path"].startswith(LONGER_BODIES) else limits.body_bytes
    too_large = Refusal(413, f"a request may have {limit} bytes", CLOSE)
    length = _only(headers, "content-length")
    if length is not None and "transfer-encoding" in headers:  # request smuggling through a proxy
        raise Refusal(400, "a request has one length", CLOSE)
    if length is not None and (not length.isdigit() or int(length[:20]) > limit):
        raise too_large
    body, more = b"", True
    try:
        async with asyncio.timeout(limits.body_seconds):
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > limit:
                    raise too_large
    except TimeoutError:
        raise Refusal(408, "the request came too slowly", CLOSE) from None
    return body


def _whole(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body that was read already, and then goes on."""
    given = False

    async def next_message() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_message


def _as_json(scope: Scope) -> Scope:
    """Every body of the API is JSON, whatever its type says: `curl -d` calls it a form."""
    if not scope["path"].startswith(("/api/", "/v1/")):
        return scope
    headers = [(name, value) for name, value in scope["headers"] if name.lower() != b"content-type"]
    return {**scope, "headers": [*headers, (b"content-type", b"application/json")]}
