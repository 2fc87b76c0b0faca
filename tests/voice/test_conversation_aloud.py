"""The running gateway with a real sound path: it hears what is played, and answers audibly."""

import asyncio
import re

import numpy as np
import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.running_gateway import ask, parts
from tests.fakes.sound_card import SoundCard
from tests.fakes.speech import FOLDER, need_speech, words
from tests.fakes.speech_packages import need_packages, need_portaudio
from tests.fakes.waiting import until

from voice_gateway.sound.samples import resampled
from voice_gateway.sound.wav import read_wav, save_wav
from voice_gateway.speaking.synthesizer import HibariSynthesizer
from voice_gateway.turn import Speech

TRIES = 3
HALF_DAY = re.compile(r"(?<![a-z])([ap])m\b")  # written in one, behind a digit too, or in two with dots
LONG_ANSWER_SECONDS = 10.0  # what it says when it has not understood
pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def card(tmp_path):
    need_speech()
    need_packages("hibari")
    need_portaudio()
    (tmp_path / "card").mkdir()
    async with SoundCard.opened(tmp_path / "card") as card:
        yield card


@pytest.fixture
async def gateway(card, tmp_path):
    """Running, and listening to the card."""
    commands = Commands(tmp_path)
    sound = {**card.environment, "XDG_RUNTIME_DIR": commands.env["XDG_RUNTIME_DIR"]}

    async def hears():
        known = await parts(commands)
        return known.get("microphone", {}).get("state") == "ok" == known["voice"]["state"]

    async with Running.opened(commands, "--voice", "--log-level", "debug", **sound) as running:
        await until(hears)
        running.asks = lambda text: ask(commands, text)  # type: ignore[attr-defined]
        yield running
        assert await running.stop() == 0
        print(*running.said, sep="")  # what it heard, for whoever reads of a test that failed


class Listener:
    """Speaks into the card's microphone, and writes down what its loudspeaker answers."""

    def __init__(self, card, transcriber, folder):
        self.card, self.transcriber, self.folder, self.count = card, transcriber, folder, 0

    async def answer_to(self, *parts, seconds):
        heard = await self.transcriber.transcribe(await self.heard_behind(*parts, seconds=seconds))
        return words(HALF_DAY.sub(r" \1 m", heard.lower()))

    async def heard_behind(self, *parts, seconds):
        """The sound of the loudspeaker."""
        self.count += 1
        spoken = self.folder / f"answer{self.count}.wav"
        async with self.card.recorded(spoken):
            await self.card.play(self.sound(*parts))
            await asyncio.sleep(seconds)  # the answer takes its time to be said
        return read_wav(spoken)

    async def answered_with(self, wanted, *parts, seconds):
        """A busy machine stutters: whoever is not understood says it again, as people do."""
        answers = []
        for _ in range(TRIES):
            answers.append(await self.answer_to(*parts, seconds=seconds))
            if wanted <= set(answers[-1]):
                return answers[-1]
            await asyncio.sleep(LONG_ANSWER_SECONDS)
        raise AssertionError(f"{wanted} was not answered, but {answers}")

    def sound(self, *parts):
        """Recordings, pauses (in seconds) and other sound, one behind the other."""
        pieces = [read_wav(FOLDER / part) / 32768 if isinstance(part, str) else part for part in parts]
        pieces = [np.zeros(round(part * 16000)) if isinstance(part, float) else part for part in pieces]
        file = self.folder / f"said{self.count}.wav"
        save_wav(file, Speech(np.concatenate(pieces), 16000))
        return file


@pytest.fixture
def listener(card, moonshine, tmp_path):
    return Listener(card, moonshine, tmp_path)


async def test_a_spoken_conversation_of_several_turns(listener, gateway):
    await listener.answered_with({"kitchen", "light", "on"}, "session_0_am_michael.wav", seconds=3.0)
    await listener.answered_with({"m"}, "session_2_bf_emma.wav", seconds=9.0)

    # It heard neither itself nor its beeps: it says nothing more.
    assert np.max(np.abs(await listener.heard_behind(2.0, seconds=1.0))) < 50


async def test_the_wake_word_interrupts_a_long_answer(listener, gateway):
    said = ("wake_14_hibari.wav", 0.3, "cmd_24_am_michael.wav", 4.0, "session_2_bf_emma.wav")
    answer = await listener.answered_with({"devices", "m"}, *said, seconds=6.0)
    # The whole list would take half a minute.
    assert len(answer) < 60


async def test_it_does_not_hear_itself_in_a_room_with_an_echo(card, listener, gateway):
    echo = ("source=spk.monitor", "sink=mic", "latency_msec=40")
    await card.pactl("load-module", "module-loopback", *echo)

    on = {"kitchen", "light", "on"}
    first = await listener.answered_with(on, "session_0_am_michael.wav", seconds=3.0)
    assert first.count("kitchen") == 1  # it may first say how it hears

    again = await listener.answered_with({"m"}, "session_2_bf_emma.wav", seconds=9.0)
    assert again.count("m") == 1


async def test_a_timer_rings_until_it_is_told_to_stop(listener, gateway, tmp_path):
    speech = await HibariSynthesizer().speak("Stop the alarm.")
    stop = resampled(speech.samples, speech.rate, 16000)
    await gateway.asks("set a timer for one second")

    await listener.answered_with({"timer", "done"}, 0.5, seconds=5.0)  # it may first say how it hears
    await listener.answer_to("wake_14_hibari.wav", 0.4, stop, seconds=3.0)
    assert "done" not in await listener.answer_to(0.5, seconds=4.0)
