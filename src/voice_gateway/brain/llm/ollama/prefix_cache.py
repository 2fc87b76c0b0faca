"""Whether the model server has read our prefix, and when it will have forgotten it."""

import re
from collections.abc import Callable

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
FOR_EVER = float("inf")


def seconds_of(keep_alive: str) -> float:
    """Ollama's durations: "30m", "1h30m", "90" (seconds), "-1" (for ever)."""
    text = keep_alive.strip()
    if text.startswith("-"):
        return FOR_EVER
    if text.isdigit():
        return float(text)
    return sum(float(number) * _UNITS[unit] for number, unit in re.findall(r"([\d.]+)(ms|s|m|h)", text))


class PrefixCache:
    """Which prefix was read last, and until when it is kept."""

    def __init__(self, keep_alive: str, now: Callable[[], float]) -> None:
        self._keep = seconds_of(keep_alive)
        self._now = now
        self._prefix: str | None = None
        self._until = 0.0

    def read(self, prefix: str) -> None:
        """A request with this prefix was answered: it starts the time again."""
        self._prefix, self._until = prefix, self._now() + self._keep

    def lost(self) -> None:
        self._prefix = None

    def knows(self, prefix: str) -> bool:
        return self._prefix == prefix and self._now() < self._until
