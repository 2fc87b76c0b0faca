"""All that is set: what rings once, in the file of the timers, and what rings again and again, elsewhere."""

from collections.abc import Sequence
from typing import Any, Protocol

from voice_gateway.tools.builtin.timers.store import KeptTimers, Timer


class RepeatedTimers(Protocol):
    """Who keeps what rings again and again. Both wait for the disk."""

    def all(self) -> Sequence[Timer]: ...

    def cancel(self, timers: Sequence[Timer]) -> Sequence[dict[str, Any]]:
        """The calls that put them back."""
        ...


class Kept:
    """Every method waits for the disk."""

    def __init__(self, store: KeptTimers, repeated: RepeatedTimers | None) -> None:
        self._store, self._repeated = store, repeated

    def all(self) -> list[Timer]:
        return [*self._store.all(), *(self._repeated.all() if self._repeated is not None else ())]

    def remove(self, chosen: Sequence[Timer]) -> tuple[list[Timer], list[dict[str, Any]]]:
        """Those that were still there, and the calls that make the repeated ones again."""
        once = [timer.id for timer in chosen if not timer.again]
        again = [timer for timer in chosen if timer.again]
        gone = list(self._store.remove(once)) if once else []
        back = self._repeated.cancel(again) if again and self._repeated is not None else []
        return [*gone, *again], list(back)
