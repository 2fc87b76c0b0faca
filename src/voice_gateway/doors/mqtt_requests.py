"""Requests by id: the same id gets the same answer and acts once, on whichever gateway it lands."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from voice_gateway.doors.mqtt_topics import Request
from voice_gateway.store import LEASE_SECONDS, LOOK_SECONDS, Store, held
from voice_gateway.turn import Reply, Utterance

log = logging.getLogger(__name__)

ANSWER_KEPT_SECONDS = 24 * 3600.0  # how long a repeated request gets its old answer

INTERRUPTED = "I was interrupted while I did that, so I don't know whether it happened. Please check."

# With `looking_only`, nothing may be changed in the turn.
Answer = Callable[..., Awaitable[Reply]]


class Requests:
    """Three entries in the store for each id: `begun` for good, `lease` while somebody works, `answer`."""

    def __init__(self, answer: Answer, store: Store, room: str | None) -> None:
        self._answer = answer
        self._store = store
        self._room = room

    async def answered(self, request: Request) -> dict[str, Any]:
        utterance = request.utterance(self._room)
        if not request.repeatable:
            return _answer_to(request, await self._answer(utterance))
        key = f"request:{request.id}"
        while (kept := await self._kept(key)) is None:
            if await self._store.claim(f"{key}:lease", expiry_seconds=LEASE_SECONDS):
                async with held(self._store, f"{key}:lease"):
                    return await self._kept(key) or await self._once(request, utterance, key)
            await asyncio.sleep(LOOK_SECONDS)  # somebody is at it: here, or on another gateway
        return kept

    async def _kept(self, key: str) -> dict[str, Any] | None:
        text = await self._store.get(f"{key}:answer")
        kept: dict[str, Any] | None = json.loads(text) if text is not None else None
        return kept

    async def _once(self, request: Request, utterance: Utterance, key: str) -> dict[str, Any]:
        first = await self._store.claim(f"{key}:begun", expiry_seconds=ANSWER_KEPT_SECONDS)
        if first:
            reply = await self._answer(utterance)
        else:
            # Whoever began is gone and may have acted: looking again is safe, acting again is not.
            log.warning("request was begun elsewhere and left unanswered", extra={"request": request.id})
            reply = await self._answer(utterance, looking_only=INTERRUPTED)
        answer = _answer_to(request, reply)
        kept = json.dumps(answer, default=str)
        if await self._store.claim(f"{key}:answer", text=kept, expiry_seconds=ANSWER_KEPT_SECONDS):
            return answer
        # We were thought to be gone (a machine that slept, say), and somebody else has answered by now.
        return await self._kept(key) or answer


def _answer_to(request: Request, reply: Reply) -> dict[str, Any]:
    return {"id": request.id, **reply.to_json(), "model": reply.model}
