"""The Wyoming door: hearing, speaking, wake word and conversation for Home Assistant and other clients."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from voice_gateway import __version__
from voice_gateway.channels import Answer
from voice_gateway.channels.wyoming.announcement import announced
from voice_gateway.channels.wyoming.client import BoundedReader, Client
from voice_gateway.channels.wyoming.hidden_words import HiddenWords
from voice_gateway.channels.wyoming.intents import Intents, Recognise
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import GatewayError, LinkError
from voice_gateway.events import EventBus, State
from voice_gateway.hearing.transcriber import Transcriber
from voice_gateway.problems.channels import WYOMING
from voice_gateway.problems.sentences import WYOMING_PORT
from voice_gateway.speaking.synthesizer import Synthesizer

log = logging.getLogger(__name__)

DEFAULT_PORT = 10700
RETRY_SECONDS = 5.0  # until a port that is taken may be free
MOST_CLIENTS = 16
IDLE_SECONDS = 2.0  # sound comes many times a second: who is silent longer may make room for others


class WyomingChannel:
    """One port for everything; on loopback unless the settings name another address."""

    def __init__(
        self,
        settings: VoiceSettings,
        answer: Answer,
        transcriber: Transcriber,
        synthesizer: Synthesizer,
        *,
        watch: EventBus | None = None,
        recognise: Recognise,
        name: str = "voice-gateway",  # by which others in the network find it
        wants_pin: Callable[[], bool] = lambda: False,  # whether somebody here is asked for one
        retry_seconds: float = RETRY_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self.settings = settings
        self.answer = answer
        self.transcriber = transcriber
        self.synthesizer = synthesizer
        self.recognise = recognise
        self.wants_pin = wants_pin
        self.hidden_words = HiddenWords()
        self.intents = Intents()
        self._name = name
        self._watch = watch or EventBus()
        self._retry_seconds = retry_seconds
        self.idle_seconds = idle_seconds
        self._clients: set[Client] = set()
        self.port = 0  # that it really listens on
        self.listening = asyncio.Event()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._warm_up(), name="warm up for Wyoming clients")
            await self._listen()

    async def _warm_up(self) -> None:
        """So that the first request is as quick as the others; what fails is told to whoever asks for it."""
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
        failures = 0
        while True:
            try:
                server = await asyncio.start_server(self._serve, host, port)
            except OSError as error:
                text = WYOMING_PORT.format(host=host, port=port, reason=error.strerror)
                failures += 1
                if failures.bit_count() == 1:  # the first time, and then ever more rarely
                    log.warning(
                        "the Wyoming port cannot be opened",
                        extra={"reason": str(error), "attempts": failures},
                    )
                self._watch.report("wyoming", State.DEGRADED, text, WYOMING.advice)
                await asyncio.sleep(self._retry_seconds)
                continue
            async with server:
                self.port = server.sockets[0].getsockname()[1]
                self.listening.set()
                self._watch.report("wyoming", State.OK, f"Wyoming clients find me at {host}:{self.port}.")
                async with self._announced(host):
                    await server.serve_forever()

    def _announced(self, host: str) -> contextlib.AbstractAsyncContextManager[None]:
        return announced(self._name, host, self.port)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client. Whatever goes wrong with it ends here."""
        client = Client(self, writer)
        bounded = BoundedReader(reader)
        try:
            self._make_room()
            self._clients.add(client)
            while (event := await bounded.next_event()) is not None:
                await client.take(event)
        except (LinkError, ConnectionError) as error:
            log.warning("a Wyoming client was let go", extra={"reason": str(error)})
            with contextlib.suppress(ConnectionError):
                await client.send("error", {"text": str(error)})
        finally:
            self._clients.discard(client)
            client.close()

    def _make_room(self) -> None:
        """Whoever has been silent longest goes; a client that is served or sends sound stays."""
        if len(self._clients) < MOST_CLIENTS:
            return
        longest = max(self._clients, key=lambda client: client.idle_seconds)
        if longest.idle_seconds < self.idle_seconds:
            raise LinkError("too many clients")
        log.info("an idle Wyoming client makes room", extra={"idle_seconds": round(longest.idle_seconds)})
        self._clients.discard(longest)
        longest.close()

    def info(self) -> dict[str, Any]:
        """What we offer, in the shape of `wyoming.info`, which imports a module that Python 3.13 dropped."""
        settings, languages = self.settings, ["en"]
        offer: dict[str, Any] = {
            "asr": [
                _program(settings.stt_engine, "models", [_artifact(settings.stt_engine, languages=languages)])
                | {"supports_transcript_streaming": True}
            ],
            "tts": [
                _program(settings.tts_engine, "voices", [_artifact(settings.tts_engine, languages=languages)])
                | {"supports_synthesize_streaming": True}
            ],
            "handle": [
                _program("voice-gateway", "models", [_artifact("voice-gateway", languages=languages)])
                | {"supports_home_control": True}
            ],
            "intent": [
                _program("voice-gateway", "models", [_artifact("voice-gateway", languages=languages)])
            ],
            "wake": [],
        }
        if settings.wake != "none":
            words = [
                _artifact(word, languages=languages, phrase=word.replace("_", " "))
                for word in settings.wake_words
            ]
            offer["wake"] = [_program(settings.wake, "models", words)]
        return offer


def _artifact(name: str, **more: Any) -> dict[str, Any]:
    made_by = {"name": "voice-gateway", "url": ""}
    known = {"name": name, "attribution": made_by, "installed": True, "description": name}
    return {**known, "version": __version__, **more}


def _program(name: str, kind: str, artifacts: list[dict[str, Any]]) -> dict[str, Any]:
    return {**_artifact(name), kind: artifacts}
