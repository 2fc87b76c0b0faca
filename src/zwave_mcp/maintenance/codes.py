"""The users with a code for a lock: how many and their names, never the digits."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from home_names import wording
from home_names.names import spellings
from home_names.phrases import capital, listed
from zwave_mcp.devices import CC, Device
from zwave_mcp.home import CannotDo, GatewayError, Home, LockUser, LockUsers, NoAnswer
from zwave_mcp.results import Outcome, Result, result
from zwave_mcp.view import Viewer, resolve_device

_ENABLED, _DISABLED = 1, 2
_LOCK: Final = re.compile(r"\s*(?:(?P<lock>[^:=]+):)?(?P<users>.*)", re.DOTALL)
_USER: Final = re.compile(r"\s*(\d{1,5})\s*=\s*([^=]{1,60}?)\s*")
_EVERY_LOCK: Final = ""


class NoUserNames(ValueError):
    """The setting cannot be read."""


class UserNames:
    """The names of a lock's users: from the settings, or as the lock itself tells them."""

    def __init__(self, given: Mapping[str, Mapping[int, str]] | None = None) -> None:
        self._given = given or {}  # by the lock's name
        self._learned: dict[int, dict[int, str]] = {}  # by node

    @classmethod
    def read(cls, text: str) -> "UserNames":
        """From "1=Anna, 2=Ben" for every lock, or "Front Door: 1=Anna; Cellar: 1=Ben" for each its own."""
        given: dict[str, dict[int, str]] = {}
        for part in filter(str.strip, text.split(";")):
            match = _LOCK.fullmatch(part)
            users = [_USER.fullmatch(item) for item in match["users"].split(",")] if match else [None]
            if match is None or not all(users):
                raise NoUserNames(part.strip())
            lock = (match["lock"] or _EVERY_LOCK).strip()
            given.setdefault(lock, {}).update({int(item[1]): item[2] for item in users if item})
        return cls(given)

    def learn(self, node: int, users: Iterable[LockUser]) -> None:
        self._learned[node] = {user.id: user.name for user in users if user.name}

    def of(self, node: int, lock: str, user: int | None) -> str:
        """The user's name; empty where it is unknown."""
        if user is None:
            return ""
        own = [users for name, users in self._given.items() if name and spellings(name) & spellings(lock)]
        for users in (*own, self._given.get(_EVERY_LOCK, {}), self._learned.get(node, {})):
            if user in users:
                return users[user]
        return ""


async def user_codes(home: Home, viewer: Viewer, names: UserNames, asked: str = "") -> Result:
    """The users of one lock, or of all."""
    view = await viewer.now()
    locks = [device for device in view.devices if _has_codes(device)]
    if asked:
        locks = [resolve_device(view, asked, _has_codes)]
    if not locks:
        return result("No lock here has codes.", "unsupported")
    answers = [await _one(home, names, lock) for lock in locks]
    if len(answers) == 1:
        return answers[0]
    outcome: Outcome = "unconfirmed" if any(item.is_error for item in answers) else "confirmed"
    more = {"locks": [dict(item.structured) for item in answers]}
    return result(" ".join(item.sentence for item in answers), outcome, more=more)


async def _one(home: Home, names: UserNames, lock: Device) -> Result:
    name = capital(wording.the(lock))
    if not _has_codes(lock):
        return result(f"{name} has no codes.", "unsupported", lock)
    if lock.node.dead:
        return result(wording.unreachable(lock), "unreachable", lock)
    try:
        read: LockUsers | None = await home.lock_users(lock.node.id)
    except (NoAnswer, GatewayError, CannotDo):
        read = _remembered(lock)
    if read is None:
        return result(f"{name} has not told who has a code.", "unconfirmed", lock)
    names.learn(lock.node.id, read.users)
    users = [
        replace(item, name=names.of(lock.node.id, lock.name, item.id) or item.name) for item in read.users
    ]
    more: dict[str, Any] = {
        "users": [{"id": item.id, "name": item.name or None, "active": item.active} for item in users],
        "places": read.places,
    }
    return result(_sentence(lock, users, read.places), "confirmed", lock, more=more)


def _has_codes(device: Device) -> bool:
    return any(value.id.command_class in (CC.USER_CODE, CC.USER_CREDENTIAL) for value in device.node.values)


def _remembered(lock: Device) -> LockUsers | None:
    """The users by the lock's values, as an older gateway has them; None where they were never read."""
    states = {
        value.id.property_key: value.value
        for value in lock.node.values
        if value.id.command_class == CC.USER_CODE and value.id.property == "userIdStatus"
    }
    if all(state is None for state in states.values()):
        return None
    used = sorted((int(key or 0), state) for key, state in states.items() if state in (_ENABLED, _DISABLED))
    return LockUsers(tuple(LockUser(key, state == _ENABLED) for key, state in used), len(states) or None)


def _sentence(lock: Device, users: list[LockUser], places: int | None) -> str:
    active = [item.name or f"user {item.id}" for item in users if item.active]
    off = [item.name or f"user {item.id}" for item in users if not item.active]
    room = f"; there is room for {places}" if places else ""
    if not users:
        return f"Nobody has a code for {wording.the(lock)}{room}."
    codes = "one code" if len(active) == 1 else f"{len(active)} codes"
    use = f"has {codes} in use, by {listed(active)}" if active else "has no code in use"
    that, are = ("that", "is") if len(off) == 1 else ("those", "are")
    disabled = f"; {that} of {listed(off)} {are} switched off" if off else ""
    return f"{capital(wording.the(lock))} {use}{disabled}{room}."
