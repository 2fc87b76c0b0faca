"""`/api/devices` and `/api/routines`: a change is a tool call like a spoken one."""

import asyncio
import contextlib
import hashlib
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field, StringConstraints
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from voice_gateway.channels.web.ask_api import AskApi, utterance_of
from voice_gateway.channels.web.responses import ERROR, REPLY, STREAMS, Body, Feed, Name, json_response, shape
from voice_gateway.integrations.device import ABILITIES, Device
from voice_gateway.integrations.home import Home
from voice_gateway.integrations.source import Act
from voice_gateway.routines.book import RoutineBook
from voice_gateway.routines.model import CANCEL
from voice_gateway.turn import Reply, ToolCall, Utterance, new_id

KNOWN_SECONDS = 10.0  # to wait for the first snapshot of the home
CONVERSATION = "web-routines"  # of requests that name none

MakeCalls = Callable[[Utterance, Sequence[ToolCall]], Awaitable[Reply]]  # `Conversation.make_calls`

_PERCENT = re.compile(r"\b(\d{1,3}) ?%")
# By action the field of `Act` for its level, and the range; only "on" can go without.
_LEVELS = {
    **dict.fromkeys(("on", "dim", "volume", "speed"), ("level", 0, 100)),
    "set": ("temperature", -50, 100),
    "kelvin": ("kelvin", 1000, 10_000),
}
_WORDS = {
    "on": "turn on {name}",
    "off": "turn off {name}",
    "dim": "set {name} to {level} percent",
    "speed": "set {name} to {level} percent",
    "volume": "set the volume of {name} to {level} percent",
    "set": "set {name} to {level} degrees",
}


DEVICE = shape(
    "Device",
    **dict.fromkeys(("id", "name", "room", "kind", "server", "state"), str),
    available=bool,
    readings=list[str],
    actions=list[str],
)
DEVICES = shape("Devices", devices=[DEVICE])
LAST_RUN = shape("LastRun", at=str, ok=bool, text=str)
ROUTINE = shape("Routine", id=int, sentence=str, enabled=bool, next=str | None, last=LAST_RUN | None)
ROUTINES = shape("Routines", routines=[ROUTINE])


class Change(Body):
    action: Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,40}$")]
    level: Annotated[float | None, Field(ge=-100, le=10_000, allow_inf_nan=False)] = None
    conversation_id: Name | None = None


class Switch(Body):
    enabled: bool
    conversation_id: Name | None = None


def _id(device: Device) -> str:
    """Stable while the device keeps its name and place; safe in a path."""
    return hashlib.sha256(repr(device.key).encode("utf-8", "replace")).hexdigest()[:16]


def _actions(device: Device) -> list[str]:
    return sorted(ABILITIES.get(device.kind, ()) if device.abilities is None else device.abilities)


def device_json(device: Device, home: Home) -> dict[str, Any]:
    state, actions = home.state_of(device), _actions(device)
    level = _PERCENT.search(state) if "dim" in actions else None
    return {
        "id": _id(device),
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


@dataclass(eq=False)
class DevicesApi:
    """`known` returns when the home was read; `home` gives its latest snapshot."""

    home: Callable[[], Home]
    known: Callable[[], Awaitable[None]]
    make_calls: MakeCalls
    asks: AskApi
    feed: Feed
    _published: dict[str, dict[str, Any]] = field(default_factory=dict)  # as listeners know it, by id

    def router(self) -> APIRouter:
        router = APIRouter()

        @router.get("/api/devices", response_model=DEVICES)
        async def devices() -> Response:
            """The home"""
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(KNOWN_SECONDS):
                    await self.known()
            current = self._current()
            self._published = self._published or current
            return json_response({"devices": list(current.values())})

        @router.post("/api/devices/{device_id}", response_model=REPLY, responses=STREAMS)
        async def change(request: Request, device_id: str, asked: Change) -> Response:
            """Switch a device"""
            home = self.home()
            device = next((device for device in home.devices if _id(device) == device_id), None)
            if device is None:
                raise HTTPException(404, "there is no such device")
            call = home.source_of(device).act(device, _act(asked, _actions(device)), home)
            words = _WORDS.get(asked.action, "{action} {name}")
            level = f"{asked.level:g}" if asked.level is not None else ""
            text = words.format(action=asked.action, name=home.called(device), level=level)

            async def act(utterance: Utterance, **_options: Any) -> Reply:
                if isinstance(call, str):  # the reason why the device cannot do it
                    return Reply(call, ok=False, conversation_id=utterance.conversation_id)
                return await self.make_calls(utterance, [ToolCall(new_id(), call.tool, dict(call.args))])

            utterance = utterance_of(request, text, asked.conversation_id)
            return await self.asks.respond(request, utterance, act)

        return router

    def _current(self) -> dict[str, dict[str, Any]]:
        home = self.home()
        listed = [device_json(device, home) for device in home.devices]
        return {device["id"]: device for device in listed}

    def publish_changes(self) -> None:
        """Sends listeners the devices that differ from what was sent before."""
        if not self.feed.consoles:
            self._published = {}
            return
        before, self._published = self._published, self._current()
        changed = [device for key, device in self._published.items() if before.get(key) != device]
        removed = [key for key in before if key not in self._published]
        if changed or removed:
            self.feed.publish("devices", {"devices": changed, "removed": removed})


def _act(asked: Change, actions: Sequence[str]) -> Act:
    """Raises HTTPException if the device cannot take the action and level; another device might."""
    level, (name, low, high) = asked.level, _LEVELS.get(asked.action, ("", 0, 0))
    problem = ""
    if asked.action not in actions:
        problem = f"action: must be one of {', '.join(actions) or 'none'}"
    elif level is None and name and asked.action != "on":
        problem = f"level: {asked.action} needs one"
    elif level is not None and not (name and low <= level <= high):
        problem = f"level: must be from {low} to {high}" if name else f"level: {asked.action} takes none"
    if problem:
        raise HTTPException(409, problem)
    if level is None:
        return Act(asked.action)
    value: dict[str, Any] = {name: level if name == "temperature" else round(level)}
    return Act(asked.action, **value)


@dataclass(eq=False)
class Routines:
    """The planned routines, for the page and for MCP clients: as `routines --json`, with their sentences."""

    book: RoutineBook
    make_calls: MakeCalls

    async def listed(self) -> list[dict[str, Any]]:
        """Raises ToolError while the store cannot be read."""
        listed = [
            routine.to_json(self.book.place.zone) for routine in await asyncio.to_thread(self.book.store.all)
        ]
        return [{**facts, "sentence": facts["text"]} for facts in listed]

    async def change(self, number: int, action: str, place: Callable[[str], Utterance]) -> Reply:
        """`action` is one of CANCEL's; `place` makes an utterance of words. Raises ToolError."""
        for routine in await asyncio.to_thread(self.book.store.all):
            if routine.id == number:
                break
        else:
            raise HTTPException(404, f"there is no routine {number}")
        words = {"cancel": "delete", "pause": "switch off", "resume": "switch on"}[action]
        utterance = place(f"{words} the routine: {routine.text}")
        args = {"name": str(routine.id), "action": action}
        return await self.make_calls(utterance, [ToolCall(new_id(), CANCEL, args)])

    def router(self) -> APIRouter:
        router = APIRouter(responses={"4XX": {"model": ERROR}, 503: {"model": ERROR}})

        @router.get("/api/routines", response_model=ROUTINES)
        async def routines() -> Response:
            """What is planned"""
            return json_response({"routines": await self.listed()})

        @router.post("/api/routines/{number}", response_model=REPLY)
        async def switch(request: Request, number: int, asked: Switch) -> Response:
            """Switch a routine on or off"""
            words = partial(utterance_of, request, conversation_id=asked.conversation_id or CONVERSATION)
            reply = await self.change(number, "resume" if asked.enabled else "pause", words)
            return json_response(reply.to_json())

        @router.delete("/api/routines/{number}", response_model=REPLY)
        async def delete(request: Request, number: int, conversation_id: Name = CONVERSATION) -> Response:
            """Delete a routine; `conversation_id` is where it can be undone"""
            words = partial(utterance_of, request, conversation_id=conversation_id)
            return json_response((await self.change(number, "cancel", words)).to_json())

        return router
