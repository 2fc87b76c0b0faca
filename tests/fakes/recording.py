"""A flight recorder on a file of its own, and a small home to record."""

import asyncio
from pathlib import Path
from typing import Any

from voice_gateway.config import RecorderSettings
from voice_gateway.events import EventBus
from voice_gateway.recorder.recorder import TRIM_SECONDS, TRY_SECONDS, Recorder

HOME = """
[[device]]
name = "Floor Lamp"
kind = "dimmer"
room = "Living Room"
[[device]]
name = "Desk Lamp"
kind = "switch"
room = "Office"
[[device]]
name = "Front Door"
kind = "lock"
room = "Hall"
"""


def recording(
    tmp_path: Path,
    watch: EventBus | None = None,
    try_seconds: float = TRY_SECONDS,
    trim_seconds: float = TRIM_SECONDS,
    **settings: Any,
) -> Recorder:
    recorder = Recorder(
        RecorderSettings(**settings),
        tmp_path / "turns.sqlite",
        watch or EventBus(),
        try_seconds=try_seconds,
        trim_seconds=trim_seconds,
    )
    running, close = asyncio.ensure_future(recorder.run()), recorder.close

    async def end() -> None:
        running.cancel()
        await close()

    recorder.close = end  # type: ignore[method-assign]
    return recorder
