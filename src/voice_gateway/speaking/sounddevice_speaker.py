"""A real loudspeaker by PortAudio: sound goes out in small blocks, so that it can stop at once."""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from voice_gateway import sound
from voice_gateway.errors import SpeakingError
from voice_gateway.speaking.speaker import PlayedLevels
from voice_gateway.speaking.synthesizer import Floats, resampled
from voice_gateway.turn import Speech

log = logging.getLogger(__name__)

BLOCK_SECONDS = 0.02
LATENCY_SECONDS = 0.06  # what is already handed to the card when `stop` comes; less makes it stutter
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
                    await in_thread(output.close)

    async def _opened(self, rate: int) -> "_Output":
        if self._closing is not None:
            self._closing.cancel()
        if self._output is None:
            output = _Output(self._device, self._gain, self._levels)
            try:
                async with asyncio.timeout(OPEN_SECONDS):
                    await in_thread(output.open, rate)
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
        self._in_use = contextlib.ExitStack()
        self._stream: Any = None
        self.rate = 0

    def open(self, rate: int) -> None:
        """Blocking. At the voice's rate, else at the card's own."""
        try:
            sound.refresh()
            self._in_use.enter_context(sound.stream_in_use())
            device = sound.find(self._wanted, "output")
            self._start(device, rate)
        except sound.SoundError as error:
            self._in_use.close()
            raise SpeakingError(str(error)) from error
        except BaseException:
            self._in_use.close()
            raise

    def _start(self, device: sound.Device, wanted_rate: int) -> None:
        portaudio = sound.portaudio()
        problem: Exception | None = None
        for rate, channels in dict.fromkeys(
            (rate, channels)
            for rate in (wanted_rate, device.rate)
            for channels in (1, min(2, device.outputs))
        ):
            try:
                self._stream = portaudio.OutputStream(
                    samplerate=rate,
                    channels=channels,
                    dtype="float32",
                    blocksize=round(rate * BLOCK_SECONDS),
                    latency=LATENCY_SECONDS,
                    device=device.number,
                    callback=self._called,
                    finished_callback=self._finished,
                )
                self.rate = rate
                self._stream.start()
            except (portaudio.PortAudioError, ValueError, OSError) as error:
                problem = error
            else:
                return
        raise SpeakingError(f"the loudspeaker {device.name} cannot be opened: {problem}") from problem

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
            await asyncio.sleep(min(0.5, float(self._stream.latency)))  # until it has really been heard

    def silence(self) -> None:
        with self._lock:
            self._waiting = np.zeros(0, np.float32)
        self._silenced = True
        self._empty.set()

    def close(self) -> None:
        """Blocking; a card that is gone may take its time."""
        try:
            self._stream.abort(ignore_errors=True)
            self._stream.close(ignore_errors=True)
        finally:
            self._in_use.close()

    def _called(self, out: Any, frames: int, _time: Any, _status: Any) -> None:
        with self._lock:
            piece, self._waiting = self._waiting[:frames], self._waiting[frames:]
            ended = len(piece) > 0 and not len(self._waiting)
        piece = piece * np.float32(self._gain())
        out[: len(piece)] = piece[:, None]
        out[len(piece) :] = 0
        if len(piece):
            audible = time.monotonic() + float(self._stream.latency)
            self._levels.add(piece, audible, frames / self.rate)
        if ended:
            self._tell()

    def _finished(self) -> None:
        self._gone = True
        self._tell()

    def _tell(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._empty.set)


async def in_thread(work: Callable[..., None], *args: Any) -> None:
    """In a daemon thread: the end of the program must not wait for a sound card that hangs."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def deliver(error: BaseException | None) -> None:
        if not done.done():
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

    def job() -> None:
        error: BaseException | None = None
        try:
            work(*args)
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(deliver, error)

    threading.Thread(target=job, name="loudspeaker", daemon=True).start()
    await done
