"""A recording with its result, the queue of recordings, and a counter of work under way."""

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Any

from voice_gateway.turn import Reply, SpeechSegment, Transcript, WakeDetected

log = logging.getLogger(__name__)

MOST_WAITING = 3


@dataclass(slots=True)
class Recorded:
    """One recording with its result; `listen --json` prints it."""

    wake: WakeDetected | None = None
    segment: SpeechSegment | None = None
    transcript: Transcript | None = None
    reply: Reply | None = None
    spoken_over: bool = False  # the reply was interrupted
    timings_ms: dict[str, float] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.transcript.text if self.transcript and self.transcript.noise is None else ""

    @property
    def shown(self) -> str:
        """The text without a spoken PIN."""
        return self.reply.heard if self.reply and self.reply.heard else self.text

    def to_json(self) -> dict[str, Any]:
        wake, reply = self.wake, self.reply
        return {
            "wake": wake
            and {"word": wake.word, "score": round(wake.score, 3), "at_seconds": wake.at_seconds},
            "transcript": self.shown,
            "text": reply.text if reply else "",
            "parts": [part.to_json() for part in reply.parts] if reply else [],
            "stage": reply.stage if reply else None,
            "outcomes": [outcome.to_json() for outcome in reply.outcomes] if reply else [],
            "timings_ms": {name: round(ms, 1) for name, ms in self.timings_ms.items()},
            "audio_seconds": round(len(self.segment.samples) / 16_000, 3) if self.segment else 0.0,
        }


class RecordedQueue:
    """Recordings completed while a turn runs."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Recorded] = asyncio.Queue()

    def put(self, recorded: Recorded) -> Recorded | None:
        """Returns the recording that was dropped for it, if any."""
        dropped = None
        if self._queue.qsize() >= MOST_WAITING:
            dropped = self._queue.get_nowait()
            log.warning(
                "too much was said while I was busy; the oldest is dropped", extra={"kept": MOST_WAITING}
            )
        self._queue.put_nowait(recorded)
        return dropped

    async def next(self) -> Recorded:
        return await self._queue.get()


class Busy:
    """Counts work under way."""

    def __init__(self) -> None:
        self._count = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def begin(self) -> None:
        self._count += 1
        self._idle.clear()

    def end(self) -> None:
        self._count -= 1
        if not self._count:
            self._idle.set()

    def __bool__(self) -> bool:
        return bool(self._count)

    async def settled(self) -> None:
        await self._idle.wait()
