"""Speech output: speaks sentence by sentence while a reply is made, and never over a person who speaks."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TypeVar

import numpy as np

from voice_gateway.backoff import wait_at_most
from voice_gateway.channels import unsaid
from voice_gateway.channels.marks import Mark
from voice_gateway.channels.voice.own_voice import OwnVoice
from voice_gateway.errors import SpeakingError
from voice_gateway.events import EventBus, State
from voice_gateway.problems import CANNOT_SPEAK
from voice_gateway.speaking.earcons import RATE, Earcon, earcon
from voice_gateway.speaking.plain_text import spoken_text
from voice_gateway.speaking.speaker import Speaker
from voice_gateway.speaking.synthesizer import Synthesizer
from voice_gateway.turn import Part, PartSource, Reply, Speech
from voice_gateway.turns.sentences import sentences

T = TypeVar("T")

log = logging.getLogger(__name__)

AHEAD = 2  # sentences synthesized ahead; barge-in would waste more
RING_PAUSE_SECONDS = 2.0
SILENCE = Speech(np.zeros(RATE // 20, np.float32), RATE)  # shows whether the loudspeaker works
# An act under way or unknown has no sound.
_MARKS = {Mark.DONE: Earcon.DONE, Mark.NOT_DONE: Earcon.NOT_DONE}
# "1." or "-" alone begins a list item, which the sentence stream has cut off.
ALARM_PAUSE_SECONDS = 3.0  # in which a wake word is heard well
POLITE_SECONDS = 15.0  # how long an alarm's repetition waits while a person speaks
ALARM_LOUDNESS = 0.7  # at least, however quiet the volume is
_MARKER = re.compile(r"\s*(?:\d{1,3}[.)]|[-*•])\s*")


class Alarms:
    """Repeats alarms until they are cancelled. Meanwhile only replies may be heard, between repetitions."""

    def __init__(self, free: asyncio.Event) -> None:
        self._free = free
        self._lasting = 0
        self.over, self.silent = asyncio.Event(), asyncio.Event()
        self.over.set()
        self.silent.set()

    def gain(self, wanted: float) -> float:
        return wanted if self.silent.is_set() else max(wanted, ALARM_LOUDNESS)

    async def run(
        self, text: str, output: "SpeechOutput", play: Callable[[Speech], Awaitable[object]]
    ) -> None:
        self._lasting += 1
        self.over.clear()
        self.silent.clear()
        output.hush()
        try:
            await play(earcon(Earcon.ALARM))
            speech = await output.synthesize(spoken_text(text))
            while True:
                if speech is not None:
                    await play(speech)
                self.silent.set()
                await asyncio.sleep(ALARM_PAUSE_SECONDS)
                await wait_at_most(self._free, POLITE_SECONDS)
                self.silent.clear()
                await play(earcon(Earcon.ALARM))
        finally:
            self._lasting -= 1
            if not self._lasting:
                self.over.set()
                self.silent.set()


@dataclass(eq=False)
class SpeechOutput:
    """One voice and one loudspeaker. A reply that cannot be spoken is shown as text."""

    synthesizer: Synthesizer
    speaker: Speaker
    events: EventBus
    show: Callable[[str], None]
    earcons: bool = True
    model_tone: bool = False  # a soft tone before the words of a model
    mute: Callable[[], bool] = lambda: False  # replies are shown instead; timers ring anyway

    def __post_init__(self) -> None:
        self.own_voice = OwnVoice(self.speaker.loudness)
        self.free = asyncio.Event()  # cleared while a recording is under way: nothing begins to play
        self.free.set()
        self.alarms = Alarms(self.free)
        self._line = asyncio.Lock()
        self._cue: asyncio.Task[bool] | None = None
        self._playback: ReplyPlayback | None = None

    async def warm_up(self) -> None:
        """Reports a voice or loudspeaker that cannot be used."""
        await self._reported(self.synthesizer.warm_up())
        if self.speaker.audible:
            await self._sound(SILENCE)

    def cue(self, kind: Earcon, tasks: asyncio.TaskGroup) -> None:
        if self.earcons and not self.mute():
            self._cue = tasks.create_task(self._sound(earcon(kind)), name=f"earcon {kind}")

    async def mark(self, mark: Mark | None, playback: "ReplyPlayback") -> None:
        """A sound for the result of a turn, after its words, unless a person speaks already."""
        if self.earcons and mark in _MARKS and self.free.is_set():
            await self.play(earcon(_MARKS[mark]), playback)

    def hush(self) -> None:
        """Stops at once and drops the rest of the reply."""
        if self._playback is not None:
            self._playback.dropped = True
        self.speaker.stop()

    def playback(self, on_first: Callable[[float], None] = lambda _seconds: None) -> "ReplyPlayback":
        self._playback = ReplyPlayback(self, on_first)
        return self._playback

    async def synthesize(self, text: str) -> Speech | None:
        """None if the voice fails."""
        return await self._reported(self.synthesizer.speak(text))

    async def _reported(self, work: Awaitable[T]) -> T | None:
        try:
            result = await work
        except SpeakingError as error:
            self.failed("speech", error)
            return None
        self.events.report("speech", State.OK, f"Speaking with {self.synthesizer.name}.")
        return result

    async def say(self, text: str) -> None:
        """Speaks a notice, once the room is quiet."""
        if (speech := await self.synthesize(spoken_text(text))) is not None:
            await self.play(speech)

    async def play(
        self, speech: Speech, playback: "ReplyPlayback | None" = None, *, rings: bool = False
    ) -> bool:
        """Plays when no person speaks and no alarm sounds. False if the loudspeaker fails or is mute."""
        if self.mute() and not rings:
            return False
        quiet = self.alarms.over if playback is None else self.alarms.silent
        while True:
            while not (self.free.is_set() and quiet.is_set()):
                await self.free.wait()
                await quiet.wait()
            async with self._line:
                if self.free.is_set() and quiet.is_set():
                    return await self._played(speech, playback)

    async def _played(self, speech: Speech, playback: "ReplyPlayback | None") -> bool:
        if playback is not None and playback.dropped:
            return True
        if self._cue is not None and not self._cue.done():
            self.speaker.stop()
        if playback is not None:
            playback.begins()
        return await self._sound(speech)

    async def _sound(self, speech: Speech) -> bool:
        try:
            with self.own_voice.saying(speech.text) if self.speaker.audible else nullcontext():
                await self.speaker.play(speech)
        except SpeakingError as error:
            self.failed("speaker", error)
            return False
        self.events.report("speaker", State.OK, "The loudspeaker works.")
        return True

    def failed(self, part: str, error: SpeakingError) -> None:
        known = self.events.state(part) is State.DEGRADED  # reported once
        level = logging.DEBUG if known else logging.WARNING
        log.log(level, "cannot speak", extra={"part": part, "reason": str(error)})
        self.events.report(part, State.DEGRADED, CANNOT_SPEAK.format(reason=error))

    async def ring(self, text: str) -> None:
        """Repeats a sound and the text until cancelled, never over a person who speaks."""
        speech = await self.synthesize(spoken_text(text))
        while True:
            await self.play(earcon(Earcon.RING), rings=True)
            if speech is not None:
                await self.play(speech, rings=True)
            await asyncio.sleep(RING_PAUSE_SECONDS)

    async def alarm(self, text: str) -> None:
        """Repeats an alarm until cancelled: at once, over everything, mute or not."""

        async def over_all(speech: Speech) -> None:
            async with self._line:
                await self._sound(speech)

        await self.alarms.run(text, self, over_all)

    async def close(self) -> None:
        await self.speaker.close()
        await self.synthesizer.close()


class ReplyPlayback:
    """Speaks one reply. `say` takes its pieces as they come; `run` plays them."""

    def __init__(self, output: SpeechOutput, on_first: Callable[[float], None]) -> None:
        self._output = output
        self._on_first = on_first
        self._pieces: asyncio.Queue[Part | None] = asyncio.Queue()
        self._ready: asyncio.Queue[Speech | None] = asyncio.Queue(AHEAD)
        self._streamed = ""
        self._marker = ""
        self._begun = False
        self.dropped = False
        self.failed = False  # a part of it could not be heard
        self.first_part_at: float | None = None
        self.synthesis_seconds = 0.0  # of the first sentence

    def say(self, part: Part) -> None:
        self._streamed += part.text
        if _MARKER.fullmatch(part.text):
            self._marker += part.text
            return
        if self.first_part_at is None:
            self.first_part_at = perf_counter()
        self._pieces.put_nowait(replace(part, text=self._marker + part.text))
        self._marker = ""

    def end(self, reply: Reply) -> None:
        """Called with the complete reply: speaks what was not streamed."""
        for part in unsaid(self._streamed, reply):
            self.say(part)
        if self._marker:
            self.say(Part(PartSource.GATEWAY, " "))
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
        before = PartSource.GATEWAY
        while (piece := await self._pieces.get()) is not None:
            if piece.source is PartSource.MODEL is not before and self._output.model_tone:
                await self._ready.put(earcon(Earcon.MODEL))
            before = piece.source
            for sentence in sentences(spoken_text(piece.text)):
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
