"""One microphone in a browser: the same hearing path, engines and conversation as at every other door."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from voice_gateway.channels import Answer
from voice_gateway.channels.json_text import json_text
from voice_gateway.channels.streamed_text import not_yet_said
from voice_gateway.channels.web.ask_api import DOOR
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.sse import Feed
from voice_gateway.channels.web.streams import limits_of
from voice_gateway.channels.wyoming.speech import StreamedSpeech
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import GatewayError
from voice_gateway.events import EventBus
from voice_gateway.hearing.transcriber import Transcriber
from voice_gateway.hearing.transcript import transcript_of, whole_segment
from voice_gateway.interruption import Interruption
from voice_gateway.sound.samples import RATE
from voice_gateway.sound.worker import in_thread
from voice_gateway.speaking.synthesizer import Synthesizer
from voice_gateway.turn import LONGEST_TEXT, SpeechSegment, Transcript, Utterance

log = logging.getLogger(__name__)

LONGEST_SECONDS = 60.0  # of one utterance: nobody holds a button longer
SILENT_SECONDS = 120.0  # without a word or a sound from the browser while nothing is under way
NOT_KNOWN, REVOKED = "not a message that I know", "the token was revoked"
MOST_UNSENT = 2000  # messages: a browser that does not read is let go
TOO_MUCH, TRY_LATER, REFUSED = 1009, 1013, 1008  # codes of the protocol


class _Interrupted(Exception):
    """Nobody listens: the rest of the text is not made into sound."""


@dataclass(frozen=True, slots=True)
class Engines:
    transcriber: Transcriber
    synthesizer: Synthesizer
    settings: VoiceSettings
    watch: EventBus


async def warm_up(engines: Engines) -> None:
    """What fails is told to whoever speaks."""
    for engine in (engines.transcriber, engines.synthesizer):
        with contextlib.suppress(GatewayError):
            await engine.warm_up()


class Microphone:
    """`{"type": "start"}`, 16 kHz PCM, `{"type": "end"}`; as often as wanted, one after the other. And
    `{"type": "speak", "text"}`, for an answer that came another way."""

    def __init__(self, socket: WebSocket, engines: Engines, answer: Answer, feed: Feed, start: Start) -> None:
        self._socket = socket
        self._engines = engines
        self._answer = answer
        self._feed = feed
        self._start = start
        self._conversation_id = ""
        self._speaks = False
        self._sound: list[bytes] = []
        self._bytes = 0
        self._recording = False
        self._interruption = Interruption()
        self._unsent: asyncio.Queue[dict[str, Any] | bytes] = asyncio.Queue(MOST_UNSENT)

    async def serve(self, conversation_id: str, *, speaks: bool) -> None:
        """Until the browser leaves, or has to."""
        self._conversation_id, self._speaks = conversation_id, speaks
        async with asyncio.TaskGroup() as tasks:
            sending = tasks.create_task(self._send_all(), name="web voice")
            try:
                await self._hear()
            except WebSocketDisconnect:
                pass
            finally:
                self._interruption.now()
                sending.cancel()
                while not self._unsent.empty():  # who waits for room in it goes on, and ends
                    self._unsent.get_nowait()

    async def _hear(self) -> None:
        while True:
            try:
                async with asyncio.timeout(SILENT_SECONDS):
                    message = await self._socket.receive()
            except TimeoutError:
                await self._close(TRY_LATER, "nothing was said")
                return
            if message["type"] == "websocket.disconnect":
                return
            if not self._socket.state.allowed():
                await self._close(REFUSED, REVOKED)
                return
            if problem := self._take(message):
                await self._close(TOO_MUCH, problem)
                return

    async def _close(self, code: int, reason: str) -> None:
        """Once: who hears and who sends may both find that it has to end."""
        if self._socket.application_state is WebSocketState.CONNECTED:
            await self._socket.close(code, reason)

    def _take(self, message: Mapping[str, Any]) -> str:
        """What is wrong with it; empty: nothing."""
        if (sound := message.get("bytes")) is not None:
            if self._recording:
                self._sound.append(sound)
                self._bytes += len(sound)
            too_long = self._bytes > LONGEST_SECONDS * RATE * 2
            return f"more than {LONGEST_SECONDS:g} seconds of sound" if too_long else ""
        try:
            told = json.loads(message.get("text") or "")
            kind, text = told["type"], told.get("text")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return NOT_KNOWN
        if kind == "start":
            self._interruption.now()  # who speaks into the answer does not want the rest of it
            self._sound, self._bytes, self._recording = [], 0, True
        elif kind == "end" and self._recording:
            sound, self._sound, self._recording = b"".join(self._sound), [], False
            self._interruption = Interruption()
            self._start(self._turn(sound[: len(sound) // 2 * 2], self._interruption))
        elif kind == "speak":
            if not isinstance(text, str) or len(text) > LONGEST_TEXT:
                return NOT_KNOWN
            self._interruption.now()
            self._interruption = Interruption()
            self._start(self._aloud(text, self._interruption))
        return ""

    # --- what goes back

    async def _send_all(self) -> None:
        """Who does not read is let go; who has left is not told of it."""
        try:
            while True:
                message = await self._unsent.get()
                if not self._socket.state.allowed():
                    self._interruption.now()
                    await self._close(REFUSED, REVOKED)
                    return
                async with asyncio.timeout(limits_of(self._socket).send_seconds):
                    if isinstance(message, bytes):
                        await self._socket.send_bytes(message)
                    else:
                        await self._socket.send_text(json_text(message))
        except TimeoutError:
            self._socket.state.abort()
        except (WebSocketDisconnect, RuntimeError):
            self._interruption.now()

    def _send(self, message: dict[str, Any] | bytes) -> None:
        try:
            self._unsent.put_nowait(message)
        except asyncio.QueueFull:
            self._interruption.now()
            self._socket.state.abort()

    # --- a turn

    async def _turn(self, sound: bytes, interruption: Interruption) -> None:
        try:
            heard = await self._heard(sound)
        except GatewayError as error:
            self._send({"type": "error", "text": str(error)})
            return
        if heard is None:
            return
        segment, transcript = heard
        utterance = Utterance(
            transcript.text,
            DOOR,
            self._conversation_id,
            heard_by=transcript.model,
            heard_seconds=transcript.seconds,
            audio_seconds=transcript.audio_seconds,
            samples=segment.samples,
        )
        unfollow = self._feed.follow(utterance.id, self._follow)
        try:
            await self._answered(utterance, interruption)
        finally:
            unfollow()

    async def _heard(self, sound: bytes) -> tuple[SpeechSegment, Transcript] | None:
        engines = self._engines
        samples = np.frombuffer(sound, "<i2").astype(np.int16)
        segment = await in_thread("web voice activity", whole_segment, samples)
        transcript = await transcript_of(segment, engines.transcriber, engines.settings, engines.watch)
        if transcript.noise is None:
            return segment, transcript
        log.info("not something that was said", extra={"reason": transcript.noise})
        self._send({"type": "transcript", "text": "", "noise": transcript.noise})
        return None

    def _follow(self, kind: str, told: Mapping[str, Any]) -> None:
        """What was heard is shown as the trace shows it: without a PIN."""
        if kind == "heard":
            self._send({"type": "transcript", "text": told["text"], "turn": told["turn"]})
        self._send(dict(told))

    async def _answered(self, utterance: Utterance, interruption: Interruption) -> None:
        said: list[str] = []
        pieces: asyncio.Queue[str | None] = asyncio.Queue()

        def say(text: str) -> None:
            said.append(text)
            pieces.put_nowait(text)

        async with asyncio.TaskGroup() as tasks:
            if self._speaks:
                tasks.create_task(self._speak(pieces, interruption), name="web speech")
            reply = await self._answer(utterance, say=say, interruption=interruption)
            pieces.put_nowait(not_yet_said("".join(said), reply.text))
            pieces.put_nowait(None)
            self._send({"type": "answer", **reply.to_json()})

    async def _aloud(self, text: str, interruption: Interruption) -> None:
        """An answer to what was typed."""
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        pieces.put_nowait(text)
        pieces.put_nowait(None)
        await self._speak(pieces, interruption)

    async def _speak(self, pieces: "asyncio.Queue[str | None]", interruption: Interruption) -> None:
        """Sentence by sentence while the rest comes; a voice that fails leaves the words."""

        async def send(kind: str, form: Mapping[str, Any], pcm: bytes) -> None:
            if interruption.wanted:
                raise _Interrupted
            if kind == "audio-start":
                self._send({"type": "audio", "rate": form["rate"]})
            elif kind == "audio-chunk":
                await self._unsent.put(pcm)

        speech, failed = StreamedSpeech(self._engines.synthesizer, send), ""
        try:
            while (piece := await pieces.get()) is not None:
                if not interruption.wanted:
                    await speech.feed(piece)
            await speech.end()
        except _Interrupted:
            log.debug("the answer is not wanted any more")
        except GatewayError as error:
            log.warning("the answer cannot be spoken", extra={"reason": str(error)})
            failed = str(error)
        self._send({"type": "audio_end"} | ({"error": failed} if failed else {}))
