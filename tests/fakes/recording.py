"""A flight recorder on a file of its own, and a small home to record."""

from pathlib import Path
from typing import Any

from voice_gateway.config import RecorderSettings
from voice_gateway.recorder.recorder import TRY_SECONDS, Recorder
from voice_gateway.watch import Watch

HOME = """
[[device]]
name = "Floor Lamp"
kind = "dimmer"
room = "Living Room"
[[device]]
name = "Front Door"
kind = "lock"
room = "Hall"
"""


def recording(
    tmp_path: Path, watch: Watch | None = None, try_seconds: float = TRY_SECONDS, **settings: Any
) -> Recorder:
    file = tmp_path / "turns.sqlite"
    recorder = Recorder(RecorderSettings(**settings), file, watch or Watch(), try_seconds=try_seconds)
    recorder.start()
    return recorder
