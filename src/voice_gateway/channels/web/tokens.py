"""The access token of other machines: shown once, stored as a hash, replaced by the next one."""

import hashlib
import hmac
import json
import secrets
from pathlib import Path

from voice_gateway.private_files import private_file

PREFIX = "vg_"  # recognisable in a log


class TokenFile:
    """Read at each use, so a running gateway notices a revoked token at once."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._link_keys: set[bytes] = set()
        self._sessions: set[bytes] = set()  # of browsers that came by a link; gone with the process

    def link_key(self) -> str:
        """A key that opens one session."""
        key = secrets.token_urlsafe(32)
        self._link_keys.add(_hashed(key))
        return key

    def session(self, key: str) -> str | None:
        """The token of a new session, which ends with the gateway; None for an unknown or used key."""
        if _hashed(key) not in self._link_keys:
            return None
        self._link_keys.remove(_hashed(key))
        token = PREFIX + secrets.token_urlsafe(32)
        self._sessions.add(_hashed(token))
        return token

    def make(self) -> str:
        """Makes a new token, which replaces the one before."""
        token = PREFIX + secrets.token_urlsafe(32)
        beside = private_file(self._file.with_suffix(".new"))
        beside.write_text(json.dumps({"sha256": _hashed(token).hex()}), encoding="utf-8")
        beside.replace(self._file)
        return token

    def revoke(self) -> bool:
        """Deletes the token; False if there was none."""
        try:
            self._file.unlink()
        except FileNotFoundError:
            return False
        return True

    @property
    def exists(self) -> bool:
        return bool(self._current())

    def knows(self, token: str) -> bool:
        known, given = self._current(), _hashed(token)
        return given in self._sessions or (bool(known) and hmac.compare_digest(known, given))

    def _current(self) -> bytes:
        try:
            return bytes.fromhex(json.loads(self._file.read_text(encoding="utf-8"))["sha256"])
        except (OSError, ValueError, KeyError, TypeError):  # none, or damaged: access is denied
            return b""


def _hashed(token: str) -> bytes:
    """Plain SHA-256 suffices for 256 random bits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
