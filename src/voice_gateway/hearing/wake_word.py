"""Wake words: the Protocol of an engine, and what engines share."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from voice_gateway.errors import HearingError
from voice_gateway.sound.samples import Samples
from voice_gateway.turn import WakeDetected


class WakeWord(Protocol):
    """Listens for some words in one stream. Blocking: call it in the stream's `Worker`."""

    def feed(self, samples: Samples) -> WakeDetected | None:
        """Hear a chunk of any length. After a detection the engine has forgotten everything before it."""

    def reset(self) -> None:
        """Forget what was heard; a new stream, or one that was paused, begins."""


def best_of(scores: Iterable[tuple[str, float]], threshold: float, at_seconds: float) -> WakeDetected | None:
    found = max(scores, key=lambda one: one[1], default=None)
    return WakeDetected(*found, at_seconds) if found is not None and found[1] > threshold else None


def known_words(wanted: Iterable[str], known: Iterable[str], *, file_ending: str) -> list[str]:
    """The wanted words as the engine spells them; "Hey Jarvis" is hey_jarvis, a file stays as it is."""
    names, found = sorted(known), []
    for word in wanted:
        spelled = word if word.endswith(file_ending) else "_".join(word.lower().replace("-", " ").split())
        if spelled not in names and not spelled.endswith(file_ending):
            raise HearingError(
                f'the wake word "{word}" is not known: voice.wake_words takes {", ".join(names)}, '
                f"or the path of a {file_ending} file"
            )
        found.append(spelled)
    return list(dict.fromkeys(found))


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
