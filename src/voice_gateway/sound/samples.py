"""Sound inside the gateway: mono, 16 kHz, int16 numpy arrays; how they are cut, converted and measured."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

RATE = 16_000  # what every engine wants
BLOCK_SAMPLES = 512  # 32 ms: one frame for the voice activity, short enough to react
FULL_SCALE = 32768.0
SILENT_DB = -120.0

# The filter for another sample rate. Not libsoxr: in a stream from 48 kHz it holds 20 to 77 ms of sound back
# (measured), and whoever speaks would wait for them; this one holds a millisecond.
ZEROS = 16  # of the sinc on either side: steep enough that nothing audible folds back
KAISER_BETA = 8.6  # what is beyond half the rate is at least 80 dB down
PASS_BAND = 0.92  # of half the lower rate; the rest is the filter's slope
LARGEST_TABLE = 4_000_000  # taps; only rates nobody uses need more, and their ratio is rounded
MOST_AT_ONCE = 16_000  # outputs of one step, so that memory stays small

Samples = NDArray[np.int16]
Floats = NDArray[np.float32]


def to_floats(samples: Samples) -> Floats:
    return np.asarray(samples, np.float32) / np.float32(FULL_SCALE)


def to_samples(floats: NDArray[Any]) -> Samples:
    """Clipped, and silent where there is no number: a broken file or driver may send anything."""
    finite = np.nan_to_num(np.asarray(floats, np.float64), nan=0.0, posinf=1.0, neginf=-1.0)
    return np.clip(np.rint(finite * FULL_SCALE), -32768, 32767).astype(np.int16)


def from_pcm16(raw: bytes, channels: int = 1) -> Floats:
    whole = len(raw) - len(raw) % (2 * channels)
    values = np.frombuffer(raw[:whole], "<i2").astype(np.float32) / np.float32(32768)
    mono: Floats = values.reshape(-1, channels).mean(axis=1, dtype=np.float32)
    return mono


def level_db(samples: Samples) -> float:
    """The loudness as dB below full scale: about -20 is speech close by, below -60 a quiet room."""
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
        """What is left and fills no block; it is taken out."""
        rest = np.concatenate(self._waiting) if self._length else None
        self.clear()
        return rest

    def clear(self) -> None:
        self._waiting, self._length = [], 0


class Resampler:
    """From `rate` to ours. Positions are kept: the output is as long as the input, and not delayed.

    The result does not depend on how the stream is cut.
    """

    def __init__(self, rate: int) -> None:
        self._up, self._down = _ratio(rate, RATE)
        self._taps, self._reach = _table(self._up, self._down)
        self._input: Floats = np.zeros(self._reach, np.float32)  # silence before the beginning
        self._first = -self._reach  # where in the stream `_input` begins
        self._heard = 0
        self._given = 0

    def feed(self, floats: NDArray[np.float32]) -> Floats:
        self._heard += len(floats)
        self._input = np.concatenate([self._input, np.asarray(floats, np.float32)])
        # An output needs the input up to `_reach` behind its position.
        return self._until((self._heard - self._reach - 1) * self._up // self._down + 1)

    def end(self) -> Floats:
        """What was held back for sound that does not come any more."""
        self._input = np.concatenate([self._input, np.zeros(self._reach + 1, np.float32)])
        return self._until(-(-self._heard * self._up // self._down))

    def _until(self, end: int) -> Floats:
        pieces = [np.zeros(0, np.float32)]
        while self._given < end:
            numbers = np.arange(self._given, min(end, self._given + MOST_AT_ONCE))
            whole, phase = np.divmod(numbers * self._down, self._up)
            windows = np.lib.stride_tricks.sliding_window_view(self._input, 2 * self._reach + 1)
            rows = windows[whole - self._reach - self._first]
            pieces.append(np.einsum("ij,ij->i", rows, self._taps[phase]))
            self._given = int(numbers[-1]) + 1
            self._forget(self._given * self._down // self._up - self._reach)
        return np.concatenate(pieces)

    def _forget(self, before: int) -> None:
        if (useless := before - self._first) > 0:
            self._input, self._first = self._input[useless:], before


def _ratio(rate: int, target: int) -> tuple[int, int]:
    common = math.gcd(rate, target)
    up, down = target // common, rate // common
    if up * (2 * ZEROS * max(1, down / up)) > LARGEST_TABLE:
        up, down = 1000, round(1000 * rate / target)
    return up, down


def _table(up: int, down: int) -> tuple[Floats, int]:
    """One row of taps for each position between two inputs."""
    narrow = min(1.0, up / down)  # the lower of both rates sets what may pass
    reach = math.ceil(ZEROS / narrow)
    distance = np.arange(-reach, reach + 1)[None, :] - np.arange(up)[:, None] / up
    cut = narrow * PASS_BAND
    window = np.i0(KAISER_BETA * np.sqrt(np.clip(1 - (distance / (reach + 1)) ** 2, 0, 1)))
    taps = cut * np.sinc(cut * distance) * window / np.i0(KAISER_BETA)
    taps /= taps.sum(axis=1, keepdims=True)  # a constant stays exactly what it is
    return taps.astype(np.float32), reach


def resampled(samples: Floats, rate: int, target: int) -> Floats:
    """A whole sentence at another rate, by its spectrum: exact, and fast for a few seconds of sound."""
    if rate == target or not len(samples):
        return samples
    length = round(len(samples) * target / rate)
    spectrum = np.fft.rfft(samples)
    wanted = np.zeros(length // 2 + 1, spectrum.dtype)
    shared = min(len(spectrum), len(wanted))
    wanted[:shared] = spectrum[:shared]
    return np.asarray(np.fft.irfft(wanted, length) * (length / len(samples)), np.float32)
