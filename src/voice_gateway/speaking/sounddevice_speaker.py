"""A loudspeaker by PortAudio, in small blocks, so that it can stop at once."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from voice_gateway.errors import SpeakingError
from voice_gateway.sound import card
from voice_gateway.sound.samples import Floats, resampled
from voice_gateway.sound.worker import in_thread
from voice_gateway.speaking.speaker import PlayedLevels
from voice_gateway.turn import Speech

BLOCK_SECONDS = 0.02
IDLE_SECONDS = 30.0  # the card is kept open this long: opening it costs a tenth of a second
OPEN_SECONDS = 5.0
SPARE_SECONDS = 3.0  # a card that takes longer than its sound and this is gone


class SounddeviceSpeaker:
    """`gain` is asked for every block, so that a change of the volume is heard at once."""

    audible = True

    def __init__(self, device: str | None = None, *, gain: Callable[[], float] = lambda: 1.0) -> None:
        self._device = device
        self._gain = gain
        self._levels = PlayedLevels()
        self._output: _Output | None = None
        self._closing: asyncio.TimerHandle | None = None
        self._turn = asyncio.Lock()

    async def play(self, speech: Speech) -> None:
        async with self._turn:
            output = await self._opened(speech.rate)
            try:
                await output.play(resampled(speech.samples, speech.rate, output.rate), speech.seconds)
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
        output = self._let_go()
        if output is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(OPEN_SECONDS):
                    await in_thread("loudspeaker", output.close)

    async def _opened(self, rate: int) -> "_Output":
        if self._closing is not None:
            self._closing.cancel()
        if self._output is None:
            output = _Output(self._device, self._gain, self._levels)
            try:
                async with asyncio.timeout(OPEN_SECONDS):
                    await in_thread("loudspeaker", output.open, rate)
            except TimeoutError as error:
                raise SpeakingError("the loudspeaker cannot be opened: it does not answer") from error
            self._output = output
        return self._output

    def _close_when_idle(self) -> None:
        def close() -> None:
            if not self._turn.locked() and (output := self._let_go()) is not None:
                threading.Thread(target=output.close, name="close loudspeaker", daemon=True).start()

        self._closing = asyncio.get_running_loop().call_later(IDLE_SECONDS, close)

    def _let_go(self) -> "_Output | None":
        if self._closing is not None:
            self._closing.cancel()
        output, self._output = self._output, None
        return output


class _Output:
    """One open stream. PortAudio fetches the sound in its own thread."""

    def __init__(self, wanted: str | None, gain: Callable[[], float], levels: PlayedLevels) -> None:
        self._wanted = wanted
        self._gain = gain
        self._levels = levels
        self._lock = threading.Lock()
        self._waiting: Floats = np.zeros(0, np.float32)
        self._loop = asyncio.get_running_loop()
        self._empty = asyncio.Event()
        self._gone = False
        self._silenced = False
        self._stream: card.CardStream | None = None

    @property
    def rate(self) -> int:
        return self._stream.rate if self._stream else 0

    def open(self, rate: int) -> None:
        """Blocking. At the voice's rate, else at the card's own."""
        try:
            self._stream = card.CardStream(
                self._wanted,
                "output",
                rate,
                BLOCK_SECONDS,
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
        if not self._silenced and self._stream is not None:
            await asyncio.sleep(min(0.5, self._stream.latency_seconds))  # until it has really been heard

    def silence(self) -> None:
        with self._lock:
            self._waiting = np.zeros(0, np.float32)
        self._silenced = True
        self._empty.set()

    def close(self) -> None:
        """Blocking; a card that is gone may take its time."""
        if self._stream is not None:
            self._stream.close()

    def _called(self, out: Any, frames: int, _time: Any, _status: Any) -> None:
        with self._lock:
            piece, self._waiting = self._waiting[:frames], self._waiting[frames:]
            ended = len(piece) > 0 and not len(self._waiting)
        piece = piece * np.float32(self._gain())
        out[: len(piece)] = piece[:, None]
        out[len(piece) :] = 0
        if len(piece) and self._stream is not None:
            audible = time.monotonic() + self._stream.latency_seconds
            self._levels.add(piece, audible, frames / self.rate)
        if ended:
            self._tell()

    def _finished(self) -> None:
        self._gone = True
        self._tell()

    def _tell(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._empty.set)
