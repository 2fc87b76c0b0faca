"""Speech to text: the Protocol of an engine."""

from typing import Protocol

from voice_gateway.hearing.audio import Samples


class Transcriber(Protocol):
    """Turns a segment of speech into text. The event loop is never blocked: engines have their own thread."""

    name: str

    async def warm_up(self) -> None:
        """Load the model and run it once, so that the first segment is not slow; else HearingError."""

    async def transcribe(self, samples: Samples) -> str:
        """The text as the engine gives it, also for noise: see `noise.py` for what to believe."""

    async def close(self) -> None: ...
