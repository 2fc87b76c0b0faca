"""Percent as people say it, and the levels 0 to 99 that Z-Wave knows."""

from typing import Final

HIGHEST_LEVEL: Final = 99
LAST_LEVEL: Final = 255  # written to a dimmer: "on, as bright as it was"


def to_level(percent: int) -> int:
    """0 is off; everything else is at least the lowest level that is on."""
    if not 0 <= percent <= 100:
        raise ValueError(f"{percent} is not between 0 and 100")
    return 0 if percent == 0 else max(1, round(percent * 0.99))


# 101 percents share 100 levels: built from `to_level`, so that what was asked for is what is said.
_PERCENTS: Final = {to_level(percent): percent for percent in range(100, -1, -1)}


def to_percent(level: float) -> int:
    return _PERCENTS[min(max(round(level), 0), HIGHEST_LEVEL)]
