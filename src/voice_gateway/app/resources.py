"""Watches the resources of any MCP server for routines: subscribed, read when they are told to be updated."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any

from voice_gateway.backoff import wait_at_most
from voice_gateway.errors import GatewayError
from voice_gateway.routines.model import ResourceState
from voice_gateway.routines.runner import StateChange

log = logging.getLogger(__name__)

Request = Callable[[str, str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]  # server, method, parameters
Key = tuple[str, str]  # server and address of a resource

ANSWER_SECONDS = 10.0
LONGEST = 2000  # characters of what a resource says that are looked at
MOST_READINGS = 200
_STATES = ("state", "status", "value", "text")  # of a JSON object: what is its state


class WatchedResources:
    """`told` hears of every resource that is wanted and says something else than before.

    One task asks, one resource after the other. A server that cannot be subscribed to is read now and again.
    """

    def __init__(
        self,
        request: Request,
        changed: Callable[[StateChange], None],
        homes: Callable[[], Collection[str]],
        poll_seconds: float,
    ) -> None:
        """`homes` are servers whose resources are devices: these are watched with their home."""
        self._request, self._told, self._homes = request, changed, homes
        self._poll_seconds = poll_seconds
        self._connected: set[str] = set()
        self._wanted: frozenset[Key] = frozenset()
        self._subscribed: set[Key] = set()
        self._known: dict[Key, ResourceState] = {}
        self._due: set[Key] = set()  # to be read
        self._wake = asyncio.Event()

    def want(self, keys: Iterable[Key]) -> None:
        wanted = frozenset(keys)
        if wanted != self._wanted:
            self._wanted = wanted
            self._known = {key: shown for key, shown in self._known.items() if key in wanted}
            self._wake.set()

    def updated(self, server: str, uri: str) -> None:
        if (server, uri) in self._wanted:
            self._due.add((server, uri))
            self._wake.set()

    def connected(self, server: str) -> None:
        """Anew: it knows of no subscription, and may have changed meanwhile."""
        self._connected.add(server)
        self._subscribed = {key for key in self._subscribed if key[0] != server}
        self._wake.set()

    async def state_of(self, server: str, uri: str) -> ResourceState | None:
        key = server, uri
        return self._known.get(key) or await self._read(key)

    async def run(self) -> None:
        while True:
            self._wake.clear()
            theirs = self._connected.difference(self._homes())
            wanted = {key for key in self._wanted if key[0] in theirs}
            for key in self._subscribed - wanted:
                self._subscribed.discard(key)
                await self._asked(key, "resources/unsubscribe")
            for key in sorted(wanted - self._subscribed):
                if await self._asked(key, "resources/subscribe") is not None:
                    self._subscribed.add(key)
                self._due.add(key)
            due, self._due = self._due & wanted, set()
            for key in sorted(due):
                await self._look(key)
            await wait_at_most(self._wake, self._poll_seconds if wanted - self._subscribed else None)

    async def _look(self, key: Key) -> None:
        before, now = self._known.get(key), await self._read(key)
        if now is None:
            return
        self._known[key] = now
        if before is not None and before != now:
            self._told(StateChange(*key, before, now))

    async def _read(self, key: Key) -> ResourceState | None:
        answer = await self._asked(key, "resources/read")
        return next(map(shown_of, texts_of(answer)), None)

    async def _asked(self, key: Key, method: str) -> Mapping[str, Any] | None:
        return await asked(self._request, method, *key)


async def asked(request: Request, method: str, server: str, uri: str) -> Mapping[str, Any] | None:
    """A server's answer about one resource; None if it has none."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            return await request(server, method, {"uri": uri})
    except (GatewayError, TimeoutError) as error:
        facts = {"server": server, "resource": uri, "method": method, "reason": str(error)}
        log.info("a resource cannot be asked", extra=facts)
        return None


def texts_of(answer: Mapping[str, Any] | None) -> list[str]:
    """The texts in an answer to `resources/read`."""
    contents = (answer or {}).get("contents") or ()
    texts = [content.get("text") for content in contents if isinstance(content, Mapping)]
    return [text for text in texts if isinstance(text, str)]


def shown_of(text: str) -> ResourceState:
    """A word, a number, or a JSON object: then what it calls its state, and all else as what it measures."""
    plain = text.strip()
    try:
        content = json.loads(plain)
    except (ValueError, RecursionError):
        content = plain
    if not isinstance(content, dict):
        return ResourceState(
            _word(content) if isinstance(content, bool | int | float | str) else plain[:LONGEST]
        )
    facts = {str(key).replace("_", " "): _word(value) for key, value in content.items() if _is_plain(value)}
    state = next((facts[key] for key in _STATES if key in facts), plain[:LONGEST])
    return ResourceState(state, tuple(f"{key} {value}" for key, value in facts.items())[:MOST_READINGS])


def _is_plain(value: object) -> bool:
    return isinstance(value, bool | int | float | str)


def _word(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value).strip()[:LONGEST]
