"""How often one address may ask, and how often it may be wrong about a token."""

from collections.abc import Callable
from time import monotonic

from voice_gateway.channels.web.limits import LIMITS, Limits

COUNTED = ("/api/", "/v1/", "/mcp", "/metrics")  # a page and its files cost next to nothing
MOST_ADDRESSES = 4096


class Rates:
    def __init__(self, limits: Limits = LIMITS, now: Callable[[], float] = monotonic) -> None:
        self._asked = _Buckets(limits.asks_a_second, limits.asks_at_once, now)
        self._guessed = _Buckets(limits.guesses_a_second, limits.guesses_at_once, now)

    def may_ask(self, client: str, path: str) -> bool:
        return not path.startswith(COUNTED) or self._asked.take(client)

    def may_guess(self, client: str) -> bool:
        return self._guessed.take(client)


class _Buckets:
    """Each fills steadily and is emptied by asking."""

    def __init__(self, a_second: float, at_once: float, now: Callable[[], float]) -> None:
        self._a_second, self._at_once, self._now = a_second, at_once, now
        self._left: dict[str, tuple[float, float]] = {}  # what is left, and when it was counted

    def take(self, client: str) -> bool:
        now = self._now()
        left, counted = self._left.pop(client, (self._at_once, now))
        left = min(self._at_once, left + (now - counted) * self._a_second)
        may = left >= 1
        self._left[client] = (left - 1 if may else left, now)
        while len(self._left) > MOST_ADDRESSES:  # the one that has been silent longest
            del self._left[next(iter(self._left))]
        return may
