"""`/api/ask` and `/api/undo`: words in, the object of `ask --json` out, whole or piece by piece."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway.channels import Answer
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.models import Body, json_response, read
from voice_gateway.channels.web.refusals import WENT_WRONG
from voice_gateway.channels.web.sse import Feed
from voice_gateway.channels.web.streams import EventStream, Stream, sse
from voice_gateway.interruption import Interruption
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Reply, Utterance, new_id
from voice_gateway.turns.acts import Where

DOOR = "web"

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]


def _with_words(text: str) -> str:
    if not text.strip():
        raise ValueError("there are no words in it")
    return text


Words = Annotated[
    str,
    StringConstraints(max_length=LONGEST_TEXT),
    AfterValidator(_with_words),
    Field(json_schema_extra={"pattern": r"\S"}),
]


class Ask(Body):
    text: Words
    conversation_id: Name | None = None
    room: Name | None = None
    stream: bool = False  # step by step, for who cannot set an Accept header


class Undo(Body):
    conversation_id: Name


class Asking:
    """Who leaves interrupts what can be interrupted; what was begun with a device comes to its end."""

    def __init__(self, answer: Answer, feed: Feed, start: Start) -> None:
        self._answer = answer
        self._feed = feed
        self._start = start  # a turn outlives the connection of who asked

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/ask", self.ask, methods=["POST"]),
            Route("/api/undo", self.undo, methods=["POST"]),
        ]

    async def ask(self, request: Request) -> Response:
        asked = await read(request, Ask)
        # Without a name it is a conversation of its own: nobody else's yes is an answer in it.
        utterance = Utterance(asked.text, DOOR, asked.conversation_id or f"web-{new_id()}", asked.room)
        return await self.respond(request, utterance, stream=asked.stream)

    async def undo(self, request: Request) -> Response:
        asked = await read(request, Undo)
        utterance = Utterance("undo", DOOR, asked.conversation_id)
        wanted = Where(DOOR, conversation=asked.conversation_id)
        return await self.respond(request, utterance, take_back=wanted)

    async def respond(
        self,
        request: Request,
        utterance: Utterance,
        answer: Answer | None = None,
        *,
        stream: bool = False,
        **how: Any,
    ) -> Response:
        """By `answer`, if it is not for the conversation's own words."""
        asked = partial(answer or self._answer, utterance, **how)
        if stream or "text/event-stream" in request.headers.get("accept", ""):
            return EventStream(request, self._told(utterance, asked))
        interruption = Interruption()
        reply = await unless_left(request, asked(interruption=interruption), interruption)
        return json_response(reply.to_json())

    async def _told(self, utterance: Utterance, asked: Answer) -> AsyncIterator[bytes]:
        """Every step while it happens, and the answer last."""
        stream, interruption = Stream(), Interruption()
        unfollow = self._feed.follow(utterance.id, lambda kind, told: stream.put(sse(kind, told)))

        async def answered() -> None:
            try:
                # Who follows hears the words by the events; without `say` they would come as a whole.
                reply = await asked(say=lambda _text: None, interruption=interruption)
                stream.put(sse("answer", reply.to_json()))
            except Exception:
                stream.put(sse("failed", {"error": WENT_WRONG}))
                raise
            finally:
                stream.end()

        self._start(answered())
        try:
            async for piece in stream.pieces():
                yield piece
        finally:
            unfollow()
            interruption.now()  # whoever leaves; after the end it means nothing


async def unless_left(request: Request, answer: Awaitable[Reply], interruption: Interruption) -> Reply:
    async def watched() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        interruption.now()

    async with asyncio.TaskGroup() as tasks:
        leaving = tasks.create_task(watched(), name="web disconnect")
        reply = await answer
        leaving.cancel()
    return reply
