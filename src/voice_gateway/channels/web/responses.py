"""What routes answer: JSON and its shapes, and server-sent events, bounded for each listener."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import GenericAlias
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, create_model
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response, StreamingResponse

from voice_gateway.channels import json_text
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.guard import LIMITS, Limits
from voice_gateway.events import AlarmsTold, Event, EventBus, OwnerAsked
from voice_gateway.interruption import Interruption
from voice_gateway.trace import event_json, public_name
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
Words = Annotated[str, StringConstraints(max_length=LONGEST_TEXT, pattern=r"\S")]


class Body(BaseModel):
    """A request body. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


def shape(name: str, /, **fields: Any) -> Any:
    """A model that describes an answer in `/openapi.json`. Every field is required; [X] is a list of X."""
    made: dict[str, Any] = {}
    for field, kind in fields.items():
        made[field] = (GenericAlias(list, (kind[0],)) if isinstance(kind, list) else kind, ...)
    return create_model(name, **made)


ERROR = shape("Error", error=str)
OUTCOME = shape("Outcome", call_id=str, name=str, args=dict[str, Any], text=str, ok=bool, seconds=float)
PART = shape("Part", source=Literal["gateway", "model"], text=str)
REPLY = shape(
    "Reply",
    text=str,
    parts=[PART],
    ok=bool,
    stage=str,
    expects_answer=bool,
    conversation_id=str,
    outcomes=[OUTCOME],
    seconds=float,
)


# What a route answers that also streams its steps.
STREAMS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {"schema": {}}}}}


def json_response(value: Any, status: int = 200) -> Response:
    return Response(json_text(value).encode(), status, media_type="application/json")


_LINE_ENDS = {ord(character): f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}

Follower = Callable[[str, Mapping[str, Any]], None]


def sse(kind: str, data: Any) -> bytes:
    """One event, on one line of data whatever the reader takes for a line end."""
    return f"event: {kind}\ndata: {json_text(data).translate(_LINE_ENDS)}\n\n".encode()


def event_stream(pieces: AsyncIterator[bytes]) -> StreamingResponse:
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(pieces, media_type="text/event-stream", headers=headers)


class Stream:
    """Events that wait for one listener. A listener that leaves too much unread is dropped."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._changed = asyncio.Event()
        self._ended = False

    def put(self, event: bytes) -> None:
        if self._ended:
            return
        self._bytes += len(event)
        self._waiting.append(event)
        if self._bytes > self._limits.unread_bytes:
            self._waiting.clear()
            self._ended = True
        self._changed.set()

    def end(self) -> None:
        self._ended = True
        self._changed.set()

    async def pieces(self) -> AsyncIterator[bytes]:
        """All waiting events at once, or a comment while none comes, until the stream ends."""
        yield b": hello\n\n"
        while self._waiting or not self._ended:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._limits.heartbeat_seconds):
                    await self._changed.wait()
            self._changed.clear()
            batch, self._waiting, self._bytes = b"".join(self._waiting), [], 0
            if batch or not self._ended:
                yield batch or b": still here\n\n"


def streamed(
    work: Callable[[Stream], Awaitable[None]], start: Start, interruption: Interruption
) -> StreamingResponse:
    """What the work puts into the stream. A client that leaves interrupts a model, not a device's command."""

    async def pieces() -> AsyncIterator[bytes]:
        stream = Stream()

        async def run() -> None:
            try:
                await work(stream)
            finally:
                stream.end()

        start(run())
        try:
            async for piece in stream.pieces():
                yield piece
        finally:
            interruption.now()

    return event_stream(pieces())


class Feed:
    """Everything that happens, for consoles; and the events of one turn, for its followers."""

    def __init__(self, events: EventBus) -> None:
        self._streams: set[Stream] = set()
        self._followers: defaultdict[str, list[Follower]] = defaultdict(list)
        # For listeners that come later: the last state of alarms, and the open questions to the owner.
        self._alarms: AlarmsTold | None = None
        self._questions: dict[str, OwnerAsked] = {}
        events.subscribe(self._on_event)

    @property
    def consoles(self) -> int:
        """The number of listeners to everything."""
        return len(self._streams)

    def publish(self, kind: str, data: Mapping[str, Any]) -> None:
        """Encodes the event once for all listeners."""
        event = sse(kind, data) if self._streams else b""
        for stream in self._streams:
            stream.put(event)

    @contextmanager
    def following(self, turn: str, follower: Follower) -> Iterator[None]:
        """Passes every event of the turn on."""
        self._followers[turn].append(follower)
        try:
            yield
        finally:
            self._followers[turn].remove(follower)
            if not self._followers[turn]:
                del self._followers[turn]

    async def _listen(self, limits: Limits) -> AsyncIterator[bytes]:
        stream = Stream(limits)
        self._streams.add(stream)
        if self._alarms is not None:
            stream.put(sse("alarms", event_json(self._alarms)))
        for question in self._questions.values():
            stream.put(sse("question", event_json(question)))
        try:
            async for piece in stream.pieces():
                yield piece
        finally:
            self._streams.remove(stream)

    def response(self, request: HTTPConnection) -> StreamingResponse:
        """All events from now on."""
        limits: Limits = request.state.limits
        if len(self._streams) >= limits.streams:
            raise HTTPException(503, "too many listeners")
        return event_stream(self._listen(limits))

    def _on_event(self, event: Event) -> None:
        if isinstance(event, AlarmsTold):
            self._alarms = event
        elif isinstance(event, OwnerAsked) and event.open:
            self._questions[event.id] = event
        elif isinstance(event, OwnerAsked):
            self._questions.pop(event.id, None)
        if not self._streams and not self._followers:
            return
        facts = event_json(event)
        if facts is None:
            return
        name = facts.get("conversation_id")
        self.publish(facts["type"], {**facts, "conversation_id": public_name(name)} if name else facts)
        for follower in list(self._followers.get(facts["turn"] or "", ())):
            follower(facts["type"], facts)
