"""Words with a PIN in them, for clients that hear in one request and ask in the next: a mark goes between."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from home_words.numerals import without_numbers

KEPT_SECONDS = 60.0  # nobody takes longer from what was heard to what is asked
MOST_KEPT = 16


@dataclass(frozen=True, slots=True)
class _Kept:
    whose: str
    shown: str
    text: str
    until: float


class HiddenWords:
    """In memory only, each for one use by who spoke them."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._kept: deque[_Kept] = deque(maxlen=MOST_KEPT)

    def hide(self, text: str, whose: str) -> str:
        """The words without their numbers."""
        shown = without_numbers(text)
        if shown != text:
            self._kept.append(_Kept(whose, shown, text, self._monotonic() + KEPT_SECONDS))
        return shown

    def whole(self, shown: str, whose: str) -> str:
        """What was hidden, for who comes back with what was shown; anything else is what it is."""
        now = self._monotonic()
        for kept in self._kept:
            if (kept.whose, kept.shown) == (whose, shown) and now < kept.until:
                self._kept.remove(kept)
                return kept.text
        return shown
