"""Scripted engines and loudspeaker for the voice door: sound whose height says which words it is."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
from tests.fakes.limits import with_limits

from voice_gateway.channels import Answer
from voice_gateway.channels.voice.speech_output import SpeechOutput
from voice_gateway.channels.voice.transcriber import BackgroundTranscriber, Recorded
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError, SpeakingError
from voice_gateway.events import EventBus
from voice_gateway.hearing.endpoint import SegmentRecorder
from voice_gateway.hearing.engines import HearingEngines
from voice_gateway.sound.samples import BLOCK_SAMPLES, RATE
from voice_gateway.sound.worker import Worker
from voice_gateway.speaking.earcons import Earcon, earcon
from voice_gateway.turn import AudioChunk, Part, PartSource, Reply, Speech, Utterance, WakeDetected

LIMIT = 30.0
WAKE_LEVEL = 999  # a block of this height is the wake word
FIRST_WORDS = 1000  # heights from here on are words
BLOCK_SECONDS = BLOCK_SAMPLES / RATE


class ScriptedMicrophone:
    """Gives what the test says, block by block, as fast as it is heard."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Any] = asyncio.Queue()
        self._position = 0.0
        self.words: dict[int, str] = {}

    async def chunks(self) -> AsyncGenerator[AudioChunk, None]:
        while (given := await self._queue.get()) is not None:
            try:
                if isinstance(given, Exception):
                    raise given
                yield AudioChunk(given, self._position)
                self._position += len(given) / RATE
            finally:
                self._queue.task_done()
        self._queue.task_done()

    def _put(self, height: int, blocks: int) -> None:
        for _ in range(blocks):
            self._queue.put_nowait(np.full(BLOCK_SAMPLES, height, np.int16))

    async def heard(self) -> None:
        """Until the door has heard everything."""
        async with asyncio.timeout(LIMIT):
            await self._queue.join()

    async def silence(self, seconds: float = 0.7) -> None:
        self._put(0, round(seconds / BLOCK_SECONDS))
        await self.heard()

    async def wake(self, pause_seconds: float = 0.0) -> None:
        self._put(0, 2)
        self._put(WAKE_LEVEL, 1)
        await self.silence(pause_seconds)

    async def words_begin(self, text: str, seconds: float = 0.6) -> None:
        height = FIRST_WORDS + len(self.words)
        self.words[height] = text
        self._put(height, round(seconds / BLOCK_SECONDS))
        await self.heard()

    async def speak(self, text: str, seconds: float = 0.6) -> None:
        await self.words_begin(text, seconds)
        await self.silence()

    async def command(self, text: str) -> None:
        await self.wake(0.1)
        await self.speak(text)

    def lose_seconds(self, seconds: float) -> None:
        self._position += seconds

    async def fail(self, error: HearingError) -> None:
        self._queue.put_nowait(error)
        await self.heard()

    async def end(self) -> None:
        self._queue.put_nowait(None)


class LevelActivity:
    """Speech is what is loud; a wake word does not count."""

    def probability(self, frame: Any) -> float:
        return 1.0 if abs(int(frame[0])) >= FIRST_WORDS else 0.0

    def reset(self) -> None: ...


class LevelWakeWord:
    def __init__(self) -> None:
        self.errors: list[Exception] = []
        self._heard = 0

    def feed(self, samples: Any) -> WakeDetected | None:
        self._heard += len(samples)
        if self.errors:
            raise self.errors.pop()
        return WakeDetected("hey_jarvis", 0.9, self._heard / RATE) if WAKE_LEVEL in samples else None

    def reset(self) -> None: ...


class LevelTranscriber:
    """Knows the words by the height of the sound."""

    name = "scripted"

    def __init__(self, words: dict[int, str]) -> None:
        self._words = words
        self.calls = 0
        self.errors: list[Exception] = []
        self.go = asyncio.Event()  # cleared: a slow engine
        self.go.set()

    async def warm_up(self) -> None: ...

    async def transcribe(self, samples: Any) -> str:
        self.calls += 1
        await self.go.wait()
        if self.errors:
            raise self.errors.pop()
        heights = dict.fromkeys(int(height) for height in samples if height >= FIRST_WORDS)
        return " ".join(self._words[height] for height in heights)

    async def close(self) -> None: ...


class ScriptedSynthesizer:
    name = "scripted"

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.errors: list[SpeakingError] = []

    async def warm_up(self) -> None: ...

    async def speak(self, text: str) -> Speech:
        self.texts.append(text)
        if self.errors:
            raise self.errors.pop()
        return Speech(np.full(2400, 0.1, np.float32), 24_000, text)

    async def close(self) -> None: ...


class ScriptedSpeaker:
    """Plays in no time, or, when `slow`, until it is stopped or told to go on."""

    audible = True

    def __init__(self) -> None:
        self.played: list[str] = []
        self.cues = 0
        self.earcons: list[Earcon] = []
        self.stopped: list[str] = []
        self.slow = False
        self.errors: list[SpeakingError] = []
        self.playing: str | None = None
        self.now_playing = asyncio.Event()
        self._over = asyncio.Event()

    async def play(self, speech: Speech) -> None:
        if not speech.text:
            self.cues += 1
            self.earcons += [kind for kind in Earcon if np.array_equal(earcon(kind).samples, speech.samples)]
            return
        if self.errors:
            raise self.errors.pop()
        self.played.append(speech.text)
        if not self.slow:
            return
        self.playing = speech.text
        self._over.clear()
        self.now_playing.set()
        try:
            await self._over.wait()
        finally:
            self.playing = None
            self.now_playing.clear()

    async def plays(self) -> str:
        async with asyncio.timeout(LIMIT):
            await self.now_playing.wait()
        assert self.playing is not None
        return self.playing

    def go_on(self) -> None:
        self._over.set()

    def stop(self) -> None:
        if self.playing is not None:
            self.stopped.append(self.playing)
        self._over.set()

    def loudness(self, start: float, end: float, step: float) -> list[float]:
        return [0.0] * round((end - start) / step)

    async def close(self) -> None: ...


class ScriptedConversation:
    """Answers "you said …", or what the script has; `hold` keeps a turn thinking."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.last: Utterance | None = None
        self.replies: dict[str, Reply] = {}
        self.streamed: dict[str, list[str]] = {}
        self.go = asyncio.Event()
        self.go.set()
        self.asked = asyncio.Event()
        self.running = 0
        self.most_running = 0
        self.finished: list[str] = []

    async def answer(self, utterance: Utterance, *, say: Any = None, interruption: Any = None) -> Reply:
        assert utterance.channel == "voice"
        self.heard.append(utterance.text)
        self.last = utterance
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        self.asked.set()
        try:
            for piece in self.streamed.get(utterance.text, []):
                say(Part(PartSource.GATEWAY, piece))
            await self.go.wait()
        finally:
            self.running -= 1
        self.finished.append(utterance.text)
        return self.replies.get(utterance.text, Reply(f"You said {utterance.text}.", stage="local"))


class Room:
    """A voice door with everything scripted around it."""

    def __init__(self, answer: Answer | None = None, **settings: Any) -> None:
        self.settings = with_limits(VoiceSettings, **settings)
        self.microphone = ScriptedMicrophone()
        self.wake_word = LevelWakeWord()
        self.transcriber = LevelTranscriber(self.microphone.words)
        self.synthesizer = ScriptedSynthesizer()
        self.speaker = ScriptedSpeaker()
        self.conversation = ScriptedConversation()
        self.watch = EventBus()
        self.shown: list[str] = []
        self.turns: list[Recorded] = []
        self.complete: set[str] = set()
        self.listens, self.mute = True, False
        self.output = SpeechOutput(
            self.synthesizer,
            self.speaker,
            events=self.watch,
            show=self.shown.append,
            earcons=self.settings.earcons,
            mute=lambda: self.mute,
        )
        recorder = SegmentRecorder(LevelActivity(), self.settings)
        self.engines = HearingEngines(Worker("ears"), self.wake_word, recorder, self.transcriber)
        self.channel = BackgroundTranscriber(
            self.engines,
            self.microphone,
            self.output,
            answer or self.conversation.answer,
            self.settings,
            events=self.watch,
            is_complete=lambda text: text in self.complete,
            on_turn=self.turns.append,
            retry_seconds=0.0,
            listens=lambda: self.listens,
        )

    async def settled(self) -> None:
        async with asyncio.timeout(LIMIT):
            await self.channel.settled()

    async def hears(self, *commands: str) -> None:
        """Each command behind the wake word, until it is answered."""
        for text in commands:
            await self.microphone.command(text)
            await self.settled()

    def part(self, name: str) -> str:
        return next((part.state.value for part in self.watch.parts() if part.part == name), "unknown")


@asynccontextmanager
async def room(**settings: Any):
    opened = Room(**settings)
    running = asyncio.ensure_future(opened.channel.run())
    try:
        yield opened
        assert not running.done() or running.exception() is None
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await opened.engines.close()


@asynccontextmanager
async def sounding(work: Coroutine[Any, Any, Any]) -> AsyncIterator[None]:
    """Rings, or sounds an alarm, meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
