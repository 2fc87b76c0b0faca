"""Requests by id: a repeated id gets the same answer and acts once, on whichever gateway it arrives."""

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from voice_gateway.channels import Answer
from voice_gateway.channels.mqtt.topics import Request
from voice_gateway.conversation.store import MemoryStore, Store
from voice_gateway.trace import outcome_json
from voice_gateway.turn import Reply

log = logging.getLogger(__name__)

ANSWER_KEPT_SECONDS = 24 * 3600.0
OWN_ENTRIES = 1_000  # kept in memory too, for a store that fails
INTERRUPTED = "I was interrupted while I did that, so I don't know whether it happened. Please check."

T = TypeVar("T")


class SureStore:
    """For one request: this gateway's own memory, and the shared store until it fails.

    A request is answered and acts once even without the store; only another gateway may not know of it.
    """

    def __init__(self, store: Store, own: MemoryStore, request_id: str) -> None:
        self._store: Store | None = store
        self._own = own
        self._request_id = request_id

    async def get(self, key: str) -> str | None:
        kept = await self._own.get(key)
        return kept if kept is not None else await self._try(lambda store: store.get(key), None)

    async def claim(self, key: str, text: str) -> bool:
        expiry = ANSWER_KEPT_SECONDS
        if not await self._own.claim(key, expiry_seconds=expiry, text=text):
            return False
        first = await self._try(lambda store: store.claim(key, expiry_seconds=expiry, text=text), True)
        if not first:
            await self._own.release(key, text)
        return first

    async def _try(self, step: Callable[[Store], Awaitable[T]], otherwise: T) -> T:
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
    """The store has two entries for each id: `begun` and `answer`."""

    def __init__(self, answer: Answer, store: Store, room: str | None) -> None:
        self._answer = answer
        self._store = store
        self._own = MemoryStore(most_entries=OWN_ENTRIES)
        self._room = room

    async def answered(self, request: Request) -> dict[str, Any]:
        """The answer. The caller holds the lock of the id and of the conversation."""
        utterance = request.utterance(self._room)
        if not request.repeatable:
            return _answer_json(request, await self._answer(utterance))
        key, store = f"request:{request.id}", SureStore(self._store, self._own, request.id)
        if (kept := await store.get(f"{key}:answer")) is not None:
            return _loaded(kept)
        if await store.claim(f"{key}:begun", request.conversation_id):
            reply = await self._answer(utterance)
        else:
            # Another gateway began and is gone; it may have acted. Reading is safe, acting again is not.
            log.warning("request was begun and left unanswered", extra={"request": request.id})
            reply = await self._answer(utterance, read_only_reason=INTERRUPTED)
        answer = _answer_json(request, reply)
        if await store.claim(f"{key}:answer", json.dumps(answer, default=str)):
            return answer
        # This gateway was taken for dead (a machine that slept), and another has answered by now.
        kept = await store.get(f"{key}:answer")
        return _loaded(kept) if kept is not None else answer


def _loaded(text: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(text)
    return answer


def _answer_json(request: Request, reply: Reply) -> dict[str, Any]:
    outcomes = [outcome_json(outcome) for outcome in reply.outcomes]
    return {"id": request.id, **reply.to_json(), "outcomes": outcomes, "model": reply.model}
