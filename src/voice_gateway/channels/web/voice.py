"""`/api/voice`: a browser's microphone over a WebSocket, heard and answered like the machine's own."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from voice_gateway.channels import Answer, ModelReplies, json_text, unsaid
from voice_gateway.channels.web.ask_api import utterance_of
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.responses import Feed
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import GatewayError
from voice_gateway.events import EventBus
from voice_gateway.interruption import Interruption
from voice_gateway.problems import VOICE_PACKAGE
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Part, Utterance, new_id

if TYPE_CHECKING:  # they need the speech packages, which are an extra
    from voice_gateway.hearing.transcriber import Transcriber
    from voice_gateway.speaking.synthesizer import Synthesizer

log = logging.getLogger(__name__)

MOST_MICROPHONES = 16
RATE = 16_000
LONGEST_BYTES = 60 * RATE * 2  # one minute of sound
SILENT_SECONDS = 120.0  # without a message while nothing is under way
UNKNOWN = "not a message that I know"
MOST_UNSENT = 2000  # messages that a browser leaves unread before it is disconnected
TOO_MUCH, TRY_LATER, REFUSED = 1009, 1013, 1008  # close codes of the WebSocket protocol


@dataclass(frozen=True, slots=True)
class Engines:
    transcriber: "Transcriber"
    synthesizer: "Synthesizer"
    settings: VoiceSettings
    events: EventBus
    model_tone: bool = True


def voice_router(
    engines: Callable[[], Engines], answer: Answer, feed: Feed, replies: ModelReplies, start: Start
) -> APIRouter:
    """`engines` raises ImportError or GatewayError where speech is not available."""
    router, open_now, warm = APIRouter(), set[WebSocket](), asyncio.Event()

    @router.websocket("/api/voice")
    async def serve(socket: WebSocket) -> None:
        await socket.accept()
        conversation_id = socket.query_params.get("conversation_id") or f"web-{new_id()}"
        if len(open_now) >= MOST_MICROPHONES or len(conversation_id) > LONGEST_NAME:
            await socket.close(TRY_LATER, "too many microphones, or too long a name")
            return
        open_now.add(socket)
        try:
            loaded = await asyncio.to_thread(engines)
            if not warm.is_set():
                from voice_gateway.channels.speech import warm_up

                warm.set()
                start(warm_up(loaded.transcriber, loaded.synthesizer))
            await Microphone(socket, loaded, answer, feed, replies, start, conversation_id).serve()
        except (ImportError, GatewayError) as error:
            reason = str(error)
            if isinstance(error, ImportError):
                reason = f"{VOICE_PACKAGE.format(package=error.name)} {VOICE_PACKAGE.advice}"
            await socket.send_text(json_text({"type": "error", "text": reason}))
            await socket.close(TRY_LATER)
        finally:
            open_now.discard(socket)

    return router


@dataclass(slots=True)
class Microphone:
    """One connection. The browser sends `{"type": "start"}`, 16 kHz PCM and `{"type": "end"}`, any number of
    times, or `{"type": "speak", "text"}` to hear an answer that came another way."""

    _socket: WebSocket
    _engines: Engines
    _answer: Answer
    _feed: Feed
    _model_replies: ModelReplies
    _start: Start
    _conversation_id: str
    _sound: bytes = b""
    _recording: bool = False
    _interruption: Interruption = field(default_factory=Interruption)
    _unsent: "asyncio.Queue[dict[str, Any] | bytes]" = field(
        default_factory=lambda: asyncio.Queue(MOST_UNSENT)
    )

    async def serve(self) -> None:
        """Returns when the browser leaves or is disconnected."""
        async with asyncio.TaskGroup() as tasks:
            sending = tasks.create_task(self._send_all(), name="web voice")
            try:
                await self._receive_all()
            finally:
                self._interruption.now()
                sending.cancel()
                while not self._unsent.empty():  # turns that wait for room in it go on, and end
                    self._unsent.get_nowait()

    async def _receive_all(self) -> None:
        try:
            while True:
                async with asyncio.timeout(SILENT_SECONDS):
                    message = await self._socket.receive()
                if message["type"] == "websocket.disconnect" or await self._is_revoked():
                    return
                if problem := self._take(message):
                    await self._close(TOO_MUCH, problem)
                    return
        except TimeoutError:
            await self._close(TRY_LATER, "nothing was said")

    async def _close(self, code: int, reason: str) -> None:
        if self._socket.application_state is WebSocketState.CONNECTED:
            await self._socket.close(code, reason)

    async def _is_revoked(self) -> bool:
        if self._socket.state.allowed():
            return False
        self._interruption.now()
        await self._close(REFUSED, "the token was revoked")
        return True

    def _take(self, message: Mapping[str, Any]) -> str:
        """Handles one message. Returns what is wrong with it, or ""."""
        if (sound := message.get("bytes")) is not None:
            self._sound += sound if self._recording else b""
            return "more than 60 seconds of sound" if len(self._sound) > LONGEST_BYTES else ""
        try:
            wanted = json.loads(message.get("text") or "")
            kind, text = wanted["type"], wanted.get("text")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return UNKNOWN
        if kind == "start":
            self._interruption.now()  # barge-in: speaking stops the reply
            self._sound, self._recording = b"", True
        elif kind == "end" and self._recording:
            self._recording, self._interruption = False, Interruption()
            self._start(self._turn(self._sound, self._interruption))
        elif kind == "speak":
            if not isinstance(text, str) or len(text) > LONGEST_TEXT:
                return UNKNOWN
            self._interruption.now()
            self._interruption = Interruption()
            pieces: asyncio.Queue[Part | None] = asyncio.Queue()
            for part in (*self._model_replies.parts(text), None):
                pieces.put_nowait(part)
            self._start(self._speak(pieces, self._interruption))
        return ""

    async def _send_all(self) -> None:
        """Disconnects a browser that does not read, or whose token was revoked."""
        try:
            while True:
                message = await self._unsent.get()
                if await self._is_revoked():
                    return
                async with asyncio.timeout(self._socket.state.limits.send_seconds):
                    if isinstance(message, bytes):
                        await self._socket.send_bytes(message)
                    else:
                        await self._socket.send_text(json_text(message))
        except TimeoutError:
            self._socket.state.abort()
        except (WebSocketDisconnect, RuntimeError):
            self._interruption.now()

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._unsent.put_nowait(message)
        except asyncio.QueueFull:
            self._interruption.now()
            self._socket.state.abort()

    async def _turn(self, sound: bytes, interruption: Interruption) -> None:
        try:
            utterance = await self._utterance(sound)
        except GatewayError as error:
            self._send({"type": "error", "text": str(error)})
            return
        if utterance is None:
            return
        streamed = ""
        pieces: asyncio.Queue[Part | None] = asyncio.Queue()

        def say(part: Part) -> None:
            nonlocal streamed
            streamed += part.text
            pieces.put_nowait(part)

        with self._feed.following(utterance.id, self._on_event):
            async with asyncio.TaskGroup() as tasks:
                if self._socket.query_params.get("speak") == "1":
                    tasks.create_task(self._speak(pieces, interruption), name="web speech")
                reply = await self._answer(utterance, say=say, interruption=interruption)
                for part in (*unsaid(streamed, reply), None):
                    pieces.put_nowait(part)
                self._send({"type": "answer", **reply.to_json()})

    async def _utterance(self, sound: bytes) -> Utterance | None:
        """What was said; None if it was noise."""
        import numpy as np

        from voice_gateway.hearing.transcriber import transcript_of, whole_segment
        from voice_gateway.sound.worker import in_thread

        engines = self._engines
        samples = np.frombuffer(sound[: len(sound) // 2 * 2], "<i2").astype(np.int16)
        segment = await in_thread("web voice activity", whole_segment, samples)
        transcript = await transcript_of(segment, engines.transcriber, engines.settings, engines.events)
        if transcript.noise is not None:
            log.info("not speech", extra={"reason": transcript.noise})
            self._send({"type": "transcript", "text": "", "noise": transcript.noise})
            return None
        return utterance_of(
            self._socket,
            transcript.text,
            self._conversation_id,
            heard_by=transcript.model,
            heard_seconds=transcript.seconds,
            audio_seconds=transcript.audio_seconds,
        )

    def _on_event(self, kind: str, facts: Mapping[str, Any]) -> None:
        if kind == "heard":  # the text as the trace shows it: without a PIN
            self._send({"type": "transcript", "text": facts["text"], "turn": facts["turn"]})
        self._send(dict(facts))

    async def _speak(self, pieces: "asyncio.Queue[Part | None]", interruption: Interruption) -> None:
        """Speaks sentence by sentence while the rest comes. If that fails, the text remains."""
        from voice_gateway.channels.speech import StreamedSpeech

        async def send(kind: str, form: Mapping[str, Any], pcm: bytes) -> None:
            if interruption.wanted:
                return
            if kind == "audio-start":
                self._send({"type": "audio", "rate": form["rate"]})
            elif kind == "audio-chunk":
                await self._unsent.put(pcm)

        engines, failed = self._engines, ""
        speech = StreamedSpeech(engines.synthesizer, send, model_tone=engines.model_tone)
        try:
            while (piece := await pieces.get()) is not None and not interruption.wanted:
                await speech.feed(piece)
            if not interruption.wanted:
                await speech.end()
        except GatewayError as error:
            log.warning("the reply cannot be spoken", extra={"reason": str(error)})
            failed = str(error)
        self._send({"type": "audio_end"} | ({"error": failed} if failed else {}))
