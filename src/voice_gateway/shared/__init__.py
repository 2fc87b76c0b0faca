"""What several gateways share on one Redis: conversations, routines, timers, and the lease of one of them.

Optional (extra `redis`), and used only where `brain.store` is the address of a Redis. `store.py` is
asynchronous, for conversations; `rows.py` blocks, for routines and timers, which have threads of their own.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voice_gateway.shared.rows import SharedRedis

PREFIX = "voice-gateway:"  # of every key
LIMIT_SECONDS = 1.0  # for one answer
LEASE_SECONDS = 2.0  # a gateway that has not renewed the lease for so long is replaced
NOT_INSTALLED = "a redis:// store needs the extra: pip install 'voice-gateway[redis]'"


def is_redis(setting: str) -> bool:
    """Whether `brain.store` names a Redis."""
    return setting.startswith(("redis://", "rediss://", "unix://"))


def connected(setting: str) -> "SharedRedis | None":
    """The Redis for routines and timers, before its first command; None where `brain.store` names none."""
    if not is_redis(setting):
        return None
    from voice_gateway.shared.rows import SharedRedis

    return SharedRedis(setting)
