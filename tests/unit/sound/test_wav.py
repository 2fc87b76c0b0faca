"""WAV files as they come: every usual kind is read, and what is wrong with the others is said."""

import os
import struct
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from tests.fakes.wavs import RATE, tone, wav_bytes

from voice_gateway.errors import HearingError
from voice_gateway.sound.wav import WavFile, read_wav


def written(tmp_path, content: bytes):
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", ["u8", "i16", "i24", "i32", "f32", "f64"])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_every_width_and_any_number_of_channels_gives_the_same_sound(tmp_path, kind, channels):
    path = written(tmp_path, wav_bytes(tone(1.0), kind=kind, channels=channels))

    samples = read_wav(path)

    assert samples.dtype == np.int16
    coarse = 300 if kind == "u8" else 2
    assert np.abs(samples - tone(1.0) * 32767).max() <= coarse


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 48000, 96000])
def test_any_rate_becomes_ours(tmp_path, rate):
    path = written(tmp_path, wav_bytes(tone(2.5, rate), rate=rate, channels=2))

    samples = read_wav(path)

    assert len(samples) == 2.5 * RATE
    assert np.abs(samples - tone(2.5) * 32767)[500:-500].max() < 100


def test_the_extensible_header_and_other_chunks_are_understood(tmp_path):
    content = wav_bytes(tone(0.5), extensible=True, before_data=b"LIST" + struct.pack("<I", 3) + b"abc\0")

    assert len(read_wav(written(tmp_path, content))) == 0.5 * RATE


def test_a_file_from_a_pipe_does_not_know_its_length(tmp_path):
    content = wav_bytes(tone(0.5), claimed_bytes=0xFFFFFFFF)

    assert len(read_wav(written(tmp_path, content))) == 0.5 * RATE


def test_a_truncated_file_gives_what_is_there_and_a_warning(tmp_path, caplog):
    path = written(tmp_path, wav_bytes(tone(1.0))[:-16001])  # also within a sample

    assert len(read_wav(path)) == RATE - 8001
    assert "ends before its header says so" in caplog.text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"RIFF\x10\0\0\0WAVEfm", "is damaged"),
        (b"RIFF\x10\0\0\0WAVE", "is damaged"),
        (b"ID3\x04" + bytes(40), "an MP3 file, not a WAV file: convert it"),
        (b"OggS" + bytes(40), "an Ogg file"),
        (b"\0\0\0\x18ftypmp42" + bytes(40), "an MP4 file"),
        (b"hello, this is a text" * 4, "not a WAV file"),
        (b"RIFF\x10\0\0\0WAVEdata\0\0\0\0", "is damaged"),
        (b"RIFF\x10\0\0\0WAVEfmt \x02\0\0\0\x01\0data\0\0\0\0", "is damaged"),
        (wav_bytes(tone(0.1), code=0x1234), "coded in a way I do not read (Error in WAV"),
        (wav_bytes(tone(0.1), rate=0), "is damaged"),
        (wav_bytes(tone(0.1), claimed_channels=0), "is damaged"),
        (wav_bytes(tone(0.1), channels=65), "65 channels at 16000 Hz"),
        (wav_bytes(tone(0.1), rate=900), "1 channels at 900 Hz"),
        (wav_bytes(tone(0.0)), "no sound in it"),
        (wav_bytes(tone(0.1))[:44], "no sound in it"),
    ],
)
def test_what_cannot_be_used_says_why(tmp_path, content, words):
    path = written(tmp_path, content)

    with pytest.raises(HearingError) as raised:
        read_wav(path)

    assert words in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_missing_file_and_a_folder_say_so(tmp_path):
    with pytest.raises(HearingError, match="No such file"):
        read_wav(tmp_path / "no.wav")
    with pytest.raises(HearingError, match="cannot be read: Is a directory"):
        read_wav(tmp_path)


@pytest.mark.slow
def test_an_hour_needs_no_more_memory_than_a_minute(tmp_path):
    path = tmp_path / "hour.wav"
    with path.open("wb") as file:
        file.write(wav_bytes(tone(0.0), claimed_bytes=3600 * RATE * 2))
        file.truncate(44 + 3600 * RATE * 2)  # a hole: no disk is used

    tracemalloc.start()
    with WavFile(path) as wav:
        heard = sum(len(piece) for piece in wav.pieces())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert heard == 3600 * RATE
    assert peak < 4_000_000


def test_a_pipe_is_read_too(tmp_path):
    path = tmp_path / "pipe.wav"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(wav_bytes(tone(0.5)),))
    writer.start()

    assert len(read_wav(path)) == 0.5 * RATE
    writer.join()


def test_what_never_ends_is_no_recording():
    """It is known by its first bytes: nothing more of it is taken into memory."""
    with pytest.raises(HearingError, match="not a WAV file"):
        WavFile(Path("/dev/zero"))


def test_a_pipe_is_held_in_memory_only_so_far(tmp_path):
    path = tmp_path / "pipe.wav"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(wav_bytes(tone(0.1)),))
    writer.start()

    with pytest.raises(HearingError, match="through a pipe"):
        WavFile(path, most_piped_bytes=1_000)
    writer.join()
