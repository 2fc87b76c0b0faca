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
            self._tell()

    def _finished(self) -> None:
        self._gone = True
        self._tell()

    def _tell(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._empty.set)
