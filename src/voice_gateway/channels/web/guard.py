"""Who may come in: judged before anything else looks at a request, for pages, API and WebSocket alike."""

import asyncio
import json
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voice_gateway.channels.web.limits import Limits
from voice_gateway.channels.web.rates import Rates
from voice_gateway.channels.web.refusals import refusal_json
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import WebSettings
from voice_gateway.config.web import is_loopback

COOKIE = "voice_gateway_token"
LONGER_BODIES = ("/v1/", "/mcp")  # whole conversations of other programs
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
OPEN_TO_ALL = frozenset(
    {"/login.html", "/login.js", "/login.css", "/icon.svg", "/api/login"}
)  # to give a token
OF_PROXIES = ("forwarded", "x-forwarded-", "x-real-ip", "via")  # how headers begin that tell of one
PROGRAMS = ("/api/", "/v1/", "/mcp", "/metrics", "/openapi.json")  # what no other site's page may load

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
class Refusal:
    status: int
    reason: str
    headers: tuple[tuple[str, str], ...] = ()


class Guard:
    """A scope that passes has `state["allowed"]`, which long streams ask again: a token may be revoked. Then
    what is sent in pieces is cut off."""

    def __init__(self, app: ASGIApp, settings: WebSettings, tokens: TokenFile, limits: Limits) -> None:
        self._app = app
        self._tokens = tokens
        self._for_others = settings.needs_token
        self._hosts = frozenset((*LOOPBACK_NAMES, *settings.hosts, *_own_names(settings)))
        self._limits = limits
        self._rates = Rates(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        headers = _Headers(scope["headers"])
        refusal: Refusal | None = Refusal(431, "too long headers", (("connection", "close"),))
        if headers.size <= self._limits.headers_bytes:
            refusal = self._judge(scope, headers)
        body = b""
        if refusal is None and scope["type"] == "http":
            read = await _body(scope["path"], headers, receive, self._limits)
            if read is None:
                return  # it has gone
            refusal, body = (read, b"") if isinstance(read, Refusal) else (None, read)
        if refusal is not None:
            await _refuse(scope, refusal, send)
            return
        scope.setdefault("state", {})["allowed"] = lambda: self._may_enter(headers)
        if scope["type"] == "http":
            await self._app(scope, _whole(body, receive), _with_headers(scope, _while_allowed(scope, send)))
        else:
            await self._app(scope, receive, send)

    def _judge(self, scope: Scope, headers: "_Headers") -> Refusal | None:
        host = headers.only("host")
        if host is None or not self._is_ours(host, scope):
            return Refusal(421, "this is not the name of this gateway: see web.hosts in docs/console.md")
        if self._foreign(scope, headers, host):
            return Refusal(403, "a page of another site may not use this gateway")
        client = scope["client"][0] if scope.get("client") else ""
        if not self._rates.may_ask(client, scope["path"]):
            return Refusal(429, "too many requests", (("retry-after", "1"),))
        may_enter = scope["path"] in OPEN_TO_ALL or self._may_enter(headers)
        return None if may_enter else self._without_token(scope, headers, client)

    def _without_token(self, scope: Scope, headers: "_Headers", client: str) -> Refusal:
        guessed = any(_given(headers)) and not self._rates.may_guess(client)
        if _wants_page(scope, headers):  # also of one whose old cookie was wrong too often
            return Refusal(303, "a token is needed", (("location", "/login.html"),))
        if guessed:
            return Refusal(429, "too many wrong tokens", (("retry-after", "60"),))
        challenge = (("www-authenticate", 'Bearer realm="voice-gateway"'),)
        return Refusal(401, "a token is needed: `voice-gateway web token` makes one", challenge)

    def _is_ours(self, host: str, scope: Scope) -> bool:
        """A name that an attacker's DNS leads here is none of ours; an address that we are reached at is."""
        name = _host_name(host)
        local = scope.get("server")
        reached = self._for_others and local is not None and name == local[0]
        return name in self._hosts or reached

    def _foreign(self, scope: Scope, headers: "_Headers", host: str) -> bool:
        if headers.has("origin"):
            origin = urlsplit(headers.only("origin") or "")
            return origin.scheme not in ("http", "https") or origin.netloc.casefold() != host.casefold()
        site = headers.only("sec-fetch-site")  # of a browser, also where it sends no Origin
        return site in ("cross-site", "same-site") and (
            scope["type"] == "websocket" or scope["path"].startswith(PROGRAMS)
        )

    def _may_enter(self, headers: "_Headers") -> bool:
        if not self._for_others and not _by_proxy(headers):
            return True
        return any(self._tokens.knows(token) for token in _given(headers))


class _Headers:
    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self._all: dict[str, list[str]] = {}
        self.size = 0  # bytes
        for name, value in raw:
            self.size += len(name) + len(value)
            self._all.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))

    def only(self, name: str) -> str | None:
        """None where it is missing, or said twice."""
        found = self._all.get(name, ())
        return found[0].strip() if len(found) == 1 else None

    def has(self, name: str) -> bool:
        return name in self._all

    def begin_with(self, *names: str) -> bool:
        return any(name.startswith(names) for name in self._all)


def _own_names(settings: WebSettings) -> Iterable[str]:
    """Of a gateway that others may reach: the name of this machine, and the address in the settings."""
    if not settings.needs_token:
        return (settings.host.casefold().strip("[]"),)
    name = socket.gethostname().casefold()
    return (settings.host.casefold().strip("[]"), name, f"{name}.local", f"{name}.lan")


def _host_name(host: str) -> str:
    """Without its port; "" where it is none."""
    try:
        parts = urlsplit(f"//{host}")
        if parts.port is not None and not 0 < parts.port < 65_536:
            return ""
    except ValueError:
        return ""
    if parts.netloc != host or parts.username is not None:
        return ""
    return (parts.hostname or "").rstrip(".")


def _by_proxy(headers: _Headers) -> bool:
    """Whether this may be somebody else's wish, though it comes from this machine: a proxy passes on the name
    by which it was reached, or says for whom it asks."""
    return not is_loopback(_host_name(headers.only("host") or "")) or headers.begin_with(*OF_PROXIES)


def _given(headers: _Headers) -> Iterable[str]:
    scheme, _, token = (headers.only("authorization") or "").partition(" ")
    if scheme.casefold() == "bearer" and token:
        yield token.strip()
    try:
        cookie = SimpleCookie(headers.only("cookie") or "").get(COOKIE)
    except CookieError:
        cookie = None
    if cookie is not None:
        yield cookie.value


async def _body(path: str, headers: _Headers, receive: Receive, limits: Limits) -> bytes | Refusal | None:
    """All of it, so that nobody behind us waits for a slow one. None: whoever sent it has left."""
    limit = limits.longer_body_bytes if path.startswith(LONGER_BODIES) else limits.body_bytes
    too_large = Refusal(413, f"a request may have {limit} bytes", (("connection", "close"),))
    told = headers.only("content-length")
    if told is not None and headers.has("transfer-encoding"):  # a proxy before us may read it otherwise
        return Refusal(400, "a request has one length", (("connection", "close"),))
    if told is not None and (not told.isdigit() or int(told[:20]) > limit):
        return too_large
    pieces, length = [], 0
    try:
        async with asyncio.timeout(limits.body_seconds):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                piece = message.get("body", b"")
                pieces.append(piece)
                length += len(piece)
                if length > limit:
                    return too_large
                if not message.get("more_body", False):
                    return b"".join(pieces)
    except TimeoutError:
        return Refusal(408, "the request came too slowly", (("connection", "close"),))


def _whole(body: bytes, receive: Receive) -> Receive:
    given = False

    async def next_message() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_message


def _while_allowed(scope: Scope, send: Send) -> Send:
    async def sent(message: Message) -> None:
        in_pieces = message["type"] == "http.response.body" and message.get("more_body", False)
        if in_pieces and not scope["state"]["allowed"]():
            scope["state"]["abort"]()
        else:
            await send(message)

    return sent


def _with_headers(scope: Scope, send: Send) -> Send:
    caching = "no-store" if scope["path"].startswith(PROGRAMS) else "no-cache"
    more = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", ()), *more]
            if not any(name.lower() == b"cache-control" for name, _ in headers):
                headers.append((b"cache-control", caching.encode()))
            message = {**message, "headers": headers}
        await send(message)

    return sent


def _wants_page(scope: Scope, headers: _Headers) -> bool:
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return False
    return "text/html" in (headers.only("accept") or "") and not scope["path"].startswith(PROGRAMS)


async def _refuse(scope: Scope, refusal: Refusal, send: Send) -> None:
    headers = dict(refusal.headers)
    body = json.dumps(refusal_json(scope["path"], refusal.status, refusal.reason)).encode()
    await _respond(scope, refusal.status, body, {**headers, "content-type": "application/json"}, send)


async def _respond(scope: Scope, status: int, body: bytes, headers: dict[str, str], send: Send) -> None:
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    whole = {**SECURITY_HEADERS, "cache-control": "no-store", **headers, "content-length": str(len(body))}
    raw = [(name.encode(), value.encode()) for name, value in whole.items()]
    await send({"type": f"{kind}.start", "status": status, "headers": raw})
    await send({"type": f"{kind}.body", "body": body})
