"""Loudspeakers: the Protocol, one that writes a file, and a device by PortAudio, which can stop at once."""

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from voice_gateway.errors import SpeakingError
from voice_gateway.sound import card
from voice_gateway.sound.samples import Floats, resampled
from voice_gateway.sound.wav import save_wav
from voice_gateway.turn import Speech

REMEMBERED_SECONDS = 4.0  # of playback: an echo is over long before
KEPT_RATE = 24_000  # of a file
BLOCK_SECONDS = 0.02
IDLE_SECONDS = 30.0  # the card is kept open this long: opening it costs a tenth of a second
OPEN_SECONDS = 5.0
SPARE_SECONDS = 3.0  # a card that takes longer than its sound and this is gone


class Speaker(Protocol):
    """Plays one sound at a time. Trouble comes out as SpeakingError."""

    audible: bool  # a microphone may hear it

    async def play(self, speech: Speech) -> None:
        """Returns when it was heard, or soon after `stop`. Cancellation silences it too."""

    def stop(self) -> None:
        """Silence within 200 ms; nothing happens when nothing plays."""

    def loudness(self, start: float, end: float, step: float) -> list[float]:
        """How loud (0 to 1) it was in each step between two moments of `time.monotonic`."""

    async def close(self) -> None: ...


class PlayedLevels:
    """The loudness of the last seconds, to recognise an echo."""

    def __init__(self) -> None:
        self._levels: deque[tuple[float, float, float]] = deque()  # from, until, loudness

    def add(self, samples: Floats, start: float, seconds: float) -> None:
        if len(samples):
            loud = float(np.sqrt(np.mean(np.square(samples))))
            self._levels.append((start, start + seconds, loud))
        while self._levels and self._levels[0][1] < start - REMEMBERED_SECONDS:
            self._levels.popleft()

    def between(self, start: float, end: float, step: float) -> list[float]:
        known = list(self._levels)
        moments = (start + number * step for number in range(round((end - start) / step)))
        return [max((loud for a, b, loud in known if a <= at < b), default=0.0) for at in moments]


class KeepingSpeaker:
    """Keeps what it should play, for a file."""

    audible = False

    def __init__(self) -> None:
        self._kept: list[Floats] = []

    async def play(self, speech: Speech) -> None:
        self._kept.append(resampled(speech.samples, speech.rate, KEPT_RATE))

    def stop(self) -> None:
        """What was played is kept already."""

    def loudness(self, start: float, end: float, step: float) -> list[float]:
        return [0.0] * round((end - start) / step)

    async def close(self) -> None: ...

    @property
    def seconds(self) -> float:
        return sum(map(len, self._kept)) / KEPT_RATE

    def save(self, path: Path) -> None:
        """Blocking."""
        samples = np.concatenate([np.zeros(0, np.float32), *self._kept])
        save_wav(path, Speech(samples, KEPT_RATE))


class SounddeviceSpeaker:
    """`gain` is asked for every block, so that a change of the volume is heard at once."""

    audible = True

    def __init__(self, device: str | None = None, *, gain: Callable[[], float] = lambda: 1.0) -> None:
        self._device, self._gain = device, gain
        self._levels = PlayedLevels()
        self._output: _Output | None = None
        self._closing: asyncio.TimerHandle | None = None
        self._turn = asyncio.Lock()

    async def play(self, speech: Speech) -> None:
        async with self._turn:
            output = await self._opened(speech.rate)
            try:
                await output.play(resampled(speech.samples, speech.rate, output.stream.rate), speech.seconds)
            except SpeakingError:
                self._let_go()
                raise
            finally:
                output.silence()
            self._close_when_idle()

    def stop(self) -> None:
        if self._output is not None:
            self._output.silence()

    def loudness(self, start: float, end: float, step: float) -> list[float]:
        return self._levels.between(start, end, step)

    async def close(self) -> None:
        if (output := self._let_go()) is not None:
            await output.stream.end()

    async def _opened(self, rate: int) -> "_Output":
        if self._closing is not None:
            self._closing.cancel()
        if self._output is None:
            output = _Output(self._gain, self._levels)
            await output.open(self._device, rate)
            self._output = output
        return self._output

    def _close_when_idle(self) -> None:
        def close() -> None:
            if not self._turn.locked() and (output := self._let_go()) is not None:
                threading.Thread(target=output.stream.close, name="close loudspeaker", daemon=True).start()

        self._closing = asyncio.get_running_loop().call_later(IDLE_SECONDS, close)

    def _let_go(self) -> "_Output | None":
        if self._closing is not None:
            self._closing.cancel()
        output, self._output = self._output, None
        return output


class _Output:
    """One open stream. PortAudio fetches the sound in its own thread."""

    def __init__(self, gain: Callable[[], float], levels: PlayedLevels) -> None:
        self._gain, self._levels = gain, levels
        self._lock = threading.Lock()
        self._waiting: Floats = np.zeros(0, np.float32)
        self._loop = asyncio.get_running_loop()
        self._empty = asyncio.Event()
        self._gone = False
        self._silenced = False
        self.stream: card.CardStream

    async def open(self, wanted: str | None, rate: int) -> None:
        """At the voice's rate, else at the card's own."""
        try:
            self.stream = await card.opened(
                wanted,
                "output",
                rate,
                BLOCK_SECONDS,
                OPEN_SECONDS,
                dtype="float32",
                callback=self._called,
                finished_callback=self._finished,
            )
        except card.SoundError as error:
            raise SpeakingError(str(error)) from error

    async def play(self, samples: Floats, seconds: float) -> None:
        if self._gone:
            raise SpeakingError("the loudspeaker is gone")
        self._empty.clear()
        self._silenced = False
        with self._lock:
            self._waiting = samples
        try:
            async with asyncio.timeout(seconds + SPARE_SECONDS):
                await self._empty.wait()
        except TimeoutError as error:
            raise SpeakingError("the loudspeaker does not take any sound") from error
        if self._gone:
            raise SpeakingError("the loudspeaker is gone")
        if not self._silenced:
            await asyncio.sleep(min(0.5, self.stream.latency_seconds))  # until it has really been heard

    def silence(self) -> None:
        with self._lock:
            self._waiting = np.zeros(0, np.float32)
        self._silenced = True
        self._empty.set()

    def _called(self, out: Any, frames: int, _time: Any, _status: Any) -> None:
        with self._lock:
            piece, self._waiting = self._waiting[:frames], self._waiting[frames:]
            ended = len(piece) > 0 and not len(self._waiting)
        piece = piece * np.float32(self._gain())
        out[: len(piece)] = piece[:, None]
        out[len(piece) :] = 0
        if len(piece):  # never before the stream is known: nothing waits to be played then
            audible = time.monotonic() + self.stream.latency_seconds
            self._levels.add(piece, audible, frames / self.stream.rate)
        if ended:
            self._wake_player()

    def _finished(self) -> None:
        self._gone = True
        self._wake_player()

    def _wake_player(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._empty.set)
