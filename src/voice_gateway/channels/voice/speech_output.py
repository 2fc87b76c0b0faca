"""Speaks for the voice door: sentence by sentence while a reply is made, never over somebody who speaks."""

import asyncio
import logging
import re
from collections.abc import Callable
from contextlib import nullcontext
from time import perf_counter

import numpy as np

from voice_gateway.channels import not_yet_said
from voice_gateway.channels.marks import Mark
from voice_gateway.channels.voice.alarm import Alarms
from voice_gateway.channels.voice.own_voice import OwnVoice
from voice_gateway.errors import SpeakingError
from voice_gateway.events import EventBus, State
from voice_gateway.problems import ADVICE, CANNOT_SPEAK
from voice_gateway.speaking.earcons import RATE, Earcon, earcon
from voice_gateway.speaking.plain_text import spoken_text
from voice_gateway.speaking.speaker import Speaker
from voice_gateway.speaking.synthesizer import Synthesizer
from voice_gateway.turn import Speech
from voice_gateway.turns.sentences import sentences

log = logging.getLogger(__name__)

AHEAD = 2  # sentences that are ready while one is played; more would be wasted when somebody interrupts
RING_PAUSE_SECONDS = 2.0
SILENCE = Speech(np.zeros(RATE // 20, np.float32), RATE)  # enough to see whether the loudspeaker takes sound
# Nothing is heard of what is under way or unknown: either sound would be a lie.
_MARKS = {Mark.DONE: Earcon.DONE, Mark.NOT_DONE: Earcon.NOT_DONE}
# "1." or "-" alone is the beginning of a line of a list, which a stream of sentences has cut off.
_MARKER = re.compile(r"\s*(?:\d{1,3}[.)]|[-*•])\s*")


class SpeechOutput:
    """One voice and one loudspeaker. What cannot be spoken is shown as text."""

    def __init__(
        self,
        synthesizer: Synthesizer,
        speaker: Speaker,
        *,
        watch: EventBus,
        show: Callable[[str], None],
        earcons: bool = True,
        mute: Callable[[], bool] = lambda: False,  # what would be said is shown; timers ring all the same
    ) -> None:
        self._synthesizer = synthesizer
        self._mute = mute
        self._speaker = speaker
        self._watch = watch
        self.show = show
        self._earcons = earcons
        self.own_voice = OwnVoice(speaker.loudness)
        self._free = asyncio.Event()  # nobody is being recorded
        self._free.set()
        self.alarms = Alarms(self._free)
        self._line = asyncio.Lock()  # whoever waits in it looks again whether he may
        self._cue: asyncio.Task[None] | None = None
        self._playback: ReplyPlayback | None = None

    async def warm_up(self) -> None:
        """A voice or loudspeaker that cannot be used is reported; replies are shown then."""
        try:
            await self._synthesizer.warm_up()
        except SpeakingError as error:
            self.failed("speech", error)
        else:
            self._watch.report("speech", State.OK, f"Speaking with {self._synthesizer.name}.")
        if self._speaker.audible:
            await self._sound(SILENCE)  # also while an alarm sounds: it must be possible to hear us

    def cue(self, kind: Earcon, tasks: asyncio.TaskGroup) -> None:
        if self._earcons and not self._mute():
            self._cue = tasks.create_task(self._play_cue(earcon(kind)), name=f"earcon {kind}")

    async def mark(self, mark: Mark | None, playback: "ReplyPlayback") -> None:
        """What became of the acts of a turn, behind its words: before them, whoever asked would wait longer.

        Not when somebody speaks already: it would seem to belong to that.
        """
        if self._earcons and mark in _MARKS and self._free.is_set():
            await self.play(earcon(_MARKS[mark]), playback)

    async def _play_cue(self, sound: Speech) -> None:
        try:
            await self._speaker.play(sound)
        except SpeakingError as error:
            self.failed("speaker", error)

    def hold(self) -> None:
        """Somebody speaks: nothing begins to play until `release`."""
        self._free.clear()

    def release(self) -> None:
        self._free.set()

    def hush(self) -> None:
        """Stop at once; the rest of what is being said is dropped."""
        if self._playback is not None:
            self._playback.dropped = True
        self._speaker.stop()

    def playback(self, on_first: Callable[[float], None] = lambda _seconds: None) -> "ReplyPlayback":
        self._playback = ReplyPlayback(self, on_first)
        return self._playback

    async def synthesize(self, text: str) -> Speech | None:
        """None when the voice fails."""
        try:
            speech = await self._synthesizer.speak(text)
        except SpeakingError as error:
            self.failed("speech", error)
            return None
        self._watch.report("speech", State.OK, f"Speaking with {self._synthesizer.name}.")
        return speech

    async def play(
        self, speech: Speech, playback: "ReplyPlayback | None" = None, *, rings: bool = False
    ) -> bool:
        """False when nobody hears it: the loudspeaker fails, or is mute."""
        if self._mute() and not rings:
            return False
        answer = playback is not None
        while True:
            while not self._free.is_set() or self.alarms.keeps(answer=answer):  # both may have begun again
                await self._free.wait()
                await self.alarms.let_pass(answer=answer)
            async with self._line:
                if self._free.is_set() and not self.alarms.keeps(answer=answer):
                    return await self._played(speech, playback)

    async def _played(self, speech: Speech, playback: "ReplyPlayback | None") -> bool:
        if playback is not None and playback.dropped:
            return True
        if self._cue is not None and not self._cue.done():
            self._speaker.stop()  # words come before a short sound
        if playback is not None:
            playback.begins()
        return await self._sound(speech)

    async def _sound(self, speech: Speech) -> bool:
        try:
            with self.own_voice.saying(speech.text) if self._speaker.audible else nullcontext():
                await self._speaker.play(speech)
        except SpeakingError as error:
            self.failed("speaker", error)
            return False
        self._watch.report("speaker", State.OK, "The loudspeaker works.")
        return True

    def failed(self, part: str, error: SpeakingError) -> None:
        known = self._watch.state(part) is State.DEGRADED  # told once, however often it is tried again
        level = logging.DEBUG if known else logging.WARNING
        log.log(level, "cannot speak", extra={"part": part, "reason": str(error)})
        self._watch.report(part, State.DEGRADED, CANNOT_SPEAK.format(reason=error), ADVICE[CANNOT_SPEAK])

    async def ring(self, text: str) -> None:
        """Until cancelled: a sound and what it is about, again and again, but never over somebody."""
        speech = await self.synthesize(spoken_text(text))
        while True:
            await self.play(earcon(Earcon.RING), rings=True)
            if speech is not None:
                await self.play(speech, rings=True)
            await asyncio.sleep(RING_PAUSE_SECONDS)

    async def alarm(self, text: str) -> None:
        """Until cancelled: at once and over everything, mute or not."""

        async def over_all(speech: Speech) -> None:
            async with self._line:
                await self._sound(speech)

        await self.alarms.run(text, self, over_all)

    async def close(self) -> None:
        await self._speaker.close()
        await self._synthesizer.close()


class ReplyPlayback:
    """What one turn says. `say` takes the pieces of a reply as they come; `run` speaks them."""

    def __init__(self, output: SpeechOutput, on_first: Callable[[float], None]) -> None:
        self._output = output
        self._on_first = on_first
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()
        self._ready: asyncio.Queue[Speech | None] = asyncio.Queue(AHEAD)
        self._said = ""
        self._marker = ""
        self._begun = False
        self.dropped = False
        self.failed = False  # something of it could not be heard
        self.first_said_at: float | None = None
        self.synthesis_seconds = 0.0  # of the first sentence

    def say(self, text: str) -> None:
        self._said += text
        if _MARKER.fullmatch(text):
            self._marker += text
            return
        if self.first_said_at is None:
            self.first_said_at = perf_counter()
        self._pieces.put_nowait(self._marker + text)
        self._marker = ""

    def end(self, reply: str) -> None:
        """The reply is complete: what was not said while it was made is said now."""
        rest = not_yet_said(self._said, reply)
        if self._marker or rest:
            self.say(rest or " ")
        self._pieces.put_nowait(None)

    def begins(self) -> None:
        if not self._begun:
            self._begun = True
            self._on_first(perf_counter())

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._synthesize_all(), name="synthesize")
            while (speech := await self._ready.get()) is not None:
                if not self.dropped and not await self._output.play(speech, self):
                    self.failed = True

    async def _synthesize_all(self) -> None:
        while (piece := await self._pieces.get()) is not None:
            for sentence in sentences(spoken_text(piece)):
                if self.dropped:
                    break
                started = perf_counter()
                speech = await self._output.synthesize(sentence)
                self.synthesis_seconds = self.synthesis_seconds or perf_counter() - started
                if speech is None:
                    self.failed = True
                elif len(speech.samples):
                    await self._ready.put(speech)
        await self._ready.put(None)
