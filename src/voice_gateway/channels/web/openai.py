"""`/v1`: the gateway in the shape of OpenAI's chat completions."""

import hashlib
import time
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, StringConstraints
from starlette.requests import Request
from starlette.responses import Response

from voice_gateway.channels import Answer, json_text, not_yet_said
from voice_gateway.channels.web.ask_api import unless_left
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.responses import STREAMS, Stream, json_response, shape, streamed
from voice_gateway.interruption import Interruption
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Part, Reply, Utterance

MODEL = OWNER = "voice-gateway"
CHANNEL = "v1"

Name = Annotated[str, StringConstraints(max_length=LONGEST_NAME)]


class ContentPart(BaseModel):
    type: str
    text: str | None = None


class Message(BaseModel):
    role: str
    content: str | list[ContentPart] | None = None

    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text or "" for part in self.content)
        return self.content or ""


class ChatRequest(BaseModel):
    """The other fields of OpenAI's clients have no meaning here: their tools and prompts are not ours."""

    model: Name = MODEL
    messages: Annotated[list[Message], Field(min_length=1)]
    stream: bool | None = None
    user: Name | None = None
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


def openai_router(answer: Answer, start: Start) -> APIRouter:
    """Only the last message of the user is read. Anyone may have written the rest of a client's history, so
    the gateway's own conversation is what counts as said before."""
    router, created = APIRouter(responses={"4XX": {"model": ERROR}}), int(time.time())

    @router.post("/v1/chat/completions", response_model=COMPLETION, responses=STREAMS)
    async def chat(request: Request, asked: ChatRequest) -> Response:
        """OpenAI's chat completions: the last message of the user is what is said"""
        utterance, interruption = utterance_of(asked), Interruption()
        if asked.stream:
            work = partial(answer, utterance, interruption=interruption)
            return streamed(partial(_put_chunks, asked, utterance, work), start, interruption)
        reply = await unless_left(request, answer(utterance, interruption=interruption), interruption)
        message = {"role": "assistant", "content": reply.text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        head = _head(asked, utterance, "chat.completion")
        return json_response({**head, "choices": [choice], "voice_gateway": _ours(reply)})

    def described(name: str) -> dict[str, Any]:
        return {"id": name, "object": "model", "created": created, "owned_by": OWNER}

    @router.get("/v1/models")
    async def models() -> Response:
        """The models: one, by any name"""
        return json_response({"object": "list", "data": [described(MODEL)]})

    @router.get("/v1/models/{model:path}")
    async def model(model: str) -> Response:
        """One model"""
        return json_response(described(model))

    return router


async def _put_chunks(asked: ChatRequest, utterance: Utterance, answer: Answer, stream: Stream) -> None:
    head, sent = _head(asked, utterance, "chat.completion.chunk"), ""

    def put(delta: dict[str, Any], finish: str | None = None, **more: Any) -> None:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        stream.put(f"data: {json_text({**head, 'choices': [choice], **more})}\n\n".encode())

    def say(part: Part) -> None:
        nonlocal sent
        sent += part.text
        put({"content": part.text})

    put({"role": "assistant", "content": ""})
    reply = await answer(say=say)
    if rest := not_yet_said(sent, reply.text):
        put({"content": f" {rest}" if sent and not sent[-1].isspace() else rest})
    put({}, "stop", voice_gateway=_ours(reply))
    stream.put(b"data: [DONE]\n\n")


def utterance_of(asked: ChatRequest) -> Utterance:
    """The user's last message, in the conversation `user` or one named by a hash of the user's first message,
    which stays the same while a chat goes on. Raises RequestValidationError."""
    of_user = [(number, message) for number, message in enumerate(asked.messages) if message.role == "user"]
    if not of_user:
        raise _refused("there is no message of the role user", "messages")
    number, last = of_user[-1]
    text, where = last.text(), ("messages", number, "content")
    if isinstance(last.content, list) and any(part.type != "text" for part in last.content):
        raise _refused("only text is understood here", *where)
    if not text.strip():
        raise _refused("the last message of the user is empty", *where)
    if len(text) > LONGEST_TEXT:
        raise _refused(f"the last message of the user may have {LONGEST_TEXT} characters", *where)
    begun = hashlib.sha256(of_user[0][1].text().encode("utf-8", "replace")).hexdigest()
    return Utterance(text, CHANNEL, asked.user or f"chat-{begun[:24]}")


def _refused(reason: str, *where: str | int) -> RequestValidationError:
    return RequestValidationError([{"type": "value_error", "loc": ("body", *where), "msg": reason}])


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
