"""The Wyoming channel: hearing, speaking, wake word and conversation for Home Assistant and others."""

import asyncio
import contextlib
import ipaddress
import logging
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import urlsplit

from wyoming.error import Error
from wyoming.info import (
    AsrModel,
    AsrProgram,
    Attribution,
    HandleModel,
    HandleProgram,
    Info,
    TtsProgram,
    TtsVoice,
    WakeModel,
    WakeProgram,
)

from voice_gateway import __version__
from voice_gateway.channels import Answer, ModelReplies
from voice_gateway.channels.wyoming.client import BoundedReader, Client, HiddenWords
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import GatewayError, LinkError
from voice_gateway.events import EventBus, State
from voice_gateway.hearing.transcriber import Transcriber
from voice_gateway.problems import WYOMING_PORT
from voice_gateway.speaking.synthesizer import Synthesizer

log = logging.getLogger(__name__)

DEFAULT_PORT = 10700
RETRY_SECONDS = 5.0  # until a port that is taken may be free
MOST_CLIENTS = 16
IDLE_SECONDS = 2.0  # sound comes many times a second; a client silent for longer may make room
SERVICE = "_wyoming._tcp.local."
ANYWHERE = frozenset({"0.0.0.0", "::", ""})
MULTICAST = ("224.0.0.251", 5353)
OURS, ENGLISH = "voice-gateway", ["en"]


class WyomingChannel:
    """One port for everything; on loopback unless the settings name another address."""

    def __init__(
        self,
        settings: VoiceSettings,
        answer: Answer,
        transcriber: Transcriber,
        synthesizer: Synthesizer,
        *,
        events: EventBus | None = None,
        name: str = "voice-gateway",  # in the network
        model_tone: bool = True,
        wants_pin: Callable[[], bool] = lambda: False,  # whether a client is being asked for one
        retry_seconds: float = RETRY_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self.settings, self.answer = settings, answer
        self.transcriber, self.synthesizer = transcriber, synthesizer
        self.wants_pin = wants_pin
        self.hidden_words = HiddenWords()
        self._name, self._events = name, events or EventBus()
        self.model_tone, self.model_replies = model_tone, ModelReplies(self._events)
        self._retry_seconds, self.idle_seconds = retry_seconds, idle_seconds
        self._clients: set[Client] = set()
        self.port = 0
        self.listening = asyncio.Event()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._warm_up(), name="warm up for Wyoming clients")
            await self._listen()

    async def _warm_up(self) -> None:
        """Makes the first request as quick as the others. A failure is reported when it is used."""
        for engine in (self.transcriber, self.synthesizer):
            try:
                await engine.warm_up()
            except GatewayError as error:
                log.info("a speech engine is not ready", extra={"engine": engine.name, "reason": str(error)})

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
                self._events.report("wyoming", State.DEGRADED, text)
                await asyncio.sleep(self._retry_seconds)
                continue
            async with server:
                self.port = server.sockets[0].getsockname()[1]
                self.listening.set()
                self._events.report("wyoming", State.OK, f"Wyoming clients find me at {host}:{self.port}.")
                async with announced(self._name, host, self.port):
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
            asr=[AsrProgram(**_about(stt), models=[hearing], supports_transcript_streaming=True)],
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

    try:
        network = AsyncZeroconf(interfaces=[address])
    except OSError as error:
        log.warning("the Wyoming port cannot be announced", extra={"reason": str(error)})
        yield
        return
    info = AsyncServiceInfo(SERVICE, f"{name}.{SERVICE}", parsed_addresses=[address], port=port)
    try:
        try:
            await network.async_register_service(info, allow_name_change=True)
            log.info("the Wyoming port is announced", extra={"service": info.name, "address": address})
        except (OSError, Error) as error:
            log.warning("the Wyoming port cannot be announced", extra={"reason": repr(error)})
        yield
    finally:
        await network.async_close()


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
