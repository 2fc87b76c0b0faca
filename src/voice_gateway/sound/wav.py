"""WAV files of any rate, width and number of channels, read piece by piece as mono 16 kHz."""

import logging
import struct
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from voice_gateway.errors import HearingError, SpeakingError
from voice_gateway.sound.samples import RATE, Resampler, Samples, to_samples
from voice_gateway.turn import Speech

log = logging.getLogger(__name__)

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
UNKNOWN_LENGTH = 0xFFFFFFFF  # of a file that was written into a pipe
WIDTHS = {PCM: (8, 16, 24, 32), FLOAT: (32, 64)}
RATES = (1_000, 768_000)
MOST_CHANNELS = 64
PIECE_SECONDS = 1.0
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


@dataclass(frozen=True, slots=True)
class WavFormat:
    kind: int
    channels: int
    rate: int
    bits: int

    @property
    def frame_bytes(self) -> int:
        return self.channels * self.bits // 8


class WavFile:
    """An open file whose header was understood; a HearingError says what is wrong with any other."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file: BinaryIO = path.open("rb")
        except OSError as error:
            raise HearingError(f"{path} cannot be read: {error.strerror or error}") from error
        try:
            self.format, self._data_bytes = self._header()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()

    @property
    def seconds(self) -> float | None:
        """The length, if the file knows it."""
        if self._data_bytes is None:
            return None
        return self._data_bytes / self.format.frame_bytes / self.format.rate

    def pieces(self) -> Iterator[Samples]:
        """The sound, about a second at a time: an hour-long file needs no more memory than a short one."""
        resampler = Resampler(self.format.rate) if self.format.rate != RATE else None
        for mono in self._mono():
            yield to_samples(resampler.feed(mono) if resampler else mono)
        if resampler:
            yield to_samples(resampler.end())

    def _mono(self) -> Iterator[NDArray[np.float32]]:
        frame_bytes, left, heard = self.format.frame_bytes, self._data_bytes, 0
        most = round(PIECE_SECONDS * self.format.rate) * frame_bytes
        while left is None or left > 0:
            try:
                raw = self._file.read(most if left is None else min(most, left))
            except OSError as error:
                raise HearingError(f"{self._path} cannot be read: {error.strerror or error}") from error
            whole = len(raw) - len(raw) % frame_bytes
            if whole:
                yield _decode(raw[:whole], self.format)
            heard += whole
            left = None if left is None else left - len(raw)
            if not whole:
                break
        if not heard:
            raise HearingError(f"{self._path} has no sound in it (its length is zero)")
        if left:
            facts = {"file": str(self._path), "missing_bytes": left}
            log.warning("the recording ends before its header says so; what is there is used", extra=facts)

    def _header(self) -> tuple[WavFormat, int | None]:
        """Format, and the bytes of sound if the file knows them."""
        head = self._read(12)
        if head[:4] != b"RIFF" or head[8:12] != b"WAVE":
            raise HearingError(f"{self._path} is {_kind(head)}, not a WAV file: {CONVERT}")
        found: WavFormat | None = None
        while True:
            name, size = struct.unpack("<4sI", self._read(8))
            if name == b"data":
                if found is None:
                    raise HearingError(f"{self._path} is damaged: its format is missing")
                return found, None if size == UNKNOWN_LENGTH else size
            if name == b"fmt ":
                found = self._format(self._read(min(size, 40)))
                size -= min(size, 40)
            self._file.seek(size + size % 2, 1)  # chunks begin at even positions

    def _read(self, count: int) -> bytes:
        try:
            raw = self._file.read(count)
        except OSError as error:  # a folder opens, but does not read
            raise HearingError(f"{self._path} cannot be read: {error.strerror or error}") from error
        if not raw and self._file.tell() == 0:
            raise HearingError(f"{self._path} is empty")
        if len(raw) < count:
            raise HearingError(f"{self._path} is damaged or not a WAV file: it ends within its header")
        return raw

    def _format(self, raw: bytes) -> WavFormat:
        if len(raw) < 16:
            raise HearingError(f"{self._path} is damaged: its format has only {len(raw)} bytes")
        kind, channels, rate, _, _, bits = struct.unpack("<HHIIHH", raw[:16])
        if kind == EXTENSIBLE and len(raw) >= 26:
            kind = struct.unpack("<H", raw[24:26])[0]
        if bits not in WIDTHS.get(kind, ()):
            raise HearingError(
                f"{self._path} is coded in a way I do not read ({kind}, {bits} bit): {CONVERT}"
            )
        if not 1 <= channels <= MOST_CHANNELS or not RATES[0] <= rate <= RATES[1]:
            raise HearingError(f"{self._path} is damaged: {channels} channels at {rate} Hz")
        return WavFormat(kind, channels, rate, bits)


def _kind(head: bytes) -> str:
    for mark, kind in OTHER_KINDS.items():
        if head.startswith(mark):
            return kind
    return "an MP4 file" if head[4:8] == b"ftyp" else "something else"


def _decode(raw: bytes, form: WavFormat) -> NDArray[np.float32]:
    """Mono between -1 and 1."""
    values: NDArray[Any]
    if form.kind == FLOAT:
        values = np.nan_to_num(np.frombuffer(raw, f"<f{form.bits // 8}"), posinf=1.0, neginf=-1.0)
    elif form.bits == 8:  # the only unsigned one
        values = (np.frombuffer(raw, np.uint8).astype(np.float32) - 128) / 128
    elif form.bits == 24:
        padded = np.zeros((len(raw) // 3, 4), np.uint8)
        padded[:, 1:] = np.frombuffer(raw, np.uint8).reshape(-1, 3)
        values = padded.view("<i4").reshape(-1) / 2.0**31
    else:
        values = np.frombuffer(raw, f"<i{form.bits // 8}") / 2.0 ** (form.bits - 1)
    mono: NDArray[np.float32] = values.reshape(-1, form.channels).mean(axis=1, dtype=np.float32)
    return mono


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
