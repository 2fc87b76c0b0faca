"""Keeps the picture of the home: read at every change and at least every so often, swapped as a whole."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence

from voice_gateway.brain.local.meaning import Request
from voice_gateway.homes.device import Device
from voice_gateway.homes.home import Home, build_home
from voice_gateway.homes.listed import read_devices, read_scenes
from voice_gateway.homes.zwave import CONTROL, LIST, LIST_ARGS, SCENE
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import traits
from voice_gateway.turn import OutcomeStatus, ToolCall, ToolOutcome, new_id

log = logging.getLogger(__name__)

MOST_PAGES = 50  # of 100 devices: more than a Z-Wave network can hold

HomeReady = Callable[[], Awaitable[None]]


class DeviceCache:
    """`ready` waits for the servers that know the home; it is awaited only when an utterance needs them.

    `build` runs in a thread: it takes a while for a large home.
    """

    def __init__(
        self,
        executor: ToolExecutor,
        ready: HomeReady,
        refresh_seconds: float,
        *,
        build: Callable[..., Home] = build_home,
    ) -> None:
        self._executor = executor
        self._build = build
        self._ready = ready
        self._refresh_seconds = refresh_seconds
        self._home: Home | None = None
        self.problem = ""  # why it could not be read, as its server said
        self._scenes: tuple[str, ...] = ()  # where nobody lists them: those that were met
        self._listed_by = ""  # the server that the home was read from
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
        """Every device that its server could take this name for, for permission. None if somebody else than
        the server that acts has listed them: what that calls a lamp may be the garage door."""
        acting = self._executor.tools.find(CONTROL)
        if acting is not None and traits(acting).source != self._listed_by:
            return ()
        return self.home.names.could_mean(name)

    async def known(self) -> None:
        """Returns when the home is known, or cannot be."""
        await self._ready()
        if self._home is None or self._seen_version != self._executor.tools.version:
            await self.refresh()

    async def refresh(self) -> None:
        """A turn that is running keeps the picture it started with."""
        async with self._reading:
            self._seen_version = self._executor.tools.version
            listing = self._executor.tools.find(LIST)
            read = await _read_home(self._executor)
            if isinstance(read, str):
                # What was known stays known while the server is there: the devices will be, too.
                self.problem = read
                self._home = self._home if read else None
            else:
                self.problem = ""
                self._listed_by = traits(listing).source if listing is not None else ""
                built = await asyncio.to_thread(self._build, *read)
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
            state, status = outcome.facts.get("state"), outcome.status
            known = status in (OutcomeStatus.CONFIRMED, OutcomeStatus.READ)
            if request.device is not None and known and isinstance(state, str):
                self._home = self.home.with_state(request.device, state)
            elif status in (OutcomeStatus.NOT_FOUND, OutcomeStatus.AMBIGUOUS):
                self.changed()
            if request.tool == SCENE:
                self._learn_scenes(request, outcome)

    def _learn_scenes(self, request: Request, outcome: ToolOutcome) -> None:
        """Where nobody lists them: what the server offers instead, and what it has started."""
        if self.home.scenes_listed:
            return
        told = read_scenes(outcome.facts)
        if told is not None:
            self._scenes = tuple(told)
        elif outcome.status in (OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING):
            self._scenes = (str(request.args.get("sceneName")), *self._scenes)
        self._home = self.home.with_scenes(self._scenes)


async def _read_home(executor: ToolExecutor) -> tuple[list[Device], list[str] | None] | str:
    """All devices, and the scenes if it tells them; or what is wrong, as it says ("" without such a tool)."""
    if executor.tools.find(LIST) is None:
        return ""
    devices: list[Device] = []
    scenes: list[str] | None = None
    for _ in range(MOST_PAGES):
        call = ToolCall(new_id(), LIST, {**LIST_ARGS, "offset": len(devices)})
        outcome = await executor.execute(call)
        if not outcome.ok:
            log.warning("the devices could not be read", extra={"reason": outcome.text})
            return outcome.text.removeprefix("Error: ")
        page = read_devices(outcome.structured)
        devices += page
        scenes = scenes or read_scenes(outcome.structured)
        total = outcome.structured.get("total") if isinstance(outcome.structured, Mapping) else None
        if not page or not isinstance(total, int) or len(devices) >= total:
            return devices, scenes
    log.warning("the list of devices does not end", extra={"devices": len(devices)})
    return devices, scenes
