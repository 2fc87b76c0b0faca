"""Letting a device join or leave the network: opened by a word, watched, and closed by itself."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from home_words.phrases import capital, listed
from zwave_mcp.home import Home, HomeError, NoAnswer, Node, Refused
from zwave_mcp.maintenance.network import CannotDo, Door
from zwave_mcp.results import Facts, Outcome, Result, result

log = logging.getLogger(__name__)

OPEN_SECONDS: Final = 60.0  # Z-Wave JS UI itself ends it after half a minute, unless it is set otherwise
_LOOK_SECONDS: Final = 1.5
_GOODBYE_SECONDS: Final = 1.0
_WAYS: Final = {"add": Door.ADDING, "remove": Door.REMOVING}
_HOW: Final = {
    Door.ADDING: "A device can join now: press its button as its manual says, near the stick.",
    Door.REMOVING: "A device can leave now: press its button as its manual says, near the stick.",
}
_WAITING: Final = {Door.ADDING: "nothing has joined yet", Door.REMOVING: "nothing has left yet"}
_NOTHING: Final = {Door.ADDING: "Nothing has joined", Door.REMOVING: "Nothing has left"}


@dataclass
class _Session:
    """One time that the network is, or was, open."""

    way: Door
    before: Mapping[int, Node]
    until: float
    changed: dict[int, Node] = field(default_factory=dict)
    over: bool = False


class Joining:
    """Opens the network for whoever asks, and looks after it until it is closed."""

    def __init__(
        self,
        home: Home,
        *,
        open_seconds: float = OPEN_SECONDS,
        look_seconds: float = _LOOK_SECONDS,
    ) -> None:
        self._home = home
        self._open_seconds = open_seconds
        self._look_seconds = look_seconds
        self._session: _Session | None = None
        self._opened = asyncio.Event()
        self._stopped = asyncio.Event()

    async def change(self, action: str) -> Result:
        requested = {"action": action}
        try:
            if action == "status":
                return await self._status(requested)
            if action == "stop":
                return await self._stop(requested)
            return await self._open(_WAYS[action], requested)
        except CannotDo as no:
            return result(str(no), "unsupported", Facts(requested))
        except Refused as no:
            return result(f"The network was not changed: {no}", "failed", Facts(requested))
        except NoAnswer as error:
            return result(f"It is not confirmed: {error}", "unconfirmed", Facts(requested))

    async def _open(self, way: Door, requested: dict[str, Any]) -> Result:
        if self._is_open:
            sentence = "The network is open already; say stop first, or wait until it is closed."
            return result(sentence, "failed", Facts(requested))
        before = {node.id: node for node in (await self._home.snapshot(0)).nodes}
        if not await self._home.network.open(way):
            sentence = "Somebody else has opened the network, so nothing was changed."
            return result(sentence, "failed", Facts(requested))
        self._session = _Session(way, before, self._now() + self._open_seconds)
        self._stopped.clear()
        self._opened.set()
        sentence = f"{_HOW[way]} It ends by itself within {_spoken(self._open_seconds)}."
        return result(sentence, "working", Facts(requested, more=self._facts()))

    async def _stop(self, requested: dict[str, Any]) -> Result:
        session = self._session
        door = await self._home.network.door()
        way = session.way if session is not None and not session.over else door
        if way in (Door.ADDING, Door.REMOVING):
            await self._home.network.close(way)
            door = await self._home.network.door()
        if session is not None:
            session.over = True
        self._stopped.set()
        if door is Door.CLOSED:
            return result("The network is closed.", "confirmed", Facts(requested, more=self._facts()))
        return result("It is not confirmed that the network is closed.", "unconfirmed", Facts(requested))

    async def _status(self, requested: dict[str, Any]) -> Result:
        door, session = await self._home.network.door(), self._session
        facts = Facts(requested, more={**self._facts(), "door": str(door)})
        if session is None or (door is not Door.CLOSED and not self._is_open):
            return result(
                _door_sentence(door), "confirmed" if door is not Door.UNKNOWN else "unconfirmed", facts
            )
        if session.changed or session.over:
            return result(_end(session), "confirmed", facts)
        left = max(0, round(session.until - self._now()))
        sentence = f"The network is open for another {left} seconds; {_WAITING[session.way]}."
        outcome: Outcome = "working"
        return result(sentence, outcome, facts)

    async def run(self) -> None:
        """EventBus what was opened until it is closed; for as long as the server runs."""
        while True:
            await self._opened.wait()
            self._opened.clear()
            session = self._session
            if session is None:
                continue
            try:
                await self._watch(session)
            finally:
                if not session.over:
                    await self._close(session)
            log.info("the network is closed again", extra={"changed": list(session.changed)})

    async def aclose(self) -> None:
        """The server ends: what it has opened, it closes."""
        session = self._session
        if session is not None and not session.over:
            await self._close(session)

    @property
    def _is_open(self) -> bool:
        return self._session is not None and not self._session.over

    async def _watch(self, session: _Session) -> None:
        while not session.over and self._now() < session.until:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._look_seconds):
                    await self._stopped.wait()
            try:
                closed = await self._home.network.door() is Door.CLOSED
                await self._compare(session)  # after the look at the door: nobody comes in behind it unseen
            except HomeError as error:
                log.info("the network cannot be watched", extra={"problem": str(error)})
                continue
            if session.changed:
                return
            session.over = session.over or closed

    async def _compare(self, session: _Session) -> None:
        now = {node.id: node for node in (await self._home.snapshot(0)).nodes}
        one, other = (now, session.before) if session.way is Door.ADDING else (session.before, now)
        session.changed = {key: node for key, node in one.items() if key not in other}

    async def _close(self, session: _Session) -> None:
        session.over = True
        try:
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await self._home.network.close(session.way)
        except (HomeError, TimeoutError) as error:
            # The gateway has a limit of its own.
            log.warning("the network could not be closed", extra={"problem": str(error)})

    def _facts(self) -> dict[str, Any]:
        session = self._session
        if session is None:
            return {"open": False, "nodes": []}
        nodes = [{"nodeId": node.id, "name": _called(node)} for node in session.changed.values()]
        return {"open": not session.over, "nodes": nodes}

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def _end(session: _Session) -> str:
    nodes = list(session.changed.values())
    if not nodes:
        return f"{_NOTHING[session.way]}; the network is closed again."
    names = capital(listed([_called(node) for node in nodes]))
    if session.way is Door.REMOVING:
        return f"{names} {'has' if len(nodes) == 1 else 'have'} left the network."
    rename = f"To give it a name, say: rename node {nodes[0].id} to, and the name."
    return f"{names} {'has' if len(nodes) == 1 else 'have'} joined. {rename}"


def _called(node: Node) -> str:
    product = f", {node.product}" if node.product else ""
    return f"{node.name or f'node {node.id}'}{product}"


def _door_sentence(door: Door) -> str:
    return {
        Door.CLOSED: "The network is closed: nothing can join or leave.",
        Door.ADDING: "Somebody has opened the network for a new device.",
        Door.REMOVING: "Somebody has opened the network for a device to leave.",
    }.get(door, "It is not known whether the network is open.")


def _spoken(seconds: float) -> str:
    return "a minute" if seconds == 60 else f"{seconds:g} seconds"
