"""How long a server may take to answer for the first time: longer while it is being installed."""

import asyncio
from collections.abc import Callable

from voice_gateway.config import McpSettings

LOOK_SECONDS = 1.0  # a package manager works for seconds at least


class Patience:
    """Brings a limit forward when the time is up: `connect_timeout_seconds` after the beginning, or after the
    package manager was last seen at work, and `first_start_seconds` at most."""

    def __init__(
        self, mcp: McpSettings, installing: Callable[[], bool], on_installing: Callable[[], None]
    ) -> None:
        self._installing = installing
        self._on_installing = on_installing
        self._usual = mcp.connect_timeout_seconds
        self._longest = max(mcp.first_start_seconds, self._usual)
        self._granted = self._usual
        self._timer: asyncio.TimerHandle | None = None

    @property
    def reason(self) -> str:
        return f"it did not answer within {round(self._granted, 1):g} s"

    def begin(self, limit: asyncio.Timeout) -> None:
        self._look_at(asyncio.get_running_loop().time(), 0.0, limit)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look(self, began: float, limit: asyncio.Timeout) -> None:
        waited = asyncio.get_running_loop().time() - began
        if self._installing():
            self._granted = min(waited + self._usual, self._longest)
            if waited >= self._usual:
                self._on_installing()
        if waited < self._granted:
            self._look_at(began, waited, limit)
        elif not limit.expired():
            limit.reschedule(began)

    def _look_at(self, began: float, waited: float, limit: asyncio.Timeout) -> None:
        seconds = min(LOOK_SECONDS, self._granted - waited)
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look, began, limit)
