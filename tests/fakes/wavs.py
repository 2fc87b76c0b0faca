"""WAV files, right and wrong ones."""

import io
import struct

import numpy as np
import soundfile

RATE = 16_000
# Where a field of the header of 16 bit sound is, and how it is written.
FIELDS = {"code": (20, "<H"), "header_rate": (24, "<I"), "data_bytes": (40, "<I")}


def tone(seconds: float, rate: int = RATE):
    return 0.5 * np.sin(2 * np.pi * 300 * np.arange(round(seconds * rate)) / rate)


def wav_bytes(
    sound, *, rate: int = RATE, kind: str = "PCM_16", channels: int = 1, form: str = "WAV", **lies: int
) -> bytes:
    """`lies` stand in the header instead of what is true."""
    file = io.BytesIO()
    same = np.repeat(np.asarray(sound)[:, None], channels, axis=1)
    soundfile.write(file, same, rate, format=form, subtype=kind)
    raw = bytearray(file.getvalue())
    for name, value in lies.items():
        place, layout = FIELDS[name]
        struct.pack_into(layout, raw, place, value)
    return bytes(raw)
