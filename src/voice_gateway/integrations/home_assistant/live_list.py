"""The list of a Home Assistant's entities as it was at the last look; looks of several at once are one."""

import asyncio
from collections.abc import Awaitable, Callable
from math import inf

from voice_gateway.errors import ToolError
from voice_gateway.integrations.home_assistant.devices import degrees_in
from voice_gateway.integrations.home_assistant.live_context import (
    Entity,
    Unreadable,
    overview,
    read_live_context,
)

Ask = Callable[[], Awaitable[str]]  # what GetLiveContext answers now

_LARGE = 20_000  # characters: a list of more takes a while, and is read in a thread
FRESH_SECONDS = 0.3  # what was seen so short a time ago is still so, unless somebody acted


class LiveList:
    def __init__(self) -> None:
        self.entities: tuple[Entity, ...] = ()
        self.degrees = "°C"
        self.text = ""  # as Home Assistant wrote it
        self.ask: Ask | None = None  # None: it shares no list
        self._started = -inf  # when the look began that it was seen by
        self._acted = -inf
        self._looking = asyncio.Lock()

    def acted(self) -> None:
        """Somebody changed something: what was seen before no longer counts."""
        self._acted = _now()

    async def recent(self) -> tuple[Entity, ...]:
        """As it was a moment ago, if nobody has acted since."""
        return await self._look(max(_now() - FRESH_SECONDS, self._acted))

    async def look(self) -> tuple[Entity, ...]:
        """As it is from now on."""
        return await self._look(_now())

    async def _look(self, since: float) -> tuple[Entity, ...]:
        if self._started >= since:
            return self.entities
        async with self._looking:
            if self._started < since:  # else somebody else has looked while we waited
                await self._read()
            return self.entities

    async def _read(self) -> None:
        if self.ask is None:
            raise ToolError("Home Assistant shares no devices with voice assistants.")
        started, self._started = _now(), -inf
        answer = await self.ask()
        try:
            large = len(answer) > _LARGE
            entities, text, degrees = await asyncio.to_thread(_read, answer) if large else _read(answer)
        except Unreadable as error:
            raise ToolError(str(error)) from error
        self.entities, self.text, self.degrees, self._started = entities, text, degrees, started


def _read(answer: str) -> tuple[tuple[Entity, ...], str, str]:
    text = overview(answer)
    entities = read_live_context(text)
    return entities, text, degrees_in(entities)


def _now() -> float:
    return asyncio.get_running_loop().time()
