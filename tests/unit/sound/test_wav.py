"""Recordings: every usual kind is read, and an error says what is wrong with the others."""

import os
import threading
import tracemalloc

import numpy as np
import pytest
from tests.fakes.wavs import RATE, tone, wav_bytes

from voice_gateway.errors import HearingError
from voice_gateway.sound.wav import WavFile, read_wav, save_wav
from voice_gateway.turn import Speech


def written(tmp_path, content: bytes):
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    return path


def test_every_width_number_of_channels_and_rate_gives_the_same_sound(tmp_path):
    kinds = [
        (kind, channels, RATE)
        for kind in ("PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE")
        for channels in (1, 6)
    ]
    kinds += [("PCM_16", 2, rate) for rate in (8000, 11025, 22050, 44100, 48000, 96000)]
    for kind, channels, rate in kinds:
        path = written(tmp_path, wav_bytes(tone(2.0, rate), kind=kind, channels=channels, rate=rate))
        samples = read_wav(path)
        assert samples.dtype == np.int16
        assert len(samples) == 2.0 * RATE, (kind, channels, rate)
        wrong = np.abs(samples - tone(2.0) * 32767)[500:-500].max()
        assert wrong < (300 if kind == "PCM_U8" else 100 if rate != RATE else 3), (kind, channels, rate)


def test_a_file_that_was_written_into_a_pipe_or_cut_off_gives_what_is_there(tmp_path):
    unknown = wav_bytes(tone(0.5), data_bytes=0xFFFFFFFF)
    assert len(read_wav(written(tmp_path, unknown))) == 0.5 * RATE
    assert len(read_wav(written(tmp_path, wav_bytes(tone(1.0))[:-16001]))) == RATE - 8001
    assert len(read_wav(written(tmp_path, wav_bytes(tone(0.5), form="WAVEX")))) == 0.5 * RATE


BAD = {
    "empty": (b"", "no recording"),
    "damaged": (b"RIFF\x10\0\0\0WAVEfm", "no recording"),
    "text": (b"hello, this is a text" * 4, "ffmpeg"),
    "unknown coding": (wav_bytes(tone(0.1), code=0x1234), "no recording"),
    "rate 0": (wav_bytes(tone(0.1), header_rate=0), ""),
    "65 channels": (wav_bytes(tone(0.1), channels=65), "65 channels"),
    "rate 900": (wav_bytes(tone(0.1), rate=900), "900 Hz"),
    "no sound": (wav_bytes(tone(0.0)), "no sound in it"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_cannot_be_used_is_an_error_with_its_name(tmp_path, kind):
    content, words = BAD[kind]
    path = written(tmp_path, content)
    with pytest.raises(HearingError) as raised:
        read_wav(path)
    assert words in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_missing_file_and_a_folder_are_errors(tmp_path):
    with pytest.raises(HearingError, match="No such file"):
        read_wav(tmp_path / "no.wav")
    with pytest.raises(HearingError, match="cannot be read: Is a directory"):
        read_wav(tmp_path)


@pytest.mark.slow
def test_an_hour_needs_no_more_memory_than_a_minute(tmp_path):
    path = tmp_path / "hour.wav"
    with path.open("wb") as file:
        file.write(wav_bytes(tone(0.0), data_bytes=3600 * RATE * 2))
        file.truncate(44 + 3600 * RATE * 2)  # a sparse file
    tracemalloc.start()
    with WavFile(path) as wav:
        heard = sum(len(piece) for piece in wav.pieces())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert heard == 3600 * RATE
    assert peak < 8_000_000


def test_a_pipe_is_read_up_to_a_limit(tmp_path):
    path = tmp_path / "pipe.wav"
    os.mkfifo(path)

    def write() -> threading.Thread:
        writer = threading.Thread(target=path.write_bytes, args=(wav_bytes(tone(0.1)),))
        writer.start()
        return writer

    writer = write()
    assert len(read_wav(path)) == 0.1 * RATE
    writer.join()
    writer = write()
    with pytest.raises(HearingError, match="through a pipe"):
        WavFile(path, most_piped_bytes=1_000)
    writer.join()


def test_a_saved_recording_is_read_again(tmp_path):
    save_wav(tmp_path / "b.wav", Speech(tone(0.5).astype(np.float32), RATE))
    assert np.abs(read_wav(tmp_path / "b.wav") - tone(0.5) * 32767).max() < 3
