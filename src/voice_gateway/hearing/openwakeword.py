"""Wake words by openWakeWord: finds nearly all, at some percent of a core."""

import ctypes
from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

from voice_gateway.errors import HearingError
from voice_gateway.hearing.wake_word import best_of, check_model, known_words
from voice_gateway.sound.packages import REPAIR, check_files, need
from voice_gateway.sound.samples import RATE, Blocks, Samples
from voice_gateway.turn import WakeDetected

THRESHOLD = 0.5  # all of 84 clean wake words found, no false one in an hour (measured)
STEP_SAMPLES = 1280  # 80 ms, the engine's own step
FEATURE_STATE = ("new_audio_samples", "audio", "new_mels", "mels")
WORD_STATE = ("new_embeddings", "embeddings")
SETTLE_SECONDS = 3  # of silence: longer than all that the models look back on
SILENT_BELOW = 8  # of 32768: no microphone is that quiet, but a muted one or a gap in a recording is


class OpenWakeWords:
    """Several words share what is costly, the features of the sound."""

    def __init__(self, words: Iterable[str], *, threshold: float | None = None) -> None:
        self._package = need("pyopen_wakeword", "the wake word")
        check_files("pyopen-wakeword", "pyopen_wakeword/models/", "the wake word model")
        known = [model.value for model in self._package.Model]
        self._threshold = threshold or THRESHOLD
        self._blocks = Blocks(STEP_SAMPLES)
        self._heard = 0
        self._silent = 0  # samples of silence up to now
        try:
            self._features: Any = self._package.OpenWakeWordFeatures.from_builtin()
            _work_alone(self._features)
            self._words = {
                Path(word).stem: self._detector(word)
                for word in known_words(words, known, file_ending=".tflite")
            }
        except (OSError, RuntimeError, ValueError) as error:
            raise HearingError(f"the wake word cannot be loaded ({error}): {REPAIR}") from error
        self._settled = self._settle()

    def _settle(self) -> list[tuple[Any, dict[str, Any]]]:
        """The state after some silence, for `reset`.

        The engine's own reset makes it hear eight seconds of silence with the next chunk, which takes a third
        of a second: just when somebody may speak.
        """
        self._features.new_audio_samples = SETTLE_SECONDS * RATE
        self._scores(np.zeros(STEP_SAMPLES, np.int16))
        parts = {self._features: FEATURE_STATE, **dict.fromkeys(self._words.values(), WORD_STATE)}
        return [(part, {key: copy(getattr(part, key)) for key in keys}) for part, keys in parts.items()]

    def _detector(self, word: str) -> Any:
        if word.endswith(".tflite"):
            check_model(Path(word), self._features.lib)
            return self._package.OpenWakeWord.from_model(word)
        return self._package.OpenWakeWord.from_builtin(self._package.Model(word))

    def feed(self, samples: Samples) -> WakeDetected | None:
        best: WakeDetected | None = None
        for block in self._blocks.feed(samples):
            self._heard += len(block)
            if self._nothing_new(block):
                continue
            found = best_of(self._scores(block), self._threshold, self._heard / RATE)
            if found is not None and (best is None or found.score > best.score):
                best = found
        if best is not None:
            self.reset()
        return best

    def _nothing_new(self, block: Samples) -> bool:
        """Silence beyond all that the models look back on leaves them as they are: nothing to compute."""
        if max(int(block.max()), -int(block.min())) < SILENT_BELOW:
            self._silent += len(block)
            return self._silent > SETTLE_SECONDS * RATE
        if self._silent > SETTLE_SECONDS * RATE:
            self._restore()
        self._silent = 0
        return False

    def _scores(self, block: Samples) -> list[tuple[str, float]]:
        return [
            (word, float(score))
            for embedding in self._features.process_streaming(block.tobytes())
            for word, detector in self._words.items()
            for score in detector.process_streaming(embedding)
        ]

    def reset(self) -> None:
        self._blocks.clear()
        self._restore()

    def _restore(self) -> None:
        for part, state in self._settled:
            for key, value in state.items():
                setattr(part, key, copy(value))


def _work_alone(features: Any) -> None:
    """Compute in the thread that feeds it, with the same scores.

    The engine's own threads wait for each other in a loop, which costs more than half of all it takes.
    """
    from pyopen_wakeword.openwakeword import EMB_SHAPE, MEL_SHAPE

    lib = features.lib
    lib.TfLiteInterpreterOptionsCreate.restype = ctypes.c_void_p
    lib.TfLiteInterpreterOptionsSetNumThreads.argtypes = [ctypes.c_void_p, ctypes.c_int32]
    lib.TfLiteInterpreterOptionsDelete.argtypes = [ctypes.c_void_p]
    options = lib.TfLiteInterpreterOptionsCreate()
    lib.TfLiteInterpreterOptionsSetNumThreads(options, 1)
    try:
        for part, shape in (("mel", MEL_SHAPE), ("emb", EMB_SHAPE)):
            alone = _interpreter(lib, getattr(features, f"{part}_model"), options, shape)
            lib.TfLiteInterpreterDelete(getattr(features, f"{part}_interpreter"))
            setattr(features, f"{part}_interpreter", alone)
            setattr(features, f"{part}_input_tensor", lib.TfLiteInterpreterGetInputTensor(alone, 0))
            setattr(features, f"{part}_output_tensor", lib.TfLiteInterpreterGetOutputTensor(alone, 0))
    finally:
        lib.TfLiteInterpreterOptionsDelete(options)


def _interpreter(lib: Any, model: Any, options: Any, shape: Sequence[int]) -> Any:
    made = lib.TfLiteInterpreterCreate(model, options)
    if not made:
        raise RuntimeError("its model cannot be run")
    lib.TfLiteInterpreterResizeInputTensor(made, 0, (ctypes.c_int32 * len(shape))(*shape), len(shape))
    lib.TfLiteInterpreterAllocateTensors(made)
    return made
