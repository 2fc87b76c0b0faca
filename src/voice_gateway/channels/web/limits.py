"""What one client may take of the server: time, room and number, each with its reason."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    header_seconds: float = 10.0  # for a whole request line with its headers
    body_seconds: float = 10.0  # for a body behind them
    send_seconds: float = 20.0  # in which a listener must read what fills its connection
    heartbeat_seconds: float = 15.0  # less than what proxies and browsers wait
    keep_alive_seconds: int = 20
    connections: int = 1000
    connections_of_one: int = 600  # address: whoever takes all it gets keeps nobody else out
    streams: int = 500
    unread_bytes: int = 1024 * 1024  # that one listener may leave unread
    headers_bytes: int = 32 * 1024
    body_bytes: int = 64 * 1024  # words, never files
    longer_body_bytes: int = 1024 * 1024  # whole conversations of other programs
    message_bytes: int = 1024 * 1024  # of one WebSocket message: 30 seconds of sound
    asks_a_second: float = 100.0
    asks_at_once: float = 400.0  # two hundred consoles of one machine may open together
    guesses_a_second: float = 1 / 6
    guesses_at_once: float = 20.0


LIMITS = Limits()
