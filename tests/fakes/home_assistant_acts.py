"""What a command does to an entity of Home Assistant: now, later, or not at all."""

from collections.abc import Callable
from typing import Any

from tests.fakes.home_assistant_home import UNAVAILABLE, Entity

Act = Callable[[Entity, float, dict[str, Any]], None]  # entity, the time now, the call's arguments

FULL = 255
_FAN_PERCENT, _STEP, _TRACKS = 67, 10, ("First Song", "Second Song", "Third Song")


def turn_on(entity: Entity, now: float, args: dict[str, Any]) -> None:
    _ON.get(entity.domain, _switch_on)(entity, now, args)


def turn_off(entity: Entity, now: float, args: dict[str, Any]) -> None:
    _OFF.get(entity.domain, _switch_off)(entity, now, args)


def _show(entity: Entity, now: float, state: str, **attributes: Any) -> None:
    """At once, or when the device gets round to it."""
    if entity.seconds:
        entity.will_become(now + entity.seconds, state, **attributes)
    else:
        entity.become(state, **attributes)


def _becomes(state: str = "", **attributes: Any) -> Act:
    """Shows this state, or the same with other attributes."""
    return lambda entity, now, _args: _show(entity, now, state or entity.state, **attributes)


_switch_on, _switch_off = _becomes("on"), _becomes("off")
pause, unpause = _becomes("paused"), _becomes("playing")
mute, unmute = _becomes(is_volume_muted=True), _becomes(is_volume_muted=False)
vacuum_start, vacuum_return = _becomes("cleaning"), _becomes("returning")


def _light_on(entity: Entity, now: float, args: dict[str, Any]) -> None:
    if "brightness" not in entity.attributes:
        return _show(entity, now, "on")
    was = entity.attributes["brightness"] or entity.attributes.get("_last_brightness") or FULL
    return _show(entity, now, "on", brightness=was)


def _light_off(entity: Entity, now: float, args: dict[str, Any]) -> None:
    if "brightness" in entity.attributes:
        last = entity.attributes["brightness"] if entity.attributes.get("keeps_level") else None
        return _show(entity, now, "off", brightness=None, _last_brightness=last)
    return _show(entity, now, "off")


def light_set(entity: Entity, now: float, args: dict[str, Any]) -> None:
    """What the lamp cannot do is left out, and it goes on all the same; what is no lamp does nothing."""
    if entity.domain != "light":
        return None
    brightness = args.get("brightness")
    if brightness == 0:
        return _light_off(entity, now, args)
    _light_on(entity, now, args)
    change: dict[str, Any] = {}
    if brightness is not None and "brightness" in entity.attributes:
        change["brightness"] = round(brightness * FULL / 100)
    if "color" in args and "rgb_color" in entity.attributes:
        change["rgb_color"] = args["color"]
    if "temperature" in args and "color_temp_kelvin" in entity.attributes:
        change["color_temp_kelvin"] = args["temperature"]
    return _show(entity, now, "on", **change)


# --- covers and valves


def _move(entity: Entity, now: float, target: int) -> None:
    """By steps of 10 %; without a position it is just open or closed."""
    entity.coming.clear()
    end = "open" if target else "closed"
    if "current_position" not in entity.attributes:
        return _show(entity, now, end)
    here = int(entity.attributes["current_position"])
    if not entity.seconds or here == target:
        return entity.become(end, current_position=target)
    way, at = (_STEP if target > here else -_STEP), now
    moving = "opening" if way > 0 else "closing"
    entity.become(moving)
    while here != target:
        here, at = (min if way > 0 else max)(here + way, target), at + entity.seconds
        state = moving if here != target else end
        entity.will_become(at, state, current_position=here)
    return None


def set_position(entity: Entity, now: float, args: dict[str, Any]) -> None:
    if "current_position" in entity.attributes:
        _move(entity, now, int(args["position"]))


def stop_moving(entity: Entity, now: float, args: dict[str, Any]) -> None:
    entity.coming.clear()
    if entity.domain in ("cover", "valve") and entity.attributes.get("current_position") is not None:
        entity.become("open" if entity.attributes["current_position"] else "closed")


# --- locks


def _lock(entity: Entity, now: float, args: dict[str, Any]) -> None:
    _turn_key(entity, now, "locking", "jammed" if entity.trouble == "jams" else "locked")


def _unlock(entity: Entity, now: float, args: dict[str, Any]) -> None:
    if entity.trouble != "code":
        _turn_key(entity, now, "unlocking", "unlocked")


def _turn_key(entity: Entity, now: float, moving: str, end: str) -> None:
    entity.coming.clear()
    if not entity.seconds:
        return entity.become(end)
    entity.become(moving)
    return entity.will_become(now + entity.seconds, end)


# --- climate, fans, media players, vacuums


def _climate_on(entity: Entity, now: float, args: dict[str, Any]) -> None:
    _show(entity, now, entity.attributes.get("_last_mode", "heat") if entity.state == "off" else entity.state)


def _climate_off(entity: Entity, now: float, args: dict[str, Any]) -> None:
    last = entity.state if entity.state != "off" else entity.attributes.get("_last_mode", "heat")
    _show(entity, now, "off", _last_mode=last)


def set_temperature(entity: Entity, now: float, args: dict[str, Any]) -> None:
    _show(entity, now, entity.state, temperature=float(args["temperature"]))


def _fan_on(entity: Entity, now: float, args: dict[str, Any]) -> None:
    _show(entity, now, "on", percentage=entity.attributes.get("percentage") or _FAN_PERCENT)


def set_speed(entity: Entity, now: float, args: dict[str, Any]) -> None:
    _show(entity, now, "on" if args["percentage"] else "off", percentage=int(args["percentage"]))


def _player_on(entity: Entity, now: float, args: dict[str, Any]) -> None:
    if entity.state == "off":
        _show(entity, now, "playing")


def skip(entity: Entity, now: float, args: dict[str, Any], way: int = 1) -> None:
    title = entity.attributes.get("media_title")
    here = _TRACKS.index(title) if title in _TRACKS else 0
    _show(entity, now, entity.state, media_title=_TRACKS[(here + way) % len(_TRACKS)])


def back(entity: Entity, now: float, args: dict[str, Any]) -> None:
    skip(entity, now, args, -1)


def set_volume(entity: Entity, now: float, args: dict[str, Any]) -> None:
    if entity.state != "off":
        _show(entity, now, entity.state, volume_level=args["volume_level"] / 100)


def change_volume(entity: Entity, now: float, args: dict[str, Any]) -> None:
    step = {"up": 10, "down": -10}.get(args["volume_step"], args["volume_step"])
    level = min(max(entity.attributes.get("volume_level", 0) + step / 100, 0), 1)
    _show(entity, now, entity.state, volume_level=round(level, 2))


def _open(entity: Entity, now: float, _args: dict[str, Any]) -> None:
    _move(entity, now, 100)


def _close(entity: Entity, now: float, _args: dict[str, Any]) -> None:
    _move(entity, now, 0)


_ON: dict[str, Act] = {
    "light": _light_on, "cover": _open, "valve": _open, "lock": _lock, "climate": _climate_on, "fan": _fan_on,
    "media_player": _player_on,
}  # fmt: skip
_OFF: dict[str, Act] = {
    "light": _light_off, "cover": _close, "valve": _close, "lock": _unlock, "climate": _climate_off,
    "fan": _becomes("off", percentage=0),
}  # fmt: skip
# Domains that can be turned on, and off; of others Home Assistant says that it failed to call.
TURNED = frozenset(
    "light switch input_boolean cover valve lock climate fan media_player siren humidifier script".split()
)
TURNED_ON = TURNED | {"scene"}


def does_nothing(entity: Entity) -> bool:
    """It says `action_done` all the same."""
    return entity.state == UNAVAILABLE or entity.trouble == "fails"
