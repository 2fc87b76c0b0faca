"""From chunks of sound to speech events: cuts frames, asks the voice activity, lets the endpoint decide."""

from collections import deque

from voice_gateway.hearing.audio import RATE, Blocks, Samples
from voice_gateway.hearing.endpoint import STILL_ABOVE, Endpoint, EndpointEvent, EndpointSettings
from voice_gateway.hearing.voice_activity import FRAME_SAMPLES, VoiceActivity

FRAMES_PER_SECOND = RATE / FRAME_SAMPLES
RECENT = round(0.64 * FRAMES_PER_SECOND)  # the voice activity needs some sound to settle
# A wake word is noticed about 0.14 s behind its end, so whoever speaks on without a pause has begun by then:
# keeping this much gives nine of ten such commands whole, keeping none gives two (measured).
SPOKEN_ON = round(0.128 * FRAMES_PER_SECOND)
SHORT_PAUSE = round(0.3 * FRAMES_PER_SECOND)  # a silence this near belongs between wake word and command
WORDS_TAIL = round(0.192 * FRAMES_PER_SECOND)  # speech that ends this soon was the rest of the wake word

Heard = tuple[Samples, float]  # a frame, and how likely it is speech


class Recorder:
    """Records what is said in one stream. Blocking, like its engine: call it in the stream's `Worker`."""

    def __init__(self, activity: VoiceActivity, settings: EndpointSettings) -> None:
        self._activity = activity
        self._endpoint = Endpoint(settings)
        self._blocks = Blocks(FRAME_SAMPLES)
        self._position = 0  # samples of the stream that were cut into frames
        self._recent: deque[Samples] = deque(maxlen=RECENT)
        self._undecided: list[Heard] = []  # speech right behind a wake word: its tail, or a command
        self._no_speech_seconds: float | None = None

    @property
    def speaking(self) -> bool:
        """Somebody is being recorded at this moment."""
        return self._endpoint.speaking

    def watch(self, samples: Samples) -> None:
        """Keep what is heard while nothing is recorded, so that `start` knows what was before it."""
        for frame in self._blocks.feed(samples):
            self._recent.append(frame)
            self._position += len(frame)

    def start(
        self, *, behind_wake_word: bool = False, no_speech_seconds: float | None = None
    ) -> list[EndpointEvent]:
        """Begin to record from here on: what was heard before belongs to nothing.

        Behind a wake word, it is left out, and what was said right after it is not.
        """
        self._activity.reset()
        self._no_speech_seconds = no_speech_seconds
        recent = self._recent if behind_wake_word else ()
        heard = [(frame, self._activity.probability(frame)) for frame in recent]
        self._recent.clear()
        first = first_behind_wake_word([chance for _, chance in heard])
        if first is None:
            self._undecided = heard[-SPOKEN_ON:]
            return []
        return self._begin(heard[first:])

    def _begin(self, heard: list[Heard]) -> list[EndpointEvent]:
        self._undecided = []
        at = self._position - sum(len(frame) for frame, _ in heard)
        self._endpoint.start(at, no_speech_seconds=self._no_speech_seconds)
        return [event for frame, chance in heard for event in self._endpoint.feed(frame, chance)]

    def feed(self, samples: Samples) -> list[EndpointEvent]:
        events: list[EndpointEvent] = []
        for frame in self._blocks.feed(samples):
            chance = self._activity.probability(frame)
            self._position += len(frame)
            if self._undecided:
                events += self._decide((frame, chance))
            else:
                events += self._endpoint.feed(frame, chance)
        return events

    def _decide(self, heard: Heard) -> list[EndpointEvent]:
        if heard[1] < STILL_ABOVE:
            return self._begin([heard])
        self._undecided.append(heard)
        return self._begin(self._undecided) if len(self._undecided) > SPOKEN_ON + WORDS_TAIL else []

    def needed_silence(self, seconds: float) -> None:
        """See `Endpoint.needed_silence`."""
        self._endpoint.needed_silence(seconds)


def first_behind_wake_word(chances: list[float]) -> int | None:
    """The first frame that is not the wake word's any more; None if speech has not paused since."""
    silent = [number for number, chance in enumerate(chances) if chance < STILL_ABOVE]
    if not silent or silent[-1] < len(chances) - SHORT_PAUSE:
        return None if chances else 0
    first = silent[-1]
    while first > 0 and chances[first - 1] < STILL_ABOVE:
        first -= 1
    return first
