"""An alarm on the loudspeaker: over a reply and over a timer that rings, mute or not, until it was heard."""

import pytest
from tests.fakes.voice import LIMIT, room, sounding
from tests.fakes.waiting import until

SMOKE = "Smoke is detected in the Kitchen."


async def test_an_alarm_interrupts_a_reply_and_drops_the_rest_of_it():
    async with room() as here:
        here.speaker.slow = True
        await here.microphone.command("tell me a story")
        said = await here.speaker.plays()
        async with sounding(here.output.alarm(SMOKE)):
            here.speaker.slow = False
            await until(lambda: SMOKE in here.speaker.played, LIMIT)
            assert here.speaker.stopped == [said]


@pytest.mark.slow
async def test_a_timer_is_silent_while_there_is_an_alarm_and_rings_on_behind_it():
    async with room() as here, sounding(here.output.ring("The tea is ready.")):
        await until(lambda: "The tea is ready." in here.speaker.played, LIMIT)
        async with sounding(here.output.alarm(SMOKE)):
            await until(lambda: SMOKE in here.speaker.played, LIMIT)
            rung = here.speaker.played.count("The tea is ready.")
            here.speaker.played.remove(SMOKE)
            await until(lambda: SMOKE in here.speaker.played, LIMIT)
            assert here.speaker.played.count("The tea is ready.") == rung
        await until(lambda: here.speaker.played.count("The tea is ready.") > rung, LIMIT)


async def test_an_alarm_begins_although_somebody_speaks_and_although_the_voice_is_mute():
    async with room() as here:
        here.mute = True
        await here.microphone.wake()
        async with sounding(here.output.alarm(SMOKE)):
            await until(lambda: SMOKE in here.speaker.played, LIMIT)


async def test_what_is_said_while_it_sounds_is_heard_and_answered():
    async with room() as here, sounding(here.output.alarm(SMOKE)):
        await until(lambda: SMOKE in here.speaker.played, LIMIT)
        await here.hears("stop the alarm")
        assert here.conversation.heard == ["stop the alarm"]
        assert "You said stop the alarm." in here.speaker.played


async def test_an_alarm_is_loud_however_quiet_the_loudspeaker_was_set():
    async with room() as here:
        here.speaker.slow = True
        assert here.output.alarms.gain(0.0) == 0.0
        async with sounding(here.output.alarm(SMOKE)):
            await until(lambda: here.output.alarms.gain(0.0) > 0.5, LIMIT)
        assert here.output.alarms.gain(0.1) == 0.1
