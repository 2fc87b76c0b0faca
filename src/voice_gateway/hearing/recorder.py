"""From chunks of sound to speech events: cuts frames, asks the voice activity, lets the endpoint decide."""

from collections import deque

from voice_gateway.hearing.audio import RATE, Blocks, Samples
from voice_gateway.hearing.endpoint import STILL_ABOVE, Endpoint, EndpointEvent, EndpointSettings
from voice_gateway.hearing.voice_activity import FRAME_SAMPLES, VoiceActivity

RECENT_SECONDS = 0.64  # the voice activity needs some sound to settle
ONGOING_SECONDS = 0.128  # a wake word is noticed this late; who speaks on without a pause has begun by then


class Recorder:
    """Records what is said in one stream. Blocking, like its engine: call it in the stream's `Worker`."""

    def __init__(self, activity: VoiceActivity, settings: EndpointSettings) -> None:
        self._activity = activity
        self._endpoint = Endpoint(settings)
        self._blocks = Blocks(FRAME_SAMPLES)
        self._position = 0  # samples of the stream that were cut into frames
        self._recent: deque[Samples] = deque(maxlen=round(RECENT_SECONDS * RATE / FRAME_SAMPLES))

    @property
    def speaking(self) -> bool:
        return self._endpoint.speaking

    def watch(self, samples: Samples) -> None:
        """Keep what is heard while nothing is recorded, so that `start` knows what was before it."""
        for frame in self._blocks.feed(samples):
            self._recent.append(frame)
            self._position += len(frame)

    def start(self, *, no_speech_seconds: float | None = None) -> list[EndpointEvent]:
        """Begin to record. The wake word itself is left out; what was said right behind it is not."""
        self._activity.reset()
        heard = [(frame, self._activity.probability(frame)) for frame in self._recent]
        heard = heard[_behind_wake_word(heard) :]
        self._recent.clear()
        at = self._position - sum(len(frame) for frame, _ in heard)
        self._endpoint.start(at, no_speech_seconds=no_speech_seconds)
        return [event for frame, chance in heard for event in self._endpoint.feed(frame, chance)]

    def feed(self, samples: Samples) -> list[EndpointEvent]:
        events: list[EndpointEvent] = []
        for frame in self._blocks.feed(samples):
            events += self._endpoint.feed(frame, self._activity.probability(frame))
            self._position += len(frame)
        return events

    def needed_silence(self, seconds: float) -> None:
        self._endpoint.needed_silence(seconds)


def _behind_wake_word(heard: list[tuple[Samples, float]]) -> int:
    """The first frame that is not the wake word's any more."""
    last_speech = max(
        (number for number, (_, chance) in enumerate(heard) if chance >= STILL_ABOVE), default=-1
    )
    if last_speech < len(heard) - 1:
        return last_speech + 1
    return max(0, len(heard) - round(ONGOING_SECONDS * RATE / FRAME_SAMPLES))
