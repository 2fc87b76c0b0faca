"""`/api/ask`, `/api/undo`, `/api/events` and `/api/login`."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from voice_gateway.channels import Answer
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.guard import COOKIE, LIMITS, YEAR_SECONDS, RateLimit, client_of
from voice_gateway.channels.web.responses import (
    REPLY,
    STREAMS,
    Body,
    Feed,
    Name,
    Stream,
    Words,
    json_response,
    sse,
    streamed,
)
from voice_gateway.channels.web.server import WENT_WRONG
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.interruption import Interruption
from voice_gateway.turn import Reply, Utterance, new_id
from voice_gateway.turns.acts import Where

CHANNEL = "web"


class Ask(Body):
    text: Words
    conversation_id: Name | None = None
    room: Name | None = None
    question: Name | None = None  # a program's, which these words answer
    stream: bool = False  # step by step, for clients that cannot set an Accept header


class Undo(Body):
    conversation_id: Name


class Login(Body):
    token: str


def utterance_of(
    connection: HTTPConnection, text: str, conversation_id: str | None, room: str | None = None, **more: Any
) -> Utterance:
    """What a web client said. A question belongs to the client that was asked, not to the name of a talk."""
    name, client = conversation_id or f"web-{new_id()}", client_of(connection)
    return Utterance(text, CHANNEL, name, room, satellite=client, **more)


@dataclass(eq=False)
class AskApi:
    """Answers whole or step by step."""

    answer: Answer
    feed: Feed
    start: Start

    def router(self) -> APIRouter:
        router = APIRouter()

        @router.post("/api/ask", response_model=REPLY, responses=STREAMS)
        async def ask(request: Request, asked: Ask) -> Response:
            """Say something; step by step with `stream` or Accept: text/event-stream"""
            # Without an id it is a new conversation: a yes from elsewhere answers no question of it.
            utterance = utterance_of(
                request, asked.text, asked.conversation_id, asked.room, answers=asked.question or ""
            )
            return await self.respond(request, utterance, stream=asked.stream)

        @router.post("/api/undo", response_model=REPLY, responses=STREAMS)
        async def undo(request: Request, asked: Undo) -> Response:
            """Take back what this conversation did last"""
            utterance = utterance_of(request, "undo", asked.conversation_id)
            where = Where(CHANNEL, conversation=asked.conversation_id)
            return await self.respond(request, utterance, take_back=where)

        @router.get("/api/events", response_class=Response, responses=STREAMS)
        async def events(request: Request) -> Response:
            """All that happens, as it happens"""
            return self.feed.response(request)

        return router

    async def respond(
        self,
        request: Request,
        utterance: Utterance,
        answer: Answer | None = None,
        *,
        stream: bool = False,
        **options: Any,
    ) -> Response:
        """Answers by `answer`, or by the conversation with these options."""
        interruption = Interruption()
        asked = partial(answer or self.answer, utterance, interruption=interruption, **options)
        if not stream and "text/event-stream" not in request.headers.get("accept", ""):
            return json_response((await unless_left(request, asked(), interruption)).to_json())

        async def steps(stream: Stream) -> None:
            """Every event of the turn, and the answer last."""
            with self.feed.following(utterance.id, lambda kind, facts: stream.put(sse(kind, facts))):
                try:
                    # With `say` the text comes in pieces, as events; without it, at once.
                    stream.put(sse("answer", (await asked(say=lambda _part: None)).to_json()))
                except Exception:
                    stream.put(sse("failed", {"error": WENT_WRONG}))
                    raise

        return streamed(steps, self.start, interruption)


async def unless_left(request: Request, answer: Awaitable[Reply], interruption: Interruption) -> Reply:
    """The reply; a client that disconnects interrupts it."""

    async def watch_connection() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        interruption.now()

    async with asyncio.TaskGroup() as tasks:
        leaving = tasks.create_task(watch_connection(), name="web disconnect")
        reply = await answer
        leaving.cancel()
    return reply


def login_router(tokens: TokenFile) -> APIRouter:
    """A browser gives its token once, and gets a cookie that no script can read."""
    router = APIRouter()
    guesses = RateLimit(LIMITS.guesses_a_second, LIMITS.guesses_at_once)

    @router.post("/api/login")
    async def login(request: Request, given: Login) -> Response:
        """A token becomes a cookie"""
        if not tokens.knows(given.token):
            if not guesses.take(request.client.host if request.client else ""):
                raise HTTPException(429, "too many wrong tokens", headers={"retry-after": "60"})
            raise HTTPException(401, "this is not the token: `voice-gateway web token` makes a new one")
        return _with_cookie(json_response({"ok": True}), given.token, request)

    @router.get("/enter", include_in_schema=False)
    async def login_by_link(request: Request, key: str = "") -> Response:
        """The link that `run` prints becomes a cookie, once"""
        token = tokens.session(key)
        if token is None:
            return RedirectResponse("/login.html", 303)
        return _with_cookie(RedirectResponse("/", 303), token, request)

    return router


def _with_cookie(response: Response, token: str, request: Request) -> Response:
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, token, max_age=YEAR_SECONDS, httponly=True, samesite="strict", secure=secure)
    return response
