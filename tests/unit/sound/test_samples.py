"""Sound in pieces: nothing is lost, nothing depends on how it was cut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.sound.samples import Blocks, Resampler, level_db, to_samples

CUTS = st.lists(st.integers(0, 3000), max_size=12)


def cut(samples, cuts):
    """The same sound in pieces; the last piece has what is left."""
    pieces, start = [], 0
    for length in cuts:
        pieces.append(samples[start : start + length])
        start += length
    return [*pieces, samples[start:]]


@given(cuts=CUTS)
def test_blocks_do_not_depend_on_the_pieces(cuts):
    samples = np.arange(5000).astype(np.int16)
    blocks = Blocks(512)

    found = [block for piece in cut(samples, cuts) for block in blocks.feed(piece)]

    assert [len(block) for block in found] == [512] * 9
    assert np.array_equal(np.concatenate([*found, blocks.rest()]), samples)
    assert blocks.rest() is None


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 44100, 48000, 96000])
def test_a_resampled_tone_keeps_length_pitch_and_loudness_however_it_is_cut(rate):
    there = np.sin(2 * np.pi * 440 * np.arange(rate) / rate).astype(np.float32)
    here = np.sin(2 * np.pi * 440 * np.arange(16000) / 16000)
    resampler = Resampler(rate)

    pieces = [resampler.feed(piece) for piece in cut(there, [100, 0, 3000, 1])]
    found = np.concatenate([*pieces, resampler.end()])

    assert len(found) == 16000
    assert np.abs(found[500:-500] - here[500:-500]).max() < 0.01


def test_what_is_not_a_number_is_silent_and_too_loud_is_clipped():
    broken = np.array([np.nan, np.inf, -np.inf, 2.0, -2.0, 0.5])

    assert to_samples(broken).tolist() == [0, 32767, -32768, 32767, -32768, 16384]


def test_the_level_is_decibels_below_full_scale():
    assert level_db(np.full(100, -32768, np.int16)) == pytest.approx(0.0)
    assert level_db(np.full(100, 3277, np.int16)) == pytest.approx(-20.0, abs=0.1)
    assert level_db(np.zeros(100, np.int16)) == level_db(np.zeros(0, np.int16)) == -120.0
