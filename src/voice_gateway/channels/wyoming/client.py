"""One client of the Wyoming door: what it has asked for, and the sound it has sent."""

import asyncio
import logging
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from wyoming.event import Event, async_read_event, async_write_event

from voice_gateway.channels.wyoming.intents import intent
from voice_gateway.channels.wyoming.speech import StreamedSpeech
from voice_gateway.errors import GatewayError, HearingError, LinkError
from voice_gateway.hearing.engines import load_wake_word
from voice_gateway.hearing.transcriber import noise_reason
from voice_gateway.hearing.wake_word import WakeWord
from voice_gateway.sound.samples import RATE, Resampler, Samples, to_floats, to_samples
from voice_gateway.sound.worker import Worker
from voice_gateway.turn import Utterance, new_id
from voice_gateway.turns.sentences import sentences

if TYPE_CHECKING:
    from voice_gateway.channels.wyoming.channel import WyomingChannel

log = logging.getLogger(__name__)

LONGEST_SECONDS = 120.0  # of sound in one request
MOST_BYTES = 4 * 1024 * 1024  # two minutes of sound in one piece; a transcript has some hundred


class BoundedReader:
    """Reads events by the library, which would read as much as a client claims to send."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._ended = False

    async def next_event(self) -> Event | None:
        """None at the end; LinkError for what is not Wyoming."""
        try:
            event = await async_read_event(cast(asyncio.StreamReader, self))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None  # the client has gone in the middle of it
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise LinkError(f"this is not the Wyoming protocol: {error!r}") from error
        if event is None and not self._ended:  # the library says nothing of what it could not read
            raise LinkError("this is not the Wyoming protocol")
        if event is not None and not isinstance(event.data, dict):
            raise LinkError("this is not the Wyoming protocol: data must be an object")
        return event

    async def readline(self) -> bytes:
        line = await self._reader.readline()  # at most 64 KiB, the stream's own limit
        self._ended = not line
        return line

    async def readexactly(self, count: int) -> bytes:
        if count > MOST_BYTES:
            raise LinkError(f"this is not the Wyoming protocol: {count} bytes at once")
        return await self._reader.readexactly(count)


class Client:
    """What one connection has asked for, and the sound it has sent."""

    def __init__(self, door: "WyomingChannel", writer: asyncio.StreamWriter) -> None:
        self._door = door
        self._writer = writer
        self._conversation_id = f"wyoming-{new_id()}"
        self._detecting = self._detected = False
        self._wake: WakeWord | None = None
        self._worker = Worker("wyoming wake word")
        self._sound: list[Samples] = []
        self._samples = 0
        self._resampler: Resampler | None = None
        self._rate = RATE
        self._streamed: StreamedSpeech | None = None
        self._served = False  # a request of it is being answered
        self._last = monotonic()

    @property
    def idle_seconds(self) -> float:
        return 0.0 if self._served else monotonic() - self._last

    async def send(self, kind: str, data: dict[str, Any] | None = None, payload: bytes = b"") -> None:
        await async_write_event(Event(kind, data or {}, payload), self._writer)

    def close(self) -> None:
        self._worker.close()
        self._writer.close()  # whoever reads from it sees the end

    async def take(self, event: Event) -> None:
        """Unknown events are passed over, as the protocol asks."""
        takers = {
            "describe": self._describe,
            "ping": self._ping,
            "transcribe": self._transcribe,
            "detect": self._detect,
            "audio-start": self._audio_start,
            "audio-chunk": self._audio_chunk,
            "audio-stop": self._audio_stop,
            "synthesize": self._synthesize,
            "synthesize-start": self._synthesize_start,
            "synthesize-chunk": self._synthesize_chunk,
            "synthesize-stop": self._synthesize_stop,
            "transcript": self._transcript,
            "recognize": self._recognize,
            "intent": self._intent,
        }
        taker = takers.get(event.type)
        if taker is None:
            return
        self._served = True
        try:
            await taker(event)
        except LinkError:
            raise
        except GatewayError as error:  # an engine failed: the client hears why, and may ask again
            log.warning("a Wyoming request failed", extra={"request": event.type, "reason": str(error)})
            await self.send("error", {"text": str(error)})
        finally:
            self._served, self._last = False, monotonic()

    async def _describe(self, _event: Event) -> None:
        await self.send("info", self._door.info())

    async def _ping(self, event: Event) -> None:
        await self.send("pong", event.data)

    async def _transcribe(self, _event: Event) -> None:
        self._detecting = False

    async def _detect(self, _event: Event) -> None:
        if self._wake is None:
            self._wake = await self._worker.run(load_wake_word, self._door.settings)
        if self._wake is None:
            raise HearingError("there is no wake word here (voice.wake is none)")
        self._detecting, self._detected = True, False

    async def _audio_start(self, event: Event) -> None:
        self._sound, self._samples, self._detected = [], 0, False
        self._set_rate(event)
        if self._detecting and self._wake is not None:
            await self._worker.run(self._wake.reset)

    def _set_rate(self, event: Event) -> None:
        rate = event.data.get("rate", RATE)
        if not isinstance(rate, int) or not 1_000 <= rate <= 768_000 or event.data.get("width", 2) != 2:
            raise LinkError("sound must have 16 bits")
        self._rate, self._resampler = rate, Resampler(rate) if rate != RATE else None

    async def _audio_chunk(self, event: Event) -> None:
        if event.data.get("rate", RATE) != self._rate:
            self._set_rate(event)
        channels = event.data.get("channels", 1)
        if not isinstance(channels, int) or not 1 <= channels <= 8:
            raise LinkError("sound must have one to eight channels")
        sound = event.payload or b""
        whole = len(sound) // (2 * channels) * 2 * channels
        samples: Samples = np.frombuffer(sound[:whole], "<i2").reshape(-1, channels)[:, 0]
        if self._resampler is not None:
            samples = to_samples(self._resampler.feed(to_floats(samples)))
        if self._detecting:
            await self._listen_for_wake(samples)
            return
        self._samples += len(samples)
        if self._samples > LONGEST_SECONDS * RATE:
            raise LinkError(f"more than {LONGEST_SECONDS:g} seconds of sound")
        self._sound.append(samples)

    async def _listen_for_wake(self, samples: Samples) -> None:
        assert self._wake is not None
        found = await self._worker.run(self._wake.feed, samples)
        if found is not None and not self._detected:
            self._detected = True
            await self.send("detection", {"name": found.word, "timestamp": round(found.at_seconds * 1000)})

    async def _audio_stop(self, _event: Event) -> None:
        if self._detecting:
            if not self._detected:
                await self.send("not-detected")
            return
        samples, self._sound, self._samples = np.concatenate([np.zeros(0, np.int16), *self._sound]), [], 0
        text = await self._door.transcriber.transcribe(samples) if len(samples) else ""
        if self._door.wants_pin():
            text = self._door.hidden_words.hide(text, self._host())
        text = "" if noise_reason(text) else text
        await self.send("transcript-start")
        for sentence in sentences(text):
            await self.send("transcript-chunk", {"text": f"{sentence} "})
        await self.send("transcript", {"text": text})  # for clients that take it whole
        await self.send("transcript-stop")

    async def _synthesize(self, event: Event) -> None:
        if self._streamed is not None:
            return  # the same text once more, for servers that cannot take it piece by piece
        await self._say(StreamedSpeech(self._door.synthesizer, self.send), event, end=True)

    async def _synthesize_start(self, _event: Event) -> None:
        self._streamed = StreamedSpeech(self._door.synthesizer, self.send)

    async def _synthesize_chunk(self, event: Event) -> None:
        if self._streamed is not None:
            await self._say(self._streamed, event)

    async def _synthesize_stop(self, event: Event) -> None:
        if self._streamed is None:
            return
        speech, self._streamed = self._streamed, None
        try:
            await self._say(speech, event, end=True)
        finally:  # who waits for the end of the sound gets one, whatever became of it
            await self.send("synthesize-stopped")

    async def _say(self, speech: StreamedSpeech, event: Event, *, end: bool = False) -> None:
        await speech.feed(str(event.data.get("text") or ""))
        if end:
            await speech.end()

    def _host(self) -> str:
        peer = self._writer.get_extra_info("peername")
        return str(peer[0]) if peer else ""

    def _satellite(self, told: dict[str, Any]) -> str:
        """The machine that speaks to us, and which of its satellites it speaks for, if it says so."""
        return "/".join(
            [self._host(), *(str(told[key]) for key in ("satellite_id", "device_id") if told.get(key))]
        )

    async def _transcript(self, event: Event) -> None:
        """Words for the conversation."""
        await self._answer(self._words(event), event)

    async def _recognize(self, event: Event) -> None:
        """What words mean. Nothing is done; who wants that comes back with the intent, or with the words."""
        text, context = self._words(event), _context(event)
        intents = [intent(name, args) for name, args in await self._door.recognise(text)]
        if not intents:
            await self.send("not-recognized", context)
            return
        self._door.intents.keep(text, self._host(), intents)
        if len(intents) > 1:
            await self.send("intents-start", context)
        for one in intents:
            await self.send("intent", one | context)
        if len(intents) > 1:
            await self.send("intents-stop", context)

    async def _intent(self, event: Event) -> None:
        words = self._door.intents.words(event.data, self._host())
        if words:
            await self._answer(words, event)
            return
        known = words is not None  # done with its neighbours
        told = {"text": "" if known else "I have not recognised this a moment ago, so I did nothing."}
        await self.send("handled" if known else "not-handled", told | _context(event))

    def _words(self, event: Event) -> str:
        return self._door.hidden_words.whole(str(event.data.get("text", "")), self._host())

    async def _answer(self, words: str, event: Event) -> None:
        context = _context(event)
        told = context.get("context", {})
        given = told.get("conversation_id")
        utterance = Utterance(
            words,
            "wyoming",
            conversation_id=f"wyoming-{given}" if given else self._conversation_id,
            satellite=self._satellite(told),
        )
        reply = await self._door.answer(utterance)
        await self.send("handled" if reply.ok else "not-handled", {"text": reply.text} | context)


def _context(event: Event) -> dict[str, Any]:
    """What a client wants to have back."""
    context = event.data.get("context")
    return {"context": context} if context and isinstance(context, dict) else {}
