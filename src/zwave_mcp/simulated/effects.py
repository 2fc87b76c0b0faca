"""What a simulated device does with a value that is written to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from zwave_mcp.devices import HIGHEST_LEVEL, LAST_LEVEL
from zwave_mcp.home import ACKNOWLEDGED, CONFIRMED, WORKING, ValueId, WriteResult
from zwave_mcp.simulated import values as made
from zwave_mcp.simulated.file import DeviceSpec
from zwave_mcp.simulated.store import Track

_BOLT_SECONDS: Final = 0.3
_JAM_SECONDS: Final = 0.8
_BELIEVED_SECONDS: Final = 5.0  # until the driver looks for itself
_OFF_TEMPERATURE: Final = 17.0
# With these faults a command changes only what is shown: that must not outlive the fault.
FAKED: Final = frozenset({"jams", "optimistic"})

_REMEMBERS: Final = frozenset({"dimmer", "light", "fan"})  # 255 is "as it was"

Changes = dict[str, Track]


@dataclass(frozen=True, slots=True)
class Moment:
    """When a value arrives, and how things stand then."""

    actual: Callable[[ValueId], Any]
    tracks: Mapping[str, Track]
    now: float
    options: Mapping[str, Any] = field(default_factory=dict)


def effect(device: DeviceSpec, value_id: ValueId, value: Any, moment: Moment) -> tuple[Changes, WriteResult]:
    """The movements that begin now, and what the gateway gets to know."""
    own = {"thermostat": _climate, "chime": _sound, "siren": _sound}.get(device.kind)
    if own is not None:
        return own(device, value_id, value, moment)
    if value_id.property == "targetColor":
        return _colour(device, value, moment)
    state = made.state_id(device)
    if state is None:
        return {}, WriteResult(ACKNOWLEDGED)
    return _switched(device, state, value_id, value, moment)


def _switched(
    device: DeviceSpec, state: ValueId, value_id: ValueId, value: Any, moment: Moment
) -> tuple[Changes, WriteResult]:
    now = moment.now
    if device.kind == "lock":
        return _lock(device, state, value, moment)
    before = moment.actual(state)
    if isinstance(value, bool) and device.kind not in ("switch", "plug"):
        end = {"Up": HIGHEST_LEVEL, "On": HIGHEST_LEVEL}.get(str(value_id.property), 0) if value else before
        return _by_hand(device, state, before, end, now)
    if "optimistic" in device.faults:
        return {str(state): _belief(before, value, now, _BELIEVED_SECONDS)}, WriteResult(ACKNOWLEDGED)
    return _level(device, value, state, moment)


def _level(device: DeviceSpec, value: Any, state: ValueId, moment: Moment) -> tuple[Changes, WriteResult]:
    before, now = moment.actual(state), moment.now
    last_key = f"{device.node}-last"
    if device.kind in _REMEMBERS and value == LAST_LEVEL:
        remembered = moment.tracks.get(last_key)
        value = before or (remembered.end if remembered else device.state or HIGHEST_LEVEL)
    seconds = _travel(device, before, value)
    changes: Changes = {}
    if "jams" not in device.faults:
        changes[str(state)] = Track(before, value, now, seconds)
        changes |= _counted(device, moment) if device.kind == "plug" else {}
        if device.kind in _REMEMBERS and value:
            changes[last_key] = Track(value, value, now)
    if not device.supervised:
        return changes, WriteResult(ACKNOWLEDGED)
    if seconds > 0.05 or "jams" in device.faults:
        return changes, WriteResult(WORKING, round(max(seconds, 1.0), 1))
    return changes, WriteResult(CONFIRMED)


def _colour(device: DeviceSpec, mix: Mapping[str, int], moment: Moment) -> tuple[Changes, WriteResult]:
    """What it does not have it leaves out; what is not named stays."""
    wanted = {
        made.component_id(device, one): min(max(mix[made.COMPONENTS[one]], 0), 255)
        for one in made.components_of(device)
        if made.COMPONENTS[one] in mix
    }
    if device.faults & FAKED:
        beliefs = {
            str(where): _belief(moment.actual(where), level, moment.now, _BELIEVED_SECONDS)
            for where, level in wanted.items()
        }
        return beliefs, WriteResult(ACKNOWLEDGED)
    tracks = {str(where): Track(moment.actual(where), level, moment.now) for where, level in wanted.items()}
    return tracks, WriteResult(CONFIRMED if device.supervised else ACKNOWLEDGED)


def _sound(device: DeviceSpec, value_id: ValueId, value: Any, moment: Moment) -> tuple[Changes, WriteResult]:
    """A tone ends by itself; one that is not there is not played. A volume alone is kept for the next."""
    state, now = made.state_id(device), moment.now
    if value_id != state or device.faults & FAKED:
        return {}, WriteResult(ACKNOWLEDGED)
    tone = 1 if value == LAST_LEVEL else int(value)
    if not 0 < tone <= len(device.tones):
        return {str(state): Track(0, 0, now)}, WriteResult(ACKNOWLEDGED)
    volume = moment.options.get("volume") or device.volume
    changes = {
        str(state): Track(tone, 0, now + made.tone_seconds(device, tone)),
        str(made.volume_id(device)): Track(volume, volume, now),
    }
    return changes, WriteResult(CONFIRMED if device.supervised else ACKNOWLEDGED)


def _counted(device: DeviceSpec, moment: Moment) -> Changes:
    """A plug that is switched: what its meter had until now."""
    if device.kwh is None:
        return {}
    meter = made.kwh_id(device)
    now = moment.actual(meter)
    return {str(meter): Track(now, now, moment.now)}


def _travel(device: DeviceSpec, before: Any, value: Any) -> float:
    whole = LAST_LEVEL if device.kind == "garage_door" else HIGHEST_LEVEL
    return device.move_seconds * abs(int(value) - int(before)) / whole


def _by_hand(
    device: DeviceSpec, state: ValueId, before: Any, end: Any, now: float
) -> tuple[Changes, WriteResult]:
    """Up, Down, On, Off: true moves until the end, false stops where it is."""
    track = Track(before, end, now, _travel(device, before, end))
    return {str(state): track}, WriteResult(CONFIRMED if device.supervised else ACKNOWLEDGED)


def _lock(device: DeviceSpec, state: ValueId, value: Any, moment: Moment) -> tuple[Changes, WriteResult]:
    before, now = moment.actual(state), moment.now
    alarm_id = made.lock_state_id(device)
    alarm = str(alarm_id)
    if "jams" in device.faults:
        changes = {
            str(state): _belief(before, value, now, 2 * _JAM_SECONDS),
            alarm: Track(0, 11, now + _JAM_SECONDS),
        }
        return changes, WriteResult(ACKNOWLEDGED)
    if "optimistic" in device.faults:
        return {str(state): _belief(before, value, now, _BELIEVED_SECONDS)}, WriteResult(ACKNOWLEDGED)
    # The bolt takes its time, and the gateway shows the end at once: as measured with a real one.
    bolt = Track(before, value, now + _BOLT_SECONDS, wish=value, wish_until=now + _BOLT_SECONDS)
    status = CONFIRMED if device.supervised else ACKNOWLEDGED
    # A jam is over once the bolt has moved.
    jam = Track(moment.actual(alarm_id), 0, now + _BOLT_SECONDS)
    return {str(state): bolt, alarm: jam}, WriteResult(status)


def _climate(
    device: DeviceSpec, value_id: ValueId, value: Any, moment: Moment
) -> tuple[Changes, WriteResult]:
    actual, now = moment.actual, moment.now
    before, air = actual(value_id), actual(made.air_id(device))
    if "optimistic" in device.faults:
        return {str(value_id): _belief(before, value, now, _BELIEVED_SECONDS)}, WriteResult(ACKNOWLEDGED)
    mode = value if value_id == made.mode_id(device) else actual(made.mode_id(device))
    wanted = _OFF_TEMPERATURE
    if mode in (1, 2, 3):
        key = made.setpoint_id(device, 2 if mode == 2 else 1)
        wanted = value if value_id == key else actual(key)
    changes = {
        str(value_id): Track(before, value, now),
        str(made.air_id(device)): Track(air, wanted, now),
    }
    return changes, WriteResult(CONFIRMED if device.supervised else ACKNOWLEDGED)


def _belief(before: Any, wish: Any, now: float, seconds: float) -> Track:
    return replace(Track(before, before, now), wish=wish, wish_until=now + seconds)
