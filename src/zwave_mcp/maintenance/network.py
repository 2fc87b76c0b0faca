"""What a home offers beyond its values: the users of locks, and the names and rooms of nodes."""

from dataclasses import dataclass
from typing import Protocol

from zwave_mcp.home import HomeError


class CannotDo(HomeError):
    """The gateway has no such call: another version of it, or a stick that cannot. Nothing was sent."""


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
