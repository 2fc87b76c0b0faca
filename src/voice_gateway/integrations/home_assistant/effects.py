"""What a call of Home Assistant's own tools is to do with an entity, and whether a look at it shows that."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from voice_gateway.integrations.home_assistant.entities import BUTTONS, SCENE, TODO, percent_of
from voice_gateway.integrations.home_assistant.live_context import Entity, to_number

TURN_ON, TURN_OFF, LIGHT_SET, SET_POSITION = "HassTurnOn", "HassTurnOff", "HassLightSet", "HassSetPosition"
STOP, SET_TEMPERATURE, SET_SPEED = "HassStopMoving", "HassClimateSetTemperature", "HassFanSetSpeed"
SET_VOLUME, CHANGE_VOLUME = "HassSetVolume", "HassSetVolumeRelative"
PAUSE, PLAY, NEXT, PREVIOUS = "HassMediaPause", "HassMediaUnpause", "HassMediaNext", "HassMediaPrevious"
MUTE, UNMUTE, SEARCH = "HassMediaPlayerMute", "HassMediaPlayerUnmute", "HassMediaSearchAndPlay"
VACUUM_START, VACUUM_DOCK = "HassVacuumStart", "HassVacuumReturnToBase"
ADD_ITEM, COMPLETE_ITEM = "HassListAddItem", "HassListCompleteItem"
LIVE_CONTEXT: Final = "GetLiveContext"
LOOKS: Final = frozenset({LIVE_CONTEXT, "GetDateTime", "todo_get_items", "calendar_get_events"})
CANCEL_TIMERS: Final = "HassCancelAllTimers"

_PLAYERS, _MOVERS = frozenset({"media_player"}), frozenset({"cover", "valve"})
# With what each tool does something, whatever else it takes; empty: with nearly anything.
DOMAINS: Final[Mapping[str, frozenset[str]]] = {
    TURN_ON: frozenset(),
    TURN_OFF: frozenset(),
    LIGHT_SET: frozenset({"light"}),
    SET_POSITION: _MOVERS,
    STOP: _MOVERS,
    SET_TEMPERATURE: frozenset({"climate"}),
    SET_SPEED: frozenset({"fan"}),
    **dict.fromkeys((SET_VOLUME, CHANGE_VOLUME, PAUSE, PLAY, NEXT, PREVIOUS, MUTE, UNMUTE, SEARCH), _PLAYERS),
    VACUUM_START: frozenset({"vacuum"}),
    VACUUM_DOCK: frozenset({"vacuum"}),
    ADD_ITEM: frozenset({TODO}),
    COMPLETE_ITEM: frozenset({TODO}),
}
# Those for which Home Assistant itself looks for nothing else; the others take anything.
OWN_DOMAINS: Final = frozenset(DOMAINS) - {TURN_ON, TURN_OFF, LIGHT_SET, SET_POSITION, STOP}
# Home Assistant finds only players that play for these.
WHILE_PLAYING: Final = frozenset({PAUSE, NEXT, PREVIOUS})
_SIMPLE: Final = {
    STOP: "stop",
    PAUSE: "pause",
    PLAY: "play",
    SEARCH: "play",
    NEXT: "next",
    PREVIOUS: "previous",
    MUTE: "mute",
    UNMUTE: "unmute",
    VACUUM_START: "start",
    VACUUM_DOCK: "dock",
    ADD_ITEM: "add",
    COMPLETE_ITEM: "complete",
    SET_TEMPERATURE: "set",
    SET_SPEED: "speed",
    SET_VOLUME: "volume",
    CHANGE_VOLUME: "volume",
}
_ON_AND_OFF: Final = {"cover": ("open", "close"), "valve": ("open", "close"), "lock": ("lock", "unlock")}
_NEAR: Final = 2  # percent: lamps and motors stop close to the wish, and report that
_FAN_STEP: Final = 34  # percent: a fan with three speeds takes the next one above
_NEAR_DEGREES: Final = 0.26  # a thermostat rounds to halves
_SILENT: Final = frozenset({"off", "standby", "unavailable", "unknown"})


class Seen(StrEnum):
    """What a look shows of a wish."""

    DONE = "done"
    MOVING = "moving"  # on its way there
    STILL = "still"  # nothing of it
    JAMMED = "jammed"
    HIDDEN = "hidden"  # Home Assistant does not show that


@dataclass(frozen=True, slots=True)
class Effect:
    """What is to happen with one entity. `before` is how it was when the call was made."""

    before: Entity
    action: str
    level: float | None = None  # percent, or degrees
    value: str = ""  # a colour, an item of a list
    relative: bool = False

    def seen(self, now: Entity, earlier: Entity | None = None) -> Seen:
        """`earlier` is the look before this one, after the call."""
        if self.action == "stop":
            moving = now.state in ("opening", "closing")
            return Seen.DONE if not moving and earlier == now else Seen.STILL
        return _JUDGES.get(self.action, _no_view)(self, now)


def action_of(tool: str, domain: str, args: Mapping[str, Any]) -> str:
    """In the words of `homes.source.Act`; "" for a tool that nobody here knows."""
    if tool in (TURN_ON, TURN_OFF):
        on, off = _ON_AND_OFF.get(domain, ("on", "off"))
        return on if tool == TURN_ON else off
    if tool == SET_POSITION:
        return "close" if number_of(args, "position") == 0 else "dim"
    if tool != LIGHT_SET:
        return _SIMPLE.get(tool, "")
    if "color" in args or "temperature" in args:  # nobody can see these, whatever else is asked
        return "colour" if "color" in args else "kelvin"
    bright = number_of(args, "brightness") if "brightness" in args else None
    return "on" if bright is None else "dim" if bright else "off"


def effect_of(tool: str, args: Mapping[str, Any], entity: Entity) -> Effect | None:
    """None: the tool does nothing with this entity, whatever Home Assistant says."""
    domains = DOMAINS.get(tool)
    if domains is None or (domains and entity.domain not in domains):
        return None
    action = action_of(tool, entity.domain, args)
    key = {"dim": "position" if tool == SET_POSITION else "brightness", "set": "temperature"}.get(action)
    key = key or {"speed": "percentage", "volume": "volume_level", "kelvin": "temperature"}.get(action)
    level = number_of(args, key) if key else None
    if tool == CHANGE_VOLUME:
        step = args.get("volume_step")
        level = {"up": 1.0, "down": -1.0}.get(str(step), number_of(args, "volume_step"))
        return Effect(entity, action, level, value=str(step), relative=True)
    value = str(args.get("color") or args.get("item") or "")
    return Effect(entity, action, level, value)


def number_of(args: Mapping[str, Any], key: str) -> float | None:
    value = args.get(key)
    return (
        to_number(str(value))
        if isinstance(value, int | float | str) and not isinstance(value, bool)
        else None
    )


def _no_view(_effect: Effect, _now: Entity) -> Seen:
    return Seen.HIDDEN


def _when(reached: bool) -> Seen:
    return Seen.DONE if reached else Seen.STILL


def _on(effect: Effect, now: Entity) -> Seen:
    if now.domain in (SCENE, *BUTTONS):  # its state is when it was last started
        return _when(now.state != effect.before.state and now.state not in _SILENT)
    if now.domain in ("media_player", "climate", "water_heater"):
        return _when(now.state not in _SILENT)
    return _when(now.state == "on")


def _off(_effect: Effect, now: Entity) -> Seen:
    return _when(now.state == "off" or (now.domain == "media_player" and now.state == "standby"))


def _moved(effect: Effect, now: Entity) -> Seen:
    """A cover or a valve: open, close, or to a position."""
    wanted = {"open": 100.0, "close": 0.0}.get(effect.action, effect.level)
    position, before = now.number("current_position"), effect.before.number("current_position")
    way = {"open": ("opening",), "close": ("closing",)}.get(effect.action, ("opening", "closing"))
    if now.state in way:
        return Seen.MOVING
    if now.state in ("opening", "closing"):
        return Seen.STILL  # the other way: it has not turned round yet
    if position is None or wanted is None:
        return _when(now.state == {"open": "open", "close": "closed"}.get(effect.action))
    if abs(position - wanted) <= _NEAR:
        return Seen.DONE
    nearer = before is not None and abs(position - wanted) < abs(before - wanted)
    return Seen.MOVING if nearer else Seen.STILL


def _dimmed(effect: Effect, now: Entity) -> Seen:
    if now.domain in _MOVERS:
        return _moved(effect, now)
    percent = percent_of(now)
    if now.state != "on" or percent is None or effect.level is None:
        return Seen.STILL
    return _when(abs(percent - effect.level) <= _NEAR)


def _bolted(effect: Effect, now: Entity) -> Seen:
    done, way = {"lock": (("locked",), "locking"), "unlock": (("unlocked", "open"), "unlocking")}[
        effect.action
    ]
    if now.state in done:
        return Seen.DONE
    if now.state == "jammed":  # one that was jammed before may still come free
        return Seen.STILL if effect.before.state == "jammed" else Seen.JAMMED
    return Seen.MOVING if now.state in (way, "opening") else Seen.STILL


def _warmed(effect: Effect, now: Entity) -> Seen:
    degrees = now.number("temperature")
    known = degrees is not None and effect.level is not None
    return _when(known and abs((degrees or 0) - (effect.level or 0)) <= _NEAR_DEGREES)


def _blown(effect: Effect, now: Entity) -> Seen:
    percent, before = percent_of(now), percent_of(effect.before)
    if not effect.level:
        return _when(now.state == "off")
    if now.state != "on" or percent is None:
        return Seen.STILL
    over = percent - effect.level
    stepped = percent != before and 0 <= over <= _FAN_STEP
    return _when(abs(over) <= _NEAR or stepped)


def _volume(effect: Effect, now: Entity) -> Seen:
    volume, before = now.number("volume_level"), effect.before.number("volume_level")
    if volume is None or effect.level is None:
        return Seen.HIDDEN if now.state not in _SILENT else Seen.STILL
    percent, was = round(volume * 100), round((before or 0) * 100)
    if not effect.relative:
        return _when(abs(percent - effect.level) <= 1)
    if effect.value in ("up", "down"):
        end = 100 if effect.value == "up" else 0
        return _when((percent - was) * effect.level > 0 or was == percent == end)
    return _when(abs(percent - min(max(was + effect.level, 0), 100)) <= 1)


def _playing(effect: Effect, now: Entity) -> Seen:
    if now.state not in ("playing", "buffering"):
        return Seen.STILL
    return Seen.DONE if not effect.value or _other_title(effect, now) else Seen.STILL


def _skipped(effect: Effect, now: Entity) -> Seen:
    return _when(_other_title(effect, now))


def _other_title(effect: Effect, now: Entity) -> bool:
    shown = ("media_title", "media_artist", "media_album_name")
    return any(now.attributes.get(key) != effect.before.attributes.get(key) for key in shown)


def _paused(_effect: Effect, now: Entity) -> Seen:
    return _when(now.state in ("paused", "idle", *_SILENT))


def _coloured(_effect: Effect, now: Entity) -> Seen:
    return Seen.HIDDEN if now.state == "on" else Seen.STILL


def _docked(_effect: Effect, now: Entity) -> Seen:
    return Seen.MOVING if now.state == "returning" else _when(now.state == "docked")


def _listed(effect: Effect, now: Entity) -> Seen:
    before, count = to_number(effect.before.state), to_number(now.state)
    if before is None or count is None:
        return Seen.STILL
    return _when(count - before >= 1 if effect.action == "add" else before - count >= 1)


_JUDGES: Final[Mapping[str, Callable[[Effect, Entity], Seen]]] = {
    "on": _on,
    "off": _off,
    "open": _moved,
    "close": _moved,
    "dim": _dimmed,
    "lock": _bolted,
    "unlock": _bolted,
    "set": _warmed,
    "speed": _blown,
    "volume": _volume,
    "play": _playing,
    "pause": _paused,
    "next": _skipped,
    "previous": _skipped,
    "colour": _coloured,
    "kelvin": _coloured,
    "start": lambda _effect, now: _when(now.state == "cleaning"),
    "dock": _docked,
    "add": _listed,
    "complete": _listed,
}
