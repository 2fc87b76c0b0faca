"""`/api/voice`: lets a browser's microphone in, when the speech engines are there."""

import asyncio
import importlib
from collections.abc import Callable
from typing import Any

from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket

from voice_gateway.channels import Answer
from voice_gateway.channels.json_text import json_text
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.sse import Feed
from voice_gateway.errors import GatewayError
from voice_gateway.problems.channels import VOICE
from voice_gateway.problems.sentences import VOICE_PACKAGE
from voice_gateway.turn import LONGEST_NAME, new_id

HEAVY = "voice_gateway.channels.web.voice"  # with the packages for speech, which are an extra
MOST_MICROPHONES = 16
TRY_LATER = 1013


class Microphones:
    """`engines` makes what `voice.Microphone` needs, or raises what is missing."""

    def __init__(self, engines: Callable[[], Any], answer: Answer, feed: Feed, start: Start) -> None:
        self._engines = engines
        self._answer = answer
        self._feed = feed
        self._start = start
        self._open = 0
        self._warm = False

    def routes(self) -> list[BaseRoute]:
        return [WebSocketRoute("/api/voice", self.serve)]

    async def serve(self, socket: WebSocket) -> None:
        await socket.accept()
        conversation_id = socket.query_params.get("conversation_id") or f"web-{new_id()}"
        if self._open >= MOST_MICROPHONES or len(conversation_id) > LONGEST_NAME:
            await socket.close(TRY_LATER, "too many microphones, or too long a name")
            return
        self._open += 1
        try:
            voice = await asyncio.to_thread(importlib.import_module, HEAVY)
            engines = self._engines()
            if not self._warm:  # while the first words are being said
                self._start(voice.warm_up(engines))
                self._warm = True
            microphone = voice.Microphone(socket, engines, self._answer, self._feed, self._start)
        except ImportError as error:
            sentence = VOICE_PACKAGE.format(package=error.name)
            await _refuse(socket, f"{sentence} {VOICE.advice}")
        except GatewayError as error:
            await _refuse(socket, str(error))
        else:
            await microphone.serve(conversation_id, speaks=socket.query_params.get("speak") == "1")
        finally:
            self._open -= 1


async def _refuse(socket: WebSocket, reason: str) -> None:
    await socket.send_text(json_text({"type": "error", "text": reason}))
    await socket.close(TRY_LATER)
