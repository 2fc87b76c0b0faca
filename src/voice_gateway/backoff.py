"""How long to wait before something that failed is tried again."""


def backoff_seconds(failures: int, *, first: float, longest: float) -> float:
    """Nothing before the first failure, then `first`, doubled with each further one, up to `longest`."""
    return min(first * 2.0 ** min(failures - 1, 30), longest) if failures else 0.0


class Backoff:
    """The same for a loop that only waits: `next` gives a wait, `reset` begins anew after a success."""

    def __init__(self, first_seconds: float, longest_seconds: float) -> None:
        self._first, self._longest = first_seconds, longest_seconds
        self._failures = 1

    @property
    def seconds(self) -> float:
        return backoff_seconds(self._failures, first=self._first, longest=self._longest)

    def next(self) -> float:
        seconds = self.seconds
        self._failures += 1
        return seconds

    def reset(self) -> None:
        self._failures = 1
