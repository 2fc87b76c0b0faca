"""The loop of the voice channel: wake word, recording, transcript, answer, speech."""

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum, auto
from time import perf_counter
from typing import Any

import numpy as np

from voice_gateway.channels import Answer
from voice_gateway.channels.marks import mark_of_turn
from voice_gateway.channels.voice.own_voice import STEP_SECONDS, OwnVoice
from voice_gateway.channels.voice.speech_output import SpeechOutput
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError
from voice_gateway.events import EventBus, State
from voice_gateway.hearing.endpoint import SPECULATE_SECONDS, Ended, EndpointEvent, Signal, Speculate
from voice_gateway.hearing.engines import HearingEngines
from voice_gateway.hearing.microphone import Microphone
from voice_gateway.hearing.transcriber import sounds_unfinished, transcript_of
from voice_gateway.interruption import Interruption
from voice_gateway.problems import CANNOT_HEAR, HEARING_FAILED
from voice_gateway.sound.samples import BLOCK_SAMPLES, RATE, Samples, to_floats
from voice_gateway.speaking.earcons import Earcon
from voice_gateway.turn import AudioChunk, Reply, SpeechSegment, Transcript, Utterance, WakeDetected, new_id

log = logging.getLogger(__name__)

MOST_WAITING = 3  # recordings completed while a turn runs
LOST_SECONDS = 0.5  # a gap in the sound that voids a recording
UNFINISHED_SILENCE_SECONDS = 1.0  # after "set the light to …"
RETRY_SECONDS = 5.0  # until a missing microphone is tried again
NOT_LISTENING = "I am not listening: that is switched off."
WAITING = "I wait for the microphone."
RECENT_STEPS = round(1.2 / STEP_SECONDS)  # of loudness: as long as a wake word


class VoiceState(StrEnum):
    LISTENING = "listening"  # for a wake word
    RECORDING = "recording"  # speech
    THINKING = "thinking"  # transcribing and answering
    SPEAKING = "speaking"  # a reply is played
    FOLLOW_UP = "follow-up"  # a question was asked: its answer needs no wake word
    OVERHEARING = "overhearing"  # recording while an earlier turn runs


class VoiceEvent(StrEnum):
    WAKE = auto()  # a wake word, or push to talk
    SPEECH = auto()  # a person began to speak
    ENDED = auto()  # and has finished
    NOTHING = auto()  # no speech, or lost sound
    SPEAKS = auto()  # the first sentence of a reply is played
    NEXT = auto()  # a turn is over, and another one waits
    DONE = auto()  # all turns are over
    ASKED = auto()  # all turns are over, and the last one asked something


class VoiceAction(StrEnum):
    RECORD = auto()  # after a wake word
    RECORD_ANSWER = auto()  # for as long as an answer is expected
    LISTEN = auto()  # for a wake word, from now on
    HUSH = auto()  # stop playback and the model; tool calls are completed
    CUE_WAKE = auto()  # the sound for "listening"
    CUE_HEARD = auto()  # the sound for "heard"


S, E, A = VoiceState, VoiceEvent, VoiceAction

# Other combinations change nothing.
TRANSITIONS: dict[tuple[VoiceState, VoiceEvent], tuple[VoiceState, tuple[VoiceAction, ...]]] = {
    (S.LISTENING, E.WAKE): (S.RECORDING, (A.HUSH, A.CUE_WAKE, A.RECORD)),  # hush a timer that rings
    (S.RECORDING, E.WAKE): (S.RECORDING, (A.RECORD,)),
    (S.RECORDING, E.ENDED): (S.THINKING, (A.CUE_HEARD, A.LISTEN)),
    (S.RECORDING, E.NOTHING): (S.LISTENING, (A.LISTEN,)),
    (S.THINKING, E.WAKE): (S.OVERHEARING, (A.CUE_WAKE, A.RECORD)),
    (S.THINKING, E.SPEAKS): (S.SPEAKING, ()),
    (S.THINKING, E.DONE): (S.LISTENING, ()),
    (S.THINKING, E.ASKED): (S.FOLLOW_UP, (A.RECORD_ANSWER,)),
    (S.SPEAKING, E.WAKE): (S.OVERHEARING, (A.HUSH, A.CUE_WAKE, A.RECORD)),
    (S.SPEAKING, E.NEXT): (S.THINKING, ()),
    (S.SPEAKING, E.DONE): (S.LISTENING, ()),
    (S.SPEAKING, E.ASKED): (S.FOLLOW_UP, (A.RECORD_ANSWER,)),
    (S.FOLLOW_UP, E.WAKE): (S.RECORDING, (A.CUE_WAKE, A.RECORD)),
    (S.FOLLOW_UP, E.SPEECH): (S.RECORDING, ()),
    (S.FOLLOW_UP, E.NOTHING): (S.LISTENING, (A.LISTEN,)),
    (S.OVERHEARING, E.WAKE): (S.OVERHEARING, (A.RECORD,)),
    (S.OVERHEARING, E.ENDED): (S.THINKING, (A.CUE_HEARD, A.LISTEN)),
    (S.OVERHEARING, E.NOTHING): (S.THINKING, (A.LISTEN,)),
    (S.OVERHEARING, E.DONE): (S.RECORDING, ()),
    (S.OVERHEARING, E.ASKED): (S.RECORDING, ()),
}
# In these the recorder gets the sound; in others the wake word does, and speech may be played.
RECORDS = frozenset({S.RECORDING, S.FOLLOW_UP, S.OVERHEARING})


@dataclass(slots=True)
class Recorded:
    """One recording with its result; `listen --json` prints it."""

    wake: WakeDetected | None = None
    segment: SpeechSegment | None = None
    transcript: Transcript | None = None
    reply: Reply | None = None
    spoken_over: bool = False  # the reply was interrupted
    timings_ms: dict[str, float] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.transcript.text if self.transcript and self.transcript.noise is None else ""

    @property
    def shown(self) -> str:
        """The text without a spoken PIN."""
        return self.reply.heard if self.reply and self.reply.heard else self.text

    def to_json(self) -> dict[str, Any]:
        wake, reply = self.wake, self.reply
        return {
            "wake": wake and {**asdict(wake), "score": round(wake.score, 3)},
            "transcript": self.shown,
            "text": reply.text if reply else "",
            "parts": [part.to_json() for part in reply.parts] if reply else [],
            "stage": reply.stage if reply else None,
            "outcomes": [outcome.to_json() for outcome in reply.outcomes] if reply else [],
            "timings_ms": {name: round(ms, 1) for name, ms in self.timings_ms.items()},
            "audio_seconds": round(len(self.segment.samples) / 16_000, 3) if self.segment else 0.0,
        }


@dataclass(eq=False)
class BackgroundTranscriber:
    """Listens all the time and answers one request at a time, by the conversation (MSG-3)."""

    engines: HearingEngines
    microphone: Microphone
    output: SpeechOutput
    answer: Answer
    settings: VoiceSettings
    events: EventBus
    is_complete: Callable[[str], bool] = lambda _text: False
    on_turn: Callable[[Recorded], None] = lambda _recorded: None
    retry_seconds: float | None = RETRY_SECONDS  # None: a microphone that fails is given up
    listens: Callable[[], bool] = lambda: True  # False: the microphone is ignored
    conversation_id: str = field(default_factory=new_id)

    def __post_init__(self) -> None:
        self._recorder, self._in_worker = self.engines.recorder, self.engines.worker.run
        self._input = AudioInput(self.engines, self.settings, self.output.own_voice, self.events)
        self.state = VoiceState.LISTENING
        self._waiting: asyncio.Queue[Recorded] = asyncio.Queue()
        self._work = 0  # transcripts and turns under way
        self._idle = asyncio.Event()
        self._idle.set()
        self._interruption = Interruption()  # of the turn under way
        self._turns = 0  # recordings whose turn is not over
        self._tasks: asyncio.TaskGroup
        self._wake: WakeDetected | None = None
        self._speculation: asyncio.Task[Transcript] | None = None
        self._to_start: VoiceAction | None = None
        self._answer_until = 0.0  # position in the sound
        self.ready = ready_sentence(self.engines, self.settings)
        self._failure = ""

    async def run(self) -> None:
        """Runs until cancelled or until the microphone ends, as that of a recording does."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            answering = tasks.create_task(self._answer_all(), name="voice turns")
            await self._listen()
            await self._run_out()
            await self.settled()
            answering.cancel()

    async def settled(self) -> None:
        """Returns when nothing is being transcribed, answered or said."""
        await self._idle.wait()

    def _busy(self, change: int) -> None:
        self._work += change
        self._idle.clear() if self._work else self._idle.set()

    def push_to_talk(self) -> None:
        self._wake = None
        self._step(VoiceEvent.WAKE)

    def microphone_lost(self, reason: object) -> None:
        """Drops the recording under way."""
        self.events.report("microphone", State.DEGRADED, CANNOT_HEAR.format(reason=reason))
        self.events.report("voice", State.OFF, WAITING)
        self._step(VoiceEvent.NOTHING)

    def submit(self, segment: SpeechSegment) -> None:
        """Takes the segment as speech without a wake word."""
        self.state = VoiceState.RECORDING
        self._ended(Ended(segment, speculated=False))

    async def _listen(self) -> None:
        while True:
            try:
                async with contextlib.aclosing(self.microphone.chunks()) as chunks:
                    async for chunk in chunks:
                        self.events.report("microphone", State.OK, "The microphone works.")
                        await self._hear(chunk)
                return
            except HearingError as error:
                if self.retry_seconds is None:
                    raise
                if repr(error) != self._failure:  # logged once
                    log.warning("the microphone cannot be used", extra={"reason": str(error)})
                self._failure = repr(error)
                self.microphone_lost(error)
            await asyncio.sleep(self.retry_seconds)

    async def _run_out(self) -> None:
        """Adds silence after the end of the microphone, so that the last recording is completed."""
        longest = self.settings.no_speech_seconds + self.settings.silence_seconds + 1
        for _ in range(round(longest * RATE / BLOCK_SAMPLES)):
            await self.settled()
            if self.state not in (VoiceState.RECORDING, VoiceState.OVERHEARING):
                return
            await self._hear(self._input.silence())

    # --- hearing

    async def _hear(self, chunk: AudioChunk) -> None:
        """Handles one chunk. An engine that fails costs the recording, never the channel."""
        if not self.listens():
            self.events.report("voice", State.OFF, NOT_LISTENING)
            self._step(VoiceEvent.NOTHING)
            return
        if (lost := self._input.take(chunk)) > LOST_SECONDS:
            log.warning("some sound was lost", extra={"seconds": lost})
            self._step(VoiceEvent.NOTHING)
        try:
            await self._begin_recording()
            if self.state in RECORDS:
                for event in await self._in_worker(self._recorder.feed, chunk.samples):
                    self._endpoint(event)
            else:
                wake = await self._input.wake_word(chunk.samples)
                if wake is not None and self.state not in RECORDS:
                    self._wake = wake
                    self._step(VoiceEvent.WAKE)
                await self._begin_recording()
        except Exception as error:  # engines are native code and raise anything
            if repr(error) != self._failure:  # a broken engine fails thirty times a second
                log.exception("hearing failed; the recording is dropped")
            self._failure = repr(error)
            self.events.report("voice", State.DEGRADED, HEARING_FAILED.format(reason=error))
            self._step(VoiceEvent.NOTHING)
        else:
            self._failure = ""
            self.events.report("voice", State.OK, self.ready)

    async def _begin_recording(self) -> None:
        start, self._to_start = self._to_start, None
        if start is None:
            return
        limit = self.settings.no_speech_seconds
        if start is VoiceAction.RECORD_ANSWER:
            self._wake, limit = None, max(STEP_SECONDS, self._answer_until - self._input.seconds)
        behind = self._wake is not None
        events = await self._in_worker(self._recorder.start, behind_wake_word=behind, no_speech_seconds=limit)
        for event in events:
            self._endpoint(event)

    def _endpoint(self, event: EndpointEvent) -> None:
        if isinstance(event, Ended):
            self._ended(event)
        elif isinstance(event, Speculate):
            self._speculation = self._tasks.create_task(self._speculate(event.segment), name="speculation")
        elif event is Signal.STARTED:
            self._step(VoiceEvent.SPEECH)
        elif event is Signal.RESUMED:
            self._speculation = None  # its result is not used
        else:
            if self.state in (VoiceState.RECORDING, VoiceState.OVERHEARING):
                self.on_turn(Recorded(wake=self._wake))
            self._step(VoiceEvent.NOTHING)

    def _ended(self, event: Ended) -> None:
        speculation = self._speculation if event.speculated else None
        self._speculation = None
        recorded = Recorded(wake=self._wake, segment=event.segment)
        silence = event.segment.end_seconds - event.segment.speech_end_seconds
        recorded.timings_ms["endpoint"] = silence * 1000
        self._busy(1)
        self._turns += 1
        self._step(VoiceEvent.ENDED)
        understanding = self._understand(recorded, speculation, self._input.heard_at)
        self._tasks.create_task(understanding, name="transcript")

    # --- from sound to words

    async def _speculate(self, segment: SpeechSegment) -> Transcript:
        """Transcribes in a pause, and sets how long it must be: shorter for a complete command."""
        self._busy(1)
        try:
            transcript = await self._input.transcript(segment)
            if asyncio.current_task() is self._speculation and transcript.noise is None:
                if await asyncio.to_thread(self.is_complete, transcript.text):
                    quick = self.settings.quick_silence_seconds
                    await self._in_worker(self._recorder.needed_silence, quick)
                elif sounds_unfinished(transcript.text):
                    longer = max(self.settings.silence_seconds, UNFINISHED_SILENCE_SECONDS)
                    await self._in_worker(self._recorder.needed_silence, longer)
            return transcript
        finally:
            self._busy(-1)

    async def _understand(
        self, recorded: Recorded, speculation: asyncio.Task[Transcript] | None, ended_at: float
    ) -> None:
        assert recorded.segment is not None
        started = perf_counter()
        transcript = await (speculation or self._input.transcript(recorded.segment))
        recorded.timings_ms["transcribe"] = transcript.seconds * 1000
        recorded.timings_ms["transcribe_wait"] = (perf_counter() - started) * 1000
        if speculation is not None:  # a file is heard faster than real time
            hidden = recorded.timings_ms["endpoint"] - SPECULATE_SECONDS * 1000
            late = transcript.seconds * 1000 - hidden
            recorded.timings_ms["transcribe_wait"] = max(late, recorded.timings_ms["transcribe_wait"])
        noise = transcript.noise or self._input.own(transcript.text, recorded.segment, ended_at)
        recorded.transcript = replace(transcript, noise=noise)
        if noise is not None:
            log.info("not speech", extra={"reason": noise})
            if recorded.wake is not None:
                self.output.cue(Earcon.ERROR, self._tasks)
            self.on_turn(recorded)
            self._over(asked=self._answer_until > self._input.seconds)
            return
        if self._waiting.qsize() >= MOST_WAITING:
            log.warning("too much was said while I was busy; the oldest is dropped")
            self.on_turn(self._waiting.get_nowait())
            self._over(asked=False)
        self._waiting.put_nowait(recorded)

    # --- turns

    async def _answer_all(self) -> None:
        while True:
            recorded = await self._waiting.get()
            self._answer_until = 0.0
            asked = await self._turn(recorded)
            if asked:
                self._answer_until = self._input.seconds + self.settings.follow_up_seconds
            self.on_turn(recorded)
            if self._turns > 1:
                self._step(VoiceEvent.NEXT)
            self._over(asked=asked)

    async def _turn(self, recorded: Recorded) -> bool:
        """Whether an answer is expected. An interruption stops the model and completes tool calls."""
        started = perf_counter()
        first: list[float] = []

        def begins(at: float) -> None:
            first.append(at)
            self._step(VoiceEvent.SPEAKS)

        playback, self._interruption = self.output.playback(begins), Interruption()
        utterance = Utterance(
            recorded.text,
            "voice",
            conversation_id=self.conversation_id,
            heard_by=recorded.transcript.model if recorded.transcript else None,
            heard_seconds=recorded.transcript.seconds if recorded.transcript else None,
            endpoint_seconds=recorded.timings_ms["endpoint"] / 1000,
            audio_seconds=recorded.transcript.audio_seconds if recorded.transcript else None,
        )
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(playback.run(), name="speaking")
            recorded.reply = reply = await self.answer(
                utterance, say=playback.say, interruption=self._interruption
            )
            answered = playback.first_part_at or perf_counter()
            playback.end(reply)
        await self.output.mark(mark_of_turn(reply.outcomes), playback)
        if playback.failed:
            self.output.show(reply.text)
        recorded.spoken_over = playback.dropped
        times = recorded.timings_ms
        times["brain"] = (answered - started) * 1000
        times["synthesize"] = playback.synthesis_seconds * 1000
        if first:
            times["first_audio"] = times["endpoint"] + times["transcribe_wait"] + (first[0] - started) * 1000
        return reply.expects_answer and not playback.dropped and self.settings.follow_up_seconds > 0

    def _over(self, *, asked: bool) -> None:
        """Ends a turn; after the last one it listens again."""
        self._turns -= 1
        self._busy(-1)
        if not self._turns:
            self._step(VoiceEvent.ASKED if asked else VoiceEvent.DONE)

    # --- states

    def _step(self, event: VoiceEvent) -> None:
        before = self.state
        self.state, acts = TRANSITIONS.get((before, event), (before, ()))
        if self.state is not before:
            log.debug("voice state", extra={"before": before, "event": event, "after": self.state})
        if self.state in RECORDS:
            self.output.free.clear()
        else:
            self._to_start = None
            self.output.free.set()
        for act in acts:
            self._act(act)

    def _act(self, act: VoiceAction) -> None:
        if act in (VoiceAction.RECORD, VoiceAction.RECORD_ANSWER):
            self._to_start = act
        elif act is VoiceAction.LISTEN:
            self._input.fresh = True
            self._speculation = None
        elif act is VoiceAction.HUSH:
            self.output.hush()
            self._interruption.now()
        else:
            self.output.cue(Earcon.WAKE if act is VoiceAction.CUE_WAKE else Earcon.HEARD, self._tasks)


@dataclass(eq=False)
class AudioInput:
    """Tracks the position in the stream, in seconds of sound and by the clock."""

    engines: HearingEngines
    settings: VoiceSettings
    own_voice: OwnVoice
    events: EventBus

    def __post_init__(self) -> None:
        self._samples = 0
        self._expected: float | None = None  # where the next chunk should begin
        self._levels: deque[float] = deque(maxlen=RECENT_STEPS)
        self.fresh = False  # set to forget earlier sound before the next wake word
        self.heard_at = time.monotonic()  # the end of the last chunk

    @property
    def seconds(self) -> float:
        return self._samples / RATE

    def take(self, chunk: AudioChunk) -> float:
        """Counts a chunk. Returns the seconds of sound lost before it."""
        lost = 0.0 if self._expected is None else chunk.start_seconds - self._expected
        self._expected = chunk.start_seconds + len(chunk.samples) / RATE
        self._samples += len(chunk.samples)
        self.heard_at = time.monotonic()
        self._levels.append(_loudness(chunk.samples))
        return lost

    def silence(self) -> AudioChunk:
        """A silent chunk, for the end of the stream."""
        return AudioChunk(np.zeros(BLOCK_SAMPLES, np.int16), self._expected or 0.0)

    # --- the wake word

    async def wake_word(self, samples: Samples) -> WakeDetected | None:
        """The wake word, unless it was the gateway's own voice."""
        detected = await self.engines.worker.run(self._watch_for_wake, samples)
        if detected is None:
            return None
        start = self.heard_at - len(self._levels) * STEP_SECONDS
        own = self.own_voice
        if own.said_wake_word(self.settings.wake_words) or own.same_sound(self._levels, start):
            log.info("the wake word was the gateway's own voice")
            return None
        log.info("wake word", extra={"word": detected.word, "score": detected.score})
        return detected

    def _watch_for_wake(self, samples: Samples) -> WakeDetected | None:
        """Runs in the worker."""
        self.engines.recorder.watch(samples)
        if self.engines.wake is None:
            return None
        if self.fresh:
            self.fresh = False
            self.engines.wake.reset()
        return self.engines.wake.feed(samples)

    # --- from sound to words

    async def transcript(self, segment: SpeechSegment) -> Transcript:
        return await transcript_of(segment, self.engines.transcriber, self.settings, self.events)

    def own(self, text: str, segment: SpeechSegment, ended_at: float) -> str | None:
        """Why this was the gateway's own voice; None if a person spoke."""
        start = ended_at - len(segment.samples) / RATE
        whole = len(segment.samples) // BLOCK_SAMPLES * BLOCK_SAMPLES
        heard = [_loudness(segment.samples[at : at + BLOCK_SAMPLES]) for at in range(0, whole, BLOCK_SAMPLES)]
        return self.own_voice.reason(text, heard, start, start + self.settings.pre_roll_seconds)


def ready_sentence(engines: HearingEngines, settings: VoiceSettings) -> str:
    if engines.wake is None:
        return "I listen when you push to talk."
    words = " or ".join(f'"{word.replace("_", " ")}"' for word in settings.wake_words)
    return f"I listen for {words}."


def _loudness(samples: Any) -> float:
    return float(np.sqrt(np.mean(np.square(to_floats(samples))))) if len(samples) else 0.0
