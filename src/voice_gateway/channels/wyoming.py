"""The Wyoming channel: hearing, speaking, wake word and conversation for Home Assistant and others."""

import asyncio
import contextlib
import ipaddress
import logging
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import numpy as np
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event, Eventable, async_read_event, async_write_event
from wyoming.handle import Handled, NotHandled
from wyoming.info import (
    AsrModel,
    AsrProgram,
    Attribution,
    Describe,
    HandleModel,
    HandleProgram,
    Info,
    TtsProgram,
    TtsVoice,
    WakeModel,
    WakeProgram,
)
from wyoming.ping import Ping, Pong
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeStopped
from wyoming.wake import Detect, Detection, NotDetected

from voice_gateway import __version__
from voice_gateway.channels import Answer, ModelReplies
from voice_gateway.channels.speech import StreamedSpeech, warm_up
from voice_gateway.config import VoiceSettings
from voice_gateway.conversation.numerals import parted
from voice_gateway.errors import GatewayError, HearingError, LinkError
from voice_gateway.events import EventBus, State
from voice_gateway.hearing.engines import load_wake_word
from voice_gateway.hearing.transcriber import Transcriber, noise_reason
from voice_gateway.hearing.wake_word import WakeWord
from voice_gateway.problems import WYOMING_PORT
from voice_gateway.sound.samples import RATE, Resampler, Samples, to_floats, to_samples
from voice_gateway.sound.worker import Worker
from voice_gateway.speaking.synthesizer import Synthesizer
from voice_gateway.turn import Utterance, new_id

log = logging.getLogger(__name__)

DEFAULT_PORT = 10700
RETRY_SECONDS = 5.0  # until a port that is taken may be free
MOST_CLIENTS = 16
IDLE_SECONDS = 2.0  # sound comes many times a second; a client silent for longer may make room
SERVICE = "_wyoming._tcp.local."
ANYWHERE = frozenset({"0.0.0.0", "::", ""})
MULTICAST = ("224.0.0.251", 5353)
OURS, ENGLISH = "voice-gateway", ["en"]
LONGEST_SECONDS = 120.0  # of sound in one request
MOST_BYTES = 4 * 1024 * 1024  # two minutes of sound in one piece
KEPT_SECONDS, MOST_KEPT = 60.0, 64  # of hidden words
NOT_WYOMING = "this is not the Wyoming protocol"

Handler = Callable[[Any], Awaitable[None]]


@dataclass(eq=False)
class WyomingChannel:
    """One port for everything; on loopback unless the settings name another address."""

    settings: VoiceSettings
    answer: Answer
    transcriber: Transcriber
    synthesizer: Synthesizer
    events: EventBus = field(default_factory=EventBus)
    name: str = "voice-gateway"  # in the network
    model_tone: bool = True
    wants_pin: Callable[[], bool] = lambda: False  # whether a client is being asked for one
    retry_seconds: float = RETRY_SECONDS

    def __post_init__(self) -> None:
        self.hidden_words, self.model_replies = HiddenWords(), ModelReplies(self.events)
        self._clients: set[Client] = set()
        self.idle_seconds, self.port = IDLE_SECONDS, 0
        self.listening = asyncio.Event()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            engines = self.transcriber, self.synthesizer
            tasks.create_task(warm_up(*engines), name="warm up for Wyoming clients")
            await self._listen()

    @property
    def address(self) -> str:
        host, port = self._wanted()
        return f"tcp://{host}:{self.port or port}"

    def _wanted(self) -> tuple[str, int]:
        address = urlsplit(self.settings.wyoming_url or "")
        return address.hostname or "127.0.0.1", DEFAULT_PORT if address.port is None else address.port

    async def _listen(self) -> None:
        host, port = self._wanted()
        while True:
            try:
                server = await asyncio.start_server(self._serve, host, port)
            except OSError as error:
                text = WYOMING_PORT.format(host=host, port=port, reason=error.strerror)
                self.events.report("wyoming", State.DEGRADED, text)
                await asyncio.sleep(self.retry_seconds)
                continue
            async with server:
                self.port = server.sockets[0].getsockname()[1]
                self.listening.set()
                self.events.report("wyoming", State.OK, f"Wyoming clients find me at {host}:{self.port}.")
                async with announced(self.name, host, self.port):
                    await server.serve_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one client until it leaves or sends something wrong."""
        client = Client(self, writer)
        bounded = BoundedReader(reader)
        try:
            self._make_room()
            self._clients.add(client)
            while (event := await bounded.next_event()) is not None:
                await client.take(event)
        except (LinkError, ConnectionError) as error:
            log.warning("a Wyoming client was disconnected", extra={"reason": str(error)})
            with contextlib.suppress(ConnectionError):
                await client.send(Error(str(error)))
        finally:
            self._clients.discard(client)
            client.close()

    def _make_room(self) -> None:
        """Disconnects the client that was silent longest, never one that is served or sends sound."""
        if len(self._clients) < MOST_CLIENTS:
            return
        longest = max(self._clients, key=lambda client: client.idle_seconds)
        if longest.idle_seconds < self.idle_seconds:
            raise LinkError("too many clients")
        log.info("an idle Wyoming client makes room", extra={"idle_seconds": round(longest.idle_seconds)})
        self._clients.discard(longest)
        longest.close()

    def info(self) -> Info:
        settings = self.settings
        stt, tts = settings.stt_engine, settings.tts_engine
        wake = []
        if settings.wake != "none":
            words = settings.wake_words
            models = [WakeModel(**_about(w), languages=ENGLISH, phrase=w.replace("_", " ")) for w in words]
            wake = [WakeProgram(**_about(settings.wake), models=models)]
        hearing = AsrModel(**_about(stt), languages=ENGLISH)
        voice = TtsVoice(**_about(tts), languages=ENGLISH)
        handling = HandleModel(**_about(OURS), languages=ENGLISH)
        return Info(
            asr=[AsrProgram(**_about(stt), models=[hearing])],
            tts=[TtsProgram(**_about(tts), voices=[voice], supports_synthesize_streaming=True)],
            handle=[HandleProgram(**_about(OURS), models=[handling], supports_home_control=True)],
            wake=wake,
        )


def _about(name: str) -> dict[str, Any]:
    by = Attribution(name=OURS, url="")
    about = {"name": name, "attribution": by, "installed": True}
    return {**about, "description": name, "version": __version__}


@contextlib.asynccontextmanager
async def announced(name: str, host: str, port: int) -> AsyncIterator[None]:
    """Announces the port by mDNS, so that Home Assistant finds it. On loopback it does nothing."""
    address = reachable_address(host)
    if address is None:
        yield
        return
    from zeroconf import Error
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

    info = AsyncServiceInfo(SERVICE, f"{name}.{SERVICE}", parsed_addresses=[address], port=port)
    async with contextlib.AsyncExitStack() as stack:
        try:
            network = AsyncZeroconf(interfaces=[address])
            stack.push_async_callback(network.async_close)
            await network.async_register_service(info, allow_name_change=True)
            log.info("the Wyoming port is announced", extra={"service": info.name, "address": address})
        except (OSError, Error) as error:
            log.warning("the Wyoming port cannot be announced", extra={"reason": repr(error)})
        yield


def reachable_address(host: str) -> str | None:
    """The address at which other machines reach this one; None if they cannot."""
    try:
        if host in ANYWHERE:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.connect(MULTICAST)  # sends nothing, and chooses the network interface
                address = str(probe.getsockname()[0])
        else:
            address = socket.gethostbyname(host)
    except OSError:
        return None
    return None if ipaddress.ip_address(address).is_loopback else address


class BoundedReader:
    """Limits what the library reads: it would read as many bytes as a client announces."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._ended = False

    async def next_event(self) -> Event | None:
        """None at the end. Raises LinkError for anything but Wyoming events."""
        try:
            event = await async_read_event(cast(asyncio.StreamReader, self))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise LinkError(f"{NOT_WYOMING}: {error!r}") from error
        if event is None and not self._ended:  # the library gives None for what it cannot read
            raise LinkError(NOT_WYOMING)
        if event is not None and not isinstance(event.data, dict):
            raise LinkError(f"{NOT_WYOMING}: data must be an object")
        return event

    async def readline(self) -> bytes:
        line = await self._reader.readline()  # at most 64 KiB, the stream's own limit
        self._ended = not line
        return line

    async def readexactly(self, count: int) -> bytes:
        if count > MOST_BYTES:
            raise LinkError(f"{NOT_WYOMING}: {count} bytes at once")
        return await self._reader.readexactly(count)


class HiddenWords:
    """A client that hears in one request and asks in the next gets the words without their numbers. They are
    kept in memory, for one use by the host that spoke them."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._kept: dict[tuple[str, str], tuple[str, float]] = {}

    def hide(self, text: str, host: str) -> str:
        spoken = parted(text)
        shown = spoken.masked if spoken.numbers else text
        if shown != text:
            self._kept[host, shown] = text, self._monotonic() + KEPT_SECONDS
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return shown

    def whole(self, shown: str, host: str) -> str:
        """The words that were hidden as `shown`, or `shown` itself."""
        text, until = self._kept.pop((host, shown), (shown, 0.0))
        return text if self._monotonic() < until else shown


class Client:
    """One connection."""

    def __init__(self, channel: "WyomingChannel", writer: asyncio.StreamWriter) -> None:
        self._channel, self._writer = channel, writer
        peer = writer.get_extra_info("peername")
        self._host = str(peer[0]) if peer else ""
        self._conversation_id = f"wyoming-{new_id()}"
        self._detecting = self._detected = False
        self._wake: WakeWord | None = None
        self._worker = Worker("wyoming wake word")
        self._sound: list[Samples] = []
        self._samples = 0
        self._resampler: Resampler | None = None
        self._rate = RATE
        self._streamed: StreamedSpeech | None = None
        self._fed = ""  # of the streamed text
        self._served = False
        self._last = time.monotonic()
        self._handlers: dict[type[Eventable], Handler] = {
            AudioChunk: self._audio_chunk,
            AudioStart: self._audio_start,
            AudioStop: self._audio_stop,
            Describe: lambda _event: self.send(channel.info()),
            Ping: lambda event: self.send(Pong(event.text)),
            Transcribe: self._transcribe,
            Detect: self._detect,
            Synthesize: self._synthesize,
            SynthesizeStart: self._synthesize_start,
            SynthesizeChunk: self._synthesize_chunk,
            SynthesizeStop: self._synthesize_stop,
            Transcript: self._transcript,
        }

    @property
    def idle_seconds(self) -> float:
        return 0.0 if self._served else time.monotonic() - self._last

    async def send(self, event: Eventable) -> None:
        await async_write_event(event.event(), self._writer)

    def close(self) -> None:
        self._worker.close()
        self._writer.close()

    async def take(self, event: Event) -> None:
        """Handles one event. Unknown events are ignored, as the protocol asks."""
        kind: Any = next((kind for kind in self._handlers if cast(Any, kind).is_type(event.type)), None)
        if kind is None:
            return
        try:
            typed = kind.from_event(event)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LinkError(f"{NOT_WYOMING}: {error!r}") from error
        self._served = True
        try:
            await self._handlers[kind](typed)
        except LinkError:
            raise
        except GatewayError as error:  # an engine failed; the client may ask again
            log.warning("a Wyoming request failed", extra={"request": event.type, "reason": str(error)})
            await self.send(Error(str(error)))
        finally:
            self._served, self._last = False, time.monotonic()

    async def _transcribe(self, _event: Transcribe) -> None:
        self._detecting = False

    async def _detect(self, _event: Detect) -> None:
        if self._wake is None:
            self._wake = await self._worker.run(load_wake_word, self._channel.settings)
        if self._wake is None:
            raise HearingError("there is no wake word here (voice.wake is none)")
        self._detecting, self._detected = True, False

    async def _audio_start(self, event: AudioStart) -> None:
        self._sound, self._samples, self._detected = [], 0, False
        self._set_format(event)
        if self._detecting and self._wake is not None:
            await self._worker.run(self._wake.reset)

    def _set_format(self, form: AudioStart | AudioChunk) -> None:
        rate, channels = form.rate, form.channels
        known = isinstance(rate, int) and isinstance(channels, int) and form.width == 2
        if not known or not 1_000 <= rate <= 768_000 or not 1 <= channels <= 8:
            raise LinkError("sound must have 16 bits and one to eight channels")
        self._rate, self._resampler = rate, Resampler(rate) if rate != RATE else None

    async def _audio_chunk(self, event: AudioChunk) -> None:
        if event.rate != self._rate or event.channels != 1 or event.width != 2:
            self._set_format(event)
        whole = len(event.audio) // (2 * event.channels) * 2 * event.channels
        samples: Samples = np.frombuffer(event.audio[:whole], "<i2").reshape(-1, event.channels)[:, 0]
        if self._resampler is not None:
            samples = to_samples(self._resampler.feed(to_floats(samples)))
        if self._detecting:
            assert self._wake is not None
            detected = await self._worker.run(self._wake.feed, samples)
            if detected is not None and not self._detected:
                self._detected = True
                await self.send(Detection(detected.word, round(detected.at_seconds * 1000)))
            return
        self._samples += len(samples)
        if self._samples > LONGEST_SECONDS * RATE:
            raise LinkError(f"more than {LONGEST_SECONDS:g} seconds of sound")
        self._sound.append(samples)

    async def _audio_stop(self, _event: AudioStop) -> None:
        if self._detecting:
            if not self._detected:
                await self.send(NotDetected())
            return
        samples, self._sound, self._samples = np.concatenate([np.zeros(0, np.int16), *self._sound]), [], 0
        text = await self._channel.transcriber.transcribe(samples) if len(samples) else ""
        if self._channel.wants_pin():
            text = self._channel.hidden_words.hide(text, self._host)
        await self.send(Transcript("" if noise_reason(text) else text))

    async def _send_sound(self, kind: str, form: dict[str, Any], pcm: bytes) -> None:
        await async_write_event(Event(kind, form, pcm), self._writer)

    async def _synthesize(self, event: Synthesize) -> None:
        if self._streamed is not None:
            return  # the whole text again, for servers that do not stream
        speech = self._speech()
        for part in self._channel.model_replies.parts(event.text):
            await speech.feed(part)
        await speech.end()

    def _speech(self) -> StreamedSpeech:
        channel = self._channel
        return StreamedSpeech(channel.synthesizer, self._send_sound, model_tone=channel.model_tone)

    async def _synthesize_start(self, _event: SynthesizeStart) -> None:
        self._streamed, self._fed = self._speech(), ""

    async def _synthesize_chunk(self, event: SynthesizeChunk) -> None:
        if self._streamed is None:
            return
        for part in self._channel.model_replies.parts(event.text, self._fed):
            await self._streamed.feed(part)
        self._fed += event.text

    async def _synthesize_stop(self, _event: SynthesizeStop) -> None:
        if self._streamed is None:
            return
        speech, self._streamed = self._streamed, None
        try:
            await speech.end()
        finally:
            await self.send(SynthesizeStopped())

    async def _transcript(self, event: Transcript) -> None:
        """Answers a text in the conversation."""
        context: Any = event.context
        known = context if isinstance(context, dict) else {}
        conversation = known.get("conversation_id")
        satellite = [str(known[key]) for key in ("satellite_id", "device_id") if known.get(key)]
        utterance = Utterance(
            self._channel.hidden_words.whole(event.text, self._host),
            "wyoming",
            conversation_id=f"wyoming-{conversation}" if conversation else self._conversation_id,
            satellite="/".join([self._host, *satellite]),
        )
        reply = await self._channel.answer(utterance)
        await self.send((Handled if reply.ok else NotHandled)(reply.text, context))
