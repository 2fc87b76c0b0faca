"""The home of the gateway and its cache, for the stage that understands without a model."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar

from voice_gateway.brain.local.device_cache import Change, DeviceCache, HomeReady
from voice_gateway.brain.local.fitting import Fitting, devices_in
from voice_gateway.brain.local.meaning import Context, Request
from voice_gateway.brain.local.understand import Reader
from voice_gateway.config import BrainSettings, HomeSettings
from voice_gateway.integrations.home import Home
from voice_gateway.integrations.sources import Sources
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.permission.target import Reach
from voice_gateway.tools.traits import qualified_name, traits
from voice_gateway.turn import ToolCall, ToolOutcome, ToolTraits, Utterance

LARGE = 200  # devices: from here on understanding may take longer than a frame of sound

ToolReady = Callable[[str], Awaitable[None]]  # returns when it is decided whose tool this name means
P = ParamSpec("P")
R = TypeVar("R")


async def _at_once() -> None:
    """For a home that needs no waiting."""


class LocalBrain:
    """What the stage knows of the home."""

    name = "local"

    def __init__(
        self,
        executor: ToolExecutor,
        settings: BrainSettings,
        *,
        home_ready: HomeReady = _at_once,
        tool_ready: ToolReady | None = None,
        home: HomeSettings | None = None,
        sources: Sources | None = None,
        about: Any = None,
        now: Callable[[], float] = time.time,
        place: Place | None = None,  # where the home stands; without it nothing is kept for later
    ) -> None:
        self._tool_ready = tool_ready
        self._executor = executor
        self._settings = settings
        self._now, self._place = now, place
        self._cache = DeviceCache(
            executor, home_ready, settings.refresh_seconds, settings=home, sources=sources, now=now
        )
        self._warm = False

    @property
    def home(self) -> Home:
        return self._cache.home

    def home_changed(self) -> None:
        """Somebody announced a change of the devices: they are read again soon."""
        self._cache.changed()

    @property
    def home_servers(self) -> frozenset[str]:
        return self._cache.servers()

    def reach(self, call: ToolCall, known: ToolTraits) -> Reach | None:
        """What a call would touch in the home, for permission."""
        return self._cache.reach(call, known)

    def acted(self, outcome: ToolOutcome) -> None:
        """Somebody's call may have changed the home: it is read again soon."""
        self._cache.acted(outcome)

    def subscribe(self, callback: Callable[[Change], None]) -> None:
        """Told of every device whose state is another than it was."""
        self._cache.subscribe(callback)

    def look_on(self, callback: Callable[[], None]) -> None:
        """Called whenever the home may look otherwise than before."""
        self._cache.look_on(callback)

    async def refresh(self) -> None:
        await self._cache.refresh()

    async def known(self) -> None:
        """Returns when the home is known, or cannot be."""
        await self._cache.known()

    async def keep_fresh(self) -> None:
        """A long task: reads the home at every change and at least every `refresh_seconds`."""
        await asyncio.to_thread(self._warm_up)
        await self._cache.keep_fresh()

    def _warm_up(self) -> None:
        """A grammar is parsed by its first use: not by a user's."""

    def fitting(self, utterance: Utterance, before: str) -> Fitting:
        """Whether a model's call is what these words mean, behind those before them."""
        room, home = utterance.room or self._settings.room, self.home
        tools = self._executor.tools
        names = frozenset(
            name
            for tool in tools.all()
            for name in (
                traits(tool).original_name or tool.name,
                tools.offered_name(tool),
                qualified_name(tool),
            )
        )
        language = self._settings.language.replace("_", "-").split("-")[0].lower()
        reader = Reader(Context(home, room, devices_in(before, home), tools=names), language)
        return Fitting(utterance.text, reader, self._reach_of)

    def _reach_of(self, request: Request) -> Reach | None:
        tool = self._executor.tools.find(request.tool)
        known = traits(tool) if tool is not None else ToolTraits()
        return self._cache.reach(ToolCall("", request.tool, dict(request.args)), known)

    async def _off_the_loop(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The first use parses a grammar, and a large home takes a while: both would hold up the sound."""
        if self._warm and len(self.home.devices) <= LARGE:
            return work(*args, **kwargs)
        result = await asyncio.to_thread(work, *args, **kwargs)
        self._warm = True
        return result
