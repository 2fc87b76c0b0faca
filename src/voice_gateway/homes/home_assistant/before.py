"""What was before an act: the calls that put it back, and why something cannot be."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from home_words.phrases import capital
from home_words.wording import the, verb
from voice_gateway.homes.home_assistant import effects as ha
from voice_gateway.homes.home_assistant.devices import AWAY, SCENE, device_of, percent_of
from voice_gateway.homes.home_assistant.effects import Effect
from voice_gateway.homes.home_assistant.live_context import Entity
from voice_gateway.homes.home_assistant.names import address

# Which of a tool's arguments it has: Home Assistant ignores others, our own check does not.
Takes = Callable[[str], frozenset[str]]
_PRESENT: Final = ("open", "closed")


@dataclass(frozen=True, slots=True)
class Before:
    """`calls` put back what is known, in this order; `undo` says what stays as it is, and why."""

    calls: tuple[dict[str, Any], ...] = ()
    undo: str = ""


def before(effect: Effect, entities: Sequence[Entity], takes: Takes) -> Before:
    """`entities` are all there were when the call was made."""
    entity = effect.before
    where, device = address(entity, entities), device_of(entity, "")
    if entity.domain == SCENE:
        return Before(undo=f"What {the(device)} has changed is not known here.")
    if where is None or entity.state in AWAY:
        return Before(undo=f"It is not known how {the(device)} {verb(device, 'was')} before.")
    if reason := _REASONS.get(effect.action):
        return Before(undo=capital(reason.format(the(device))))
    calls = [
        {"name": tool, "args": {**{key: where[key] for key in where if key in takes(tool)}, **more}}
        for tool, more in _steps(effect)
        if takes(tool)
    ]
    if not calls:
        return Before(undo=capital(f"{the(device)} cannot be put back from here."))
    unseen = effect.action in ("colour", "kelvin")
    return Before(tuple(calls), f"The colour of {the(device)} cannot be put back." if unseen else "")


_REASONS: Final = {
    "stop": "{0} was moving, and where to is not known.",
    "next": "what {0} played before cannot be put back.",
    "previous": "what {0} played before cannot be put back.",
    "add": "it cannot be taken off {0} from here.",
    "complete": "it cannot be put back on {0} from here.",
    "mute": "whether {0} was silent before is not known.",
    "unmute": "whether {0} was silent before is not known.",
}


def _steps(effect: Effect) -> list[tuple[str, dict[str, Any]]]:
    was, domain = effect.before, effect.before.domain
    if domain == "light":
        return _light(was)
    if domain in ("cover", "valve"):
        position = was.number("current_position")
        if position is not None and was.state in _PRESENT:
            return [(ha.SET_POSITION, {"position": round(position)})]
        return [(ha.TURN_ON if was.state in ("open", "opening") else ha.TURN_OFF, {})]
    if domain == "lock":
        return [(ha.TURN_ON if was.state in ("locked", "locking") else ha.TURN_OFF, {})]
    if domain == "climate":
        return _climate(effect)
    if domain == "fan":
        percent = percent_of(was)
        return [(ha.SET_SPEED, {"percentage": percent})] if was.state == "on" and percent else _switch(was)
    if domain == "media_player":
        return _player(effect)
    if domain == "vacuum":
        return [(ha.VACUUM_START if was.state == "cleaning" else ha.VACUUM_DOCK, {})]
    return _switch(was)


def _switch(was: Entity) -> list[tuple[str, dict[str, Any]]]:
    return [(ha.TURN_ON if was.state == "on" else ha.TURN_OFF, {})]


def _light(was: Entity) -> list[tuple[str, dict[str, Any]]]:
    percent = percent_of(was)
    return [(ha.LIGHT_SET, {"brightness": percent})] if was.state == "on" and percent else _switch(was)


def _climate(effect: Effect) -> list[tuple[str, dict[str, Any]]]:
    """Off is off; which of several modes it had, nothing here can set."""
    was = effect.before
    if effect.action == "set":
        degrees = was.number("temperature")
        back = [(ha.SET_TEMPERATURE, {"temperature": degrees})] if degrees is not None else []
        return [*back, (ha.TURN_OFF, {})] if was.state == "off" else back
    return [(ha.TURN_OFF if was.state == "off" else ha.TURN_ON, {})]


def _player(effect: Effect) -> list[tuple[str, dict[str, Any]]]:
    was = effect.before
    if effect.action == "volume":
        volume = was.number("volume_level")
        return [(ha.SET_VOLUME, {"volume_level": round(volume * 100)})] if volume is not None else []
    if effect.action in ("on", "off"):
        return [(ha.TURN_OFF if was.state in ("off", "standby") else ha.TURN_ON, {})]
    return [(ha.PLAY if was.state in ("playing", "buffering") else ha.PAUSE, {})]
