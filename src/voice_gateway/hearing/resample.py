"""Another sample rate: a windowed-sinc filter for a stream in pieces, with nothing but numpy."""

import math

import numpy as np
from numpy.typing import NDArray

from voice_gateway.hearing.audio import RATE, Floats

ZEROS = 16  # of the sinc on either side: steep enough that nothing audible folds back
KAISER_BETA = 8.6  # what is beyond half the rate is at least 80 dB down
PASS_BAND = 0.92  # of half the lower rate; the rest is the filter's slope
LARGEST_TABLE = 4_000_000  # taps; only rates nobody uses need more, and their ratio is rounded
MOST_AT_ONCE = 16_000  # outputs of one step, so that memory stays small


class Resampler:
    """From `rate` to ours. Positions are kept: the output is as long as the input, and not delayed.

    The result does not depend on how the stream is cut.
    """

    def __init__(self, rate: int, target: int = RATE) -> None:
        self._up, self._down = _ratio(rate, target)
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
