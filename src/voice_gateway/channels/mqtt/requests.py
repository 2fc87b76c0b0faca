"""Requests by id: a repeated id gets the same answer and acts once, on whichever gateway it arrives."""

import asyncio
import json
import logging
from collections.abc import Awaitable
from typing import Any, TypeVar, cast

from voice_gateway.channels import Answer
from voice_gateway.channels.mqtt.topics import Request
from voice_gateway.conversation.store import Store
from voice_gateway.trace import outcome_json
from voice_gateway.turn import Reply

log = logging.getLogger(__name__)

ANSWER_KEPT_SECONDS = 24 * 3600.0
DELIVERY_KEPT_SECONDS = 330.0  # a request without an id: as long as the broker may deliver it again
MOST_KNOWN = 1_000  # answers that are kept in memory
BEGUN = ""  # stands in the store where the answer will be
INTERRUPTED = "I was interrupted while I did that, so I don't know whether it happened. Please check."

T = TypeVar("T")


class Requests:
    """The answers of the last ids are kept here, and all in the store. A store that fails costs only what
    other gateways, and this one after a restart, know."""

    def __init__(self, answer: Answer, store: Store, room: str | None) -> None:
        self._answer = answer
        self._store = store
        self._room = room
        self._known: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def answered(self, request: Request) -> dict[str, Any]:
        """The answer. The caller holds the lock of the conversation."""
        if not request.repeatable:
            return await (self._once(request) if request.delivery else self._fresh(request))
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
        if not request.repeatable:
            key, expiry = f"delivery:{request.delivery}", DELIVERY_KEPT_SECONDS
        if not request.repeatable and not request.delivered_again:  # the broker gives numbers out again
            await self._try(store.put(key, BEGUN, expiry_seconds=expiry), None)
            kept = None
        elif (kept := await self._try(store.get(key), None)) is None:
            claimed = await self._try(store.exchange(key, None, BEGUN, expiry_seconds=expiry), True)
            kept = None if claimed else BEGUN
        if kept:
            return cast("dict[str, Any]", json.loads(kept))
        if kept is None:
            answer = await self._fresh(request)
        else:
            # A gateway began and is gone; it may have acted. Reading is safe, acting again is not.
            log.warning("request was begun and left unanswered", extra={"request": request.id})
            answer = await self._fresh(request, read_only_reason=INTERRUPTED)
        text = json.dumps(answer, default=str)
        if await self._try(store.exchange(key, BEGUN, text, expiry_seconds=expiry), True):
            return answer
        # This gateway was taken for dead (a machine that slept), and another has answered by now.
        other = await self._try(store.get(key), None)
        return cast("dict[str, Any]", json.loads(other)) if other else answer

    async def _fresh(self, request: Request, **options: Any) -> dict[str, Any]:
        reply: Reply = await self._answer(request.utterance(self._room), **options)
        outcomes = [outcome_json(outcome) for outcome in reply.outcomes]
        return {"id": request.id, **reply.to_json(), "outcomes": outcomes, "model": reply.model}

    async def _try(self, step: Awaitable[T], otherwise: T) -> T:
        try:
            return await step
        except Exception as error:  # each kind of store has errors of its own
            facts = {"reason": str(error) or repr(error)}
            log.error("MQTT request is kept without the store", extra=facts)
            return otherwise
