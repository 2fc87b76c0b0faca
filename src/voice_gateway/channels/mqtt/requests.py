"""Requests by id: the same id gets the same answer and acts once, in order, on whichever gateway it lands."""

import json
import logging
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from voice_gateway.channels import Answer
from voice_gateway.channels.mqtt.topics import Request
from voice_gateway.conversation.store import MemoryStore, Store
from voice_gateway.trace import outcome_json
from voice_gateway.turn import Reply, Utterance

log = logging.getLogger(__name__)

ANSWER_KEPT_SECONDS = 24 * 3600.0  # how long a repeated request gets its old answer
OWN_ENTRIES = 1_000  # for a store that fails: the last three hundred requests, for askers that repeat
REMEMBERED_SECONDS = 2.0  # longer than a request is on its way to another gateway
MOST_EACH = 100  # of one conversation, whose order is remembered

INTERRUPTED = "I was interrupted while I did that, so I don't know whether it happened. Please check."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BegunIn:
    """Somebody asked under this id in another conversation: wait there, until they are done or gone."""

    conversation_id: str


class SureStore:
    """For one request: what this gateway knows itself, and the store until it fails for the first time.

    So a request is answered and acts once whatever becomes of the store; only another gateway, or this one
    after a restart, may then not know of it.
    """

    def __init__(self, store: Store, own: MemoryStore, request_id: str) -> None:
        self._store: Store | None = store
        self._own = own
        self._request_id = request_id

    async def get(self, key: str) -> str | None:
        kept = await self._own.get(key)
        return kept if kept is not None else await self._asked(lambda store: store.get(key), None)

    async def claim(self, key: str, *, expiry_seconds: float, text: str) -> bool:
        if not await self._own.claim(key, expiry_seconds=expiry_seconds, text=text):
            return False
        first = await self._asked(
            lambda store: store.claim(key, expiry_seconds=expiry_seconds, text=text), True
        )
        if not first:
            await self._own.release(key, text)
        return first

    async def _asked(self, step: Callable[[Store], Awaitable[T]], otherwise: T) -> T:
        if self._store is None:
            return otherwise
        try:
            return await step(self._store)
        except Exception as error:  # each kind of store has errors of its own
            self._store = None
            facts = {"request": self._request_id, "reason": str(error) or repr(error)}
            log.error("MQTT request is kept without the store", extra=facts)
            return otherwise


class Requests:
    """Two entries in the store for each id: `begun`, with the conversation it began in, and `answer`."""

    def __init__(self, answer: Answer, store: Store, room: str | None) -> None:
        self._answer = answer
        self._store = store
        self._own = MemoryStore(most_entries=OWN_ENTRIES)
        self._room = room

    async def answered(self, request: Request, conversation_id: str) -> dict[str, Any] | BegunIn:
        """For whoever has the turn in that conversation: nobody else is at work in it, here or elsewhere."""
        utterance = request.utterance(self._room)
        if not request.repeatable:
            return _answer_to(request, await self._answer(utterance))
        key, store = f"request:{request.id}", SureStore(self._store, self._own, request.id)
        kept = await _kept(store, key)
        return kept or await self._once(request, utterance, store, key, conversation_id)

    async def _once(
        self, request: Request, utterance: Utterance, store: SureStore, key: str, conversation_id: str
    ) -> dict[str, Any] | BegunIn:
        begun = f"{key}:begun"
        if await store.claim(begun, text=conversation_id, expiry_seconds=ANSWER_KEPT_SECONDS):
            reply = await self._answer(utterance)
        else:
            where = await store.get(begun)
            if where not in (None, conversation_id):
                return BegunIn(where)
            # Whoever began is gone and may have acted: looking again is safe, acting again is not.
            log.warning("request was begun elsewhere and left unanswered", extra={"request": request.id})
            reply = await self._answer(utterance, read_only_reason=INTERRUPTED)
        answer = _answer_to(request, reply)
        kept = json.dumps(answer, default=str)
        if await store.claim(f"{key}:answer", text=kept, expiry_seconds=ANSWER_KEPT_SECONDS):
            return answer
        # We were thought to be gone (a machine that slept, say), and somebody else has answered by now.
        return await _kept(store, key) or answer


async def _kept(store: SureStore, key: str) -> dict[str, Any] | None:
    text = await store.get(f"{key}:answer")
    kept: dict[str, Any] | None = json.loads(text) if text is not None else None
    return kept


def _answer_to(request: Request, reply: Reply) -> dict[str, Any]:
    outcomes = [outcome_json(outcome) for outcome in reply.outcomes]
    return {"id": request.id, **reply.to_json(), "outcomes": outcomes, "model": reply.model}


class Succession:
    """In which order requests were sent, whichever gateway the broker has dealt them out to: every one sees
    all of them go by, in the same order, beside those it gets for itself."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._passing: OrderedDict[str, tuple[float, deque[str]]] = OrderedDict()  # by conversation

    def passes(self, conversation_id: str, request_id: str) -> None:
        now = self._now()
        while self._passing and next(iter(self._passing.values()))[0] < now - REMEMBERED_SECONDS:
            self._passing.popitem(last=False)
        _, ids = self._passing.pop(conversation_id, (now, deque(maxlen=MOST_EACH)))
        ids.append(request_id)
        self._passing[conversation_id] = (now, ids)

    def before(self, conversation_id: str, request_id: str) -> Sequence[str]:
        """Those that went by before this one and were not asked for yet."""
        _, ids = self._passing.get(conversation_id, (0.0, deque[str]()))
        earlier: list[str] = []
        while ids and (first := ids.popleft()) != request_id:
            earlier.append(first)
        return earlier
