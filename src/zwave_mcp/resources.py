"""Devices and events as MCP resources: each can be read, and its subscribers are told of changes."""

import json
import re
from typing import TYPE_CHECKING, Any, Final

from zwave_mcp.devices import View, Viewer
from zwave_mcp.events import Event, EventLog
from zwave_mcp.home import Home
from zwave_mcp.states import Row, Rows, reading

if TYPE_CHECKING:
    from mcp_types import ListResourcesResult, ReadResourceResult

ALL: Final = "zwave://devices"  # updated with every change of any device
EVENTS: Final = "zwave://events"  # updated with every event; holds the standing alarms
_JSON: Final = "application/json"
_EVENTS_OF: Final = re.compile(rf"{EVENTS}(?:/(\d{{1,5}})/(\d{{1,3}}))?")


def uri_of(row: Row) -> str:
    return f"{ALL}/{row.device.node.id}/{row.device.endpoint}"


def event_uris(event: Event) -> list[str]:
    own = [] if event.node is None else [f"{EVENTS}/{event.node}/{event.endpoint}"]
    return [EVENTS, *own]


class Resources:
    def __init__(self, home: Home, viewer: Viewer, rows: Rows, events: EventLog) -> None:
        self._home, self._viewer, self._rows, self._events = home, viewer, rows, events
        self.followed = False  # somebody wants to hear of changes
        self.wanted: set[str] = set()  # what the client of the older protocol has subscribed to

    def follow(self) -> None:
        self.followed = True
        self._home.follow()

    def changes(self, *views: View) -> list[str]:
        """The resources that differ between two views."""
        old, new = ({uri_of(row): row.entry for row in self._rows.of(view.devices)} for view in views)
        changed = [uri for uri in old | new if old.get(uri) != new.get(uri)]
        return [ALL, *changed] if changed else []

    async def listing(self) -> "ListResourcesResult":
        from mcp_types import ListResourcesResult, Resource

        fixed = [(ALL, "devices", "All devices"), (EVENTS, "events", "What has happened")]
        rows = self._rows.of((await self._viewer.now()).devices)
        each = [
            (uri_of(row), f"{row.device.room} {row.device.name}".strip(), row.device.name) for row in rows
        ]
        return ListResourcesResult(
            resources=[
                Resource(uri=uri, name=name, title=title, mime_type=_JSON)
                for uri, name, title in (*fixed, *each)
            ]
        )

    async def read(self, uri: str) -> "ReadResourceResult":
        from mcp.shared.exceptions import MCPError
        from mcp_types import INVALID_PARAMS, ReadResourceResult, TextResourceContents

        content: Any = None
        if of := _EVENTS_OF.fullmatch(uri):  # without asking the home, which may be away
            content = self._events.to_json((int(of[1]), int(of[2])) if of[1] else None)
        elif not uri.startswith(EVENTS):
            rows = self._rows.of((await self._viewer.now()).devices)
            content = [row.entry for row in rows] if uri == ALL else None
            for row in rows:
                if uri_of(row) == uri:
                    readings = [reading(value) for value in row.device.readings]
                    content = {**row.entry, "readings": readings}
        if content is None:
            raise MCPError(INVALID_PARAMS, f"There is no resource {uri[:100]}")
        text = json.dumps(content, ensure_ascii=False)
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=_JSON)])
