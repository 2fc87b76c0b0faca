"""A flight recorder on a file of its own, and a small home to record."""

from pathlib import Path
from typing import Any

from voice_gateway.config import RecorderSettings
from voice_gateway.recorder.recorder import Recorder
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


def recording(tmp_path: Path, watch: Watch | None = None, **settings: Any) -> Recorder:
    recorder = Recorder(RecorderSettings(**settings), tmp_path / "turns.sqlite", watch or Watch())
    recorder.start()
    return recorder
