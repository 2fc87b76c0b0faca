"""Microphones: the Protocol, and a recording as a microphone."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Protocol

import numpy as np

from voice_gateway.sound.samples import BLOCK_SAMPLES, RATE, Blocks, Samples
from voice_gateway.sound.wav import WavFile
from voice_gateway.turn import AudioChunk


class Microphone(Protocol):
    """Gives sound in blocks of 32 ms until it is closed or its `chunks` is cancelled.

    A device that is lost is waited for: `chunks` just goes on when it is back. HearingError comes only where
    waiting is hopeless (no such device was ever there, no sound library). Whoever stops before the end closes
    it, by `contextlib.aclosing`.
    """

    def chunks(self) -> AsyncGenerator[AudioChunk, None]: ...


class WavMicrophone:
    """Plays a WAV file of any rate, paced like a real microphone or as fast as it is heard."""

    def __init__(self, path: Path, *, paced: bool = False, trailing_silence_seconds: float = 0.0) -> None:
        self._path = path
        self._paced = paced
        self._trailing = round(trailing_silence_seconds * RATE)

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        loop = asyncio.get_running_loop()
        started, position = loop.time(), 0
        async for block in self._blocks():
            if self._paced:  # a microphone gives a block when it has ended
                await asyncio.sleep(started + (position + len(block)) / RATE - loop.time())
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
