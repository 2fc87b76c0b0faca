"""Who has a code for a lock: how many, whose, and never the digits."""

from dataclasses import replace
from typing import Any, Final

from home_words.phrases import capital, listed
from zwave_mcp import wording
from zwave_mcp.devices import Device
from zwave_mcp.home import Home, NoAnswer, Refused
from zwave_mcp.maintenance.network import CannotDo, LockUser, LockUsers
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.user_names import UserNames
from zwave_mcp.view import Viewer, resolve_device

_USER_CODE: Final = 99
_USER_CREDENTIAL: Final = 131
_ENABLED, _DISABLED = 1, 2


class UserCodes:
    def __init__(self, home: Home, viewer: Viewer, names: UserNames | None = None) -> None:
        self._home = home
        self._viewer = viewer
        self._names = names or UserNames()

    async def tell(self, asked: str = "") -> Result:
        view = await self._viewer.now()
        if not asked:
            locks = [device for device in view.devices if has_codes(device)]
        else:
            found = resolve_device(view, asked, {}, has_codes)
            if isinstance(found, Result):
                return found
            locks = [found]
        if not locks:
            return result("No lock here has codes.", "unsupported", Facts())
        if len(locks) == 1:
            return await self._one(locks[0])
        told = [await self._one(lock) for lock in locks]
        known = [one for one in told if not one.is_error]
        outcome: Outcome = "confirmed" if len(known) == len(told) else "unconfirmed"
        more = {"locks": [dict(one.structured) for one in told]}
        return result(" ".join(one.sentence for one in told), outcome, Facts(more=more))

    async def _one(self, lock: Device) -> Result:
        facts = Facts(device=lock)
        if not has_codes(lock):
            return result(capital(f"{wording.the(lock)} has no codes."), "unsupported", facts)
        if lock.node.dead:
            return result(wording.unreachable(lock), "unreachable", facts)
        read = await self._read(lock)
        if read is None:
            sentence = f"{capital(wording.the(lock))} has not told who has a code."
            return result(sentence, "unconfirmed", facts)
        self._names.learn(lock.node.id, read.users)
        read = replace(read, users=tuple(self._named(lock, one) for one in read.users))
        more: dict[str, Any] = {
            "users": [{"id": one.id, "name": one.name or None, "active": one.active} for one in read.users],
            "places": read.places,
        }
        return result(sentence_of(lock, read), "confirmed", Facts(device=lock, more=more))

    def _named(self, lock: Device, user: LockUser) -> LockUser:
        return replace(user, name=self._names.of(lock.node.id, lock.name, user.id) or user.name)

    async def _read(self, lock: Device) -> LockUsers | None:
        """From the lock; where that is silent, or its gateway is older, what is remembered."""
        try:
            return await self._home.network.users(lock.node.id)
        except (NoAnswer, Refused, CannotDo):
            return remembered(lock)


def has_codes(device: Device) -> bool:
    return any(value.id.command_class in (_USER_CODE, _USER_CREDENTIAL) for value in device.node.values)


def remembered(lock: Device) -> LockUsers | None:
    """From its values, as an older gateway has them; None where nobody has read them."""
    states = {
        value.id.property_key: value.value
        for value in lock.node.values
        if value.id.command_class == _USER_CODE and value.id.property == "userIdStatus"
    }
    if all(state is None for state in states.values()):
        return None
    users = [
        LockUser(int(key), state == _ENABLED)
        for key, state in states.items()
        if key is not None and state in (_ENABLED, _DISABLED)
    ]
    return LockUsers(tuple(sorted(users, key=lambda one: one.id)), len(states) or None)


def sentence_of(lock: Device, read: LockUsers) -> str:
    active = [_called(one) for one in read.users if one.active]
    off = [_called(one) for one in read.users if not one.active]
    room = f"; there is room for {read.places}" if read.places else ""
    if not read.users:
        return f"Nobody has a code for {wording.the(lock)}{room}."
    parts = []
    if active:
        codes = "one code" if len(active) == 1 else f"{len(active)} codes"
        parts.append(f"{capital(wording.the(lock))} has {codes} in use, by {listed(active)}")
    else:
        parts.append(f"{capital(wording.the(lock))} has no code in use")
    if off:
        parts.append(f"{'that' if len(off) == 1 else 'those'} of {listed(off)} {_are(off)} switched off")
    return f"{'; '.join(parts)}{room}."


def _called(user: LockUser) -> str:
    return user.name or f"user {user.id}"


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
