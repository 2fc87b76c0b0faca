"""Log messages of a server: into our log, under its name, at its level, and at most 60 a minute."""

import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from voice_gateway.logs import ANSI

log = logging.getLogger(__name__)

LEVELS = {
    "debug": logging.DEBUG,
    **dict.fromkeys(("info", "notice"), logging.INFO),
    "warning": logging.WARNING,
    "error": logging.ERROR,
    **dict.fromkeys(("critical", "alert", "emergency"), logging.CRITICAL),
}
LONGEST = 2000  # characters of one message
MOST_A_MINUTE, MINUTE_SECONDS = 60, 60.0


def wanted_level() -> str:
    """The least that our own log keeps, as the protocol calls it: a server need not send more."""
    kept = log.getEffectiveLevel()
    return next((name for name, level in LEVELS.items() if level >= kept), "emergency")


class ServerLog:
    """The messages of one server."""

    def __init__(
        self, server: str, hide: Callable[[str], str], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._server, self._hide, self._now = server, hide, now
        self._since, self._count = now(), 0

    def take(self, params: Mapping[str, Any]) -> None:
        """The params of a `notifications/message`, whatever they are."""
        level = LEVELS.get(str(params.get("level")).lower(), logging.INFO)
        if not log.isEnabledFor(level):
            return
        if (now := self._now()) - self._since >= MINUTE_SECONDS:
            self._since, self._count = now, 0
        self._count += 1
        facts = {"server": self._server}
        if isinstance(logger := params.get("logger"), str) and logger:
            facts["logger"] = _line(logger[:100])
        if self._count <= MOST_A_MINUTE:
            log.log(level, "MCP server says", extra={**facts, "content": self._text(params.get("data"))})
        elif self._count == MOST_A_MINUTE + 1:
            log.warning("MCP server logs too much; the rest of this minute is left out", extra=facts)

    def _text(self, data: Any) -> str:
        if isinstance(data, Mapping) and data.keys() == {"message"}:
            data = data["message"]
        if not isinstance(data, str):
            data = json.dumps(data, ensure_ascii=False, default=str)  # it came as JSON
        text = _line(self._hide(data[: 2 * LONGEST]))
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _line(text: str) -> str:
    """One line without control sequences."""
    return " ".join("".join(c if c.isprintable() else " " for c in ANSI.sub("", text)).split())
