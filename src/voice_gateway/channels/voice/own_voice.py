"""Detects the gateway's own voice: compares loudness and words with what was played."""

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

STEP_SECONDS = 0.032
ECHO_SECONDS = 0.8  # from the loudspeaker through the room and two sound servers back
REMEMBER_SECONDS = 10.0
LONGEST_LAG = round(0.5 / STEP_SECONDS)
SAME_SHAPE = 0.85  # correlation of the loudness; two people stay below it
SAME_WORDS = 0.8
FEW_WORDS = 2  # a short answer often repeats the question's words

Loudness = Callable[[float, float, float], list[float]]


@dataclass(slots=True)
class SpokenText:
    text: str
    start: float
    end: float | None = None  # None while it is played


class OwnVoice:
    """Times are those of `time.monotonic`."""

    def __init__(self, loudness: Loudness, now: Callable[[], float] = time.monotonic) -> None:
        self._loudness = loudness
        self._now = now
        self._said: deque[SpokenText] = deque(maxlen=20)

    @contextmanager
    def saying(self, text: str) -> Iterator[None]:
        """Marks the text as being played while the context lasts."""
        spoken = SpokenText(text, self._now())
        self._said.append(spoken)
        try:
            yield
        finally:
            spoken.end = self._now()

    def said_wake_word(self, wake_words: Iterable[str]) -> bool:
        """Whether a sentence that was just played has a wake word in it."""
        lately = [_words(spoken.text) for spoken in self._during(self._now() - ECHO_SECONDS, self._now())]
        wanted = [_words(word.replace("_", " ")) for word in wake_words]
        return any(_contains(words, word) for words in lately for word in wanted)

    def same_sound(self, heard: Sequence[float], start: float) -> bool:
        """The loudness of what was heard, step by step, follows that of what was played."""
        if len(heard) < 6:
            return False
        end = start + len(heard) * STEP_SECONDS
        played = self._loudness(start - LONGEST_LAG * STEP_SECONDS, end, STEP_SECONDS)
        return any(
            _correlation(heard, played[lag : lag + len(heard)]) > SAME_SHAPE
            for lag in range(max(0, len(played) - len(heard)) + 1)
        )

    def reason(self, text: str, heard: Sequence[float], start: float, spoken_from: float) -> str | None:
        """Why this is the gateway's own voice, or None. `heard` is its loudness from `start` on."""
        if self.same_sound(heard, start):
            return "it sounds like what I played"
        words, now = _words(text), self._now()
        for spoken in self._during(now - REMEMBER_SECONDS, now):
            own, end = _words(spoken.text), now if spoken.end is None else spoken.end
            if spoken_from < end + STEP_SECONDS and _contains(own, words):
                return "I was just saying that"
            if spoken_from < end + ECHO_SECONDS and len(words) > FEW_WORDS and _alike(own, words):
                return "I have just said that"
        return None

    def _during(self, start: float, end: float) -> list[SpokenText]:
        return [
            spoken
            for spoken in self._said
            if spoken.start <= end and (spoken.end is None or spoken.end >= start)
        ]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower().replace("'", ""))


def _contains(words: list[str], part: list[str]) -> bool:
    places = range(len(words) - len(part) + 1)
    return bool(part) and any(words[place : place + len(part)] == part for place in places)


def _alike(words: list[str], other: list[str]) -> bool:
    return SequenceMatcher(None, words, other, autojunk=False).ratio() >= SAME_WORDS


def _correlation(heard: Sequence[float], other: Sequence[float]) -> float:
    a, b = np.asarray(heard), np.asarray(other)
    if len(a) != len(b) or not a.std() or not b.std():
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
