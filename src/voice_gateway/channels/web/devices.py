"""`/api/devices`: the home by its devices, switching one of them, and what changes for the stream."""

import asyncio
import contextlib
import hashlib
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from pydantic import Field, StringConstraints
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway.channels.web.ask_api import DOOR, Asking, Name
from voice_gateway.channels.web.models import Body, json_response, read
from voice_gateway.channels.web.sse import Feed
from voice_gateway.integrations.device import ABILITIES, Device
from voice_gateway.integrations.home import Home
from voice_gateway.integrations.source import Act
from voice_gateway.turn import Reply, ToolCall, Utterance, new_id

KNOWN_SECONDS = 10.0

MakeCalls = Callable[[Utterance, Sequence[ToolCall]], Awaitable[Reply]]

_PERCENT = re.compile(r"\b(\d{1,3}) ?%")
# Percent, degrees, kelvin; only "on" means something without.
_LEVELS = {
    **dict.fromkeys(("on", "dim", "volume", "speed"), (0, 100)),
    "set": (-50, 100),
    "kelvin": (1000, 10_000),
}
_SAID = {
    "on": "turn on {name}",
    "off": "turn off {name}",
    "dim": "set {name} to {level} percent",
    "speed": "set {name} to {level} percent",
    "volume": "set the volume of {name} to {level} percent",
    "set": "set {name} to {level} degrees",
}


class Wish(Body):
    action: Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,40}$")]
    level: Annotated[float | None, Field(ge=-100, le=10_000, allow_inf_nan=False)] = None
    conversation_id: Name | None = None


def device_id(device: Device) -> str:
    """The same as long as it keeps its name and place; nothing of it can be read as a path."""
    return hashlib.sha256(repr(device.key).encode("utf-8", "replace")).hexdigest()[:16]


def device_json(device: Device, home: Home) -> dict[str, Any]:
    state, actions = home.state_of(device), actions_of(device)
    level = _PERCENT.search(state) if "dim" in actions else None
    return {
        "id": device_id(device),
        "name": device.name,
        "room": device.room,
        "kind": device.kind,
        "server": device.source,
        "state": state,
        **({"level": int(level[1])} if level else {}),
        "available": device.available,
        "readings": list(device.readings),
        "actions": actions,
    }


def actions_of(device: Device) -> list[str]:
    known = ABILITIES.get(device.kind, frozenset()) if device.abilities is None else device.abilities
    return sorted(known)


class Devices:
    """A switch is a call chosen by hand: judged, made, told and taken back like one that was said."""

    def __init__(
        self,
        home: Callable[[], Home],
        known: Callable[[], Awaitable[None]],
        make_calls: MakeCalls,
        asking: Asking,
        feed: Feed,
    ) -> None:
        self._home = home
        self._known = known  # returns when its devices were read, or cannot be
        self._make_calls = make_calls
        self._asking = asking
        self._feed = feed
        self._told: dict[str, dict[str, Any]] = {}

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/devices", self.list, methods=["GET"]),
            Route("/api/devices/{id}", self.switch, methods=["POST"]),
        ]

    async def list(self, _request: Request) -> Response:
        with contextlib.suppress(TimeoutError):  # who opens the page first should not see an empty house
            async with asyncio.timeout(KNOWN_SECONDS):
                await self._known()
        now = self._now()
        self._told = self._told or now
        return json_response({"devices": list(now.values())})

    async def switch(self, request: Request) -> Response:
        home, wanted = self._home(), request.path_params["id"]
        device = next((one for one in home.devices if device_id(one) == wanted), None)
        if device is None:
            raise HTTPException(404, "there is no such device")
        wish = await read(request, Wish)
        if problem := _problem(wish, actions_of(device)):
            raise HTTPException(409, problem)  # of a body that would be right for another device
        call = home.source_of(device).act(device, _act(wish), home)
        said = _SAID.get(wish.action, "{action} {name}")
        level = f"{wish.level:g}" if wish.level is not None else ""
        text = said.format(action=wish.action, name=home.called(device), level=level)
        utterance = Utterance(text, DOOR, wish.conversation_id or f"web-{new_id()}")

        async def made(utterance: Utterance, **_how: Any) -> Reply:
            if isinstance(call, str):  # why there is none
                return Reply(call, ok=False, conversation_id=utterance.conversation_id)
            return await self._make_calls(utterance, [ToolCall(new_id(), call.tool, dict(call.args))])

        return await self._asking.respond(request, utterance, made)

    def _now(self) -> dict[str, dict[str, Any]]:
        home = self._home()
        listed = [device_json(device, home) for device in home.devices]
        return {one["id"]: one for one in listed}

    def changed(self) -> None:
        """The home may be another than it was: those who listen get what differs."""
        if not self._feed.listened:
            self._told = {}
            return
        before, self._told = self._told, self._now()
        changed = [one for key, one in self._told.items() if before.get(key) != one]
        removed = [key for key in before if key not in self._told]
        if changed or removed:
            self._feed.tell("devices", {"devices": changed, "removed": removed})


def _problem(wish: Wish, actions: Sequence[str]) -> str:
    """Empty: it can be tried."""
    if wish.action not in actions:
        return f"action: must be one of {', '.join(actions) or 'none'}"
    span = _LEVELS.get(wish.action)
    if wish.level is None:
        return f"level: {wish.action} needs one" if span is not None and wish.action != "on" else ""
    if span is None:
        return f"level: {wish.action} takes none"
    least, most = span
    return "" if least <= wish.level <= most else f"level: must be from {least} to {most}"


def _act(wish: Wish) -> Act:
    if wish.level is None:
        return Act(wish.action)
    if wish.action == "set":
        return Act("set", temperature=wish.level)
    if wish.action == "kelvin":
        return Act("kelvin", kelvin=round(wish.level))
    return Act(wish.action, level=round(wish.level))
