"""Requests by id: a repeated id gets the same answer and acts once, on whichever gateway it arrives."""

import asyncio
import json
import logging
from collections.abc import Awaitable
from typing import Any, TypeVar

from voice_gateway.channels import Answer
from voice_gateway.channels.mqtt.topics import Request
from voice_gateway.conversation.store import Store
from voice_gateway.trace import outcome_json
from voice_gateway.turn import Reply

log = logging.getLogger(__name__)

ANSWER_KEPT_SECONDS = 24 * 3600.0
MOST_KNOWN = 1_000  # answers that are kept in memory
INTERRUPTED = "I was interrupted while I did that, so I don't know whether it happened. Please check."

T = TypeVar("T")


class Requests:
    """The answers of the last ids are kept here, and all in the store, with two entries for each id: `begun`
    and `answer`. A store that fails costs only what other gateways, and this one after a restart, know."""

    def __init__(self, answer: Answer, store: Store, room: str | None) -> None:
        self._answer = answer
        self._store = store
        self._room = room
        self._known: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def answered(self, request: Request) -> dict[str, Any]:
        """The answer. The caller holds the lock of the conversation."""
        if not request.repeatable:
            return _answer_json(request, await self._answer(request.utterance(self._room)))
        known = self._known.get(request.id)
        if known is None:
            known = self._known[request.id] = asyncio.get_running_loop().create_future()
            try:
                known.set_result(await self._once(request))
            except BaseException as error:
                del self._known[request.id]
                known.set_exception(error) if isinstance(error, Exception) else known.cancel()
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]
        return await asyncio.shield(known)

    async def _once(self, request: Request) -> dict[str, Any]:
        store, key, expiry = self._store, f"request:{request.id}", ANSWER_KEPT_SECONDS
        utterance = request.utterance(self._room)
        if (kept := await self._try(store.get(f"{key}:answer"), None)) is not None:
            return _loaded(kept)
        begun = store.claim(f"{key}:begun", expiry_seconds=expiry, text=request.conversation_id)
        if await self._try(begun, True):
            reply = await self._answer(utterance)
        else:
            # Another gateway began and is gone; it may have acted. Reading is safe, acting again is not.
            log.warning("request was begun and left unanswered", extra={"request": request.id})
            reply = await self._answer(utterance, read_only_reason=INTERRUPTED)
        answer = _answer_json(request, reply)
        text = json.dumps(answer, default=str)
        if await self._try(store.claim(f"{key}:answer", expiry_seconds=expiry, text=text), True):
            return answer
        # This gateway was taken for dead (a machine that slept), and another has answered by now.
        kept = await self._try(store.get(f"{key}:answer"), None)
        return _loaded(kept) if kept is not None else answer

    async def _try(self, step: Awaitable[T], otherwise: T) -> T:
        try:
            return await step
        except Exception as error:  # each kind of store has errors of its own
            reason = str(error) or repr(error)
            log.error("MQTT request is kept without the store", extra={"reason": reason})
            return otherwise


def _loaded(text: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(text)
    return answer


def _answer_json(request: Request, reply: Reply) -> dict[str, Any]:
    outcomes = [outcome_json(outcome) for outcome in reply.outcomes]
    return {"id": request.id, **reply.to_json(), "outcomes": outcomes, "model": reply.model}
