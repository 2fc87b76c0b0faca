"""Intents: what words mean, told without doing it, and carried out when a client comes back with one."""

import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

KEPT_SECONDS = 60.0  # between what was recognised and what is to be done
MOST_KEPT = 64

# The calls that words mean, each by its tool and arguments; nothing is done.
Recognise = Callable[[str], Awaitable[Sequence[tuple[str, Mapping[str, Any]]]]]


@dataclass(slots=True)
class _Kept:
    whose: str
    text: str
    intents: list[str]
    until: float
    done: bool = field(default=False)


class Intents:
    """Words are carried out as a whole, by the one way that all words go: no client makes up a call."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._kept: deque[_Kept] = deque(maxlen=MOST_KEPT)

    def keep(self, text: str, whose: str, intents: Sequence[Mapping[str, Any]]) -> None:
        keys = [_key(intent) for intent in intents]
        self._kept.append(_Kept(whose, text, keys, self._monotonic() + KEPT_SECONDS))

    def words(self, intent: Mapping[str, Any], whose: str) -> str | None:
        """The words that this intent is to be carried out by: "" where that was done with another intent of
        the same words, None where nobody here has recognised it a moment ago."""
        now, key = self._monotonic(), _key(intent)
        for kept in reversed(self._kept):
            if kept.whose != whose or key not in kept.intents or now >= kept.until:
                continue
            kept.intents.remove(key)
            first, kept.done = not kept.done, True
            return kept.text if first else ""
        return None


def intent(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """In the shape of `wyoming.intent.Intent`."""
    return {
        "name": name,
        "entities": [{"name": key, "value": value} for key, value in arguments.items()],
    }


def _key(intent: Mapping[str, Any]) -> str:
    entities = intent.get("entities")
    known = [one for one in entities if isinstance(one, Mapping)] if isinstance(entities, list) else []
    values = {str(one.get("name")): one.get("value") for one in known}
    return json.dumps([str(intent.get("name")), values], sort_keys=True, default=str)
