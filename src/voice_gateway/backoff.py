"""How long to wait before something that failed is tried again."""


def backoff_seconds(failures: int, *, first: float, longest: float) -> float:
    """Nothing before the first failure, then `first`, doubled with each further one, up to `longest`."""
    return min(first * 2.0 ** min(failures - 1, 30), longest) if failures else 0.0
