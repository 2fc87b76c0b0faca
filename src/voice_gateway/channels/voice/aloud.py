"""Spoken notices: the gateway is ready, a part is missing, fails or is back."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from voice_gateway.events import Changes, EventBus, Notice, PartState, State
from voice_gateway.speaking.plain_text import spoken_text
from voice_gateway.turn import Speech

AGAIN_SECONDS = 3600.0  # a part that keeps failing is announced once in this time
MUTE = frozenset({"speech", "speaker"})


class SpokenOutput(Protocol):
    async def synthesize(self, text: str) -> Speech | None: ...

    async def play(self, speech: Speech) -> object: ...


class Aloud:
    """`ready` returns when the servers are connected or given up, `missing` gives a sentence for each missing
    part."""

    def __init__(
        self,
        events: EventBus,
        output: SpokenOutput,
        *,
        ready: Callable[[], Awaitable[None]],
        missing: Callable[[], list[str]],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._events, self._output = events, output
        self._ready, self._missing, self._monotonic = ready, missing, monotonic
        self._changes = Changes()
        self._told: dict[str, float] = {}  # when a part's failure was spoken last
        self._gone: set[str] = set()  # parts whose failure was spoken
        self._sentences: asyncio.Queue[str] = asyncio.Queue()
        events.subscribe(self._noticed, Notice)  # notices are spoken during the start too

    async def run(self) -> None:
        await self._ready()
        await self._events.decided()
        for part in self._events.parts():  # parts that are missing now are in the first sentence
            self._worth_saying(part)
        self._events.subscribe(self._happened, PartState)
        await self._say(" ".join(["I am ready.", *self._missing()]))
        while True:
            await self._say(await self._sentences.get())

    def _noticed(self, event: Notice) -> None:
        if event.aloud:
            self._sentences.put_nowait(event.text)

    def _happened(self, event: PartState) -> None:
        if self._worth_saying(event):
            self._sentences.put_nowait(event.sentence)

    def _worth_saying(self, event: PartState) -> bool:
        news = self._changes.news(event)
        if event.late:
            self._gone.add(event.part)
        if event.part in MUTE or news is None:
            return False
        if event.state is State.OK:
            spoken = event.part in self._gone
            self._gone.discard(event.part)
            return spoken
        now = self._monotonic()
        if now - self._told.get(event.part, -AGAIN_SECONDS) < AGAIN_SECONDS:
            return False
        self._told[event.part] = now
        self._gone.add(event.part)
        return True

    async def _say(self, text: str) -> None:
        speech = await self._output.synthesize(spoken_text(text))
        if speech is not None:
            await self._output.play(speech)
