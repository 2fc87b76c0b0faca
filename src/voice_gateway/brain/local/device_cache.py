"""Keeps the picture of the home: read at every change and at least every so often, swapped as a whole."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from voice_gateway.brain.local.home import Device, Home, build_home, name_key, parse_scenes
from voice_gateway.brain.local.read_home import read_home
from voice_gateway.brain.local.understanding import SCENE, Request
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import ToolOutcome

HomeReady = Callable[[], Awaitable[None]]


class DeviceCache:
    """`ready` waits for the servers that know the home; it is awaited only when an utterance needs them."""

    def __init__(self, executor: ToolExecutor, ready: HomeReady, refresh_seconds: float) -> None:
        self._executor = executor
        self._ready = ready
        self._refresh_seconds = refresh_seconds
        self._home: Home | None = None
        self.problem = ""  # why it could not be read, as its server said
        self._scenes: tuple[str, ...] = ()  # where nobody lists them: those that were met
        self._seen_version = -1
        self._changed = asyncio.Event()
        self._reading = asyncio.Lock()

    @property
    def home(self) -> Home:
        return self._home or Home()

    def changed(self) -> None:
        """Somebody announced a change: the names are read again soon."""
        self._changed.set()

    def devices_named(self, name: str) -> tuple[Device, ...]:
        """Every device that this name could mean, for permission."""
        return self.home.by_name.get(name_key(name), ())

    async def known(self) -> None:
        """Returns when the home is known, or cannot be."""
        await self._ready()
        if self._home is None or self._seen_version != self._executor.tools.version:
            await self.refresh()

    async def refresh(self) -> None:
        """A turn that is running keeps the picture it started with."""
        async with self._reading:
            self._seen_version = self._executor.tools.version
            read = await read_home(self._executor)
            if isinstance(read, str):
                # What was known stays known while the server is there: the devices will be, too.
                self.problem = read
                self._home = self._home if read else None
            else:
                self.problem = ""
                built = await asyncio.to_thread(build_home, *read)
                self._home = built if built.scenes_listed else built.with_scenes(self._scenes)

    async def keep_fresh(self) -> None:
        """Runs until it is cancelled."""
        while True:
            self._changed.clear()
            await self.refresh()
            try:
                async with asyncio.timeout(self._refresh_seconds) as limit:
                    await self._changed.wait()
            except TimeoutError:
                if not limit.expired():
                    raise

    def learn(self, requests: Sequence[Request], outcomes: Sequence[ToolOutcome]) -> None:
        """What a device has just confirmed is its state: "brighter" counts from there."""
        for request, outcome in zip(requests, outcomes, strict=False):
            facts = outcome.structured if isinstance(outcome.structured, Mapping) else {}
            state, word = facts.get("state"), facts.get("outcome")
            if request.device is not None and word == "confirmed" and isinstance(state, str):
                self._home = self.home.with_state(request.device, state)
            elif word in ("not_found", "ambiguous"):
                self.changed()
            if request.tool == SCENE:
                self._learn_scenes(request, facts)

    def _learn_scenes(self, request: Request, facts: Mapping[str, object]) -> None:
        """Where nobody lists them: what the server offers instead, and what it has started."""
        if self.home.scenes_listed:
            return
        told = parse_scenes(facts)
        if told is not None:
            self._scenes = tuple(told)
        elif facts.get("outcome") in ("confirmed", "working"):
            self._scenes = (str(request.args.get("sceneName")), *self._scenes)
        self._home = self.home.with_scenes(self._scenes)
