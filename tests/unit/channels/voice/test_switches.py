"""Listening and mute: what they do, and that they stay."""

import stat

from tests.fakes.voice import LIMIT, room, sounding
from tests.fakes.waiting import until

from voice_gateway.channels.voice.channel import VoiceSwitches


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
