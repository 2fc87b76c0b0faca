"""`/api/devices`: the home by its devices, and what changes of it for the stream."""

import hashlib
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway.doors.web.bodies import json_response
from voice_gateway.doors.web.feed import Feed
from voice_gateway.homes.device import ABILITIES, Device
from voice_gateway.homes.home import Home


def device_id(device: Device) -> str:
    """The same as long as it keeps its name and place; nothing of it can be read as a path."""
    return hashlib.sha256(repr(device.key).encode("utf-8", "replace")).hexdigest()[:16]


def device_json(device: Device, home: Home) -> dict[str, Any]:
    known = ABILITIES.get(device.kind, frozenset()) if device.abilities is None else device.abilities
    return {
        "id": device_id(device),
        "name": device.name,
        "room": device.room,
        "kind": device.kind,
        "server": device.source,
        "state": home.state_of(device),
        "available": device.available,
        "readings": list(device.readings),
        "actions": sorted(known),
    }


class Devices:
    def __init__(self, home: Callable[[], Home], feed: Feed) -> None:
        self._home = home
        self._feed = feed
        self._told: dict[str, dict[str, Any]] = {}

    def routes(self) -> list[BaseRoute]:
        return [Route("/api/devices", self.list, methods=["GET"])]

    def _now(self) -> dict[str, dict[str, Any]]:
        home = self._home()
        listed = [device_json(device, home) for device in home.devices]
        return {one["id"]: one for one in listed}

    async def list(self, _request: Request) -> Response:
        return json_response({"devices": list(self._now().values())})

    def changed(self) -> None:
        """The home is another than it was: those who listen get what differs."""
        if not self._feed.listened:
            self._told = {}
            return
        before, self._told = self._told, self._now()
        changed = [one for key, one in self._told.items() if before.get(key) != one]
        removed = [key for key in before if key not in self._told]
        if changed or removed:
            self._feed.tell("devices", {"devices": changed, "removed": removed})
