"""Listening, mute, and alarms, which sound over a reply and a ringing timer, mute or not."""

import stat

import pytest
from tests.fakes.voice import LIMIT, room, sounding
from tests.fakes.waiting import until

from voice_gateway.channels.voice.channel import VoiceSwitches

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


async def test_what_is_said_while_it_does_not_listen_is_not_heard():
    async with room() as here:
        here.listens = False
        await here.hears("what time is it")
        assert here.conversation.heard == []
        assert here.part("voice") == "off"

        here.listens = True
        await here.hears("what day is it")
        assert here.conversation.heard == ["what day is it"]
        assert here.part("voice") == "ok"


async def test_listening_that_is_switched_off_in_the_middle_ends_what_is_being_recorded():
    async with room() as here:
        await here.microphone.wake()
        here.listens = False
        await here.microphone.speak("unlock the door")
        here.listens = True
        await here.microphone.silence(2.0)
        await here.settled()
        assert here.conversation.heard == []


async def test_a_mute_voice_shows_its_answer_and_rings_all_the_same():
    async with room() as here:
        here.mute = True
        await here.hears("what time is it")
        assert here.conversation.heard == ["what time is it"]
        assert here.shown == ["You said what time is it."]
        assert here.speaker.played == []
        assert here.speaker.cues == 0

        async with sounding(here.output.ring("The tea is ready.")):
            await until(lambda: "The tea is ready." in here.speaker.played, LIMIT)


def test_switches_stay_through_a_restart_in_a_file_for_their_owner(tmp_path):
    file = tmp_path / "data" / "switches.json"
    switches = VoiceSwitches(file)
    assert (switches.listening, switches.mute) == (True, False)
    switches.turn("listening", False)
    switches.turn("mute", True)

    again = VoiceSwitches(file)
    assert (again.listening, again.mute) == (False, True)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for text in ("", "[1]", "{", '{"listening": "no", "mute": 3}'):
        file.write_text(text, encoding="utf-8")
        damaged = VoiceSwitches(file)
        assert (damaged.listening, damaged.mute) == (True, False)
