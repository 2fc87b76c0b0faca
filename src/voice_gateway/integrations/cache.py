"""The cached home with the devices of all sources: read again after changes and at intervals."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from home_names.names import name_key
from voice_gateway.backoff import wait_at_most
from voice_gateway.config import HomeSettings
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, Request, build_home
from voice_gateway.integrations.source import HomeSource, Listing
from voice_gateway.integrations.sources import Sources
from voice_gateway.integrations.zwave import RENAME
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.permission.target import Reach
from voice_gateway.turn import OutcomeStatus, ToolCall, ToolOutcome, ToolTraits

HomeReady = Callable[[], Awaitable[None]]

FRESH_SECONDS = 1.0  # a list that was read so lately has every name that was given


@dataclass(frozen=True, slots=True)
class Change:
    """A device whose state or readings changed."""

    device: Device  # as it is now
    before: str
    after: str
    readings: tuple[str, ...] = ()  # what it measured before


class HomeCache:
    """`ready` waits for the servers that know the home; it is awaited only when an utterance needs them.

    `build` runs in a thread: it takes a while for a large home. Each source may fail alone: what was known of
    its devices stays known while its server is there.
    """

    def __init__(
        self,
        executor: ToolExecutor,
        ready: HomeReady,
        refresh_seconds: float,
        *,
        settings: HomeSettings | None = None,
        sources: Sources | None = None,
        build: Callable[..., Home] = build_home,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._now = now
        self._read_at = float("-inf")
        self._executor = executor
        self._build = build
        self._ready = ready
        self._refresh_seconds = refresh_seconds
        self._settings = settings or HomeSettings()
        self._home: Home | None = None
        self.problems: dict[str, str] = {}  # by source: why it could not be read, as its server said
        self._all = sources or Sources(executor)
        self._sources: tuple[HomeSource, ...] = ()
        self._listings: dict[str, Listing] = {}
        self._seen_version = -1
        self._stale = False  # a name is known to be another one now
        self._changed = asyncio.Event()
        self._reading = asyncio.Lock()
        self._listeners: list[Callable[[Change], None]] = []
        self._onlookers: list[Callable[[], None]] = []

    @property
    def home(self) -> Home:
        return self._home or Home()

    @property
    def problem(self) -> str:
        """Why no device is known."""
        return " ".join(filter(None, self.problems.values())) or self._all.trouble()

    def changed(self) -> None:
        """Have the home read again soon, because a source announced a change."""
        self._changed.set()

    def subscribe(self, callback: Callable[[Change], None]) -> None:
        """Call `callback` for every device whose state changed between two reads, or by an act."""
        self._listeners.append(callback)

    def look_on(self, callback: Callable[[], None]) -> None:
        """Call `callback` after every read: states, readings or the devices may have changed."""
        self._onlookers.append(callback)

    def servers(self) -> frozenset[str]:
        """The names of the servers that have devices."""
        return frozenset(source.name for source in self._all.all())

    def reach(self, call: ToolCall, traits: ToolTraits) -> Reach | None:
        """What this call would touch, for permission. Its own server's list says what it takes a name for:
        what another calls a lamp may be the garage door there."""
        source = next((each for each in self._all.all() if each.name == traits.source), None)
        if source is None:
            return None
        return source.reach(traits.original_name or call.name, call.arguments) or Reach()

    async def known(self) -> None:
        """Returns when the home is known, or cannot be."""
        await self._ready()
        if not self.settled:
            await self.refresh()

    @property
    def settled(self) -> bool:
        """Whether the home is known, and no name or tool has changed since."""
        same = self._seen_version == self._executor.tools.version
        return self._home is not None and same and not self._stale

    async def refresh(self) -> None:
        """Read all sources. A running turn keeps the home it started with."""
        async with self._reading:
            version, self._stale = self._executor.tools.version, False
            self._sources = self._all.all()
            reads = await asyncio.gather(*(source.read() for source in self._sources))
            before, self._read_at = dict(self._listings), self._now()
            self._take(dict(zip((source.name for source in self._sources), reads, strict=True)))
            if self._home is None or self._listings != before or self._home.sources != self._sources:
                await self._rebuild()
            elif self._home.told:
                self._swap(replace(self._home, told={}))
            self._seen_version = version  # not earlier: `known` waits for a read that has begun

    async def looked_again(self) -> bool:
        """Read again, unless just read; returns whether anything changed."""
        before = self._listings
        if self._now() - self._read_at < FRESH_SECONDS:
            return False
        await self.refresh()
        return self._listings != before

    def _take(self, reads: Mapping[str, Listing | str]) -> None:
        """Keep the last listing of a source that could not be read; drop that of one that is not there."""
        self.problems = {name: read for name, read in reads.items() if isinstance(read, str)}
        self._listings = {
            name: known
            for name, read in reads.items()
            if read and (known := self._listings.get(name) if isinstance(read, str) else read)
        }

    async def _rebuild(self) -> None:
        if not self._listings:
            self._home = None
            self._show()
            return
        listed = [device for listing in self._listings.values() for device in listing.devices]
        # A device that the preferred server has too, by name and room, is known there only.
        prefer = self._settings.prefer
        theirs = {_place(device) for device in listed if device.source == prefer}
        devices = [device for device in listed if device.source == prefer or _place(device) not in theirs]
        scenes = {
            scene: name for name, listing in reversed(self._listings.items()) for scene in listing.scenes
        }
        self._swap(await asyncio.to_thread(self._build, devices, scenes, self._sources, prefer or ""))

    def _swap(self, home: Home) -> None:
        before, self._home = self._home or Home(), home
        known = {device.key: device for device in before.devices}
        both = ((known[device.key], device) for device in home.devices if device.key in known)
        seen = [
            (device, before.state_of(then), home.state_of(device), then.readings) for then, device in both
        ]
        self._show(*(Change(*each) for each in seen if each[1] != each[2] or each[3] != each[0].readings))

    def _show(self, *changes: Change) -> None:
        for change in changes:
            for listener in self._listeners:
                listener(change)
        for onlooker in self._onlookers:
            onlooker()

    async def keep_fresh(self) -> None:
        """Runs until it is cancelled."""
        while True:
            self._changed.clear()
            began = asyncio.get_running_loop().time()
            await self.refresh()
            polled = any(source.polled for source in self._sources)
            # A large home may report all the time: reading it must leave time for everything else.
            await asyncio.sleep(asyncio.get_running_loop().time() - began)
            seconds = self._settings.poll_seconds if polled else self._refresh_seconds
            await wait_at_most(self._changed, seconds)

    def learn(self, requests: Sequence[Request], outcomes: Sequence[ToolOutcome]) -> None:
        """Take confirmed states from outcomes: "brighter" counts from there."""
        for request, outcome in zip(requests, outcomes, strict=False):
            state, status = outcome.facts.get("state"), outcome.status
            known = status in (OutcomeStatus.CONFIRMED, OutcomeStatus.READ)
            if request.device is not None and known and isinstance(state, str):
                before, self._home = (
                    self.home.state_of(request.device),
                    self.home.with_state(request.device, state),
                )
                if before != state:
                    self._show(Change(request.device, before, state, request.device.readings))
            elif status in (OutcomeStatus.NOT_FOUND, OutcomeStatus.AMBIGUOUS):
                self._renamed()
            if outcome.ok and request.tool.endswith(RENAME):
                self._renamed()

    def acted(self, outcome: ToolOutcome) -> None:
        """Have the home read again after a call that may have changed something."""
        if outcome.read_only or not outcome.ran:
            return
        self.changed()
        if outcome.name.endswith(RENAME):
            self._renamed()

    def _renamed(self) -> None:
        """Read the list before the next name is resolved."""
        self._stale = True
        self.changed()


def _place(device: Device) -> tuple[str, str]:
    return name_key(device.name), name_key(device.room)
