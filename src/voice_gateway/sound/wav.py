"""Recordings: any file that libsndfile reads, as mono 16 kHz, piece by piece; and writing of WAV files."""

import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np

from voice_gateway.errors import HearingError, SpeakingError
from voice_gateway.sound.packages import need
from voice_gateway.sound.samples import RATE, Resampler, Samples, to_samples
from voice_gateway.turn import Speech

RATES = (1_000, 768_000)
MOST_CHANNELS = 64
PIECE_SECONDS = 1.0
MOST_PIPED_BYTES = 256 << 20  # two hours of speech
CONVERT = "convert it with `ffmpeg -i FILE -ac 1 -ar 16000 new.wav`"


class WavFile:
    """An open recording. Raises HearingError if it cannot be read."""

    def __init__(self, path: Path, *, most_piped_bytes: int = MOST_PIPED_BYTES) -> None:
        self._path = path
        soundfile = need("soundfile", "reading a recording")
        try:
            with path.open("rb") as file:  # a pipe can be read only once
                source = path if path.is_file() else io.BytesIO(file.read(most_piped_bytes + 1))
        except OSError as error:
            raise HearingError(f"{path} cannot be read: {error.strerror or error}") from error
        if isinstance(source, io.BytesIO) and source.getbuffer().nbytes > most_piped_bytes:
            raise HearingError(f"{path} gives more than {most_piped_bytes} bytes through a pipe: use a file")
        try:
            self._file: Any = soundfile.SoundFile(source)
        except soundfile.LibsndfileError as error:
            reason = error.error_string.rstrip(".")
            raise HearingError(f"{path} is no recording that I can read ({reason}): {CONVERT}") from error
        channels, rate = self._file.channels, self._file.samplerate
        if channels > MOST_CHANNELS or not RATES[0] <= rate <= RATES[1]:
            self._file.close()
            raise HearingError(f"{path} is damaged: {channels} channels at {rate} Hz")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def pieces(self) -> Iterator[Samples]:
        """About a second at a time: an hour needs no more memory than a minute."""
        rate = self._file.samplerate
        resampler = Resampler(rate)
        heard = 0
        for block in self._file.blocks(round(PIECE_SECONDS * rate), dtype="float32", always_2d=True):
            mono = np.nan_to_num(block, posinf=1.0, neginf=-1.0).mean(axis=1, dtype=np.float32)
            heard += len(mono)
            yield to_samples(resampler.feed(mono))
        if not heard:
            raise HearingError(f"{self._path} has no sound in it (its length is zero)")
        yield to_samples(resampler.end())


def read_wav(path: Path, longest_seconds: float = math.inf) -> Samples:
    """A whole recording. HearingError also where it is longer than this."""
    pieces: list[Samples] = [np.zeros(0, np.int16)]
    with WavFile(path) as wav:
        for piece in wav.pieces():
            pieces.append(piece)
            if sum(map(len, pieces)) > longest_seconds * RATE:
                raise HearingError(f"{path} is longer than {longest_seconds:g} seconds")
    return np.concatenate(pieces)


def save_wav(path: Path, speech: Speech) -> None:
    """Writes 16 bit mono. Blocking."""
    try:
        with path.open("wb") as file:
            soundfile = need("soundfile", "writing a recording", error_type=SpeakingError)
            soundfile.write(file, to_samples(speech.samples), speech.rate, format="WAV", subtype="PCM_16")
    except OSError as error:
        raise SpeakingError(f"{path} cannot be written: {error.strerror or error}") from error
