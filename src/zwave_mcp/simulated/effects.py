"""What a simulated device does with a value that is written to it, and with what is fired at it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from zwave_mcp.devices import CC, HIGHEST_LEVEL, LAST_LEVEL
from zwave_mcp.home import ACKNOWLEDGED, CONFIRMED, WORKING, Report, Value, ValueId, WriteResult
from zwave_mcp.simulated import values as made
from zwave_mcp.simulated.file import DeviceSpec
from zwave_mcp.simulated.store import Track

_BOLT_SECONDS: Final = 0.3
_JAM_SECONDS: Final = 0.8
_BELIEVED_SECONDS: Final = 5.0  # until the driver verifies by itself
_OFF_TEMPERATURE: Final = 17.0
FAKED: Final = frozenset({"jams", "optimistic"})  # a command changes only what is shown, in this process
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

Changes = dict[str, Track]
Effect = tuple[Changes, WriteResult]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A value arrives at a device: when, and how things stand then."""

    actual: Callable[[ValueId], Any]
    tracks: Mapping[str, Track]
    now: float
    options: Mapping[str, Any] = field(default_factory=dict)


def effect(device: DeviceSpec, value_id: ValueId, value: Any, arrival: Arrival) -> Effect:
    """The movements that begin, and what the gateway is told."""
    own = {"thermostat": _climate, "chime": _sound, "siren": _sound, "lock": _bolt}.get(device.kind)
    if own is not None:
        return own(device, value_id, value, arrival)
    if value_id.property == "targetColor":
        return _colour(device, value, arrival)
    state = made.state_id(device)
    if state is None:
        return {}, WriteResult(ACKNOWLEDGED)
    before, now = arrival.actual(state), arrival.now
    if isinstance(value, bool) and device.kind not in ("switch", "plug"):  # Up, Down, On, Off; false stops
        end = {"Up": HIGHEST_LEVEL, "On": HIGHEST_LEVEL}.get(str(value_id.property), 0) if value else before
        return {str(state): Track(before, end, now, _travel(device, before, end))}, _reply(device)
    if "optimistic" in device.faults:
        return {str(state): _belief(before, value, now)}, WriteResult(ACKNOWLEDGED)
    return _level(device, value, state, arrival)


def _reply(device: DeviceSpec) -> WriteResult:
    return WriteResult(CONFIRMED if device.supervised else ACKNOWLEDGED)


def _belief(before: Any, wish: Any, now: float, seconds: float = _BELIEVED_SECONDS) -> Track:
    return Track(before, before, now, wish=wish, wish_until=now + seconds)


def _travel(device: DeviceSpec, before: Any, value: Any) -> float:
    whole = LAST_LEVEL if device.kind == "garage_door" else HIGHEST_LEVEL
    return device.move_seconds * abs(int(value) - int(before)) / whole


def _level(device: DeviceSpec, value: Any, state: ValueId, arrival: Arrival) -> Effect:
    before, now = arrival.actual(state), arrival.now
    last_key = f"{device.node}-last"
    if device.kind in _REMEMBERS and value == LAST_LEVEL:
        last = arrival.tracks.get(last_key)
        value = before or (last.end if last else device.state or HIGHEST_LEVEL)
    seconds, jams = _travel(device, before, value), "jams" in device.faults
    changes: Changes = {} if jams else {str(state): Track(before, value, now, seconds)}
    if device.kwh is not None and not jams:  # what its meter had until now
        counted = arrival.actual(made.at(device.node, "kwh"))
        changes[str(made.at(device.node, "kwh"))] = Track(counted, counted, now)
    if device.kind in _REMEMBERS and value and not jams:
        changes[last_key] = Track(value, value, now)
    if device.supervised and (seconds > 0.05 or jams):
        return changes, WriteResult(WORKING, round(max(seconds, 1.0), 1))
    return changes, _reply(device)


def _colour(device: DeviceSpec, mix: Mapping[str, int], arrival: Arrival) -> Effect:
    """Components that are not named stay; those that the device lacks are ignored."""
    changes: Changes = {}
    for component in made.components_of(device):
        if (name := made.COMPONENTS[component]) in mix:
            where = made.component_id(device, component)
            before, level = arrival.actual(where), min(max(mix[name], 0), 255)
            faked = device.faults & FAKED
            changes[str(where)] = (
                _belief(before, level, arrival.now) if faked else Track(before, level, arrival.now)
            )
    return changes, WriteResult(ACKNOWLEDGED) if device.faults & FAKED else _reply(device)


def _sound(device: DeviceSpec, value_id: ValueId, value: Any, arrival: Arrival) -> Effect:
    """A tone ends by itself; one that does not exist is not played; a volume alone is kept for the next
    tone."""
    state, now = made.state_id(device), arrival.now
    if value_id != state or device.faults & FAKED:
        return {}, WriteResult(ACKNOWLEDGED)
    tone = 1 if value == LAST_LEVEL else int(value)
    if not 0 < tone <= len(device.tones):
        return {str(state): Track(0, 0, now)}, WriteResult(ACKNOWLEDGED)
    volume = arrival.options.get("volume") or device.volume
    played = Track(tone, 0, now + made.tone_seconds(device, tone))
    return {str(state): played, str(made.at(device.node, "volume")): Track(volume, volume, now)}, _reply(
        device
    )


def _bolt(device: DeviceSpec, _target: ValueId, value: Any, arrival: Arrival) -> Effect:
    """The bolt takes its time, while the gateway shows the wish at once (measured)."""
    state = ValueId(device.node, CC.DOOR_LOCK, 0, "currentMode")
    before, now, jam = arrival.actual(state), arrival.now, made.at(device.node, "jam")
    if "jams" in device.faults:
        stuck = _belief(before, value, now, 2 * _JAM_SECONDS)
        return {str(state): stuck, str(jam): Track(0, 11, now + _JAM_SECONDS)}, WriteResult(ACKNOWLEDGED)
    if "optimistic" in device.faults:
        return {str(state): _belief(before, value, now)}, WriteResult(ACKNOWLEDGED)
    done = now + _BOLT_SECONDS
    bolt = Track(before, value, done, wish=value, wish_until=done)
    return {str(state): bolt, str(jam): Track(arrival.actual(jam), 0, done)}, _reply(device)


def _climate(device: DeviceSpec, value_id: ValueId, value: Any, arrival: Arrival) -> Effect:
    actual, now = arrival.actual, arrival.now
    before, air = actual(value_id), actual(made.at(device.node, "air"))
    if "optimistic" in device.faults:
        return {str(value_id): _belief(before, value, now)}, WriteResult(ACKNOWLEDGED)
    mode = value if value_id == made.at(device.node, "mode") else actual(made.at(device.node, "mode"))
    wanted = _OFF_TEMPERATURE
    if mode in (1, 2, 3):
        key = made.at(device.node, "cooling" if mode == 2 else "heating")
        wanted = value if value_id == key else actual(key)
    warming = Track(air, wanted, now)
    return {str(value_id): Track(before, value, now), str(made.at(device.node, "air")): warming}, _reply(
        device
    )


# --- fired events


def fired(node: int, values: tuple[Value, ...], what: str, now: float) -> Changes | None:
    """The changes of an event; None: this device cannot do that."""
    name, _, off = what.partition(" ")
    if name in made.ALARMS and off in ("", "off"):
        kind, variable, states = made.ALARMS[name]
        end = 0 if off else max(int(state) for state in states)
        return _written(values, ValueId(node, CC.NOTIFICATION, 0, kind, variable), end, now)
    if what in ("open", "closed"):
        return _written(values, made.at(node, "door"), 22 if what == "open" else 23, now)
    if what == "battery low":
        return _written(values, made.at(node, "battery"), 5, now)
    if (press := _PRESS.fullmatch(what)) is not None:
        button = ValueId(node, CC.CENTRAL_SCENE, 0, "scene", f"{int(press['button']):03}")
        return _written(values, button, _PRESSES[press["how"]], now)
    bolt = next((item.id for item in values if item.id.property == "currentMode"), None)
    if (lock := _LOCK.fullmatch(what)) is None or bolt is None:
        return None
    verb, end = ("lock", 255) if lock["state"] == "locked" else ("unlock", 0)
    user = int(lock["user"]) if lock["user"] else None
    way = "Manual" if user is None else "Keypad"
    operation = ValueId(node, CC.NOTIFICATION, 0, "Access Control", f"{way} {verb} operation")
    return {str(bolt): Track(255 - end, end, now), str(operation): Track(None, user, now)}


def _written(values: tuple[Value, ...], where: ValueId, end: Any, now: float) -> Changes | None:
    known = next((value for value in values if value.id == where), None)
    return {str(where): Track(known.value, end, now)} if known is not None else None


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
