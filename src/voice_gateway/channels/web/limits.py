"""Limits for one client of the web server: time, size and rate."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

MOST_ADDRESSES = 4096  # whose rates are remembered


@dataclass(frozen=True, slots=True)
class Limits:
    body_seconds: float = 10.0  # to receive a request body
    send_seconds: float = 20.0  # for a client to read one piece of a stream
    heartbeat_seconds: float = 15.0  # shorter than the idle limit of proxies and browsers
    keep_alive_seconds: int = 20
    connections: int = 1000
    streams: int = 500
    unread_bytes: int = 1024 * 1024  # that one event listener may leave unread
    headers_bytes: int = 32 * 1024
    body_bytes: int = 64 * 1024
    longer_body_bytes: int = 1024 * 1024  # whole conversations that other programs send
    message_bytes: int = 1024 * 1024  # of one WebSocket message: 30 seconds of sound
    asks_a_second: float = 100.0
    asks_at_once: float = 400.0  # two hundred consoles of one machine may open together
    guesses_a_second: float = 1 / 6
    guesses_at_once: float = 20.0


LIMITS = Limits()


class RateLimit:
    """A token bucket for each client address."""

    def __init__(self, a_second: float, at_once: float, now: Callable[[], float] = monotonic) -> None:
        self._a_second, self._at_once, self._now = a_second, at_once, now
        self._left: dict[str, tuple[float, float]] = {}  # tokens left, and when they were counted

    def take(self, client: str) -> bool:
        """Takes one token; False if there is none left."""
        now = self._now()
        left, counted = self._left.pop(client, (self._at_once, now))
        left = min(self._at_once, left + (now - counted) * self._a_second)
        allowed = left >= 1
        self._left[client] = (left - 1 if allowed else left, now)
        while len(self._left) > MOST_ADDRESSES:  # the one that was silent longest
            del self._left[next(iter(self._left))]
        return allowed
