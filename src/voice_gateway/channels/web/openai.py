"""`/v1`: the gateway in the shape of OpenAI's chat completions, for programs that speak nothing else."""

import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway.channels import Answer
from voice_gateway.channels.json_text import json_text
from voice_gateway.channels.streamed_text import not_yet_said
from voice_gateway.channels.web.ask_api import DOOR, unless_left
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.models import json_response
from voice_gateway.channels.web.refusals import refusal_json
from voice_gateway.channels.web.streams import EventStream, Stream
from voice_gateway.events import Event, EventBus, ModelRound
from voice_gateway.interruption import Interruption
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Reply, Utterance, new_id

MODEL = "voice-gateway"
OWNER = "voice-gateway"
_METHODS = {"/v1/chat/completions": "POST", "/v1/models": "GET"}
DONE = b"data: [DONE]\n\n"


class Part(BaseModel):
    model_config = ConfigDict(extra="allow")  # a picture is not understood, but tells chats apart

    type: str
    text: str | None = None


class Message(BaseModel):
    role: str
    content: str | list[Part] | None = None


class StreamOptions(BaseModel):
    include_usage: bool | None = None


class ChatRequest(BaseModel):
    """What OpenAI's clients send beside these has no meaning here: their tools and prompts are not ours."""

    model_config = ConfigDict(extra="ignore")

    model: Annotated[str, StringConstraints(max_length=LONGEST_NAME)] = MODEL  # every piece repeats it
    messages: list[Message]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    user: str | None = None
    n: Literal[1] | None = None


class Refused(Exception):
    """The request cannot be answered; `parameter` is what is wrong with it."""

    def __init__(self, reason: str, parameter: str | None = None) -> None:
        super().__init__(reason)
        self.parameter = parameter


class OpenAi:
    """The last message of the user is what was said. What stands in other roles are words from outside: a
    client's system prompt is not ours, and nobody knows who wrote what an assistant is said to have answered.
    None of it is read; what was said before, our own conversation knows."""

    def __init__(self, answer: Answer, start: Start, watch: EventBus) -> None:
        self._answer = answer
        self._start = start  # a turn outlives the connection of who asked
        self._tokens: dict[str, Usage] = {}  # of the turns that are under way
        self._made = int(time.time())
        watch.subscribe(self._watched)

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/v1/chat/completions", _in_their_shape(self.chat), methods=["POST"]),
            Route("/v1/models", self.models, methods=["GET"]),
            Route("/v1/models/{model:path}", self.model, methods=["GET"]),
            Route("/v1/{path:path}", self.unknown, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
        ]

    async def models(self, _request: Request) -> Response:
        return json_response({"object": "list", "data": [self._model(MODEL)]})

    async def model(self, request: Request) -> Response:
        """Any name will do, because any is taken."""
        return json_response(self._model(request.path_params["model"]))

    def _model(self, name: str) -> dict[str, Any]:
        return {"id": name, "object": "model", "created": self._made, "owned_by": OWNER}

    async def unknown(self, request: Request) -> Response:
        path, method = request.url.path, request.method
        if allowed := _METHODS.get(path):
            raise HTTPException(405, f"{path} takes no {method}.", {"allow": allowed})
        raise HTTPException(404, f"There is no {method} {path} here.")

    async def chat(self, request: Request) -> Response:
        asked = await _read(request)
        utterance = Utterance(said_last(asked.messages), DOOR, conversation_of(asked))
        if asked.stream:
            return EventStream(request, self._chunks(asked, utterance))
        interruption, usage = Interruption(), self._counted(utterance)
        try:
            answer = self._answer(utterance, interruption=interruption)
            reply = await unless_left(request, answer, interruption)
        finally:
            del self._tokens[utterance.id]
        message = {"role": "assistant", "content": reply.text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        made = _head(asked, utterance, "chat.completion") | {"choices": [choice], "usage": usage.to_json()}
        return json_response(made | {"voice_gateway": _ours(reply)})

    async def _chunks(self, asked: ChatRequest, utterance: Utterance) -> AsyncIterator[bytes]:
        stream, interruption = Stream(), Interruption()
        head, said = _head(asked, utterance, "chat.completion.chunk"), ""
        with_usage = asked.stream_options is not None and bool(asked.stream_options.include_usage)
        usage = self._counted(utterance)

        def put(delta: dict[str, Any], finish: str | None = None, **more: Any) -> None:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            unknown = {"usage": None} if with_usage else {}
            stream.put(_data(head | {"choices": [choice]} | unknown | more))

        def say(text: str) -> None:
            nonlocal said
            said += text
            put({"content": text})

        async def answered() -> None:
            try:
                reply = await self._answer(utterance, say=say, interruption=interruption)
                if rest := not_yet_said(said, reply.text):
                    say(f" {rest}" if said and not said[-1].isspace() else rest)
                put({}, "stop", voice_gateway=_ours(reply))
                if with_usage:
                    stream.put(_data(head | {"choices": [], "usage": usage.to_json()}))
                stream.put(DONE)
            finally:
                del self._tokens[utterance.id]
                stream.end()

        put({"role": "assistant", "content": ""})
        self._start(answered())
        try:
            async for piece in stream.pieces():
                yield piece
        finally:
            interruption.now()  # whoever leaves; after the end it means nothing

    def _counted(self, utterance: Utterance) -> "Usage":
        self._tokens[utterance.id] = usage = Usage()
        return usage

    def _watched(self, event: Event) -> None:
        if isinstance(event, ModelRound) and (usage := self._tokens.get(event.utterance.id)) is not None:
            usage.read += event.input_tokens or 0
            usage.written += event.output_tokens or 0


class Usage:
    """Of language models; what is understood without one costs none."""

    def __init__(self) -> None:
        self.read = self.written = 0

    def to_json(self) -> dict[str, int]:
        return {
            "prompt_tokens": self.read,
            "completion_tokens": self.written,
            "total_tokens": self.read + self.written,
        }


async def _read(request: Request) -> ChatRequest:
    try:
        given = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise Refused("We could not parse the JSON body of your request.") from None
    try:
        return ChatRequest.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        parameter = ".".join(str(part) for part in first["loc"])
        raise Refused(f"{first['msg']}: {parameter}" if parameter else first["msg"], parameter) from None


def said_last(messages: Sequence[Message]) -> str:
    """Refused: nobody said anything, or not in words."""
    of_user = [place for place, message in enumerate(messages) if message.role == "user"]
    if not of_user:
        raise Refused("There is no message of the role user in messages.", "messages")
    text = _text(messages[of_user[-1]], of_user[-1])
    if not text.strip():
        raise Refused("The last message of the user is empty.", f"messages.{of_user[-1]}.content")
    if len(text) > LONGEST_TEXT:
        reason = f"The last message of the user may have {LONGEST_TEXT} characters."
        raise Refused(reason, f"messages.{of_user[-1]}.content")
    return text


def _text(message: Message, place: int) -> str:
    if not isinstance(message.content, list):
        return message.content or ""
    if any(part.type != "text" for part in message.content):
        raise Refused("Only text is understood here.", f"messages.{place}.content")
    return "\n".join(part.text or "" for part in message.content)


def conversation_of(asked: ChatRequest) -> str:
    """By `user`; else by the first message of the user, which a chat keeps while it goes on."""
    if asked.user:
        if len(asked.user) > LONGEST_NAME:
            raise Refused(f"The user may have {LONGEST_NAME} characters.", "user")
        return asked.user
    place, first = next(one for one in enumerate(asked.messages) if one[1].role == "user")
    try:
        begun = _content(first).encode("utf-8", "replace")
    except RecursionError:
        raise Refused("This is nested too deeply.", f"messages.{place}.content") from None
    return f"chat-{hashlib.sha256(begun).hexdigest()[:24]}"


def _content(message: Message) -> str:
    """All of it, also what we do not understand."""
    if not isinstance(message.content, list):
        return message.content or ""
    parts = message.content
    return "\n".join(
        (part.text or "")
        if part.type == "text"
        else json.dumps([part.type, part.model_extra], sort_keys=True)
        for part in parts
    )


def _head(asked: ChatRequest, utterance: Utterance, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{utterance.id or new_id()}",
        "object": kind,
        "created": int(time.time()),
        "model": asked.model,
        "system_fingerprint": None,
    }


def _ours(reply: Reply) -> dict[str, Any]:
    """What OpenAI's shape has no place for; its clients leave it aside."""
    whole = reply.to_json()
    return {key: whole[key] for key in ("ok", "stage", "expects_answer", "conversation_id", "outcomes")}


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json_text(value)}\n\n".encode()


def _in_their_shape(
    endpoint: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Refused as refused:
            said = refusal_json(request.url.path, 400, str(refused), refused.parameter)
            return json_response(said, 400)

    return answered
