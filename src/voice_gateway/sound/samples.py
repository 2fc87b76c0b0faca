"""Sound as mono 16 kHz int16 arrays: conversion, blocks, loudness and resampling."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

RATE = 16_000  # of every engine
BLOCK_SAMPLES = 512  # 32 ms: one frame for the voice activity, short enough to react
FULL_SCALE = 32768.0
SILENT_DB = -120.0

Samples = NDArray[np.int16]
Floats = NDArray[np.float32]


def to_floats(samples: Samples) -> Floats:
    return np.asarray(samples, np.float32) / np.float32(FULL_SCALE)


def to_samples(floats: NDArray[Any]) -> Samples:
    """Clipped, with silence for NaN, which broken files and drivers send."""
    finite = np.nan_to_num(np.asarray(floats, np.float64), nan=0.0, posinf=1.0, neginf=-1.0)
    return np.clip(np.rint(finite * FULL_SCALE), -32768, 32767).astype(np.int16)


def from_pcm16(raw: bytes, channels: int = 1) -> Floats:
    whole = len(raw) - len(raw) % (2 * channels)
    values = np.frombuffer(raw[:whole], "<i2").astype(np.float32) / np.float32(32768)
    mono: Floats = values.reshape(-1, channels).mean(axis=1, dtype=np.float32)
    return mono


def level_db(samples: Samples) -> float:
    """The loudness in dB below full scale: about -20 is speech close by, below -60 a quiet room."""
    if not len(samples):
        return SILENT_DB
    mean_square = float(np.mean(np.square(to_floats(samples), dtype=np.float64)))
    return max(SILENT_DB, 10 * math.log10(mean_square)) if mean_square else SILENT_DB


class Blocks:
    """Cuts a stream that comes in pieces of any length into blocks of one length."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._waiting: list[Samples] = []
        self._length = 0

    def feed(self, samples: Samples) -> Iterator[Samples]:
        self._waiting.append(samples)
        self._length += len(samples)
        if self._length < self._size:
            return
        joined = np.concatenate(self._waiting)
        whole = self._length - self._length % self._size
        self._waiting, self._length = [joined[whole:]], self._length - whole
        for start in range(0, whole, self._size):
            yield joined[start : start + self._size]

    def rest(self) -> Samples | None:
        """Takes out what fills no block."""
        rest = np.concatenate(self._waiting) if self._length else None
        self.clear()
        return rest

    def clear(self) -> None:
        self._waiting, self._length = [], 0


class Resampler:
    """A stream from `rate` to 16 kHz. The output is as long as the input, and up to 40 ms late."""

    def __init__(self, rate: int) -> None:
        import soxr

        self._stream = soxr.ResampleStream(rate, RATE, 1, "float32", "MQ") if rate != RATE else None

    def feed(self, floats: Floats) -> Floats:
        return self._chunk(floats)

    def end(self) -> Floats:
        """The rest, when no more input follows."""
        return self._chunk(np.zeros(0, np.float32), last=True)

    def _chunk(self, floats: Floats, *, last: bool = False) -> Floats:
        if self._stream is None:
            return floats
        samples = np.ascontiguousarray(floats, np.float32)
        return np.asarray(self._stream.resample_chunk(samples, last=last), np.float32)


def resampled(samples: Floats, rate: int, target: int) -> Floats:
    """A whole sentence at another rate."""
    if rate == target or not len(samples):
        return samples
    import soxr

    return np.asarray(soxr.resample(samples, rate, target), np.float32)
