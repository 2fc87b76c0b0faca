"""What a call does to an entity, and looks at the home until it shows.

Home Assistant's own "done" only means "asked": it says so of an unavailable lamp and a jammed lock as well.
This is the only place that decides "confirmed".
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from voice_gateway.integrations.home_assistant.entities import BUTTONS, SCENE, TODO, is_available, percent_of
from voice_gateway.integrations.home_assistant.live_context import Entity, to_number
from voice_gateway.turn import OutcomeStatus

TURN_ON, TURN_OFF, LIGHT_SET, SET_POSITION = "HassTurnOn", "HassTurnOff", "HassLightSet", "HassSetPosition"
STOP, SET_TEMPERATURE, SET_SPEED = "HassStopMoving", "HassClimateSetTemperature", "HassFanSetSpeed"
SET_VOLUME = "HassSetVolume"
PAUSE, PLAY, NEXT, PREVIOUS = "HassMediaPause", "HassMediaUnpause", "HassMediaNext", "HassMediaPrevious"
MUTE, UNMUTE, SEARCH = "HassMediaPlayerMute", "HassMediaPlayerUnmute", "HassMediaSearchAndPlay"
VACUUM_START, VACUUM_DOCK = "HassVacuumStart", "HassVacuumReturnToBase"
VACUUM_CLEAN, MOW, MOWER_DOCK = "HassVacuumCleanArea", "HassLawnMowerStartMowing", "HassLawnMowerDock"
ADD_ITEM, COMPLETE_ITEM = "HassListAddItem", "HassListCompleteItem"
LIVE_CONTEXT: Final = "GetLiveContext"
READ_ITEMS: Final = "todo_get_items"
LOOKS: Final = frozenset({LIVE_CONTEXT, READ_ITEMS, "GetDateTime", "calendar_get_events"})
CANCEL_TIMERS: Final = "HassCancelAllTimers"

_PLAYER, _MOVER, _LIST = frozenset({"media_player"}), frozenset({"cover", "valve"}), frozenset({TODO})
_VACUUM, _MOWER = frozenset({"vacuum"}), frozenset({"lawn_mower"})


@dataclass(frozen=True, slots=True)
class Tool:
    """What a tool of Home Assistant does, and with what."""

    phrase: str  # as a person says it
    action: str = ""  # "": its arguments decide
    domains: frozenset[str] = frozenset()  # those that it acts on, whatever it accepts; empty: nearly all
    value: str = ""  # the argument for the level or text


TOOLS: Final = {
    TURN_ON: Tool("turn things on"),
    TURN_OFF: Tool("turn things off"),
    LIGHT_SET: Tool("set brightness or colour", "", frozenset({"light"}), "brightness"),
    SET_POSITION: Tool("set a position", "", _MOVER, "position"),
    STOP: Tool("stop what moves", "stop", _MOVER),
    SET_TEMPERATURE: Tool("set a temperature", "set", frozenset({"climate"}), "temperature"),
    SET_SPEED: Tool("set the speed of a fan", "speed", frozenset({"fan"}), "percentage"),
    SET_VOLUME: Tool("set the volume", "volume", _PLAYER, "volume_level"),
    "HassSetVolumeRelative": Tool("turn the volume up or down", "volume", _PLAYER),
    PAUSE: Tool("pause", "pause", _PLAYER),
    PLAY: Tool("play", "play", _PLAYER),
    SEARCH: Tool("search for music", "play", _PLAYER, "search_query"),
    NEXT: Tool("skip", "next", _PLAYER),
    PREVIOUS: Tool("go back", "previous", _PLAYER),
    MUTE: Tool("mute", "mute", _PLAYER),
    UNMUTE: Tool("unmute", "unmute", _PLAYER),
    VACUUM_START: Tool("start a vacuum", "start", _VACUUM),
    VACUUM_DOCK: Tool("send a vacuum home", "dock", _VACUUM),
    VACUUM_CLEAN: Tool("clean a room", "clean", _VACUUM, "area"),
    MOW: Tool("start a mower", "start", _MOWER),
    MOWER_DOCK: Tool("send a mower home", "dock", _MOWER),
    ADD_ITEM: Tool("add to a list", "add", _LIST, "item"),
    COMPLETE_ITEM: Tool("tick something off", "complete", _LIST, "item"),
    READ_ITEMS: Tool("read a list", "read", _LIST),
}
# For these Home Assistant itself looks for nothing else; the others take anything.
OWN_DOMAINS: Final = frozenset(TOOLS) - {TURN_ON, TURN_OFF, LIGHT_SET, SET_POSITION, STOP}
# For these Home Assistant finds only players that play.
WHILE_PLAYING: Final = frozenset({PAUSE, NEXT, PREVIOUS})
_ON_AND_OFF: Final = {"cover": ("open", "close"), "valve": ("open", "close"), "lock": ("lock", "unlock")}
_NEAR: Final = 2  # percent: lamps and motors stop close to the wish, and report that
_FAN_STEP: Final = 34  # percent: a fan with three speeds takes the next one above
_NEAR_DEGREES: Final = 0.26  # a thermostat rounds to halves
_SILENT: Final = frozenset({"off", "standby", "unavailable", "unknown"})


class Seen(StrEnum):
    """What a look shows of an effect."""

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

    def seen(self, now: Entity, earlier: Sequence[Entity] = ()) -> Seen:
        """`earlier` is the look before this one, after the call."""
        if self.action == "stop":
            return Seen.DONE if now.state not in ("opening", "closing") and now in earlier else Seen.STILL
        judge = _JUDGES.get(self.action)
        seen = Seen.HIDDEN if judge is None else judge(self, now)
        return seen if isinstance(seen, Seen) else Seen.DONE if seen else Seen.STILL


def tool_for(action: str, domain: str) -> str | None:
    """The tool that does this, whatever its arguments."""
    on, off = _ON_AND_OFF.get(domain, ("on", "off"))
    if action in (on, off, "on", "off"):
        return TURN_ON if action in (on, "on") else TURN_OFF
    able = (tool for tool, does in TOOLS.items() if does.action == action and domain in does.domains)
    return next(able, None)


def action_of(tool: str, domain: str, args: Mapping[str, Any]) -> str:
    """The action as in `integrations.source.Act`; "" for an unknown tool."""
    if tool in (TURN_ON, TURN_OFF):
        on, off = _ON_AND_OFF.get(domain, ("on", "off"))
        return on if tool == TURN_ON else off
    if tool == SET_POSITION:
        return "close" if number_of(args, "position") == 0 else "dim"
    if tool != LIGHT_SET:
        return TOOLS[tool].action if tool in TOOLS else ""
    if "color" in args or "temperature" in args:  # these are not shown, whatever else is asked
        return "colour" if "color" in args else "kelvin"
    bright = number_of(args, "brightness") if "brightness" in args else None
    return "on" if bright is None else "dim" if bright else "off"


def effect_of(tool: str, args: Mapping[str, Any], entity: Entity) -> Effect | None:
    """None: the tool does nothing with this entity, whatever Home Assistant says."""
    does = TOOLS.get(tool)
    if does is None or (does.domains and entity.domain not in does.domains):
        return None
    action = action_of(tool, entity.domain, args)
    key = "temperature" if action == "kelvin" else does.value
    level = number_of(args, key) if action in ("dim", "set", "speed", "volume", "kelvin") else None
    return Effect(entity, action, level, str(args.get("color") or args.get("item") or ""))


def number_of(args: Mapping[str, Any], key: str) -> float | None:
    value = args.get(key)
    is_number = isinstance(value, int | float | str) and not isinstance(value, bool)
    return to_number(str(value)) if is_number else None


# --- whether it shows: True and False mean done and nothing of it


def _on(effect: Effect, now: Entity) -> bool:
    if now.domain in (SCENE, *BUTTONS):  # its state is when it was last started
        return now.state != effect.before.state and now.state not in _SILENT
    if now.domain in ("media_player", "climate", "water_heater"):
        return now.state not in _SILENT
    return now.state == "on"


def _off(_effect: Effect, now: Entity) -> bool:
    return now.state == "off" or (now.domain == "media_player" and now.state == "standby")


def _moved(effect: Effect, now: Entity) -> Seen | bool:
    """A cover or a valve: open, close, or to a position."""
    wanted = {"open": 100.0, "close": 0.0}.get(effect.action, effect.level)
    position, before = now.number("current_position"), effect.before.number("current_position")
    ways = {"open": ("opening",), "close": ("closing",)}.get(effect.action, ("opening", "closing"))
    if now.state in ways:
        return Seen.MOVING
    if now.state in ("opening", "closing"):
        return False  # the other way: it has not turned round yet
    if position is None or wanted is None:
        return now.state == {"open": "open", "close": "closed"}.get(effect.action)
    if abs(position - wanted) <= _NEAR:
        return True
    nearer = before is not None and abs(position - wanted) < abs(before - wanted)
    return Seen.MOVING if nearer else False


def _dimmed(effect: Effect, now: Entity) -> Seen | bool:
    if now.domain in _MOVER:
        return _moved(effect, now)
    percent, level = percent_of(now), effect.level
    return now.state == "on" and None not in (percent, level) and abs((percent or 0) - (level or 0)) <= _NEAR


def _bolted(effect: Effect, now: Entity) -> Seen | bool:
    done, way = (("locked",), "locking") if effect.action == "lock" else (("unlocked", "open"), "unlocking")
    if now.state == "jammed":  # one that was jammed before may still come free
        return False if effect.before.state == "jammed" else Seen.JAMMED
    return Seen.MOVING if now.state in (way, "opening") else now.state in done


def _warmed(effect: Effect, now: Entity) -> bool:
    degrees, level = now.number("temperature"), effect.level
    return degrees is not None and level is not None and abs(degrees - level) <= _NEAR_DEGREES


def _blown(effect: Effect, now: Entity) -> bool:
    percent, before = percent_of(now), percent_of(effect.before)
    if not effect.level:
        return now.state == "off"
    if now.state != "on" or percent is None:
        return False
    over = percent - effect.level
    return abs(over) <= _NEAR or (percent != before and 0 <= over <= _FAN_STEP)


def _volume(effect: Effect, now: Entity) -> Seen | bool:
    volume = now.number("volume_level")
    if volume is None or effect.level is None:
        return Seen.HIDDEN if now.state not in _SILENT else False
    return abs(round(volume * 100) - effect.level) <= 1


def _playing(effect: Effect, now: Entity) -> bool:
    return now.state in ("playing", "buffering") and (not effect.value or _skipped(effect, now))


def _skipped(effect: Effect, now: Entity) -> bool:
    """It shows another title."""
    shown = ("media_title", "media_artist", "media_album_name")
    return any(now.attributes.get(key) != effect.before.attributes.get(key) for key in shown)


def _coloured(_effect: Effect, now: Entity) -> Seen | bool:
    return Seen.HIDDEN if now.state == "on" else False


def _docked(_effect: Effect, now: Entity) -> Seen | bool:
    return Seen.MOVING if now.state == "returning" else now.state == "docked"


def _listed(effect: Effect, now: Entity) -> bool:
    before, count = to_number(effect.before.state), to_number(now.state)
    if before is None or count is None:
        return False
    return count - before >= 1 if effect.action == "add" else before - count >= 1


_JUDGES: Final[Mapping[str, Callable[[Effect, Entity], Seen | bool]]] = {
    "on": _on,
    "off": _off,
    "dim": _dimmed,
    "set": _warmed,
    "speed": _blown,
    "volume": _volume,
    "play": _playing,
    "pause": lambda _effect, now: now.state in ("paused", "idle", *_SILENT),
    "start": lambda _effect, now: now.state == "cleaning",
    "dock": _docked,
    **dict.fromkeys(("open", "close"), _moved),
    **dict.fromkeys(("lock", "unlock"), _bolted),
    **dict.fromkeys(("next", "previous"), _skipped),
    **dict.fromkeys(("colour", "kelvin"), _coloured),
    **dict.fromkeys(("add", "complete"), _listed),
}


# --- until it shows

# All entities as they are now: a look that begins with this call.
Look = Callable[[], Awaitable[Sequence[Entity]]]

_MOTORS: Final = frozenset({"cover", "valve", "vacuum"})


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a wish may take to show, by the domain of the entity."""

    seconds: float = 1.5
    by_domain: dict[str, float] = field(
        default_factory=lambda: {
            "lock": 4.0,  # until it moves; many never say that they do
            "cover": 3.0,
            "valve": 3.0,
            "climate": 2.0,
            "media_player": 2.0,
            "vacuum": 3.0,
        }
    )
    lock_moves_seconds: float = 12.0  # a bolt that moves is waited for
    first_pause_seconds: float = 0.05
    pause_seconds: float = 0.2


@dataclass(frozen=True, slots=True)
class Verdict:
    effect: Effect
    outcome: OutcomeStatus
    now: Entity | None = None  # as it was seen last; None: it is no longer there
    seen: Seen = Seen.STILL


_AT_ONCE: Final = {
    Seen.DONE: OutcomeStatus.CONFIRMED,
    Seen.JAMMED: OutcomeStatus.FAILED,
    Seen.HIDDEN: OutcomeStatus.UNCONFIRMED,
}
_WORST: Final = (Seen.JAMMED, Seen.STILL, Seen.MOVING, Seen.HIDDEN, Seen.DONE)


class _Watched:
    """One effect while it is looked for. Twins that cannot be told apart are looked at together."""

    def __init__(self, effect: Effect) -> None:
        self.effect = effect
        self.verdict: Verdict | None = None
        self._now: tuple[Entity, ...] = ()
        self._seen = Seen.STILL
        self._moved = False
        self._positions: set[float | None] = set()

    def look(self, entities: Sequence[Entity]) -> None:
        was, earlier = self.effect.before, self._now
        place = (was.names, was.domain, was.areas)
        self._now = tuple(now for now in entities if (now.names, now.domain, now.areas) == place)
        self._positions |= {entity.number("current_position") for entity in self._now}
        seen = {self.effect.seen(entity, earlier) for entity in self._now}
        self._seen = next((worst for worst in _WORST if worst in seen), Seen.STILL)
        self._moved = self._moved or self._seen is Seen.MOVING
        if self._seen in _AT_ONCE:
            self._decide(_AT_ONCE[self._seen])
        elif self._seen is Seen.MOVING and was.domain in _MOTORS:
            self._decide(OutcomeStatus.WORKING)

    def end(self) -> None:
        """Its time is over."""
        if not self._now:
            self.verdict = Verdict(self.effect, OutcomeStatus.UNCONFIRMED)
        elif not all(map(is_available, self._now)):
            self._decide(OutcomeStatus.UNREACHABLE)
        elif self._seen is Seen.MOVING:
            self._decide(OutcomeStatus.WORKING)
        elif any(entity.state == "jammed" for entity in self._now):
            self.verdict = Verdict(self.effect, OutcomeStatus.FAILED, self._now[0], Seen.JAMMED)
        elif self.effect.action == "stop" and len(self._positions) == 1 and None not in self._positions:
            # Some still report "closing" after they have stopped: an unchanged position tells more.
            resting = replace(self._now[0], state="open" if any(self._positions) else "closed")
            self.verdict = Verdict(self.effect, OutcomeStatus.CONFIRMED, resting)
        else:
            gave_up = self._moved and self._now[0].state == self.effect.before.state
            self._decide(OutcomeStatus.FAILED if gave_up else OutcomeStatus.UNCONFIRMED)

    def _decide(self, outcome: OutcomeStatus) -> None:
        self.verdict = Verdict(self.effect, outcome, self._now[0], self._seen)

    def limit(self, pace: Pace) -> float:
        domain = self.effect.before.domain
        moving = domain == "lock" and self._seen is Seen.MOVING
        return pace.lock_moves_seconds if moving else pace.by_domain.get(domain, pace.seconds)


async def confirm(effects: Sequence[Effect], look: Look, pace: Pace) -> list[Verdict]:
    """One verdict for each effect, in their order."""
    clock = asyncio.get_running_loop().time
    started, looks = clock(), 0
    watched = [_Watched(effect) for effect in effects]
    while waiting := [each for each in watched if each.verdict is None]:
        if looks:
            await asyncio.sleep(pace.first_pause_seconds if looks == 1 else pace.pause_seconds)
        entities, looks = await look(), looks + 1
        for each in waiting:
            each.look(entities)
            late = clock() - started >= each.limit(pace)
            if each.verdict is None and late and looks > 1:  # a stop needs two
                each.end()
    return [each.verdict for each in watched if each.verdict is not None]
