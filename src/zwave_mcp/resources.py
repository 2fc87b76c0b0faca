"""Devices as MCP resources: each can be read, and whoever subscribed hears when its state is another."""

import json
import re
from typing import TYPE_CHECKING, Any, Final

from zwave_mcp.devices import Device, devices_of
from zwave_mcp.events import Event, EventLog
from zwave_mcp.home import Home, Snapshot, Telling
from zwave_mcp.queries import entry, reading
from zwave_mcp.states import measured, state_text

if TYPE_CHECKING:
    from mcp_types import ListResourcesResult, ReadResourceResult

ALL: Final = "zwave://devices"  # updated with every change of any device
EVENTS: Final = "zwave://events"  # updated with everything that happens, and has what stands
_JSON: Final = "application/json"


def uri_of(device: Device) -> str:
    return f"{ALL}/{device.node.id}/{device.endpoint}"


def event_uris(event: Event) -> list[str]:
    own = [] if event.node is None else [f"{EVENTS}/{event.node}/{event.endpoint}"]
    return [EVENTS, *own]


_State = tuple[Device, tuple[str, ...]]  # what is said of it, with what it measures


def _state(device: Device, known: _State | None) -> _State:
    if known is not None and known[0] is device:
        return known
    return device, (state_text(device), *measured(device))


def _said(state: _State | None) -> tuple[str, ...]:
    return () if state is None else state[1]


class Resources:
    def __init__(self, home: Home, events: EventLog) -> None:
        self._home, self._events = home, events
        self._states: dict[str, _State] | None = None
        self._wanted: set[str] = set()

    def subscribe(self, uri: str) -> None:
        self._wanted.add(uri)
        if isinstance(self._home, Telling):
            self._home.follow()

    def unsubscribe(self, uri: str) -> None:
        self._wanted.discard(uri)

    def news(self, snapshot: Snapshot) -> list[str]:
        """What is not as it was in the snapshot before, and that of all of them."""
        before = self._states
        known = before or {}
        now = {(uri := uri_of(one)): _state(one, known.get(uri)) for one in devices_of(snapshot)}
        self._states = now
        if before is None:
            return []
        changed = [uri for uri in known.keys() | now.keys() if _said(known.get(uri)) != _said(now.get(uri))]
        return [ALL, *changed] if changed else []

    def is_wanted(self, uri: str) -> bool:
        return uri in self._wanted

    async def listing(self) -> "ListResourcesResult":
        from mcp_types import ListResourcesResult, Resource

        every = Resource(uri=ALL, name="devices", title="All devices", mime_type=_JSON)
        events = Resource(uri=EVENTS, name="events", title="What has happened", mime_type=_JSON)
        devices = devices_of(await self._home.snapshot())
        each = [
            Resource(uri=uri_of(one), name=f"{one.room} {one.name}".strip(), title=one.name, mime_type=_JSON)
            for one in devices
        ]
        return ListResourcesResult(resources=[every, events, *each])

    async def read(self, uri: str) -> "ReadResourceResult":
        from mcp.shared.exceptions import MCPError
        from mcp_types import INVALID_PARAMS

        if uri.startswith(EVENTS):  # without a question to the home: it may be away
            return self._read_events(uri)
        devices = devices_of(await self._home.snapshot())
        found: Any = [entry(one) for one in devices] if uri == ALL else None
        for one in devices if uri != ALL else ():
            if uri_of(one) == uri:
                found = {**entry(one), "readings": [reading(value) for value in one.readings]}
        if found is None:
            raise MCPError(INVALID_PARAMS, f"There is no resource {uri[:100]}")
        return _contents(uri, found)

    def _read_events(self, uri: str) -> "ReadResourceResult":
        from mcp.shared.exceptions import MCPError
        from mcp_types import INVALID_PARAMS

        of = re.fullmatch(rf"{EVENTS}(?:/(\d{{1,5}})/(\d{{1,3}}))?", uri)
        if of is None:
            raise MCPError(INVALID_PARAMS, f"There is no resource {uri[:100]}")
        return _contents(uri, self._events.to_json((int(of[1]), int(of[2])) if of[1] else None))


def _contents(uri: str, found: Any) -> "ReadResourceResult":
    from mcp_types import ReadResourceResult, TextResourceContents

    text = json.dumps(found, ensure_ascii=False)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=_JSON)])
