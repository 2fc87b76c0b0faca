"""A recording as a microphone, and the choice of devices."""

import numpy as np
import pytest
from tests.fakes.wavs import tone, wav_bytes

from voice_gateway.hearing.microphone import WavMicrophone
from voice_gateway.sound import card


async def played(path, **how):
    return [chunk async for chunk in WavMicrophone(path, **how).chunks()]


async def test_a_recording_comes_in_blocks_of_32_ms_and_nothing_is_lost(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(tone(0.5, 48000), rate=48000, channels=2))

    chunks = await played(path, trailing_silence_seconds=0.25)

    assert {len(chunk.samples) for chunk in chunks} == {512}
    assert [chunk.start_seconds for chunk in chunks] == [
        512 * number / 16000 for number in range(len(chunks))
    ]
    heard = np.concatenate([chunk.samples for chunk in chunks])
    assert 0.75 * 16000 <= len(heard) < 0.75 * 16000 + 512
    assert not heard[8000:].any()
    assert heard[7000:7900].any()


CARDS = (
    card.SoundDevice(0, "HDA Intel: ALC (hw:0,0)", 2, 2, 44100),
    card.SoundDevice(1, "USB Mic", 1, 0, 48000, default_input=True),
    card.SoundDevice(2, "usb mic array", 6, 0, 16000),
    card.SoundDevice(3, "HDMI", 0, 8, 48000, default_output=True),
)


@pytest.mark.parametrize(
    ("wanted", "kind", "number"),
    [
        (None, "input", 1),
        (None, "output", 3),
        ("0", "input", 0),
        ("usb mic", "input", 1),
        ("array", "input", 2),
        ("hda", "output", 0),
        ("HDMI", "output", 3),
    ],
)
def test_a_device_is_found_by_number_name_or_part_of_it(wanted, kind, number):
    assert card.find(wanted, kind, CARDS).number == number


@pytest.mark.parametrize("wanted", ["HDMI", "3", "nonsense"])
def test_a_wrong_name_is_answered_with_the_right_ones(wanted):
    with pytest.raises(card.SoundError) as raised:
        card.find(wanted, "input", CARDS)

    assert f'no microphone "{wanted}" (voice.input_device)' in str(raised.value)
    assert "1 USB Mic" in str(raised.value)
    assert "HDMI," not in str(raised.value)
