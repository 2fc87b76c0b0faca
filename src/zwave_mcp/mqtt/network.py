"""Keeping house through Z-Wave JS UI's API; answers of another version are told from refusals."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from zwave_mcp.home import NotUnderstood, Refused
from zwave_mcp.maintenance.network import CannotDo, LockUser, LockUsers
from zwave_mcp.mqtt.api import Api

Call = Callable[..., Awaitable[Any]]

_SOON_SECONDS: Final = 3.0  # what the gateway does by itself
_RADIO_SECONDS: Final = 12.0  # a lock is read user by user; a route is tried
_UNKNOWN_API: Final = "Unknown API"
_NOT_BY_THIS_STICK: Final = "Your hardware does not support"
_OTHER_VERSION: Final = "This version of Z-Wave JS UI cannot do that, so nothing was done."
_OTHER_STICK: Final = "The Z-Wave stick cannot do that, so nothing was done."


class MqttNetwork:
    """`call` asks the gateway; `outdate` says that its list of nodes may be another now."""

    def __init__(self, call: Call, outdate: Callable[[], None]) -> None:
        self._call = call
        self._outdate = outdate

    async def users(self, node_id: int) -> LockUsers:
        read = await self._ask(Api.REFRESH_USERS, node_id, timeout_seconds=_RADIO_SECONDS)
        if not isinstance(read, list):
            raise NotUnderstood
        users = [_user(one) for one in read if isinstance(one, Mapping)]
        return LockUsers(tuple(one for one in users if one is not None), await self._places(node_id))

    async def rename(self, node_id: int, name: str) -> None:
        await self._name(Api.SET_NAME, node_id, name)

    async def move(self, node_id: int, room: str) -> None:
        await self._name(Api.SET_LOCATION, node_id, room)

    async def _name(self, api: Api, node_id: int, name: str) -> None:
        if not _yes_or_no(await self._ask(api, node_id, name)):
            raise Refused("Z-Wave JS UI did not take the name.")

    async def _places(self, node_id: int) -> int | None:
        """How many users a lock can have; an older gateway does not tell."""
        try:
            state = await self._ask(Api.ACCESS_STATE, node_id)
        except (CannotDo, Refused):
            return None
        ends = state.get("endpoints") if isinstance(state, Mapping) else None
        found = (
            [_most_users(one) for one in ends if isinstance(one, Mapping)] if isinstance(ends, list) else []
        )
        return max((one for one in found if one is not None), default=None)

    async def _ask(self, api: Api, *args: Any, timeout_seconds: float = _SOON_SECONDS) -> Any:
        try:
            return await self._call(api, *args, timeout_seconds=timeout_seconds)
        except Refused as refusal:
            if str(refusal).startswith(_UNKNOWN_API):
                raise CannotDo(_OTHER_VERSION) from refusal
            if str(refusal).startswith(_NOT_BY_THIS_STICK):
                raise CannotDo(_OTHER_STICK) from refusal
            raise
        finally:
            self._outdate()


def _yes_or_no(result: object) -> bool:
    if not isinstance(result, bool):
        raise NotUnderstood
    return result


def _user(raw: Mapping[str, Any]) -> LockUser | None:
    user_id, name = raw.get("userId"), raw.get("userName")
    if not isinstance(user_id, int) or isinstance(user_id, bool):
        return None
    return LockUser(user_id, raw.get("active") is True, name.strip() if isinstance(name, str) else "")


def _most_users(raw: Mapping[str, Any]) -> int | None:
    known = raw.get("capabilities")
    most = known.get("maxUsers") if isinstance(known, Mapping) else None
    return most if isinstance(most, int) and not isinstance(most, bool) and most > 0 else None
