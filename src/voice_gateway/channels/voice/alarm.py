"""An alarm on the loudspeaker: at once, over everything else, and again and again until it is cancelled."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from voice_gateway.backoff import wait_at_most
from voice_gateway.speaking.earcons import Earcon, earcon
from voice_gateway.speaking.plain_text import spoken_text
from voice_gateway.turn import Speech

PAUSE_SECONDS = 3.0  # in which a wake word is heard well
POLITE_SECONDS = 15.0  # so long the next one waits for somebody who speaks to us
LOUDNESS = 0.7  # of the loudspeaker, at least, however quiet it was set


class AlarmOutput(Protocol):
    def hush(self) -> None: ...

    async def synthesize(self, text: str) -> Speech | None: ...


class Alarms:
    """Who else may play: nobody while one sounds; between two only answers."""

    def __init__(self, free: asyncio.Event) -> None:
        self._free = free  # nobody is being recorded
        self._lasting = 0
        self.over, self.silent = asyncio.Event(), asyncio.Event()
        self.over.set()
        self.silent.set()

    def keeps(self, *, answer: bool) -> bool:
        return not (self.silent if answer else self.over).is_set()

    async def let_pass(self, *, answer: bool) -> None:
        await (self.silent if answer else self.over).wait()

    def gain(self, wanted: float) -> float:
        return wanted if self.silent.is_set() else max(wanted, LOUDNESS)

    async def run(self, text: str, output: AlarmOutput, play: Callable[[Speech], Awaitable[object]]) -> None:
        self._lasting += 1
        self.over.clear()
        self.silent.clear()
        output.hush()
        try:
            await play(earcon(Earcon.ALARM))
            speech = await output.synthesize(spoken_text(text))
            while True:
                if speech is not None:
                    await play(speech)
                self.silent.set()
                await asyncio.sleep(PAUSE_SECONDS)
                await wait_at_most(self._free, POLITE_SECONDS)
                self.silent.clear()
                await play(earcon(Earcon.ALARM))
        finally:
            self._lasting -= 1
            if not self._lasting:
                self.over.set()
                self.silent.set()
