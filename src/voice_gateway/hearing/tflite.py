"""A model file of the user's own is tried before it is used: a damaged one would end the whole program."""

from pathlib import Path
from typing import Any

from voice_gateway.errors import HearingError


def check_model(path: Path, library: Any) -> None:
    """`library` is the TensorFlow Lite that will run it."""
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
