"""Which values a device can be in: yes or no, a text, a finite number, and nothing else."""

import math
from typing import Any


def is_number(raw: Any) -> bool:
    """JSON also brings NaN, infinity, and whole numbers of hundreds of digits."""
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return False
    try:
        return math.isfinite(raw)
    except OverflowError:
        return False


def scalar(raw: object) -> bool | float | str | None:
    """The value, or None where there is none."""
    return raw if isinstance(raw, bool | str) or is_number(raw) else None  # type: ignore[return-value]
