"""What waits for the broker: messages in their order, answers before news when there is no room."""

import asyncio
import bisect
import itertools
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from voice_gateway.channels.mqtt.topics import Message

log = logging.getLogger(__name__)

KEPT_MESSAGES = 500  # while the broker is away; then the oldest news goes, because the newest matters more
TELL_AGAIN_SECONDS = 60.0
MOST_TRIES = 5  # a broker may close the connection because of a message, and would do so for ever


@dataclass(eq=False, slots=True)
class Letter:
    number: int
    message: Message
    is_answer: bool
    tries: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)  # it was sent, or never can be


class Outbox:
    """Outlives connections. Whoever puts an answer in waits until it is gone, so there are never many."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._waiting: deque[Letter] = deque()
        self._something = asyncio.Event()
        self._numbers = itertools.count()
        self._on_probation = False
        self._monotonic = monotonic
        self._untold = 0  # how many were dropped since that was last said
        self._tell_at = -TELL_AGAIN_SECONDS

    def put(self, message: Message, *, is_answer: bool = False) -> Letter:
        letter = Letter(next(self._numbers), message, is_answer)
        self._waiting.append(letter)
        if len(self._waiting) > KEPT_MESSAGES:
            self._drop_oldest_news()
        self._something.set()
        return letter

    async def take(self) -> Letter:
        """The next one to send. One that was tried before goes alone: it may be what ended the connection."""
        while self._on_probation or not self._waiting:
            if not self._waiting:
                self._tell_dropped()
            self._something.clear()
            await self._something.wait()
        letter = self._waiting.popleft()
        self._on_probation = letter.tries > 0
        letter.tries += 1
        return letter

    def sent(self, letter: Letter) -> None:
        letter.gone.set()
        self._on_probation = False
        self._something.set()

    def give_back(self, letter: Letter) -> None:
        """It was not sent: the next connection does it, in the old order."""
        self._on_probation = False
        if letter.tries < MOST_TRIES:
            bisect.insort(self._waiting, letter, key=lambda one: one.number)
        else:
            facts = {"topic": letter.message.topic, "tries": letter.tries}
            log.error("MQTT message was given up, the connection was lost each time", extra=facts)
            letter.gone.set()
        self._something.set()

    def _drop_oldest_news(self) -> None:
        oldest = next((letter for letter in self._waiting if not letter.is_answer), None)
        if oldest is None:
            return
        self._waiting.remove(oldest)
        self._untold += 1
        if self._monotonic() >= self._tell_at:
            self._tell_dropped()

    def _tell_dropped(self) -> None:
        if self._untold:
            log.warning("MQTT news was dropped", extra={"dropped": self._untold, "kept": len(self._waiting)})
            self._untold = 0
            self._tell_at = self._monotonic() + TELL_AGAIN_SECONDS
