"""The voice door with scripted engines and loudspeaker: turns, interruptions, trouble."""

import asyncio

import pytest
from tests.fakes.voice import LIMIT, room, sounding
from tests.fakes.waiting import until

from voice_gateway.channels.voice.transcriber import VoiceState
from voice_gateway.errors import HearingError, SpeakingError
from voice_gateway.speaking.earcons import Earcon
from voice_gateway.turn import Reply, ToolOutcome


async def test_a_command_behind_the_wake_word_is_answered_aloud():
    async with room() as here:
        await here.hears("what time is it")
        assert here.conversation.heard == ["what time is it"]
        assert here.conversation.last.heard_by == here.transcriber.name
        assert here.conversation.last.heard_seconds == here.turns[0].transcript.seconds
        assert here.speaker.played == ["You said what time is it."]
        assert here.speaker.cues == 2
        assert here.channel.state is VoiceState.LISTENING
        assert {here.part(name) for name in ("voice", "microphone", "speaker", "speech")} == {"ok"}


async def test_nothing_is_answered_without_the_wake_word():
    async with room() as here:
        await here.microphone.speak("what time is it")
        await here.settled()
        assert here.conversation.heard == []
        assert here.transcriber.calls == 0


async def test_a_wake_word_without_a_command_is_told_of_and_over_after_some_seconds():
    async with room(no_speech_seconds=1.0) as here:
        await here.microphone.wake()
        await here.microphone.silence(1.2)
        assert here.channel.state is VoiceState.LISTENING
        assert [(turn.text, turn.wake.word) for turn in here.turns] == [("", "hey_jarvis")]
        await here.hears("hello there")
        assert here.conversation.heard == ["hello there"]


async def test_noise_gives_no_turn():
    async with room() as here:
        await here.hears("You")
        assert here.conversation.heard == []
        assert [turn.text for turn in here.turns] == [""]
        assert here.channel.state is VoiceState.LISTENING


async def test_turns_never_overlap_and_three_may_wait(caplog):
    async with room() as here:
        here.conversation.go.clear()
        for number in ("one", "two", "three", "four", "five"):
            await here.microphone.command(f"say number {number}")
        here.conversation.go.set()
        await here.settled()
        # The first was being answered, so the second was the oldest that waited.
        wanted = [f"say number {number}" for number in ("one", "three", "four", "five")]
        assert here.conversation.heard == wanted
        assert here.conversation.most_running == 1
        assert "too much was said while I was busy; the oldest is dropped" in caplog.messages
        assert here.channel.state is VoiceState.LISTENING


async def test_sentences_are_spoken_while_the_reply_is_still_made():
    async with room() as here:
        here.conversation.go.clear()
        here.conversation.streamed["tell me more"] = ["First. ", "Second. "]
        here.conversation.replies["tell me more"] = Reply("First. Second. Third.")
        here.speaker.slow = True
        await here.microphone.command("tell me more")
        assert await here.speaker.plays() == "First."
        assert here.channel.state is VoiceState.SPEAKING
        assert here.conversation.running == 1
        here.conversation.go.set()
        here.speaker.slow = False
        here.speaker.go_on()
        await here.settled()
        assert here.speaker.played == ["First.", "Second.", "Third."]


async def test_the_wake_word_stops_playback_at_once_and_the_running_turn_is_not_torn():
    async with room() as here:
        here.conversation.go.clear()
        here.conversation.streamed["a story"] = ["Once upon a time. ", "There was a lamp. "]
        here.conversation.replies["a story"] = Reply("Once upon a time. There was a lamp. The end.")
        here.speaker.slow = True
        await here.microphone.command("a story")
        await here.speaker.plays()
        here.speaker.slow = False
        started = asyncio.get_running_loop().time()
        await here.microphone.wake()
        assert asyncio.get_running_loop().time() - started < 0.2
        assert here.speaker.stopped == ["Once upon a time."]
        await here.microphone.silence(0.1)
        await here.microphone.speak("stop that")
        assert here.conversation.finished == []
        here.conversation.go.set()
        await here.settled()
        assert here.conversation.finished == ["a story", "stop that"]
        assert here.speaker.played == ["Once upon a time.", "You said stop that."]
        assert [turn.spoken_over for turn in here.turns] == [True, False]


async def test_the_answer_to_a_question_needs_no_wake_word():
    async with room() as here:
        here.conversation.replies["turn on the light"] = Reply("Which light?", expects_answer=True)
        await here.hears("turn on the light")
        assert here.channel.state is VoiceState.FOLLOW_UP
        await here.microphone.speak("the one in the attic")
        await here.settled()
        assert here.conversation.heard == ["turn on the light", "the one in the attic"]
        assert here.channel.state is VoiceState.LISTENING


async def test_it_does_not_answer_its_own_question():
    async with room() as here:
        question = "Should I unlock the front door?"
        here.conversation.replies["open up"] = Reply(question, expects_answer=True)
        await here.hears("open up")
        await here.microphone.speak("should I unlock the front door")
        await here.settled()
        assert here.conversation.heard == ["open up"]
        assert here.channel.state is VoiceState.FOLLOW_UP
        await here.microphone.speak("yes")
        await here.settled()
        assert here.conversation.heard == ["open up", "yes"]


async def test_a_complete_command_needs_a_shorter_pause():
    async with room(silence_seconds=0.8) as here:
        here.complete = {"turn on the lamp"}
        for text, heard in (("turn on the lamp", True), ("turn on the old", False)):
            await here.microphone.wake(0.1)
            await here.microphone.words_begin(text)
            await here.microphone.silence(0.2)
            await here.settled()
            await here.microphone.silence(0.2)
            await here.settled()
            assert (text in here.conversation.heard) is heard
            await here.microphone.silence(1.0)
            await here.settled()
        assert here.conversation.heard == ["turn on the lamp", "turn on the old"]
        assert 300 <= here.turns[0].timings_ms["endpoint"] < 400


async def test_transcription_begins_in_the_pause_and_is_void_when_speech_goes_on():
    async with room() as here:
        await here.microphone.wake(0.1)
        await here.microphone.words_begin("turn on")
        await here.microphone.silence(0.3)
        await here.settled()
        assert here.transcriber.calls == 1
        assert here.conversation.heard == []
        await here.microphone.speak("the lamp")
        await here.settled()
        assert here.conversation.heard == ["turn on the lamp"]
        assert here.transcriber.calls == 2


async def test_an_engine_that_raises_costs_one_turn(caplog):
    async with room() as here:
        here.transcriber.errors = [HearingError("the model is broken")]
        await here.hears("lost words")
        assert here.conversation.heard == []
        assert here.part("transcriber") == "degraded"
        here.wake_word.errors = [RuntimeError("native trouble"), RuntimeError("native trouble")]
        await here.microphone.silence(0.1)
        assert caplog.messages.count("hearing failed; the recording is dropped") == 1
        await here.hears("words that count")
        assert here.conversation.heard == ["words that count"]
        assert here.part("voice") == here.part("transcriber") == "ok"


@pytest.mark.parametrize("broken", ["synthesizer", "speaker"])
async def test_what_cannot_be_spoken_is_shown(broken):
    async with room() as here:
        getattr(here, broken).errors = [SpeakingError("no sound")]
        here.conversation.replies["hello"] = Reply("It is **21 °C** at 7:30.")
        await here.hears("hello")
        assert here.shown == ["It is **21 °C** at 7:30."]
        assert here.part("speech" if broken == "synthesizer" else "speaker") == "degraded"
        await here.hears("again")
        assert here.speaker.played == ["You said again."]
        assert here.part("speech" if broken == "synthesizer" else "speaker") == "ok"


async def test_a_microphone_that_fails_is_opened_again():
    async with room() as here:
        await here.microphone.wake()
        await here.microphone.fail(HearingError("unplugged"))
        assert here.part("microphone") == "degraded"
        assert here.channel.state is VoiceState.LISTENING
        await here.hears("are you there")
        assert here.conversation.heard == ["are you there"]
        assert here.part("microphone") == "ok"


async def test_a_hole_in_the_sound_drops_what_was_being_said(caplog):
    async with room() as here:
        await here.microphone.wake(0.1)
        await here.microphone.words_begin("unlock the")
        here.microphone.lose_seconds(3)
        await here.microphone.speak("birthday cake")
        await here.settled()
        assert "some sound was lost" in caplog.messages
        assert here.conversation.heard == []


async def test_push_to_talk_needs_no_wake_word():
    async with room() as here:
        await here.microphone.silence(0.1)
        here.channel.push_to_talk()
        await here.microphone.speak("what time is it")
        await here.settled()
        assert here.conversation.heard == ["what time is it"]
        assert here.turns[0].wake is None


async def test_a_timer_rings_until_it_is_stopped_and_is_silent_while_somebody_speaks():
    async with room() as here, sounding(here.output.ring("The tea timer is done.")):
        here.speaker.slow = True
        assert await here.speaker.plays() == "The tea timer is done."
        here.speaker.slow = False
        await here.microphone.wake()
        assert here.speaker.stopped == ["The tea timer is done."]
        await here.microphone.silence(0.1)
        await here.microphone.speak("stop")
        await here.settled()
        assert here.conversation.heard == ["stop"]


async def test_the_end_of_a_recording_is_the_end_of_the_door():
    async with room() as here:
        await here.microphone.wake(0.1)
        await here.microphone.words_begin("said at the very end")
        await here.microphone.end()
        await until(lambda: here.turns, LIMIT)
        assert here.conversation.heard == ["said at the very end"]


def acted(*statuses: str) -> Reply:
    """A reply to what was asked for, with what became of each call."""
    outcomes = tuple(
        ToolOutcome(
            *(
                str(number),
                "control_zwave_device",
                "A sentence.",
                status in ("confirmed", "working", "queued"),
                0.0,
            ),
            structured={"outcome": status},
            read_only=status == "read",
        )
        for number, status in enumerate(statuses)
    )
    return Reply("Well, look.", outcomes, ok=all(outcome.ok for outcome in outcomes))


async def test_a_sound_after_the_words_says_whether_all_was_done():
    marks = {
        "read": [],
        "confirmed confirmed": [Earcon.DONE],
        "confirmed working": [],
        "unconfirmed": [],
        "confirmed unreachable": [Earcon.NOT_DONE],
    }
    for statuses, mark in marks.items():
        async with room() as here:
            here.conversation.replies["the lamp please"] = acted(*statuses.split())
            await here.hears("the lamp please")
            assert here.speaker.earcons == [Earcon.WAKE, Earcon.HEARD, *mark], statuses
    async with room(earcons=False) as here:
        here.conversation.replies["the lamp please"] = acted("confirmed")
        await here.hears("the lamp please")
        assert here.speaker.earcons == []
