"""What a home offers beyond its values: users of locks, names, interviews, routes, who joins or leaves."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from zwave_mcp.home import HomeError


class CannotDo(HomeError):
    """The gateway has no such call: another version of it, or a stick that cannot. Nothing was sent."""


class Door(StrEnum):
    """Whether the network is open, and which way."""

    CLOSED = "closed"
    ADDING = "adding"
    REMOVING = "removing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LockUser:
    """Somebody with a code. There is no place for the code itself."""

    id: int
    active: bool
    name: str = ""  # most locks know none


@dataclass(frozen=True, slots=True)
class LockUsers:
    users: tuple[LockUser, ...]
    places: int | None = None  # how many there could be


class Network(Protocol):
    """As in `Home`: HomeDown, NoAnswer and Refused may be raised; CannotDo where the gateway's version has
    no such call."""

    async def users(self, node_id: int) -> LockUsers:
        """Read from the lock itself."""

    async def rename(self, node_id: int, name: str) -> None: ...

    async def move(self, node_id: int, room: str) -> None: ...

    async def interview(self, node_id: int) -> None:
        """Returns when it has begun; NoAnswer: the device is asleep, and it begins when that wakes up."""

    async def rebuild_routes(self, node_id: int | None) -> bool:
        """Of one device: whether it succeeded. Of all (None): whether it has begun."""

    async def open(self, way: Door) -> bool:
        """Let a device join or leave; False: it is open already, one way or the other."""

    async def close(self, way: Door) -> None: ...

    async def door(self) -> Door: ...
