"""What a server tells its client to log: into our log, under its name, at its level, and never as a flood."""

import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

log = logging.getLogger(__name__)

LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "alert": logging.CRITICAL,
    "emergency": logging.CRITICAL,
}
LONGEST = 2000  # characters of one message
MOST_A_MINUTE = 60
_WINDOW_SECONDS = 60.0
# What moves a cursor, colours or names a window: CSI, OSC (which BEL or ST ends), and the short ones.
_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?|[@-Z\\-_])")


def plain(text: str) -> str:
    """One line without control sequences: whoever reads a log reads words."""
    return " ".join("".join(c if c.isprintable() else " " for c in _ANSI.sub("", text)).split())


def wanted_level() -> str:
    """The least that our own log keeps, in the protocol's word: a server need not send more."""
    kept = log.getEffectiveLevel()
    return next((word for word, level in LEVELS.items() if level >= kept), "emergency")


class ServerLog:
    """Of one server."""

    def __init__(
        self, server: str, hide: Callable[[str], str], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._server, self._hide, self._now = server, hide, now
        self._since = now()
        self._count = 0

    def take(self, params: Mapping[str, Any]) -> None:
        """The params of a `notifications/message`, whatever they are."""
        word = params.get("level")
        level = LEVELS.get(word.lower(), logging.INFO) if isinstance(word, str) else logging.INFO
        if not log.isEnabledFor(level) or not self._has_room():
            return
        facts = {"server": self._server, "content": self._words(params.get("data"))}
        if isinstance(logger := params.get("logger"), str) and logger:
            facts["logger"] = plain(logger[:100])
        log.log(level, "MCP server says", extra=facts)

    def _has_room(self) -> bool:
        now = self._now()
        if now - self._since >= _WINDOW_SECONDS:
            self._tell_left_out()
            self._since, self._count = now, 0
        self._count += 1
        if self._count == MOST_A_MINUTE + 1:
            facts = {"server": self._server}
            log.warning("MCP server logs too much; the rest of this minute is left out", extra=facts)
        return self._count <= MOST_A_MINUTE

    def _tell_left_out(self) -> None:
        if self._count > MOST_A_MINUTE:
            facts = {"server": self._server, "count": self._count - MOST_A_MINUTE}
            log.warning("log messages of an MCP server were left out", extra=facts)

    def _words(self, told: Any) -> str:
        if isinstance(told, Mapping) and isinstance(told.get("message"), str) and len(told) == 1:
            told = told["message"]
        if not isinstance(told, str):
            try:
                told = json.dumps(told, ensure_ascii=False, default=str)
            except (TypeError, ValueError, RecursionError):
                told = "something that cannot be written"
        words = plain(self._hide(told[: 2 * LONGEST]))
        return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"
