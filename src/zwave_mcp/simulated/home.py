"""A believable home without a broker: a Z-Wave network at the level of values, with its faults."""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from zwave_mcp.events import Report
from zwave_mcp.home import (
    ENDPOINT_NOT_FOUND,
    FAILED,
    INVALID_VALUE,
    NOT_IMPLEMENTED,
    PING_TIMEOUT_SECONDS,
    POLL_TIMEOUT_SECONDS,
    SNAPSHOT_MAX_AGE_SECONDS,
    WRITE_TIMEOUT_SECONDS,
    Health,
    NoAnswer,
    Node,
    Pace,
    Refused,
    Scene,
    SceneValue,
    Snapshot,
    Value,
    ValueId,
    WriteResult,
)
from zwave_mcp.simulated import values as made
from zwave_mcp.simulated.effects import FAKED, Moment, effect
from zwave_mcp.simulated.file import BadHome, DeviceSpec, HomeSpec, read_home
from zwave_mcp.simulated.firing import WHAT, fired, momentary
from zwave_mcp.simulated.network import SimulatedNetwork
from zwave_mcp.simulated.store import StateFile, Track

log = logging.getLogger(__name__)

_NO_ACK_SECONDS: Final = 1.0  # measured: a dead node's ping, and each of three tries of a write
_DEAD_WRITE_SECONDS: Final = 3.1
_WAKE_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.5  # how often the home file is looked at, and what others have let happen
_FOLLOW_SECONDS: Final = 0.2  # … while something moves, and somebody wants to hear of it
_STILL_SECONDS: Final = 5.0  # a home in which nothing was done or moves is made anew so often: sensors drift
_FIRST_GROUP: Final = 4096  # as the gateway numbers them
_NO_ACK: Final = "The node did not acknowledge the command (ZW0204)"


class SimulatedHome:
    """Implements `Home`. It makes nodes directly instead of JSON: what reads the gateway's JSON is proven
    with recorded traffic, and here it would only be undone again."""

    simulated = True
    pace = Pace()

    def __init__(
        self,
        home_file: Path | None = None,
        state_file: Path | None = None,
        *,
        faults: Mapping[str, frozenset[str]] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._file = home_file
        self._faults: dict[str, frozenset[Any]] = dict(faults or {})  # checked with the home
        self._clock = clock
        self._store = StateFile(state_file)
        self._listeners: list[Callable[[Snapshot], None]] = []
        self._followed = False
        self._report_listeners: list[Callable[[Report], None]] = []
        self._told_until = clock()  # what happened before is over
        self._last: tuple[int, float, float, Snapshot] | None = None
        self._began = clock()
        self.network = SimulatedNetwork(self)
        self._use(read_home(home_file))

    @property
    def spec(self) -> HomeSpec:
        return self._spec

    def _use(self, spec: HomeSpec) -> None:
        self._file_spec = spec
        devices = tuple(self._with_faults(device) for device in self.network.applied(spec.devices))
        self._spec = replace(spec, devices=devices)
        self._devices = {device.node: device for device in devices}
        self._values = {device.node: made.values_of(device) for device in devices}
        self._last = None

    def use_again(self) -> None:
        """Names, rooms or the set of devices are others now."""
        self._use(self._file_spec)

    @property
    def store(self) -> StateFile:
        return self._store

    def now(self) -> float:
        return self._clock()

    def _with_faults(self, device: DeviceSpec) -> DeviceSpec:
        added = self._faults.get(device.name.casefold(), frozenset())
        slow = device.slow_seconds or (3.0 if "slow" in added else 0.0)
        return replace(device, faults=device.faults | added, slow_seconds=slow)

    async def run(self) -> None:
        seen = self._changed_at()
        await self.snapshot(0)
        while True:
            await asyncio.sleep(_FOLLOW_SECONDS if self._followed and self._is_busy() else _LOOK_SECONDS)
            if self._followed:
                await self.snapshot(_STILL_SECONDS)
                self._report()
            now = self._changed_at()
            if now != seen:
                seen = now
                self.reload()
                await self.snapshot(0)

    def _is_busy(self) -> bool:
        """Something moves, or did a moment ago."""
        return self._last is not None and self._clock() < self._last[2] + _STILL_SECONDS

    def _changed_at(self) -> int | None:
        try:
            return self._file.stat().st_mtime_ns if self._file else None
        except OSError:
            return None

    def reload(self) -> None:
        """Take what its file says now."""
        try:
            self._use(read_home(self._file))
        except BadHome as error:
            log.warning("home file not used", extra={"error": str(error)})

    def follow(self) -> None:
        self._followed = True

    def on_report(self, listener: Callable[[Report], None]) -> None:
        self._report_listeners.append(listener)

    def _report(self) -> None:
        new = [(key, one) for key, one in self._store.read().items() if one.since > self._told_until]
        due = [(key, one) for key, one in new if one.since <= self._clock()]
        self._told_until = max((one.since for _, one in due), default=self._told_until)
        reports = [momentary(key, one) for key, one in due]
        for report in filter(None, reports):
            for listener in self._report_listeners:
                listener(report)

    def fire(self, name: str, what: str) -> None:
        """Lets something happen; ValueError says why it cannot."""
        found = [one for one in self._spec.devices if one.name.casefold() == name.strip().casefold()]
        if not found:
            raise ValueError(f"there is no device {name!r}")
        values = self._values[found[0].node]
        changes = fired(found[0].node, values, " ".join(what.casefold().split()), self._clock())
        if changes is None:
            raise ValueError(f"{what!r} cannot happen to the {found[0].name}; there is {WHAT}")
        self._store.write(changes)

    def watch(self, listener: Callable[[Snapshot], None]) -> None:
        self._listeners.append(listener)

    async def snapshot(self, max_age_seconds: float = SNAPSHOT_MAX_AGE_SECONDS) -> Snapshot:
        tracks = self._store.read()
        now = self._clock()
        if self.network.is_stale():
            self.use_again()
        if self._last is not None:
            version, made_at, settled, snapshot = self._last
            fresh = 0 <= now - made_at <= max_age_seconds and made_at >= settled
            if fresh and version == self._store.version:
                return snapshot
        nodes = tuple(self._node(device, tracks, now) for device in self._spec.devices)
        groups = enumerate(self._spec.groups, start=_FIRST_GROUP)
        snapshot = Snapshot((*nodes, *(Node(number, name, members=of) for number, (name, of) in groups)))
        unsettled = (track.settled_at() for track in tracks.values())
        self._last = self._store.version, now, max(unsettled, default=0.0), snapshot
        for listener in self._listeners:
            listener(snapshot)
        return snapshot

    def _node(self, device: DeviceSpec, tracks: Mapping[str, Track], now: float) -> Node:
        status = "Dead" if "dead" in device.faults else "Asleep" if "asleep" in device.faults else "Alive"
        values = tuple(self._seen(device, value, tracks, now) for value in self._values[device.node])
        built_for = made.CLASSES.get(device.kind)
        return Node(
            device.node,
            device.name,
            device.room,
            status,
            status != "Dead",
            values,
            "Simulated",
            classes={0: built_for} if built_for else {},
        )

    def _seen(self, device: DeviceSpec, value: Value, tracks: Mapping[str, Track], now: float) -> Value:
        """A value as the gateway shows it."""
        track = tracks.get(str(value.id))
        if device.kwh is not None and value.id == made.kwh_id(device):
            counted, told = self._counted(device, value, tracks, now)
            return replace(value, value=counted, updated=told)
        if track is not None:
            raw = track.believed(now) if now < track.wish_until else self._actual(device, value, tracks, now)
            return replace(value, value=raw, updated=min(now, track.since or now))
        raw = self._actual(device, value, tracks, now)
        drifted = made.drifting(value, "asleep" in device.faults, now) if device.kind == "sensor" else None
        return replace(value, value=raw, updated=drifted[1] if drifted else None)

    def _actual(self, device: DeviceSpec, value: Value, tracks: Mapping[str, Track], now: float) -> Any:
        """A value as the device itself has it."""
        track = tracks.get(str(value.id)) or self._way_to(device, value, tracks)
        if device.kwh is not None and value.id == made.kwh_id(device):
            return self._counted(device, value, tracks, now)[0]
        if device.kind == "thermostat":
            return self._climate(device, value, tracks, now)
        if (
            device.kind == "garage_door"
            and track is not None
            and track.since <= now < track.since + track.seconds
        ):
            return 254 if track.end == 255 else 252
        if track is not None:
            return track.at(now)
        if device.kind == "plug" and value.id.property_key == made.WATTS_KEY:
            state = self._find(device.node, made.state_id(device))
            return made.watts(
                device, state is not None and self._actual(device, state, tracks, now) is True, now
            )
        drifted = made.drifting(value, "asleep" in device.faults, now) if device.kind == "sensor" else None
        return drifted[0] if drifted else value.value

    def _counted(
        self, device: DeviceSpec, value: Value, tracks: Mapping[str, Track], now: float
    ) -> tuple[float, float]:
        """Of a meter: how much, and when it told so."""
        switched, state = tracks.get(str(value.id)), self._find(device.node, made.state_id(device))
        on = state is not None and self._actual(device, state, tracks, now) is True
        counted, since = (switched.end, switched.since) if switched else (value.value, self._began)
        return made.kwh(device, counted, on, since, now)

    @staticmethod
    def _way_to(device: DeviceSpec, value: Value, tracks: Mapping[str, Track]) -> Track | None:
        """Of the value that is written: where the state is on its way to."""
        state = made.state_id(device)
        moving = tracks.get(str(state)) if value.id == made.target_id(device) != state else None
        if moving is None:
            return None
        end = moving.end if moving.wish is None else moving.wish
        return Track(end, end)

    def _climate(self, device: DeviceSpec, value: Value, tracks: Mapping[str, Track], now: float) -> Any:
        track = tracks.get(str(value.id))
        if value.id == made.air_id(device) and track is not None:
            return made.room_temperature(track.start, track.end, track.since, now)
        if value.id.property == "state":
            return self._operating(device, tracks, now)
        return track.at(now) if track is not None else value.value

    def _operating(self, device: DeviceSpec, tracks: Mapping[str, Track], now: float) -> int:
        air = self._now(device, made.air_id(device), tracks, now)
        mode = self._now(device, made.mode_id(device), tracks, now)
        if mode == 1:
            return 1 if air < self._now(device, made.setpoint_id(device, 1), tracks, now) - 0.1 else 0
        if mode == 2:
            return 2 if air > self._now(device, made.setpoint_id(device, 2), tracks, now) + 0.1 else 0
        return 0

    def _now(self, device: DeviceSpec, value_id: ValueId, tracks: Mapping[str, Track], now: float) -> Any:
        value = self._find(device.node, value_id)
        return self._actual(device, value, tracks, now) if value is not None else None

    def _find(self, node: int, value_id: ValueId | None) -> Value | None:
        return next((value for value in self._values.get(node, ()) if value.id == value_id), None)

    async def write(
        self,
        value_id: ValueId,
        value: Any,
        timeout_seconds: float = WRITE_TIMEOUT_SECONDS,
        options: Mapping[str, Any] | None = None,
    ) -> WriteResult:
        device, target = self._devices.get(value_id.node_id), self._find(value_id.node_id, value_id)
        if device is None:
            return WriteResult(FAILED)
        if value_id.endpoint != 0:
            return WriteResult(ENDPOINT_NOT_FOUND, message=f"Endpoint {value_id.endpoint} does not exist")
        if target is None or not target.writeable:
            return WriteResult(NOT_IMPLEMENTED, message="The value cannot be set")
        if not made.acceptable(value_id, value):
            return WriteResult(INVALID_VALUE, message=f"{value!r} is not a value for it")
        if "dead" in device.faults:
            await self._wait(_DEAD_WRITE_SECONDS, timeout_seconds)
            return WriteResult(FAILED)
        delay = _WAKE_SECONDS if "asleep" in device.faults else device.slow_seconds
        if delay > timeout_seconds:
            # It is on its way and cannot be called back: it will happen after we stopped waiting.
            self._apply(device, value_id, value, delay, options)
        await self._wait(delay + self._radio_seconds(), timeout_seconds)
        return self._apply(device, value_id, value, options=options)

    async def take_back(self, value_id: ValueId, value: Any) -> bool:
        device = self._devices.get(value_id.node_id)
        if device is not None and "dead" not in device.faults:
            self._apply(device, value_id, value, device.slow_seconds)
        return True

    def _apply(
        self,
        device: DeviceSpec,
        value_id: ValueId,
        value: Any,
        delay: float = 0.0,
        options: Mapping[str, Any] | None = None,
    ) -> WriteResult:
        tracks, now = self._store.read(), self._clock()

        def actual(wanted: ValueId) -> Any:
            return self._now(device, wanted, tracks, now)

        changes, written = effect(device, value_id, value, Moment(actual, tracks, now + delay, options or {}))
        if device.faults & FAKED:
            self._store.write_passing(changes)
        else:
            self._store.write(changes)
        return written

    async def poll(self, value_id: ValueId, timeout_seconds: float = POLL_TIMEOUT_SECONDS) -> Any:
        device = self._devices.get(value_id.node_id)
        if device is None or self._find(value_id.node_id, value_id) is None:
            raise Refused(f"There is no value {value_id}")
        if "dead" in device.faults:
            await self._wait(_NO_ACK_SECONDS, timeout_seconds)
            raise Refused(_NO_ACK)
        delay = _WAKE_SECONDS if "asleep" in device.faults else device.slow_seconds
        await self._wait(delay + self._radio_seconds(), timeout_seconds)
        tracks, now = self._store.read(), self._clock()
        track = tracks.get(str(value_id))
        if track is not None and now < track.wish_until:
            # The driver takes the answer over: what it only believed is forgotten.
            self._store.write_passing({str(value_id): replace(track, wish=None, wish_until=0.0)})
        return self._now(device, value_id, tracks, now)

    async def ping(self, node_id: int, timeout_seconds: float = PING_TIMEOUT_SECONDS) -> bool:
        device = self._devices.get(node_id)
        if device is None or "dead" in device.faults:
            await self._wait(_NO_ACK_SECONDS, timeout_seconds)
            return False
        await self._wait(device.slow_seconds + self._radio_seconds(), timeout_seconds)
        return True

    async def scenes(self) -> tuple[Scene, ...]:
        return tuple(
            Scene(place, scene.name, tuple(self._scene_values(scene.states)))
            for place, scene in enumerate(self._spec.scenes, start=1)
        )

    def _scene_values(self, states: tuple[tuple[int, Any], ...]) -> list[SceneValue]:
        targets = ((made.target_id(self._devices[node]), value) for node, value in states)
        return [SceneValue(target, value) for target, value in targets if target is not None]

    async def activate_scene(self, scene_id: int) -> None:
        await asyncio.sleep(self._radio_seconds())
        scene = next((one for one in await self.scenes() if one.id == scene_id), None)
        if scene is None:
            raise Refused("No scene found with given sceneid")
        for wanted in scene.values:
            device = self._devices[wanted.id.node_id]
            if "dead" not in device.faults:
                self._apply(device, wanted.id, wanted.value, device.slow_seconds)

    async def health(self) -> Health:
        return Health(ok=True, simulated=True, driver=True, gateway_name="simulated")

    def _radio_seconds(self) -> float:
        return self._spec.radio_seconds * random.uniform(0.7, 1.4)

    async def _wait(self, seconds: float, timeout_seconds: float) -> None:
        await asyncio.sleep(min(seconds, timeout_seconds))
        if seconds > timeout_seconds:
            raise NoAnswer("The device has not answered; it may still happen.")
