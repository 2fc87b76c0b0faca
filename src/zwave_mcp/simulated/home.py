"""A believable home without a broker: a Z-Wave network at the level of values, with its faults."""

import asyncio
import json
import logging
import math
import random
import re
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from zwave_mcp.database import opened
from zwave_mcp.devices import CC, HIGHEST_LEVEL, JAMMED, LAST_LEVEL
from zwave_mcp.home import (
    GatewayError,
    Health,
    LockUser,
    NoAnswer,
    Node,
    Report,
    Scene,
    SceneValue,
    Snapshot,
    Status,
    Timing,
    Value,
    ValueId,
    WriteResult,
    is_number,
)
from zwave_mcp.simulated import values as made
from zwave_mcp.simulated.file import DeviceSpec, HomeSpec, read_home

log = logging.getLogger(__name__)

_NO_ACK_SECONDS: Final = 1.0  # measured: a dead node's ping, and each of three tries of a write
_DEAD_WRITE_SECONDS: Final = 3.1
_WAKE_SECONDS: Final = 60.0
_JAM_SECONDS: Final = 0.8
_LOOK_SECONDS: Final = 0.5  # how often the state file is looked at
_FOLLOW_SECONDS: Final = 0.2  # the same while something moves and changes are followed
_FIRST_GROUP: Final = 4096  # as the gateway numbers them
_NAME_OF: Final = "name of "
_BOLT_SECONDS: Final = 0.3
_WARMING_SECONDS: Final = 1200.0  # until a room has the wished temperature
_OFF_TEMPERATURE: Final = 17.0
_FAKED: Final = frozenset({"jams", "optimistic"})  # a command is acknowledged, and changes nothing
_REMEMBERS: Final = frozenset({"dimmer", "light", "fan"})  # 255 means "as bright as it was"
_PRESSES: Final = {
    "pressed": 0, "released": 1, "held": 2, "pressed twice": 3, "pressed three times": 4,
}  # fmt: skip
_PRESS: Final = re.compile(rf"(?:button )?(?P<button>[1-8]) (?P<how>{'|'.join(reversed(_PRESSES))})")
_LOCK: Final = re.compile(r"(?P<state>locked|unlocked)(?: by (?P<user>\d{1,3}))?")
FIRED: Final = (
    "smoke, carbon_monoxide, water or tamper (and each with “off” behind it), open, closed, battery low, "
    "2 pressed, 2 pressed twice, 2 held, locked, unlocked by 3"
)
_NO_ACK: Final = "The node did not acknowledge the command (ZW0204)"


# --- what the devices do, kept in an SQLite file that several servers may share
#
# A value is kept as a movement: from where, to where, since when, how long. So every process computes the
# same present from the same file, and nothing has to run meanwhile.

_BUSY_SECONDS: Final = 5.0
_TABLE: Final = "create table if not exists moves (key text primary key, track text not null) without rowid"


@dataclass(frozen=True, slots=True)
class Track:
    """A movement of a value."""

    start: Any
    end: Any
    since: float = 0.0  # seconds since 1970
    seconds: float = 0.0

    def at(self, now: float) -> Any:
        if now < self.since:
            return self.start
        if now >= self.since + self.seconds:
            return self.end
        if not (is_number(self.start) and is_number(self.end)):
            return self.start
        return round(self.start + (self.end - self.start) * (now - self.since) / self.seconds, 1)


class StateFile:
    """The kept movements; the last writer of a value wins. Path None, or one that cannot be written: in
    memory."""

    def __init__(self, path: Path | None) -> None:
        self._base = _opened(path)
        self._seen: int | None = None
        self._tracks: dict[str, Track] = {}
        self.version = 0

    def read(self) -> Mapping[str, Track]:
        (changed,) = self._base.execute("pragma data_version").fetchone()
        if changed != self._seen:  # another process has written
            self._seen = changed
            rows = self._base.execute("select key, track from moves")
            self._tracks = {key: Track(**json.loads(track)) for key, track in rows}
            self.version += 1
        return self._tracks

    def write(self, changes: Mapping[str, Track]) -> None:
        self.version += 1
        rows = [(key, json.dumps(asdict(track))) for key, track in changes.items()]
        with self._base:
            self._base.execute("begin immediate")
            self._base.executemany("insert or replace into moves values (?, ?)", rows)
        self._tracks = {**self._tracks, **changes}


def _opened(path: Path | None) -> sqlite3.Connection:
    try:
        return opened(path, _TABLE, _BUSY_SECONDS)
    except (sqlite3.OperationalError, OSError) as error:
        log.warning("simulated state is not kept", extra={"file": str(path), "error": str(error)})
        return opened(None, _TABLE, _BUSY_SECONDS)
    except sqlite3.DatabaseError as error:
        log.warning("simulated state is unreadable", extra={"file": str(path), "error": str(error)})
        if path is not None:
            path.unlink()
        return opened(path, _TABLE, _BUSY_SECONDS)


# --- the home


class SimulatedHome:
    """Implements `Home`."""

    simulated = True
    timing = Timing()

    def __init__(
        self,
        home: Path | HomeSpec | None = None,
        state_file: Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.spec = home if isinstance(home, HomeSpec) else read_home(home)
        self._devices = {device.node: device for device in self.spec.devices}
        self._values = {
            device.node: {value.id: value for value in made.values_of(device)} for device in self.spec.devices
        }
        self._clock = clock
        self._store = StateFile(state_file)
        self._listeners: list[Callable[[Snapshot], None]] = []
        self._report_listeners: list[Callable[[Report], None]] = []
        self._followed = False
        self._began = self._reported_until = clock()
        self._last: tuple[int, float, float, Snapshot] | None = None  # version, when, settled at
        self._jams: dict[int, float] = {}  # lock -> since when, in this process

    # --- changes

    async def run(self) -> None:
        await self.snapshot(0)
        while True:
            moving = self._last is not None and self._clock() < self._last[2] + _LOOK_SECONDS
            await asyncio.sleep(_FOLLOW_SECONDS if self._followed and moving else _LOOK_SECONDS)
            if self._followed:
                await self.snapshot(math.inf)
                self._report()

    def follow(self) -> None:
        self._followed = True

    def on_snapshot(self, listener: Callable[[Snapshot], None]) -> None:
        self._listeners.append(listener)

    def on_report(self, listener: Callable[[Report], None]) -> None:
        self._report_listeners.append(listener)

    def _report(self) -> None:
        until, now = self._reported_until, self._clock()
        due = [(key, item) for key, item in self._store.read().items() if until < item.since <= now]
        self._reported_until = max((item.since for _, item in due), default=until)
        for report in filter(None, (momentary(key, item) for key, item in due)):
            for listener in self._report_listeners:
                listener(report)

    def fire(self, name: str, what: str) -> None:
        """Let an event happen; ValueError says why it cannot."""
        wanted = name.strip().casefold()
        tracks = self._store.read()
        named = (item for item in self.spec.devices if _called(item, tracks)[0].casefold() == wanted)
        if (device := next(named, None)) is None:
            raise ValueError(f"there is no device {name!r}")
        values = tuple(self._values[device.node].values())
        changes = fired(device.node, values, " ".join(what.casefold().split()), self._clock())
        if changes is None:
            raise ValueError(f"{what!r} cannot happen to the {device.name}; there is {FIRED}")
        self._store.write(changes)

    # --- the present

    async def snapshot(self, max_age_seconds: float = 1.0) -> Snapshot:
        tracks, now = self._store.read(), self._clock()
        if self._last is not None:
            version, made_at, settled, snapshot = self._last
            fresh = 0 <= now - made_at <= max_age_seconds and made_at >= settled
            if fresh and version == self._store.version:
                return snapshot
        nodes = [self._node(device, tracks, now) for device in self.spec.devices]
        groups = enumerate(self.spec.groups, start=_FIRST_GROUP)
        snapshot = Snapshot((*nodes, *(Node(number, name, members=of) for number, (name, of) in groups)))
        settled = max((track.since + track.seconds for track in tracks.values()), default=0.0)
        self._last = self._store.version, now, settled, snapshot
        for listener in self._listeners:
            listener(snapshot)
        return snapshot

    def _node(self, device: DeviceSpec, tracks: Mapping[str, Track], now: float) -> Node:
        status = "Dead" if "dead" in device.faults else "Asleep" if "asleep" in device.faults else "Alive"
        built_for = made.CLASSES.get(device.kind)
        values = []
        for value in self._values[device.node].values():
            raw, updated = self._actual(device, value.id, tracks, now)
            values.append(replace(value, value=raw, updated=updated))
        there, classes = status != "Dead", {0: built_for} if built_for else {}
        name, room = _called(device, tracks)
        of = device.node, name, room, status, there
        return Node(*of, tuple(values), "Simulated", classes=classes)

    def _actual(
        self, device: DeviceSpec, value_id: ValueId, tracks: Mapping[str, Track], now: float
    ) -> tuple[Any, float | None]:
        """A value as the device has it, and when it was reported."""
        value, state = self._values[device.node].get(value_id), made.state_id(device)
        if value is None:
            return None, None
        track, moving = tracks.get(str(value_id)), tracks.get(str(state))
        if track is None and value_id == made.target_id(device) != state and moving is not None:
            track = Track(moving.end, moving.end)  # where the state is on its way to
        if device.kind == "plug" and state is not None and value_id.command_class == CC.METER:
            on = self._actual(device, state, tracks, now)[0] is True
            if value_id == made.at(device.node, "watts"):
                return device.watts if on else 0.0, None
            counted, since = (track.end, track.since) if track else (device.kwh or 0.0, self._began)
            return made.kwh(device, counted, on, since, now)
        if device.kind == "lock" and value_id == made.at(device.node, "jam"):
            jam = self._jams.get(device.node, now + 1)
            over = now < jam or (moving is not None and moving.since > jam)
            return (0, None) if over else (JAMMED, jam)
        if track is None:
            return value.value, None
        raw = track.at(now)
        if device.kind == "garage_door" and track.since <= now < track.since + track.seconds:
            raw = 254 if track.end == 255 else 252
        return raw, min(now, track.since or now)

    # --- calls

    async def write(
        self,
        value_id: ValueId,
        value: Any,
        timeout_seconds: float = 10.0,
        options: Mapping[str, Any] | None = None,
    ) -> WriteResult:
        device = self._devices.get(value_id.node_id)
        if device is None:
            return WriteResult(Status.FAILED)
        target = self._values[device.node].get(value_id)
        if target is None or not target.writeable:
            return WriteResult(Status.NOT_IMPLEMENTED, message="The value cannot be set")
        if "dead" in device.faults:
            await _wait(_DEAD_WRITE_SECONDS, timeout_seconds)
            return WriteResult(Status.FAILED)
        delay, options = _delay(device), options or {}
        if delay > timeout_seconds:  # it is on its way, and happens after the caller stopped waiting
            self._apply(device, value_id, value, delay, **options)
        await _wait(delay + self._radio_seconds(), timeout_seconds)
        return self._apply(device, value_id, value, **options)

    def _apply(
        self, device: DeviceSpec, value_id: ValueId, value: Any, delay: float = 0.0, **options: Any
    ) -> WriteResult:
        tracks, now = self._store.read(), self._clock()
        arrival = Arrival(
            lambda wanted: self._actual(device, wanted, tracks, now)[0], tracks, now + delay, options
        )
        changes, written = effect(device, value_id, value, arrival)
        if device.kind == "lock" and "jams" in device.faults:
            self._jams[device.node] = now + _JAM_SECONDS
        self._store.write(changes)
        return written

    async def take_back(self, value_id: ValueId, value: Any) -> bool:
        device = self._devices.get(value_id.node_id)
        if device is not None and "dead" not in device.faults:
            self._apply(device, value_id, value, device.slow_seconds)
        return True

    async def poll(self, value_id: ValueId, timeout_seconds: float = 4.0) -> Any:
        device = self._devices.get(value_id.node_id)
        if device is None or value_id not in self._values[device.node]:
            raise GatewayError(f"There is no value {value_id}")
        if "dead" in device.faults:
            await _wait(_NO_ACK_SECONDS, timeout_seconds)
            raise GatewayError(_NO_ACK)
        await _wait(_delay(device) + self._radio_seconds(), timeout_seconds)
        return self._actual(device, value_id, self._store.read(), self._clock())[0]

    async def ping(self, node_id: int, timeout_seconds: float = 4.0) -> bool:
        device = self._devices.get(node_id)
        if device is None or "dead" in device.faults:
            await _wait(_NO_ACK_SECONDS, timeout_seconds)
            return False
        await _wait(device.slow_seconds + self._radio_seconds(), timeout_seconds)
        return True

    async def scenes(self) -> tuple[Scene, ...]:
        scenes = []
        for number, (name, states) in enumerate(self.spec.scenes, start=1):
            targets = [(made.target_id(self._devices[node]), value) for node, value in states]
            values = tuple(SceneValue(target, value) for target, value in targets if target is not None)
            scenes.append(Scene(number, name, values))
        return tuple(scenes)

    async def activate_scene(self, scene_id: int) -> None:
        await asyncio.sleep(self._radio_seconds())
        scene = next((item for item in await self.scenes() if item.id == scene_id), None)
        if scene is None:
            raise GatewayError("No scene found with given sceneid")
        for wanted in scene.values:
            device = self._devices[wanted.id.node_id]
            if "dead" not in device.faults:
                self._apply(device, wanted.id, wanted.value, device.slow_seconds)

    async def lock_users(self, node_id: int) -> tuple[LockUser, ...]:
        device = self._devices[node_id]
        if device.faults & {"dead", "asleep"}:
            raise NoAnswer("The lock has not answered.")
        return tuple(LockUser(place, True, name) for place, name in enumerate(device.users, start=1))

    async def rename(self, node_id: int, name: str | None, room: str | None) -> None:
        known = _called(self._devices[node_id], self._store.read())
        called = [old if new is None else new for old, new in zip(known, (name, room), strict=True)]
        self._store.write({f"{_NAME_OF}{node_id}": Track(None, called)})

    async def health(self) -> Health:
        return Health(ok=True, simulated=True, driver=True, gateway_name="simulated")

    def _radio_seconds(self) -> float:
        return self.spec.home.radio_seconds * random.uniform(0.7, 1.4)


def _called(device: DeviceSpec, tracks: Mapping[str, Track]) -> list[str]:
    """The device's name and room, which may have been changed since the home file was read."""
    track = tracks.get(f"{_NAME_OF}{device.node}")
    return list(track.end) if track else [device.name, device.room]


def _delay(device: DeviceSpec) -> float:
    return _WAKE_SECONDS if "asleep" in device.faults else device.slow_seconds


async def _wait(seconds: float, timeout_seconds: float) -> None:
    await asyncio.sleep(min(seconds, timeout_seconds))
    if seconds > timeout_seconds:
        raise NoAnswer("The device has not answered; it may still happen.")


# --- what a device does with a value that is written to it, and with what is fired at it

Changes = dict[str, Track]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A value arrives at a device: when, and how things stand then."""

    actual: Callable[[ValueId], Any]
    tracks: Mapping[str, Track]
    now: float
    options: Mapping[str, Any] = field(default_factory=dict)


def effect(
    device: DeviceSpec, value_id: ValueId, value: Any, arrival: Arrival
) -> tuple[Changes, WriteResult]:
    """The movements that begin, and what the gateway is told."""
    if device.faults & _FAKED:
        jams = "jams" in device.faults and device.supervised
        return {}, WriteResult(Status.WORKING, 1.0) if jams else WriteResult(Status.ACKNOWLEDGED)
    own = {"thermostat": _climate, "chime": _sound, "siren": _sound}.get(device.kind)
    changes = (own or _moving)(device, value_id, value, arrival)
    seconds = max((track.seconds for track in changes.values()), default=0.0)
    if device.supervised and seconds > 0.05:
        return changes, WriteResult(Status.WORKING, round(max(seconds, 1.0), 1))
    return changes, WriteResult(Status.CONFIRMED if device.supervised else Status.ACKNOWLEDGED)


def _moving(device: DeviceSpec, value_id: ValueId, value: Any, arrival: Arrival) -> Changes:
    if value_id.property == "targetColor":
        return _colour(device, value, arrival)
    if (state := made.state_id(device)) is None:
        return {}
    before, now = arrival.actual(state), arrival.now
    if device.kind == "lock":
        return {str(state): Track(before, value, now + _BOLT_SECONDS)}
    if isinstance(value, bool) and device.kind not in ("switch", "plug"):  # Up, Down, On, Off; false stops
        end = {"Up": HIGHEST_LEVEL, "On": HIGHEST_LEVEL}.get(str(value_id.property), 0) if value else before
        return {str(state): Track(before, end, now, _travel(device, before, end))}
    return _level(device, value, state, arrival)


def _travel(device: DeviceSpec, before: Any, value: Any) -> float:
    whole = LAST_LEVEL if device.kind == "garage_door" else HIGHEST_LEVEL
    return device.move_seconds * abs(int(value) - int(before)) / whole


def _level(device: DeviceSpec, value: Any, state: ValueId, arrival: Arrival) -> Changes:
    before, now = arrival.actual(state), arrival.now
    last_key, changes = f"{device.node}-last", {}
    if device.kind in _REMEMBERS and value == LAST_LEVEL:
        last = arrival.tracks.get(last_key)
        value = before or (last.end if last else device.state or HIGHEST_LEVEL)
    if device.kind in _REMEMBERS and value:
        changes[last_key] = Track(value, value, now)
    if device.kwh is not None:  # what its meter had until now
        counted = arrival.actual(made.at(device.node, "kwh"))
        changes[str(made.at(device.node, "kwh"))] = Track(counted, counted, now)
    return {**changes, str(state): Track(before, value, now, _travel(device, before, value))}


def _colour(device: DeviceSpec, mix: Mapping[str, int], arrival: Arrival) -> Changes:
    """Components that are not named stay; those that the device lacks are ignored."""
    where = {made.COMPONENTS[item]: place for item, place in made.components_of(device).items()}
    return {
        str(where[name]): Track(arrival.actual(where[name]), min(max(level, 0), 255), arrival.now)
        for name, level in mix.items()
        if name in where
    }


def _sound(device: DeviceSpec, value_id: ValueId, value: Any, arrival: Arrival) -> Changes:
    """A tone ends by itself; one that does not exist is not played; a volume alone changes nothing."""
    state, now = made.state_id(device), arrival.now
    if value_id != state:
        return {}
    tone = 1 if value == LAST_LEVEL else int(value)
    if not 0 < tone <= len(device.tones):
        return {str(state): Track(0, 0, now)}
    volume = arrival.options.get("volume") or device.volume
    played = Track(tone, 0, now + made.tone_seconds(device, tone))
    return {str(state): played, str(made.at(device.node, "volume")): Track(volume, volume, now)}


def _climate(device: DeviceSpec, value_id: ValueId, value: Any, arrival: Arrival) -> Changes:
    actual, now = arrival.actual, arrival.now
    mode_id, air_id = made.at(device.node, "mode"), made.at(device.node, "air")
    mode, wanted = value if value_id == mode_id else actual(mode_id), _OFF_TEMPERATURE
    if mode in (1, 2, 3):
        key = made.at(device.node, "cooling" if mode == 2 else "heating")
        wanted = value if value_id == key else actual(key)
    warming = Track(actual(air_id), wanted, now, _WARMING_SECONDS)
    return {str(value_id): Track(actual(value_id), value, now), str(air_id): warming}


# --- fired events


def fired(node: int, values: tuple[Value, ...], what: str, now: float) -> Changes | None:
    """The changes of an event; None: this device cannot do that."""

    def written(where: ValueId, end: Any) -> Changes | None:
        known = next((value for value in values if value.id == where), None)
        return {str(where): Track(known.value, end, now)} if known is not None else None

    name, _, off = what.partition(" ")
    if name in made.ALARMS and off in ("", "off"):
        kind, variable, states = made.ALARMS[name]
        end = 0 if off else max(int(state) for state in states)
        return written(ValueId(node, CC.NOTIFICATION, 0, kind, variable), end)
    if what in ("open", "closed"):
        return written(made.at(node, "door"), 22 if what == "open" else 23)
    if what == "battery low":
        return written(made.at(node, "battery"), 5)
    if (press := _PRESS.fullmatch(what)) is not None:
        button = ValueId(node, CC.CENTRAL_SCENE, 0, "scene", f"{int(press['button']):03}")
        return written(button, _PRESSES[press["how"]])
    bolt = next((item.id for item in values if item.id.property == "currentMode"), None)
    if (lock := _LOCK.fullmatch(what)) is None or bolt is None:
        return None
    verb, end = ("lock", 255) if lock["state"] == "locked" else ("unlock", 0)
    user = int(lock["user"]) if lock["user"] else None
    way = "Manual" if user is None else "Keypad"
    operation = ValueId(node, CC.NOTIFICATION, 0, "Access Control", f"{way} {verb} operation")
    return {str(bolt): Track(255 - end, end, now), str(operation): Track(None, user, now)}


def momentary(key: str, track: Track) -> Report | None:
    """The report of an event that is over at once; None for a lasting change."""
    if key.count("-") < 4:
        return None
    node, command_class, endpoint, prop, inner = key.split("-", 4)
    if command_class == str(CC.CENTRAL_SCENE) and prop == "scene":
        return Report((int(node),), CC.CENTRAL_SCENE, int(endpoint), prop, inner, track.end)
    if command_class == str(CC.NOTIFICATION) and inner.endswith(" operation"):
        value = None if track.end is None else {"userId": track.end}
        return Report((int(node),), CC.NOTIFICATION, int(endpoint), prop, inner, value)
    return None
