"""How long a server may take to answer at first, and how long to wait before it is tried again."""

import asyncio
from collections.abc import Callable

from voice_gateway.backoff import backoff_seconds
from voice_gateway.config import McpSettings

LOOK_SECONDS = 1.0  # a package manager works for seconds at least
LEAST_LATER_DELAY_SECONDS = 1.0
STARTING_DELAY_SECONDS = 4.0  # at most, for one that is just starting
ADDRESS_DELAY_SECONDS = 10.0  # … and for one with an address: to ask there costs less than to start a process


def attempt_delay(mcp: McpSettings, failures: int, *, by_address: bool, starting: bool) -> float:
    """Before the next attempt: none, then 2, 4, 8 … s; it never gives up."""
    longest = min(mcp.max_delay_seconds, ADDRESS_DELAY_SECONDS) if by_address else mcp.max_delay_seconds
    delay = backoff_seconds(failures, first=mcp.base_delay_seconds, longest=longest)
    if starting:
        delay = min(delay, STARTING_DELAY_SECONDS)
    # "No delay" is meant for the first attempts; for ever after it would only heat the house.
    later = 0 < failures >= mcp.attempts
    return max(delay, LEAST_LATER_DELAY_SECONDS) if later else delay


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
