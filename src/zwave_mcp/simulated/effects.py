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
        return {}, WriteResult(WORKING, 1.0) if jams else WriteResult(ACKNOWLEDGED)
    own = {"thermostat": _climate, "chime": _sound, "siren": _sound}.get(device.kind)
    changes = (own or _moving)(device, value_id, value, arrival)
    seconds = max((track.seconds for track in changes.values()), default=0.0)
    if device.supervised and seconds > 0.05:
        return changes, WriteResult(WORKING, round(max(seconds, 1.0), 1))
    return changes, WriteResult(CONFIRMED if device.supervised else ACKNOWLEDGED)


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
    where = {made.COMPONENTS[item]: made.component_id(device, item) for item in made.components_of(device)}
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
    warming = Track(actual(air_id), wanted, now)
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
