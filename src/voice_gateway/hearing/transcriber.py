"""Speech to text: the Protocol of an engine, Moonshine, Whisper, and the detection of noise."""

import asyncio
import logging
import re
from abc import abstractmethod
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol
from urllib.parse import urlsplit

import numpy as np

from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError
from voice_gateway.events import EventBus, State
from voice_gateway.hearing.endpoint import FRAME_SAMPLES, SPEECH_ABOVE, SileroActivity
from voice_gateway.problems import CANNOT_UNDERSTAND
from voice_gateway.sound.packages import REPAIR, check_files, need
from voice_gateway.sound.samples import RATE, Samples, level_db, to_floats
from voice_gateway.sound.worker import Worker
from voice_gateway.turn import SpeechSegment, Transcript

log = logging.getLogger(__name__)

QUIETEST_DB = -65.0  # a whisper across the room is louder, the hiss of an open microphone is not
# Engines give text for noise, breath and music too, always the same kinds; none of it is a request. "yes",
# "no" and "stop" are.
HALLUCINATIONS = frozenset("you the uh um hmm mm mhm music applause laughter silence".split()) | {
    "blank audio",
    "thanks for watching",
    "thank you for watching",
    "please subscribe",
    "subtitles by the amara org community",
}
MOST_WORDS_PER_SECOND = 8.0  # faster than people speak
SPARE_WORDS = 3  # short words of a short segment
LONGEST_LOOP = 3  # words that an engine repeats for ever: "all right, all right, all right, …"
MOST_REPEATS = 5
# "one one one …" is a PIN.
NUMBERS = frozenset("zero oh one two three four five six seven eight nine".split())
# Ends of half a sentence: who says "set the light to" goes on.
UNFINISHED = frozenset("a an and at from into my of or the to with your".split())

MODEL = "tiny-en"
# Our own voice activity has cut the segment already; theirs would split a command into several lines.
OPTIONS = {"vad_threshold": "0.0", "identify_speakers": "false", "return_audio_data": "false"}
LONGEST_SECONDS = 30.0  # the model was made for less than this at once
SERVER_SECONDS = 15.0  # a large model on a small machine is slow; a server that hangs never answers
SERVER_PORT = 10300
CHUNK_SAMPLES = RATE // 10


class Transcriber(Protocol):
    """Turns a segment of speech into text. The event loop is never blocked: engines have their own thread."""

    name: str

    async def warm_up(self) -> None:
        """Load the model and run it once, so that the first segment is not slow; else HearingError."""
        await self.transcribe(np.zeros(RATE // 2, np.int16))

    @abstractmethod
    async def transcribe(self, samples: Samples) -> str:
        """The text as the engine gives it, also for noise: `noise_reason` says what to believe."""

    async def close(self) -> None: ...


class NativeTranscriber(Transcriber):
    """An engine in this process: native code, in a thread of its own, loaded with the first segment."""

    def __init__(self) -> None:
        self._worker = Worker(self.name)
        self._engine: Any = None

    async def transcribe(self, samples: Samples) -> str:
        return await self._worker.run(self._transcribe, samples)

    async def close(self) -> None:
        await self._worker.end()

    def _transcribe(self, samples: Samples) -> str:
        if self._engine is None:
            self._engine = self._load()
        try:
            return self._text(self._engine, samples)
        except Exception as error:  # native code: anything may come out
            raise HearingError(f"speech to text failed: {error}") from error

    @abstractmethod
    def _load(self) -> Any:
        """HearingError says what is missing."""

    @abstractmethod
    def _text(self, engine: Any, samples: Samples) -> str: ...


class MoonshineTranscriber(NativeTranscriber):
    """Moonshine tiny-en, whose package carries the model."""

    name = "moonshine"

    def _text(self, engine: Any, samples: Samples) -> str:
        step = round(LONGEST_SECONDS * RATE)
        parts = [samples[start : start + step] for start in range(0, len(samples), step)]
        heard = [engine.transcribe_without_streaming(to_floats(part).tolist(), RATE) for part in parts]
        texts = [line.text.strip() for part in heard for line in part.lines]
        return " ".join(text for text in texts if text)

    def _load(self) -> Any:
        package = need("moonshine_voice", "speech to text")
        check_files("moonshine-voice", "moonshine_voice/assets/tiny-en/", "the speech to text model")
        try:
            # The default architecture is BASE, whatever the folder holds.
            return package.Transcriber(package.get_model_path(MODEL), package.ModelArch.TINY, options=OPTIONS)
        except Exception as error:
            raise HearingError(f"the speech to text model cannot be loaded ({error}): {REPAIR}") from error


class WhisperTranscriber(NativeTranscriber):
    """Whisper by `faster-whisper` with a model folder: more exact, and ten times slower."""

    name = "whisper"

    def __init__(self, model: Path) -> None:
        super().__init__()
        self._folder = model

    def _text(self, engine: Any, samples: Samples) -> str:
        segments, _ = engine.transcribe(
            to_floats(samples),
            language="en",
            beam_size=1,  # a command is short: a search brings nothing but time
            condition_on_previous_text=False,
            without_timestamps=True,
        )
        return " ".join(segment.text.strip() for segment in segments).strip()

    def _load(self) -> Any:
        package = need("faster_whisper", "speech to text by Whisper", advice="`pip install faster-whisper`")
        if not (self._folder / "model.bin").is_file():
            raise HearingError(
                f"{self._folder} holds no faster-whisper model (no model.bin): check voice.stt"
            )
        try:
            # A folder, never a name: nothing is downloaded.
            return package.WhisperModel(
                str(self._folder), device="cpu", compute_type="int8", local_files_only=True
            )
        except Exception as error:
            raise HearingError(f"the Whisper model in {self._folder} cannot be loaded: {error}") from error


class WyomingTranscriber(Transcriber):
    """A Wyoming server, as Home Assistant uses. Each segment has a connection, which costs a millisecond."""

    name = "wyoming"

    def __init__(self, url: str, *, timeout_seconds: float = SERVER_SECONDS) -> None:
        self._url, self._timeout = url, timeout_seconds

    async def transcribe(self, samples: Samples) -> str:
        part = "the speech to text server"
        server, silent = f"{part} {self._url}", f"{part} is not answering"
        try:
            async with asyncio.timeout(self._timeout):
                return await self._ask(samples)
        except TimeoutError as error:
            raise HearingError(f"{server} did not answer in {self._timeout:g} s", spoken=silent) from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            spoken = silent if isinstance(error, OSError) else f"{part} does not work as it should"
            problem = f"{server} failed ({error}): check it, and voice.stt"
            raise HearingError(problem, spoken=spoken) from error

    async def close(self) -> None:
        """Nothing stays open."""

    async def _ask(self, samples: Samples) -> str:
        need("wyoming", "a Wyoming server")
        from wyoming.asr import Transcribe, Transcript
        from wyoming.audio import AudioChunk, AudioStart, AudioStop
        from wyoming.client import AsyncTcpClient
        from wyoming.error import Error

        address = urlsplit(self._url)
        async with AsyncTcpClient(address.hostname or "", address.port or SERVER_PORT) as client:
            await client.write_event(Transcribe(language="en").event())
            await client.write_event(AudioStart(RATE, 2, 1).event())
            for start in range(0, len(samples), CHUNK_SAMPLES):
                audio = samples[start : start + CHUNK_SAMPLES].tobytes()
                await client.write_event(AudioChunk(RATE, 2, 1, audio).event())
            await client.write_event(AudioStop().event())
            while (event := await client.read_event()) is not None:
                if Transcript.is_type(event.type):
                    return str(Transcript.from_event(event).text).strip()
                if Error.is_type(event.type):
                    raise ValueError(Error.from_event(event).text)
        raise ValueError("it closed the connection without an answer")


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


def noise_reason(
    text: str, segment: SpeechSegment | None = None, *, min_speech_seconds: float = 0.0
) -> str | None:
    """Why this text is noise; None if it may be speech."""
    words = words_of(text)
    if segment is not None and segment.speech_seconds < min_speech_seconds:
        return "too short"
    if segment is not None and level_db(segment.samples) < QUIETEST_DB:
        return "too quiet"
    if not words:
        return "no words"
    if " ".join(words) in HALLUCINATIONS:
        return "what the engine makes of noise"
    if segment is not None and len(words) > SPARE_WORDS + MOST_WORDS_PER_SECOND * segment.speech_seconds:
        return "more words than could be said"
    return "the same words again and again" if _loops(words) else None


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.lower().replace("’", "'"))


def _loops(words: list[str]) -> bool:
    if set(words) <= NUMBERS or all(word.isdigit() for word in words):
        return False
    for length in range(1, LONGEST_LOOP + 1):
        repeats = len(words) // length
        if repeats > MOST_REPEATS and words[: length * repeats] == words[:length] * repeats:
            return True
    return False


def sounds_unfinished(text: str) -> bool:
    """Whether the text ends like half a sentence, so that a longer pause is allowed."""
    words = words_of(text)
    return len(words) > 1 and words[-1] in UNFINISHED


def without_wake_words(text: str, wake_words: Iterable[str]) -> str:
    """The text without a wake word, or its last word, at the beginning."""
    for wake_word in wake_words:
        spoken = words_of(wake_word.replace("_", " "))
        for start in range(len(spoken)):
            pattern = r"\W+".join(map(re.escape, spoken[start:]))
            if heard := re.match(rf"\W*{pattern}\b\W*", text, re.IGNORECASE):
                return text[heard.end() :]
    return text
