"""Values that never leave this server: codes of locks and what was typed on a keypad.

Z-Wave JS UI shows them in clear (measured), so they are dropped where its answers are read: what is not in
memory cannot be told, logged or kept by mistake.
"""

from typing import Final

_ENTRY_CONTROL: Final = 111
_USER_CODE: Final = 99
_USER_CREDENTIAL: Final = 131

_TOLD: Final = {
    _USER_CODE: frozenset({"userIdStatus", "keypadMode"}),
    _USER_CREDENTIAL: frozenset({"userType", "userActive", "userNameEncoding", "credentialType"}),
    _ENTRY_CONTROL: frozenset({"eventType", "dataType", "keyCacheSize", "keyCacheTimeout"}),
}


def is_secret(command_class: int, prop: object) -> bool:
    """Of these classes only what is named here is no secret: a newer driver may have more."""
    told = _TOLD.get(command_class)
    return told is not None and prop not in told
