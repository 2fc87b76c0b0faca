"""WAV files made by hand, right and wrong ones."""

import struct

import numpy as np

RATE = 16_000
SCALES = {"u8": (127, 8), "i16": (32767, 16), "i24": (2**23 - 1, 24), "i32": (2**31 - 1, 32)}

GUID_TAIL = bytes.fromhex("000000001000800000aa00389b71")  # of every coding in an extensible header


def tone(seconds: float, rate: int = RATE, pitch: float = 300.0):
    return 0.5 * np.sin(2 * np.pi * pitch * np.arange(round(seconds * rate)) / rate)


def wav_bytes(
    sound,
    *,
    rate: int = RATE,
    kind: str = "i16",
    channels: int = 1,
    code: int | None = None,
    extensible: bool = False,
    claimed_bytes: int | None = None,
    claimed_channels: int | None = None,
    before_data: bytes = b"",
) -> bytes:
    """`claimed_…` makes the header lie."""
    data, bits = _encoded(np.repeat(np.asarray(sound)[:, None], channels, axis=1).reshape(-1), kind)
    code = code or (3 if kind.startswith("f") else 1)
    said = channels if claimed_channels is None else claimed_channels
    width = channels * bits // 8
    form = struct.pack("<HHIIHH", 0xFFFE if extensible else code, said, rate, rate * width, width, bits)
    if extensible:
        form += struct.pack("<HHIH", 22, bits, 0, code) + GUID_TAIL
    size = len(data) if claimed_bytes is None else claimed_bytes
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + before_data
    body += b"data" + struct.pack("<I", size) + data
    return b"RIFF" + struct.pack("<I", min(len(body), 0xFFFFFFFF)) + body


def _encoded(flat, kind: str) -> tuple[bytes, int]:
    if kind == "f32":
        return flat.astype("<f4").tobytes(), 32
    if kind == "f64":
        return flat.astype("<f8").tobytes(), 64
    scale, bits = SCALES[kind]
    whole = np.rint(flat * scale).astype(np.int64)
    if kind == "u8":
        return (whole + 128).astype(np.uint8).tobytes(), bits
    raw = whole.astype("<i8").view(np.uint8).reshape(-1, 8)[:, : bits // 8]
    return raw.tobytes(), bits
