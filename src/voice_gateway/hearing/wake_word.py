"""Wake words: the Protocol of an engine, openWakeWord and microWakeWord."""

import ctypes
import json
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from voice_gateway.errors import HearingError
from voice_gateway.sound.packages import REPAIR, check_files, need
from voice_gateway.sound.samples import RATE, Blocks, Samples
from voice_gateway.turn import WakeDetected

STEP_SAMPLES = 1280  # 80 ms, the engine's own step
FEATURE_STATE = ("new_audio_samples", "audio", "new_mels", "mels")
WORD_STATE = ("new_embeddings", "embeddings")
SETTLE_SECONDS = 3  # of silence: longer than all that the models look back on


class WakeWord(Protocol):
    """Listens for some words in one stream. Blocking: call it in the stream's `Worker`."""

    @abstractmethod
    def feed(self, samples: Samples) -> WakeDetected | None:
        """Hear a chunk of any length. After a detection the engine has forgotten everything before it."""

    @abstractmethod
    def reset(self) -> None:
        """Forget what was heard; a new stream, or one that was paused, begins."""


class PackagedWakeWord(WakeWord):
    """An engine whose package carries its models. Its detectors share the features of the sound."""

    package: ClassVar[str]
    file_ending: ClassVar[str]  # of a model that is not in the package
    default_threshold: ClassVar[float]

    def __init__(self, words: Iterable[str], *, threshold: float | None = None) -> None:
        self._package = need(self.package, "the wake word")
        check_files(self.package.replace("_", "-"), f"{self.package}/models/", "the wake word model")
        self._threshold = threshold or self.default_threshold
        self._heard = 0
        try:
            self._features = self._load_features()
            self._words = {Path(word).stem: self._detector(word) for word in map(self._spelled, words)}
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise HearingError(f"the wake word cannot be loaded ({error}): {REPAIR}") from error

    def _spelled(self, word: str) -> str:
        """As the engine spells it: "Hey Jarvis" is hey_jarvis. A file stays as it is."""
        spelled = "_".join(word.lower().replace("-", " ").split())
        names = sorted(model.value for model in self._package.Model)
        if word.endswith(self.file_ending) or spelled in names:
            return word if word.endswith(self.file_ending) else spelled
        raise HearingError(
            f'the wake word "{word}" is not known: voice.wake_words takes {", ".join(names)}, '
            f"or the path of a {self.file_ending} file"
        )

    def _best(self, scores: Iterable[tuple[str, float]]) -> WakeDetected | None:
        word, score = max(scores, key=lambda pair: pair[1], default=("", 0.0))
        return WakeDetected(word, score, self._heard / RATE) if score > self._threshold else None

    @abstractmethod
    def _load_features(self) -> Any: ...

    @abstractmethod
    def _detector(self, word: str) -> Any:
        """Of a word of the package, or of a file."""


def check_model(path: Path, library: Any) -> None:
    """A file of the user's own is tried before it is used: a damaged one would end the whole program.

    `library` is the TensorFlow Lite that will run it.
    """
    if not path.is_file():
        raise HearingError(f"the wake word file {path} is not there: check voice.wake_words")
    model = library.TfLiteModelCreateFromFile(str(path).encode())
    if not model:
        raise HearingError(f"the wake word file {path} is damaged, or not a .tflite model: get it again")
    interpreter = library.TfLiteInterpreterCreate(model, None)
    usable = bool(interpreter) and library.TfLiteInterpreterAllocateTensors(interpreter) == 0
    if interpreter:
        library.TfLiteInterpreterDelete(interpreter)
    library.TfLiteModelDelete(model)
    if not usable:
        raise HearingError(f"the wake word file {path} is damaged: get it again")


class OpenWakeWords(PackagedWakeWord):
    """By openWakeWord: finds nearly all, at some percent of a core."""

    package, file_ending = "pyopen_wakeword", ".tflite"
    default_threshold = 0.5  # all of 84 clean wake words found, no false one in an hour (measured)

    def __init__(self, words: Iterable[str], *, threshold: float | None = None) -> None:
        super().__init__(words, threshold=threshold)
        self._blocks = Blocks(STEP_SAMPLES)
        self._settled = self._settle()

    def _load_features(self) -> Any:
        features = self._package.OpenWakeWordFeatures.from_builtin()
        _work_alone(features)
        return features

    def _settle(self) -> list[tuple[Any, dict[str, Any]]]:
        """The state after some silence, for `reset`.

        The engine's own reset makes it hear eight seconds of silence with the next chunk, which takes a third
        of a second: just when a person may speak.
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
            detected = self._best(self._scores(block))
            if detected is not None and (best is None or detected.score > best.score):
                best = detected
        if best is not None:
            self.reset()
        return best

    def _scores(self, block: Samples) -> list[tuple[str, float]]:
        return [
            (word, float(score))
            for embedding in self._features.process_streaming(block.tobytes())
            for word, detector in self._words.items()
            for score in detector.process_streaming(embedding)
        ]

    def reset(self) -> None:
        self._blocks.clear()
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


class MicroWakeWords(PackagedWakeWord):
    """By microWakeWord: misses more, but costs nearly nothing; for many rooms on one machine."""

    package, file_ending = "pymicro_wakeword", ".json"
    default_threshold = 0.85  # the shipped 0.97 misses one in five of clean wake words (measured)

    def _load_features(self) -> Any:
        return self._package.MicroWakeWordFeatures()

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
        best = self._best(scores)
        if best is not None:
            self.reset()
        return best

    def reset(self) -> None:
        self._features.reset()
        for detector in self._words.values():
            detector.reset()
