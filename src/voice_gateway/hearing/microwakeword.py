"""Wake words by microWakeWord: misses more, but costs nearly nothing; for many rooms on one machine."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from voice_gateway.errors import HearingError
from voice_gateway.hearing.wake_word import best_of, check_model, known_words
from voice_gateway.sound.packages import REPAIR, check_files, need
from voice_gateway.sound.samples import RATE, Samples
from voice_gateway.turn import WakeDetected

THRESHOLD = 0.85  # the shipped 0.97 misses one in five of clean wake words (measured)


class MicroWakeWords:
    def __init__(self, words: Iterable[str], *, threshold: float | None = None) -> None:
        self._package = need("pymicro_wakeword", "the wake word")
        check_files("pymicro-wakeword", "pymicro_wakeword/models/", "the wake word model")
        known = [model.value for model in self._package.Model]
        self._threshold = threshold or THRESHOLD
        self._heard = 0
        try:
            self._features: Any = self._package.MicroWakeWordFeatures()
            self._words = {
                Path(word).stem: self._detector(word)
                for word in known_words(words, known, file_ending=".json")
            }
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise HearingError(f"the wake word cannot be loaded ({error}): {REPAIR}") from error

    def _detector(self, word: str) -> Any:
        if not word.endswith(".json"):
            return self._package.MicroWakeWord.from_builtin(self._package.Model(word))
        model = json.loads(Path(word).read_text(encoding="utf-8"))["model"]
        builtin = self._package.MicroWakeWord.from_builtin(next(iter(self._package.Model)))
        check_model(Path(word).parent / model, builtin.lib)
        return self._package.MicroWakeWord.from_config(word)

    def feed(self, samples: Samples) -> WakeDetected | None:
        self._heard += len(samples)
        scores = (
            (word, float(detector.process_streaming_prob(feature) or 0.0))
            for feature in self._features.process_streaming(samples.tobytes())
            for word, detector in self._words.items()
        )
        best = best_of(scores, self._threshold, self._heard / RATE)
        if best is not None:
            self.reset()
        return best

    def reset(self) -> None:
        self._features.reset()
        for detector in self._words.values():
            detector.reset()
