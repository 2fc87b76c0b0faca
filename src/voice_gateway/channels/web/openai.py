"""`/v1`: the gateway in the shape of OpenAI's chat completions."""

import hashlib
import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from voice_gateway.channels import Answer, json_text, not_yet_said
from voice_gateway.channels.web.ask_api import unless_left
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.models import STREAMS, json_response, shape
from voice_gateway.channels.web.sse import Stream, event_stream
from voice_gateway.interruption import Interruption
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Part, Reply, Utterance

MODEL = OWNER = "voice-gateway"
CHANNEL = "v1"


class ContentPart(BaseModel):
    model_config = ConfigDict(extra="allow")  # a picture is not understood, but tells chats apart

    type: str
    text: str | None = None


class Message(BaseModel):
    role: str
    content: str | list[ContentPart] | None = None


class ChatRequest(BaseModel):
    """The other fields of OpenAI's clients have no meaning here: their tools and prompts are not ours."""

    model: Annotated[str, StringConstraints(max_length=LONGEST_NAME)] = MODEL
    messages: Annotated[list[Message], Field(min_length=1)]
    stream: bool | None = None
    user: Annotated[str, StringConstraints(max_length=LONGEST_NAME)] | None = None
    n: Literal[1] | None = None


COMPLETION = shape(
    "Completion",
    id=str,
    object=Literal["chat.completion"],
    created=int,
    model=str,
    choices=list[dict[str, Any]],
    voice_gateway=dict[str, Any],
)
DETAIL = shape("OpenAiErrorDetail", message=str, type=str, param=str | None, code=str | None)
ERROR = shape("OpenAiError", error=DETAIL)


class Refused(HTTPException):
    """The request cannot be answered; `parameter` names the field that is wrong."""

    def __init__(self, reason: str, parameter: str) -> None:
        super().__init__(400, reason)
        self.parameter = parameter


class OpenAi:
    """Only the last message of the user is read. Anyone may have written the rest of a client's history, so
    the gateway's own conversation is what counts as said before."""

    def __init__(self, answer: Answer, start: Start) -> None:
        self._answer = answer
        self._start = start
        self._created = int(time.time())

    def router(self) -> APIRouter:
        router = APIRouter(responses={"4XX": {"model": ERROR}})

        @router.post("/v1/chat/completions", response_model=COMPLETION, responses=STREAMS)
        async def chat(request: Request, asked: ChatRequest) -> Response:
            """OpenAI's chat completions: the last message of the user is what is said"""
            return await self._chat(request, asked)

        @router.get("/v1/models")
        async def models() -> Response:
            """The models: one, by any name"""
            return json_response({"object": "list", "data": [self._model(MODEL)]})

        @router.get("/v1/models/{model:path}")
        async def model(model: str) -> Response:
            """One model"""
            return json_response(self._model(model))

        return router

    def _model(self, name: str) -> dict[str, Any]:
        return {"id": name, "object": "model", "created": self._created, "owned_by": OWNER}

    async def _chat(self, request: Request, asked: ChatRequest) -> Response:
        utterance = Utterance(last_words(asked.messages), CHANNEL, conversation_of(asked))
        if asked.stream:
            return event_stream(self._chunks(asked, utterance))
        interruption = Interruption()
        reply = await unless_left(request, self._answer(utterance, interruption=interruption), interruption)
        message = {"role": "assistant", "content": reply.text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        head = _head(asked, utterance, "chat.completion")
        return json_response({**head, "choices": [choice], "voice_gateway": _ours(reply)})

    async def _chunks(self, asked: ChatRequest, utterance: Utterance) -> AsyncIterator[bytes]:
        stream, interruption, streamed = Stream(), Interruption(), ""
        head = _head(asked, utterance, "chat.completion.chunk")

        def put(delta: dict[str, Any], finish: str | None = None, **more: Any) -> None:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            stream.put(_data({**head, "choices": [choice], **more}))

        def say(part: Part) -> None:
            nonlocal streamed
            streamed += part.text
            put({"content": part.text})

        async def answered() -> None:
            try:
                reply = await self._answer(utterance, say=say, interruption=interruption)
                if rest := not_yet_said(streamed, reply.text):
                    put({"content": f" {rest}" if streamed and not streamed[-1].isspace() else rest})
                put({}, "stop", voice_gateway=_ours(reply))
                stream.put(b"data: [DONE]\n\n")
            finally:
                stream.end()

        put({"role": "assistant", "content": ""})
        self._start(answered())
        try:
            async for piece in stream.pieces():
                yield piece
        finally:
            interruption.now()


def last_words(messages: list[Message]) -> str:
    """The text of the user's last message. Raises Refused if there is none."""
    of_user = [number for number, message in enumerate(messages) if message.role == "user"]
    if not of_user:
        raise Refused("There is no message of the role user in messages.", "messages")
    content, where = messages[of_user[-1]].content, f"messages.{of_user[-1]}.content"
    if isinstance(content, list):
        if any(part.type != "text" for part in content):
            raise Refused("Only text is understood here.", where)
        content = "\n".join(part.text or "" for part in content)
    if not content or not content.strip():
        raise Refused("The last message of the user is empty.", where)
    if len(content) > LONGEST_TEXT:
        raise Refused(f"The last message of the user may have {LONGEST_TEXT} characters.", where)
    return content


def conversation_of(asked: ChatRequest) -> str:
    """`user`, or a hash of the user's first message, which stays the same while a chat goes on."""
    if asked.user:
        return asked.user
    number, first = next(item for item in enumerate(asked.messages) if item[1].role == "user")
    try:
        content = (
            first.content
            if isinstance(first.content, str)
            else json.dumps([part.model_dump() for part in first.content or ()], sort_keys=True)
        )
    except RecursionError:
        raise Refused("This is nested too deeply.", f"messages.{number}.content") from None
    return f"chat-{hashlib.sha256(content.encode('utf-8', 'replace')).hexdigest()[:24]}"


def _head(asked: ChatRequest, utterance: Utterance, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{utterance.id}",
        "object": kind,
        "created": int(time.time()),
        "model": asked.model,
        "system_fingerprint": None,
    }


def _ours(reply: Reply) -> dict[str, Any]:
    """The fields of a reply that OpenAI's shape has no place for; its clients ignore them."""
    whole = reply.to_json()
    names = ("parts", "ok", "stage", "expects_answer", "conversation_id", "outcomes")
    return {name: whole[name] for name in names}


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json_text(value)}\n\n".encode()
