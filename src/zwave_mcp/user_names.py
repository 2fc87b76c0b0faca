"""What the users of a lock are called: as its owner says in the settings, else as the lock itself tells."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from home_words.names import spellings
from zwave_mcp.maintenance.network import LockUser

_LOCK: Final = re.compile(r"\s*(?:(?P<lock>[^:=]+):)?(?P<users>.*)", re.DOTALL)
_USER: Final = re.compile(r"\s*(\d{1,5})\s*=\s*([^=]{1,60}?)\s*")
EVERY_LOCK: Final = ""


class NoUserNames(ValueError):
    """It cannot be read."""


class UserNames:
    def __init__(self, given: Mapping[str, Mapping[int, str]] | None = None) -> None:
        self._given = given or {}  # by the lock's name
        self._told: dict[int, dict[int, str]] = {}  # by node, as locks tell them

    @classmethod
    def read(cls, text: str) -> "UserNames":
        """ "1=Anna, 2=Ben" for every lock, "Front Door: 1=Anna; Cellar: 1=Ben" for each its own."""
        given: dict[str, dict[int, str]] = {}
        for part in filter(str.strip, text.split(";")):
            found = _LOCK.fullmatch(part)
            users = [_USER.fullmatch(one) for one in found["users"].split(",")] if found else [None]
            if found is None or not all(users):
                raise NoUserNames(part.strip())
            lock = (found["lock"] or EVERY_LOCK).strip()
            given.setdefault(lock, {}).update({int(one[1]): one[2] for one in users if one})
        return cls(given)

    def learn(self, node: int, users: Iterable[LockUser]) -> None:
        self._told[node] = {user.id: user.name for user in users if user.name}

    def of(self, node: int, lock: str, user: int | None) -> str:
        """ "" where nobody has given it a name."""
        if user is None:
            return ""
        own = [users for name, users in self._given.items() if name and spellings(name) & spellings(lock)]
        for users in (*own, self._given.get(EVERY_LOCK, {}), self._told.get(node, {})):
            if user in users:
                return users[user]
        return ""
