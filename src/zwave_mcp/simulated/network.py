"""Keeping house in the simulated home: names are kept, and whoever opens the network gets a device."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from zwave_mcp.home import NoAnswer, Refused
from zwave_mcp.maintenance.network import LockUser, LockUsers
from zwave_mcp.simulated.file import DeviceSpec

if TYPE_CHECKING:
    from zwave_mcp.simulated.home import SimulatedHome

_PLACES: Final = 5


class SimulatedNetwork:
    """Names stay in the state file."""

    def __init__(self, home: "SimulatedHome") -> None:
        self._home = home
        self._names: dict[str, list[str]] = {}

    def applied(self, devices: Iterable[DeviceSpec]) -> tuple[DeviceSpec, ...]:
        """The devices with the names and rooms that were given since."""
        self._names = dict(self._home.store.names)
        return tuple(self._named(device) for device in devices)

    def is_stale(self) -> bool:
        """Whether another process gave names."""
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

    def _device(self, node_id: int) -> DeviceSpec:
        found = next((device for device in self._home.spec.devices if device.node == node_id), None)
        if found is None:
            raise Refused(f"Node {node_id} not found")
        return found
