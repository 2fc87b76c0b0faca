"""What a Wyoming client may come back with: recognised intents, and words with a PIN in them."""

import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wyoming.intent import Intent

from home_words.numerals import without_numbers

KEPT_SECONDS = 60.0
MOST_KEPT = 64

# The calls that a text means, each by its tool and arguments. Nothing is done.
Recognise = Callable[[str], Awaitable[Sequence[tuple[str, Mapping[str, Any]]]]]


@dataclass(slots=True)
class _Recognised:
    host: str
    text: str
    intents: list[str]
    until: float
    done: bool = False


class Intents:
    """A recognised text is carried out as a whole, by the conversation. No client can make up a call."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._kept: deque[_Recognised] = deque(maxlen=MOST_KEPT)

    def keep(self, text: str, host: str, intents: Sequence[Intent]) -> None:
        keys = [_key(intent) for intent in intents]
        self._kept.append(_Recognised(host, text, keys, self._monotonic() + KEPT_SECONDS))

    def text(self, intent: Intent, host: str) -> str | None:
        """The text to carry out for this intent; "" if that was done with another intent of the same text,
        None if it was not recognised here a moment ago."""
        key = _key(intent)
        for kept in reversed(self._kept):
            if kept.host != host or key not in kept.intents or self._monotonic() >= kept.until:
                continue
            kept.intents.remove(key)
            first, kept.done = not kept.done, True
            return kept.text if first else ""
        return None


def _key(intent: Intent) -> str:
    values = {entity.name: entity.value for entity in intent.entities}
    return json.dumps([intent.name, values], sort_keys=True, default=str)


@dataclass(frozen=True, slots=True)
class _Hidden:
    host: str
    shown: str
    text: str
    until: float


class HiddenWords:
    """A client that hears in one request and asks in the next gets the words without their numbers. They are
    kept in memory, for one use by the host that spoke them."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._kept: deque[_Hidden] = deque(maxlen=MOST_KEPT)

    def hide(self, text: str, host: str) -> str:
        shown = without_numbers(text)
        if shown != text:
            self._kept.append(_Hidden(host, shown, text, self._monotonic() + KEPT_SECONDS))
        return shown

    def whole(self, shown: str, host: str) -> str:
        """The words that were hidden as `shown`, or `shown` itself."""
        now = self._monotonic()
        for kept in self._kept:
            if (kept.host, kept.shown) == (host, shown) and now < kept.until:
                self._kept.remove(kept)
                return kept.text
        return shown
