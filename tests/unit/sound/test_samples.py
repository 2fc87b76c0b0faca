"""Sound in pieces: nothing is lost, nothing depends on how it was cut."""

import numpy as np
import pytest
from hypothesis import given, settings
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


@settings(deadline=None, max_examples=40)
@given(cuts=CUTS, rate=st.sampled_from((8000, 11025, 44100, 48000)))
def test_resampling_does_not_depend_on_the_pieces(cuts, rate):
    sound = np.sin(np.arange(6000) * 0.05).astype(np.float32)
    whole, pieces = Resampler(rate), Resampler(rate)

    expected = np.concatenate([whole.feed(sound), whole.end()])
    found = np.concatenate([*(pieces.feed(piece) for piece in cut(sound, cuts)), pieces.end()])

    assert len(found) == len(expected) == -(-6000 * 16000 // rate)
    assert np.allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("rate", [8000, 11025, 12000, 22050, 32000, 44100, 48000, 96000, 192000, 44101])
def test_a_tone_keeps_pitch_loudness_and_place_at_another_rate(rate):
    there = np.sin(2 * np.pi * 440 * np.arange(rate) / rate).astype(np.float32)
    here = np.sin(2 * np.pi * 440 * np.arange(16000) / 16000)
    resampler = Resampler(rate)

    found = np.concatenate([resampler.feed(there), resampler.end()])

    assert len(found) == 16000
    assert np.abs(found[500:-500] - here[500:-500]).max() < 0.01


@pytest.mark.parametrize(("rate", "tone"), [(48000, 10000), (44100, 12000), (96000, 30000)])
def test_what_is_too_high_for_our_rate_is_gone_and_not_folded_back(rate, tone):
    resampler = Resampler(rate)

    found = resampler.feed(np.sin(2 * np.pi * tone * np.arange(rate) / rate).astype(np.float32))

    assert np.abs(found[500:]).max() < 0.001


def test_what_is_not_a_number_is_silent_and_too_loud_is_clipped():
    broken = np.array([np.nan, np.inf, -np.inf, 2.0, -2.0, 0.5])

    assert to_samples(broken).tolist() == [0, 32767, -32768, 32767, -32768, 16384]


def test_the_level_is_decibels_below_full_scale():
    assert level_db(np.full(100, -32768, np.int16)) == pytest.approx(0.0)
    assert level_db(np.full(100, 3277, np.int16)) == pytest.approx(-20.0, abs=0.1)
    assert level_db(np.zeros(100, np.int16)) == level_db(np.zeros(0, np.int16)) == -120.0
