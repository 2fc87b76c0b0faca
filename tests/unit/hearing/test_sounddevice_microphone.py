"""A microphone by a scripted sound card: rates it refuses, sound that comes too fast, a card that goes."""

import asyncio
import contextlib
import time

import numpy as np
import pytest
from tests.fakes.portaudio import FakePortAudio
from tests.fakes.waiting import until
from tests.fakes.wavs import tone

from voice_gateway.errors import HearingError
from voice_gateway.hearing.microphone import SounddeviceMicrophone
from voice_gateway.sound import card as sound_card

LIMIT_SECONDS = 30


@pytest.fixture
def use(monkeypatch):
    def use(card):
        monkeypatch.setattr(sound_card, "portaudio", lambda: card)
        return card

    return use


@contextlib.asynccontextmanager
async def hearing(card, **options):
    """The chunks, once the card is open, with the stream to send sound with."""
    microphone = SounddeviceMicrophone(retry_seconds=0.01, **options)
    async with asyncio.timeout(LIMIT_SECONDS), contextlib.aclosing(microphone.chunks()) as chunks:
        first = asyncio.create_task(anext(chunks))
        try:
            yield chunks, first, await opened(card, 1)
        finally:
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)


async def opened(card, number):
    await until(lambda: len(card.streams) >= number)
    return card.streams[-1]


async def take(first, chunks, count):
    return [await first] + [await anext(chunks) for _ in range(count - 1)]


@pytest.mark.parametrize(
    ("card", "rate", "channels"),
    [
        (FakePortAudio(), 16000, 1),
        (FakePortAudio(rates=(48000,)), 48000, 1),
        (FakePortAudio(rates=(48000,), channels=(2,)), 48000, 2),
        (FakePortAudio(channels=(2,)), 16000, 2),
    ],
)
async def test_a_card_that_refuses_our_rate_or_mono_is_heard_as_it_is(use, card, rate, channels):
    async with hearing(use(card)) as (chunks, first, stream):
        stream.send(tone(1.0, rate))
        heard = await take(first, chunks, 20)

    assert (stream.rate, stream.channels) == (rate, channels)
    samples = np.concatenate([chunk.samples for chunk in heard])
    assert np.abs(samples - tone(20 * 512 / 16000) * 32767)[200:].max() < 150
    assert [chunk.start_seconds for chunk in heard] == [512 * number / 16000 for number in range(20)]
    assert stream.closed


async def test_a_card_that_takes_nothing_we_know_is_a_hearing_error(use):
    use(FakePortAudio(rates=(7,)))

    with pytest.raises(HearingError, match="the microphone Card cannot be opened: Invalid sample rate"):
        await anext(SounddeviceMicrophone().chunks())


async def test_a_card_that_does_not_answer_is_given_up_and_closed_when_it_does(use):
    card = use(FakePortAudio())
    card.hang.clear()

    with pytest.raises(HearingError, match="does not answer"):
        await anext(SounddeviceMicrophone(open_seconds=0.05).chunks())
    card.hang.set()
    async with asyncio.timeout(LIMIT_SECONDS):
        stream = await opened(card, 1)
        await until(lambda: stream.closed)


async def test_who_listens_too_slowly_loses_the_oldest_and_sees_the_gap(use, caplog):
    async with hearing(use(FakePortAudio())) as (chunks, first, stream):
        stream.send(tone(0.032))
        await first
        stream.send(tone(4.0))  # two seconds more than are kept
        await asyncio.sleep(0)
        late = await anext(chunks)

    assert late.start_seconds == pytest.approx(4.0 - 64 * 0.032, abs=0.1)
    assert caplog.text.count("sound comes faster than it is heard") == 1


async def test_a_card_that_goes_is_waited_for_and_told(use):
    states = []
    card = use(FakePortAudio())
    async with hearing(card, on_state=states.append) as (chunks, first, stream):
        stream.send(tone(0.032))
        before = await first
        card.present = False
        stream.finished_callback()
        after = asyncio.create_task(anext(chunks))
        await until(lambda: states)
        assert states == ["the microphone Card is gone; I wait for it"]
        assert stream.closed

        card.present = True
        (await opened(card, 2)).send(tone(0.032))
        assert (await after).start_seconds > before.start_seconds

    assert states[1:] == [None]
    assert card.refreshed > 1  # the devices were read again


async def test_a_card_that_just_falls_silent_is_gone_too(use):
    card = use(FakePortAudio())
    async with hearing(card, lost_seconds=0.05) as (chunks, first, stream):
        stream.send(tone(0.032))
        await first
        after = asyncio.create_task(anext(chunks))
        (await opened(card, 2)).send(tone(0.032))
        await after

    assert all(stream.closed for stream in card.streams)


async def test_a_machine_that_stood_still_has_not_lost_its_card(use):
    """Loading engines can hold up the whole process for longer than a card may be silent."""
    states = []
    card = use(FakePortAudio())
    async with hearing(card, lost_seconds=0.2, on_state=states.append) as (chunks, first, stream):
        stream.send(tone(0.032))
        await first
        after = asyncio.create_task(anext(chunks))
        await asyncio.sleep(0)  # it waits now
        time.sleep(0.3)
        stream.send(tone(0.032))
        await after

    assert states == []
    assert len(card.streams) == 1


async def test_the_devices_are_not_read_again_while_somebody_uses_one(use):
    card = use(FakePortAudio())
    async with hearing(card) as (_, first, stream):
        stream.send(tone(0.032))
        await first
        assert not sound_card.refresh()
    assert sound_card.refresh()
    assert card.refreshed == 2  # before it was opened, and after it was closed
