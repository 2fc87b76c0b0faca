"""The voice door: wake word, recording, transcript, answer, speech; it listens while it thinks and speaks."""

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

import numpy as np

from voice_gateway.config import VoiceSettings
from voice_gateway.doors.own_voice import STEP_SECONDS
from voice_gateway.doors.voice_mouth import Mouth
from voice_gateway.doors.voice_states import RECORDS, Act, VoiceEvent, VoiceState, next_step
from voice_gateway.doors.voice_turns import Busy, Recorded, Waiting
from voice_gateway.errors import HearingError
from voice_gateway.hearing.audio import BLOCK_SAMPLES, RATE, Samples, to_floats
from voice_gateway.hearing.endpoint import (
    SPECULATE_SECONDS,
    Ended,
    EndpointEvent,
    NoSpeech,
    Resumed,
    Speculate,
    SpeechStarted,
)
from voice_gateway.hearing.engines import Ears
from voice_gateway.hearing.microphone import Microphone
from voice_gateway.hearing.noise import noise_reason, sounds_unfinished, without_wake_words
from voice_gateway.speaking.earcons import Earcon
from voice_gateway.turn import AudioChunk, Reply, SpeechSegment, Transcript, Utterance, WakeDetected, new_id
from voice_gateway.watch import State, Watch

log = logging.getLogger(__name__)

LOST_SECONDS = 0.5  # a hole in the sound: what was being recorded is not what was said
UNFINISHED_SILENCE_SECONDS = 1.0  # "set the light to …" goes on after a breath
RETRY_SECONDS = 5.0  # a microphone that was never there may be plugged in
RECENT_STEPS = round(1.2 / STEP_SECONDS)  # of loudness: as long as a wake word

Answer = Callable[..., Awaitable[Reply]]


class BackgroundTranscriber:
    """Hears all the time, and answers one thing at a time. The conversation does the rest (MSG-3)."""

    def __init__(
        self,
        ears: Ears,
        microphone: Microphone,
        mouth: Mouth,
        answer: Answer,
        settings: VoiceSettings,
        *,
        watch: Watch | None = None,
        is_complete: Callable[[str], bool] = lambda _text: False,
        on_turn: Callable[[Recorded], None] = lambda _recorded: None,
        retry_seconds: float | None = RETRY_SECONDS,  # None: what fails at first is given up
    ) -> None:
        self._ears = ears
        self._microphone = microphone
        self._mouth = mouth
        self._answer = answer
        self._settings = settings
        self._watch = watch or Watch()
        self._is_complete = is_complete
        self._on_turn = on_turn
        self._retry_seconds = retry_seconds
        self._conversation_id = new_id()
        self.state = VoiceState.LISTENING
        self._waiting = Waiting()
        self._busy = Busy()  # transcripts and turns
        self._turns = 0  # begun by a recording, and not over
        self._tasks: asyncio.TaskGroup
        self._wake: WakeDetected | None = None
        self._speculation: asyncio.Task[Transcript] | None = None
        self._to_start: Act | None = None
        self._fresh_ears = False
        self._position = 0  # samples heard
        self._expected: float | None = None
        self._heard_at = time.monotonic()  # the end of the last chunk
        self._levels: deque[float] = deque(maxlen=RECENT_STEPS)
        self._answer_until = 0.0  # seconds of sound
        self.ready = _ready_sentence(ears, settings)
        self._failure = ""

    # --- the life of the door

    async def run(self) -> None:
        """Until cancelled, or until the microphone ends, as that of a recording does."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            answering = tasks.create_task(self._answer_all(), name="voice turns")
            await self._listen()
            await self._run_out()
            await self.settled()
            answering.cancel()

    async def settled(self) -> None:
        """Returns when nothing is being transcribed, answered or said."""
        await self._busy.settled()

    def push_to_talk(self) -> None:
        self._wake = None
        self._step(VoiceEvent.WAKE)

    def submit(self, segment: SpeechSegment) -> None:
        """Take this as something that was said, without a wake word before it."""
        self.state = VoiceState.RECORDING
        self._ended(Ended(segment, speculated=False))

    async def _listen(self) -> None:
        while True:
            try:
                async with contextlib.aclosing(self._microphone.chunks()) as chunks:
                    async for chunk in chunks:
                        self._watch.report("microphone", State.OK, "The microphone works.")
                        await self._hear(chunk)
                return
            except HearingError as error:
                if self._retry_seconds is None:
                    raise
                if repr(error) != self._failure:  # said once, however often it is tried again
                    log.warning("the microphone cannot be used", extra={"reason": str(error)})
                self._failure = repr(error)
                self._watch.report("microphone", State.DEGRADED, f"I cannot hear: {error}")
                self._watch.report("voice", State.OFF, "I wait for the microphone.")
                self._step(VoiceEvent.NOTHING)
            await asyncio.sleep(self._retry_seconds)

    async def _run_out(self) -> None:
        """The microphone has ended: silence follows, so that what was being said becomes complete."""
        longest = self._settings.no_speech_seconds + self._settings.silence_seconds + 1
        for _ in range(round(longest * RATE / BLOCK_SAMPLES)):
            await self.settled()
            if self.state not in (VoiceState.RECORDING, VoiceState.OVERHEARING):
                return
            await self._hear(AudioChunk(np.zeros(BLOCK_SAMPLES, np.int16), self._expected or 0.0))

    # --- hearing

    async def _hear(self, chunk: AudioChunk) -> None:
        """One chunk. An engine that fails costs what is being said, never the door."""
        if self._expected is not None and chunk.start_seconds - self._expected > LOST_SECONDS:
            log.warning("some sound was lost", extra={"seconds": chunk.start_seconds - self._expected})
            self._step(VoiceEvent.NOTHING)
        self._expected = chunk.start_seconds + len(chunk.samples) / RATE
        self._position += len(chunk.samples)
        self._heard_at = time.monotonic()
        self._levels.append(_loudness(chunk.samples))
        try:
            await self._begin_recording()
            if self.state in RECORDS:
                for event in await self._ears.worker.run(self._ears.recorder.feed, chunk.samples):
                    self._endpoint(event)
            else:
                wake = await self._ears.worker.run(self._watch_for_wake, chunk.samples)
                if wake is not None and self.state not in RECORDS:
                    self._woken(wake)
                await self._begin_recording()
        except Exception as error:  # engines are native code of others: anything may come out
            if repr(error) != self._failure:  # an engine that is broken fails thirty times a second
                log.exception("hearing failed; what was said is dropped")
            self._failure = repr(error)
            self._watch.report("voice", State.DEGRADED, f"Hearing failed: {error}")
            self._step(VoiceEvent.NOTHING)
        else:
            self._failure = ""
            self._watch.report("voice", State.OK, self.ready)

    def _watch_for_wake(self, samples: Samples) -> WakeDetected | None:
        """In the worker."""
        self._ears.recorder.watch(samples)
        if self._ears.wake is None:
            return None
        if self._fresh_ears:
            self._fresh_ears = False
            self._ears.wake.reset()
        return self._ears.wake.feed(samples)

    def _woken(self, wake: WakeDetected) -> None:
        own = self._mouth.own_voice
        start = self._heard_at - len(self._levels) * STEP_SECONDS
        if own.said_wake_word(self._settings.wake_words) or own.same_sound(self._levels, start):
            log.info("the wake word was our own voice")
            return
        log.info("wake word", extra={"word": wake.word, "score": wake.score})
        self._wake = wake
        self._step(VoiceEvent.WAKE)

    async def _begin_recording(self) -> None:
        start, self._to_start = self._to_start, None
        if start is None:
            return
        recorder, worker = self._ears.recorder, self._ears.worker
        if start is Act.RECORD:
            limit = self._settings.no_speech_seconds
            events = await worker.run(
                recorder.start, behind_wake_word=self._wake is not None, no_speech_seconds=limit
            )
        else:
            self._wake = None
            left = max(STEP_SECONDS, self._answer_until - self._position / RATE)
            events = await worker.run(recorder.start, no_speech_seconds=left)
        for event in events:
            self._endpoint(event)

    def _endpoint(self, event: EndpointEvent) -> None:
        if isinstance(event, SpeechStarted):
            self._step(VoiceEvent.SPEECH)
        elif isinstance(event, Speculate):
            self._speculation = self._tasks.create_task(self._speculate(event.segment), name="speculation")
        elif isinstance(event, Resumed):
            self._speculation = None  # it runs to its end, and nobody looks at it
        elif isinstance(event, NoSpeech):
            if self.state in (VoiceState.RECORDING, VoiceState.OVERHEARING):
                self._on_turn(Recorded(wake=self._wake))
            self._step(VoiceEvent.NOTHING)
        else:
            self._ended(event)

    def _ended(self, event: Ended) -> None:
        speculation = self._speculation if event.speculated else None
        self._speculation = None
        recorded = Recorded(wake=self._wake, segment=event.segment)
        silence = event.segment.end_seconds - event.segment.speech_end_seconds
        recorded.timings_ms["endpoint"] = silence * 1000
        self._busy.begin()
        self._turns += 1
        self._step(VoiceEvent.ENDED)
        self._tasks.create_task(self._understand(recorded, speculation, self._heard_at), name="transcript")

    # --- from sound to words

    async def _speculate(self, segment: SpeechSegment) -> Transcript:
        """In the pause that may be the end: a complete command needs less of it, half a sentence more."""
        self._busy.begin()
        try:
            transcript = await self._transcribe(segment)
            if asyncio.current_task() is self._speculation and transcript.noise is None:
                if await asyncio.to_thread(self._is_complete, transcript.text):
                    await self._wait_for_silence(self._settings.quick_silence_seconds)
                elif sounds_unfinished(transcript.text):
                    longer = max(self._settings.silence_seconds, UNFINISHED_SILENCE_SECONDS)
                    await self._wait_for_silence(longer)
            return transcript
        finally:
            self._busy.end()

    async def _wait_for_silence(self, seconds: float) -> None:
        await self._ears.worker.run(self._ears.recorder.needed_silence, seconds)

    async def _transcribe(self, segment: SpeechSegment) -> Transcript:
        """A failing engine gives a transcript that is dropped, with the reason."""
        started = perf_counter()
        try:
            raw = await self._ears.transcriber.transcribe(segment.samples)
        except HearingError as error:
            log.error("what was said is lost", extra={"reason": str(error)})
            self._watch.report("transcriber", State.DEGRADED, f"I cannot understand speech: {error}")
            return Transcript("", perf_counter() - started, noise=str(error))
        self._watch.report(
            "transcriber", State.OK, f"Understanding speech with {self._ears.transcriber.name}."
        )
        text = without_wake_words(raw, self._settings.wake_words).strip()
        noise = noise_reason(text, segment, min_speech_seconds=self._settings.min_speech_seconds)
        return Transcript(text, perf_counter() - started, len(segment.samples) / RATE, noise)

    async def _understand(
        self, recorded: Recorded, speculation: asyncio.Task[Transcript] | None, ended_at: float
    ) -> None:
        assert recorded.segment is not None
        started = perf_counter()
        transcript = await (speculation or self._transcribe(recorded.segment))
        recorded.timings_ms["transcribe"] = transcript.seconds * 1000
        recorded.timings_ms["transcribe_wait"] = (perf_counter() - started) * 1000
        if speculation is not None:  # a recording that is heard faster than real time leaves no pause for it
            hidden = recorded.timings_ms["endpoint"] - SPECULATE_SECONDS * 1000
            late = transcript.seconds * 1000 - hidden
            recorded.timings_ms["transcribe_wait"] = max(late, recorded.timings_ms["transcribe_wait"])
        noise = transcript.noise or self._own(transcript.text, recorded.segment, ended_at)
        recorded.transcript = Transcript(transcript.text, transcript.seconds, transcript.audio_seconds, noise)
        if noise is not None:
            log.info("not something that was said", extra={"reason": noise})
            if recorded.wake is not None:
                self._mouth.cue(Earcon.ERROR, self._tasks)
            self._on_turn(recorded)
            self._turn_over(asked=self._answer_until > self._position / RATE)
        elif (dropped := self._waiting.put(recorded)) is not None:
            self._on_turn(dropped)
            self._turn_over(asked=False)

    def _own(self, text: str, segment: SpeechSegment, ended_at: float) -> str | None:
        start = ended_at - len(segment.samples) / RATE
        whole = len(segment.samples) // BLOCK_SAMPLES * BLOCK_SAMPLES
        heard = [_loudness(segment.samples[at : at + BLOCK_SAMPLES]) for at in range(0, whole, BLOCK_SAMPLES)]
        spoken_from = start + self._settings.pre_roll_seconds
        return self._mouth.own_voice.reason(text, heard, start, spoken_from)

    # --- turns

    async def _answer_all(self) -> None:
        while True:
            recorded = await self._waiting.next()
            self._answer_until = 0.0
            asked = await self._turn(recorded)
            if asked:
                self._answer_until = self._position / RATE + self._settings.follow_up_seconds
            self._on_turn(recorded)
            self._turn_over(asked=asked)

    async def _turn(self, recorded: Recorded) -> bool:
        """Whether an answer is expected. Never cancelled by an interruption: tools that run are not torn."""
        started = perf_counter()
        first: list[float] = []

        def begins(at: float) -> None:
            first.append(at)
            self._step(VoiceEvent.SPEAKS)

        talk = self._mouth.talk(begins)
        utterance = Utterance(
            recorded.text, "voice", conversation_id=self._conversation_id, room=self._settings.room
        )
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(talk.run(), name="speaking")
            recorded.reply = reply = await self._answer(utterance, say=talk.say)
            answered = talk.first_said_at or perf_counter()
            talk.end(reply.text)
        recorded.spoken_over = talk.dropped
        times = recorded.timings_ms
        times["brain"] = (answered - started) * 1000
        times["synthesize"] = talk.synthesis_seconds * 1000
        if first:
            times["first_audio"] = times["endpoint"] + times["transcribe_wait"] + (first[0] - started) * 1000
        return reply.expects_answer and not talk.dropped and self._settings.follow_up_seconds > 0

    def _turn_over(self, *, asked: bool) -> None:
        self._turns -= 1
        self._busy.end()
        if self._turns:
            self._step(VoiceEvent.NEXT)
        else:
            self._step(VoiceEvent.ASKED if asked else VoiceEvent.DONE)

    # --- states

    def _step(self, event: VoiceEvent) -> None:
        before = self.state
        self.state, acts = next_step(before, event)
        if self.state is not before:
            log.debug("voice state", extra={"before": before, "event": event, "after": self.state})
        if self.state in RECORDS:
            self._mouth.hold()
        else:
            self._mouth.release()
        for act in acts:
            self._act(act)

    def _act(self, act: Act) -> None:
        if act in (Act.RECORD, Act.RECORD_ANSWER):
            self._to_start = act
        elif act is Act.LISTEN:
            self._fresh_ears = True
            self._speculation = None
        elif act is Act.HUSH:
            self._mouth.hush()
        else:
            self._mouth.cue(Earcon.WAKE if act is Act.CUE_WAKE else Earcon.HEARD, self._tasks)


def _ready_sentence(ears: Ears, settings: VoiceSettings) -> str:
    if ears.wake is None:
        return "I listen when you push to talk."
    words = " or ".join(f'"{word.replace("_", " ")}"' for word in settings.wake_words)
    return f"I listen for {words}."


def _loudness(samples: Any) -> float:
    return float(np.sqrt(np.mean(np.square(to_floats(samples))))) if len(samples) else 0.0
