"""From a segment to a transcript, with the same noise checks for every channel that hears."""

import logging
from time import perf_counter

import numpy as np

from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError
from voice_gateway.events import EventBus, State
from voice_gateway.hearing.endpoint import FRAME_SAMPLES, SPEECH_ABOVE
from voice_gateway.hearing.silero import SileroActivity
from voice_gateway.hearing.transcriber import Transcriber, noise_reason, without_wake_words
from voice_gateway.problems import CANNOT_UNDERSTAND
from voice_gateway.sound.samples import RATE, Samples
from voice_gateway.turn import SpeechSegment, Transcript

log = logging.getLogger(__name__)


async def transcript_of(
    segment: SpeechSegment, transcriber: Transcriber, settings: VoiceSettings, events: EventBus
) -> Transcript:
    """A failing engine gives a transcript that is dropped, with the reason."""
    started = perf_counter()
    try:
        raw = await transcriber.transcribe(segment.samples)
    except HearingError as error:
        log.error("what was said is lost", extra={"reason": str(error)})
        events.report("transcriber", State.DEGRADED, CANNOT_UNDERSTAND.format(reason=error))
        return Transcript("", perf_counter() - started, noise=str(error))
    events.report("transcriber", State.OK, f"Understanding speech with {transcriber.name}.")
    text = without_wake_words(raw, settings.wake_words).strip()
    noise = noise_reason(text, segment, min_speech_seconds=settings.min_speech_seconds)
    return Transcript(text, perf_counter() - started, len(segment.samples) / RATE, noise, transcriber.name)


def whole_segment(samples: Samples) -> SpeechSegment:
    """Of a recording that is one utterance from its beginning to its end. Blocking."""
    activity = SileroActivity()
    frames = [samples[at : at + FRAME_SAMPLES] for at in range(0, len(samples), FRAME_SAMPLES)]
    chances = [activity.probability(frame) for frame in frames if len(frame) == FRAME_SAMPLES]
    speech = sum(chance >= SPEECH_ABOVE for chance in chances) * FRAME_SAMPLES / RATE
    seconds = len(samples) / RATE
    return SpeechSegment(np.asarray(samples, np.int16), 0.0, seconds, seconds, speech)
