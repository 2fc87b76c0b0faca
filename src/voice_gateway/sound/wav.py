"""WAV files: of any rate, coding and number of channels they are read as mono 16 kHz, piece by piece."""

import io
import logging
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np

from voice_gateway.errors import HearingError, SpeakingError
from voice_gateway.sound.packages import need
from voice_gateway.sound.samples import RATE, Resampler, Samples, to_samples
from voice_gateway.turn import Speech

log = logging.getLogger(__name__)

RATES = (1_000, 768_000)
MOST_CHANNELS = 64
UNKNOWN_LENGTH = 0xFFFFFFFF  # of a file that was written into a pipe
PIECE_SECONDS = 1.0
MOST_PIPED_BYTES = 256 << 20  # held in memory; more than two hours of speech
CONVERT = "convert it with `ffmpeg -i FILE -ac 1 -ar 16000 new.wav`"
OTHER_KINDS = {
    b"ID3": "an MP3 file",
    b"\xff\xfb": "an MP3 file",
    b"OggS": "an Ogg file",
    b"fLaC": "a FLAC file",
    b"RF64": "a WAV file of more than 4 GB (RF64)",
    b"RIFX": "a big-endian WAV file (RIFX)",
    b"FORM": "an AIFF file",
    b"\x1aE\xdf\xa3": "a WebM or Matroska file",
}


class WavFile:
    """An open file that libsndfile understood; a HearingError says what is wrong with any other.

    The standard `wave` reads neither floating-point sound nor, before Python 3.12, the extensible header.
    """

    def __init__(self, path: Path, *, most_piped_bytes: int = MOST_PIPED_BYTES) -> None:
        self._path = path
        try:
            source, self._claimed_bytes, self._bytes = _found(path, most_piped_bytes)
        except OSError as error:
            raise HearingError(f"{path} cannot be read: {error.strerror or error}") from error
        soundfile = need("soundfile", "reading a recording")
        try:
            self._file: Any = soundfile.SoundFile(source)
        except soundfile.LibsndfileError as error:
            reason = error.error_string.rstrip(".")
            problem = f"{path} is damaged, or coded in a way I do not read ({reason}): {CONVERT}"
            raise HearingError(problem) from error
        channels, rate = self._file.channels, self._file.samplerate
        if channels > MOST_CHANNELS or not RATES[0] <= rate <= RATES[1]:
            self._file.close()
            raise HearingError(f"{path} is damaged: {channels} channels at {rate} Hz")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def seconds(self) -> float | None:
        """The length, if the file knows it."""
        return None if self._claimed_bytes is None else self._file.frames / self._file.samplerate

    def pieces(self) -> Iterator[Samples]:
        """The sound, about a second at a time: an hour-long file needs no more memory than a short one."""
        rate = self._file.samplerate
        resampler = Resampler(rate) if rate != RATE else None
        heard = 0
        for block in self._file.blocks(round(PIECE_SECONDS * rate), dtype="float32", always_2d=True):
            mono = np.nan_to_num(block, posinf=1.0, neginf=-1.0).mean(axis=1, dtype=np.float32)
            heard += len(mono)
            yield to_samples(resampler.feed(mono) if resampler else mono)
        if not heard:
            raise HearingError(f"{self._path} has no sound in it (its length is zero)")
        if resampler:
            yield to_samples(resampler.end())
        if self._claimed_bytes is not None and (missing := self._claimed_bytes - self._bytes) > 0:
            facts = {"file": str(self._path), "missing_bytes": missing}
            log.warning("the recording ends before its header says so; what is there is used", extra=facts)


def _found(path: Path, most_piped_bytes: int) -> tuple[Path | io.BytesIO, int | None, int]:
    """What to read, its length by its header, and its real one. A pipe is read once, so all is taken."""
    with path.open("rb") as file:
        head = file.read(12)
        claimed = _claimed_bytes(path, head)
        if path.is_file():
            return path, claimed, path.stat().st_size
        whole = head + file.read(most_piped_bytes + 1)
    if len(whole) > most_piped_bytes:
        raise HearingError(f"{path} gives more than {most_piped_bytes} bytes through a pipe: use a file")
    return io.BytesIO(whole), claimed, len(whole)


def _claimed_bytes(path: Path, head: bytes) -> int | None:
    """What the header says; None if whoever wrote it did not know. HearingError: this is no WAV file."""
    if not head:
        raise HearingError(f"{path} is empty")
    if head[:4] != b"RIFF" or head[8:12] != b"WAVE":
        kind = next((kind for mark, kind in OTHER_KINDS.items() if head.startswith(mark)), "something else")
        kind = "an MP4 file" if head[4:8] == b"ftyp" else kind
        raise HearingError(f"{path} is {kind}, not a WAV file: {CONVERT}")
    size = int.from_bytes(head[4:8], "little")
    return None if size == UNKNOWN_LENGTH else size + 8


def read_wav(path: Path) -> Samples:
    """A whole recording; for short ones."""
    with WavFile(path) as wav:
        return np.concatenate([np.zeros(0, np.int16), *wav.pieces()])


def save_wav(path: Path, speech: Speech) -> None:
    """16 bit mono. Blocking."""
    try:
        with path.open("wb") as opened, wave.open(opened) as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(speech.rate)
            file.writeframes(to_samples(speech.samples).astype("<i2").tobytes())
    except OSError as error:
        raise SpeakingError(f"{path} cannot be written: {error.strerror or error}") from error
