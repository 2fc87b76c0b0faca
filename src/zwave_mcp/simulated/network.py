"""Keeping house in the simulated home: names are kept, and whoever opens the network gets a device."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from zwave_mcp.home import NoAnswer, Refused
from zwave_mcp.maintenance.network import Door, LockUser, LockUsers
from zwave_mcp.simulated.file import DeviceSpec

if TYPE_CHECKING:
    from zwave_mcp.simulated.home import SimulatedHome

_JOIN_SECONDS: Final = 4.0  # until somebody has found the button of a new device
_OPEN_SECONDS: Final = 30.0  # then the gateway ends it by itself
_PLACES: Final = 5


class SimulatedNetwork:
    """What has joined is forgotten at the end of the process; names stay in the state file."""

    def __init__(self, home: "SimulatedHome") -> None:
        self._home = home
        self._way = Door.CLOSED
        self._since = 0.0
        self._joined: list[DeviceSpec] = []
        self._names: dict[str, list[str]] = {}

    def applied(self, devices: Iterable[DeviceSpec]) -> tuple[DeviceSpec, ...]:
        """With the names and rooms that were given since, and who has joined."""
        self._names = dict(self._home.store.names)
        return tuple(self._named(device) for device in (*devices, *self._joined))

    def is_stale(self) -> bool:
        """Whether another process gave names, or the time of a new device has come."""
        self._arrive()
        return self._home.store.names != self._names

    def _named(self, device: DeviceSpec) -> DeviceSpec:
        name, room = self._names.get(str(device.node), (device.name, device.room))
        return replace(device, name=name, room=room)

    async def users(self, node_id: int) -> LockUsers:
        device = self._device(node_id)
        if device.faults & {"dead", "asleep"}:
            raise NoAnswer("The lock has not answered.")
        users = tuple(LockUser(place, True, name) for place, name in enumerate(device.users, start=1))
        return LockUsers(users, max(_PLACES, len(users)))

    async def rename(self, node_id: int, name: str) -> None:
        self._give(node_id, name, self._device(node_id).room)

    async def move(self, node_id: int, room: str) -> None:
        self._give(node_id, self._device(node_id).name, room)

    def _give(self, node_id: int, name: str, room: str) -> None:
        self._home.store.write_names(node_id, name, room)
        self._home.use_again()

    async def interview(self, node_id: int) -> None:
        if "asleep" in self._device(node_id).faults:
            raise NoAnswer("The device is asleep.")

    async def rebuild_routes(self, node_id: int | None) -> bool:
        if node_id is not None:
            await asyncio.sleep(self._home.spec.radio_seconds)
            return "dead" not in self._device(node_id).faults
        return True

    async def open(self, way: Door) -> bool:
        if await self.door() is not Door.CLOSED:
            return False
        self._way, self._since = way, self._home.now()
        return True

    async def close(self, way: Door) -> None:
        if way is self._way:
            self._way = Door.CLOSED

    async def door(self) -> Door:
        self._arrive()
        if self._home.now() - self._since >= _OPEN_SECONDS:
            self._way = Door.CLOSED
        return self._way

    def _arrive(self) -> None:
        """After a while somebody presses the button: of a new switch, or of the last that has joined."""
        if self._way is Door.CLOSED or self._home.now() - self._since < _JOIN_SECONDS:
            return
        if self._way is Door.ADDING:
            node = max(device.node for device in self._home.spec.devices) + 1
            self._joined.append(DeviceSpec("switch", node=node, supervised=True))
        elif self._joined:
            self._joined.pop()
        else:
            return
        self._way = Door.CLOSED
        self._home.use_again()

    def _device(self, node_id: int) -> DeviceSpec:
        found = next((device for device in self._home.spec.devices if device.node == node_id), None)
        if found is None:
            raise Refused(f"Node {node_id} not found")
        return found
