"""Questions to the owner about calls of programs (`/mcp`, `/v1`); a person in another channel answers."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from voice_gateway.events import EventBus, Notice, OwnerAsked
from voice_gateway.languages import say
from voice_gateway.turn import Reply, new_id

if TYPE_CHECKING:
    from voice_gateway.conversation.confirmation import Pending

ANSWER_SECONDS: Final = 60.0
MOST_OPEN: Final = 3
ASKING: Final = "asking"  # in a conversation's state: the last reply there ended with a question


class OwnerDesk:
    """The open questions. Every channel of a person is told of them, and the first answer counts."""

    def __init__(self, events: EventBus, seconds: float = ANSWER_SECONDS) -> None:
        self._events, self.seconds = events, seconds
        self._open: dict[str, tuple[Pending, asyncio.Future[Reply], asyncio.Timeout]] = {}

    async def answer_to(self, pending: "Pending", *, pin: bool) -> Reply:
        """The reply of the turn in which a person said yes or no, or one that says why there is none."""
        if len(self._open) >= MOST_OPEN:
            return Reply(say("owner.busy"), ok=False)
        asked = OwnerAsked(new_id(), say("owner.asks", question=pending.question), pin)
        settled: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        limit = asyncio.timeout(self.seconds)
        self._open[asked.id] = replace(pending, owner=asked.id), settled, limit
        self._events.publish(asked)
        self._events.publish(Notice(asked.text, aloud=True))
        try:
            async with limit:
                return await settled
        except TimeoutError:
            return Reply(say("owner.silent"), ok=False)
        finally:
            self._open.pop(asked.id, None)
            self._events.publish(replace(asked, open=False))

    def question_for(self, state: Mapping[str, Any], chosen: str) -> "Pending | None":
        """The question that these words may answer: the chosen one, else the only one if the conversation
        has no question of its own. With several open, a program could take the yes meant for another."""
        if chosen:
            return self._open[chosen][0] if chosen in self._open else None
        if state.get(ASKING) or len(self._open) != 1:
            return None
        return next(iter(self._open.values()))[0]

    def taken(self, name: str) -> Callable[[Reply], None] | None:
        """Closes the question for other answers and for its time limit; the result ends the wait. None: it
        is not open any more."""
        _, settled, limit = self._open.pop(name, (None, None, None))
        if settled is None or limit is None or settled.done():
            return None
        limit.reschedule(None)
        return lambda reply: None if settled.done() else settled.set_result(reply)
