"""Devices as MCP resources: each can be read, and whoever subscribed hears when its state is another."""

import json
from typing import TYPE_CHECKING, Any, Final

from zwave_mcp.devices import Device, devices_of
from zwave_mcp.home import Home, Snapshot, Telling
from zwave_mcp.queries import entry, reading
from zwave_mcp.states import measured, state_text

if TYPE_CHECKING:
    from mcp_types import ListResourcesResult, ReadResourceResult

ALL: Final = "zwave://devices"  # updated with every change of any device
_JSON: Final = "application/json"


def uri_of(device: Device) -> str:
    return f"{ALL}/{device.node.id}/{device.endpoint}"


class Resources:
    def __init__(self, home: Home) -> None:
        self._home = home
        self._states: dict[str, tuple[str, ...]] | None = None  # with what each measures
        self._wanted: set[str] = set()

    def subscribe(self, uri: str) -> None:
        self._wanted.add(uri)
        if isinstance(self._home, Telling):
            self._home.follow()

    def unsubscribe(self, uri: str) -> None:
        self._wanted.discard(uri)

    def news(self, snapshot: Snapshot) -> list[str]:
        """What is not as it was in the snapshot before, and that of all of them."""
        now = {uri_of(one): (state_text(one), *measured(one)) for one in devices_of(snapshot)}
        before, self._states = self._states, now
        if before is None or before == now:
            return []
        return [ALL, *(uri for uri in before.keys() | now.keys() if before.get(uri) != now.get(uri))]

    def is_wanted(self, uri: str) -> bool:
        return uri in self._wanted

    async def listing(self) -> "ListResourcesResult":
        from mcp_types import ListResourcesResult, Resource

        every = Resource(uri=ALL, name="devices", title="All devices", mime_type=_JSON)
        devices = devices_of(await self._home.snapshot())
        each = [
            Resource(uri=uri_of(one), name=f"{one.room} {one.name}".strip(), title=one.name, mime_type=_JSON)
            for one in devices
        ]
        return ListResourcesResult(resources=[every, *each])

    async def read(self, uri: str) -> "ReadResourceResult":
        from mcp.shared.exceptions import MCPError
        from mcp_types import INVALID_PARAMS, ReadResourceResult, TextResourceContents

        devices = devices_of(await self._home.snapshot())
        found: Any = [entry(one) for one in devices] if uri == ALL else None
        for one in devices if uri != ALL else ():
            if uri_of(one) == uri:
                found = {**entry(one), "readings": [reading(value) for value in one.readings]}
        if found is None:
            raise MCPError(INVALID_PARAMS, f"There is no resource {uri[:100]}")
        text = json.dumps(found, ensure_ascii=False)
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=_JSON)])
