"""Microphones: the Protocol, a recording, and a device by PortAudio, which is waited for when it is lost."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path
from typing import Protocol

import numpy as np

from voice_gateway.errors import HearingError
from voice_gateway.sound import card
from voice_gateway.sound.samples import BLOCK_SAMPLES, RATE, Blocks, Resampler, Samples, to_floats, to_samples
from voice_gateway.sound.wav import WavFile
from voice_gateway.turn import AudioChunk

log = logging.getLogger(__name__)

BLOCK_SECONDS = BLOCK_SAMPLES / RATE
MOST_WAITING = 64  # blocks: two seconds
LOST_SECONDS = 2.0  # a card that works is never silent for so long, it sends zeros
FIRST_SECONDS = 6.0  # but it may take its time to begin: a sound server wakes it up
LOOKS = 4  # in that time: a machine that stands still for a moment misses one look, a card that is gone all
RETRY_SECONDS = 2.0
OPEN_SECONDS = 10.0


class Microphone(Protocol):
    """Gives sound in blocks of 32 ms until it is closed or its `chunks` is cancelled.

    A device that is lost is waited for: `chunks` just goes on when it is back. HearingError comes only where
    waiting is hopeless (no such device was ever there, no sound library). A caller that stops before the end
    closes it, by `contextlib.aclosing`.
    """

    def chunks(self) -> AsyncGenerator[AudioChunk, None]: ...


class WavMicrophone:
    """Plays a WAV file of any rate, as fast as it is heard."""

    def __init__(self, path: Path, *, trailing_silence_seconds: float = 0.0) -> None:
        self._path = path
        self._trailing = round(trailing_silence_seconds * RATE)

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        position = 0
        async for block in self._blocks():
            yield AudioChunk(block, position / RATE)
            position += len(block)

    async def _blocks(self) -> AsyncIterator[Samples]:
        blocks = Blocks(BLOCK_SAMPLES)
        with await asyncio.to_thread(WavFile, self._path) as wav:
            pieces = wav.pieces()
            while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                for block in blocks.feed(piece):
                    yield block
        silence = np.zeros(self._trailing, np.int16)
        for block in blocks.feed(silence):
            yield block
        if (last := blocks.rest()) is not None:  # filled up with silence: every block has the same length
            yield np.concatenate([last, np.zeros(BLOCK_SAMPLES - len(last), np.int16)])


class SounddeviceMicrophone:
    """`on_state` gets a sentence when the microphone is lost, and None when it is back."""

    def __init__(
        self,
        device: str | None = None,
        *,
        on_state: Callable[[str | None], None] = lambda _: None,
        retry_seconds: float = RETRY_SECONDS,
        open_seconds: float = OPEN_SECONDS,
        lost_seconds: float = LOST_SECONDS,
        first_seconds: float = FIRST_SECONDS,
    ) -> None:
        self._device, self._on_state = device, on_state
        self._retry_seconds, self._open_seconds = retry_seconds, open_seconds
        self._silent_seconds = first_seconds, lost_seconds

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        """HearingError only if the microphone cannot be opened at first; from then on it is waited for."""
        position = 0
        capture = await self._opened()
        while True:
            try:
                async for block, lost in capture.blocks():
                    position += lost
                    yield AudioChunk(block, position / RATE)
                    position += len(block)
            finally:
                await capture.close()
            log.warning("the microphone is gone; waiting for it", extra={"device": capture.title})
            self._on_state(f"the microphone {capture.title} is gone; I wait for it")
            capture = await self._back()
            log.info("the microphone is back", extra={"device": capture.title})
            self._on_state(None)

    async def _opened(self) -> "_Capture":
        capture = _Capture(self._device, *self._silent_seconds)
        await capture.open(self._open_seconds)
        return capture

    async def _back(self) -> "_Capture":
        while True:
            try:
                return await self._opened()
            except HearingError as error:
                log.debug("the microphone is not back", extra={"reason": str(error)})
                await asyncio.sleep(self._retry_seconds)


class _Capture:
    """One open stream. PortAudio calls us in its own thread; the sound crosses over in a bounded queue. The
    card counts as gone if nothing comes in `first_seconds`, or later in `lost_seconds`."""

    def __init__(self, wanted: str | None, first_seconds: float, lost_seconds: float) -> None:
        self._wanted = wanted
        self._first_seconds, self._lost_seconds = first_seconds, lost_seconds
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._dropped = 0  # blocks
        self._stream: card.CardStream

    async def open(self, limit_seconds: float) -> None:
        """HearingError says what is wrong."""
        try:
            self._stream = await card.opened(
                self._wanted,
                "input",
                RATE,
                BLOCK_SECONDS,
                limit_seconds,
                dtype="int16",
                callback=lambda data, _frames, _time, _status: self._send(bytes(data)),
                finished_callback=lambda: self._send(None),
            )
        except card.SoundError as error:
            raise HearingError(str(error)) from error
        self.title, self.close = self._stream.device.name, self._stream.end

    def _send(self, data: bytes | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._arrived, data)

    def _arrived(self, data: bytes | None) -> None:
        if self._queue.qsize() >= MOST_WAITING:
            if not self._dropped:
                log.warning("sound comes faster than it is heard; the oldest is dropped")
            self._queue.get_nowait()
            self._dropped += 1
        self._queue.put_nowait(data)

    async def blocks(self) -> AsyncIterator[tuple[Samples, int]]:
        """Blocks at our rate, each with the samples lost before it; ends when the card is gone."""
        rate, channels = self._stream.rate, self._stream.channels
        resampler = Resampler(rate) if rate != RATE else None
        blocks = Blocks(BLOCK_SAMPLES)
        limit_seconds = self._first_seconds
        while (data := await self._next(limit_seconds)) is not None:
            limit_seconds = self._lost_seconds
            lost, self._dropped = self._dropped * BLOCK_SAMPLES, 0
            samples: Samples = np.frombuffer(data, np.int16).reshape(-1, channels)[:, 0]
            if resampler is not None:
                samples = to_samples(resampler.feed(to_floats(samples)))
            for block in blocks.feed(samples):
                yield block, lost
                lost = 0

    async def _next(self, limit_seconds: float) -> bytes | None:
        for _ in range(LOOKS):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(limit_seconds / LOOKS):
                    return await self._queue.get()
        return None
