"""What was before an act: the calls that put it back, and why something cannot be."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from home_words.phrases import capital
from home_words.wording import the, verb
from voice_gateway.integrations.home_assistant import effects as ha
from voice_gateway.integrations.home_assistant.devices import AWAY, SCENE, device_of, percent_of
from voice_gateway.integrations.home_assistant.effects import Effect
from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.integrations.home_assistant.names import address

# Which of a tool's arguments it has: Home Assistant ignores others, our own check does not.
Takes = Callable[[str], frozenset[str]]
Step = tuple[str, dict[str, Any]]  # a tool, and what it sets


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
        return Before(undo=f"What the scene {device.name} has changed is not known here.")
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


def _steps(effect: Effect) -> list[Step]:
    return _BY_DOMAIN.get(effect.before.domain, _switch)(effect)


def _switch(effect: Effect) -> list[Step]:
    return [(ha.TURN_ON if effect.before.state == "on" else ha.TURN_OFF, {})]


def _light(effect: Effect) -> list[Step]:
    percent = percent_of(effect.before)
    bright = effect.before.state == "on" and percent
    return [(ha.LIGHT_SET, {"brightness": percent})] if bright else _switch(effect)


def _cover(effect: Effect) -> list[Step]:
    was = effect.before
    position = was.number("current_position")
    if position is not None and was.state in ("open", "closed"):
        return [(ha.SET_POSITION, {"position": round(position)})]
    return [(ha.TURN_ON if was.state in ("open", "opening") else ha.TURN_OFF, {})]


def _lock(effect: Effect) -> list[Step]:
    return [(ha.TURN_ON if effect.before.state in ("locked", "locking") else ha.TURN_OFF, {})]


def _fan(effect: Effect) -> list[Step]:
    percent = percent_of(effect.before)
    turns = effect.before.state == "on" and percent
    return [(ha.SET_SPEED, {"percentage": percent})] if turns else _switch(effect)


def _vacuum(effect: Effect) -> list[Step]:
    return [(ha.VACUUM_START if effect.before.state == "cleaning" else ha.VACUUM_DOCK, {})]


def _climate(effect: Effect) -> list[Step]:
    """Off is off; which of several modes it had, nothing here can set."""
    was = effect.before
    if effect.action == "set":
        degrees = was.number("temperature")
        back: list[Step] = [(ha.SET_TEMPERATURE, {"temperature": degrees})] if degrees is not None else []
        return [*back, (ha.TURN_OFF, {})] if was.state == "off" else back
    return [(ha.TURN_OFF if was.state == "off" else ha.TURN_ON, {})]


def _player(effect: Effect) -> list[Step]:
    was = effect.before
    if effect.action == "volume":
        volume = was.number("volume_level")
        return [(ha.SET_VOLUME, {"volume_level": round(volume * 100)})] if volume is not None else []
    if effect.action in ("on", "off"):
        return [(ha.TURN_OFF if was.state in ("off", "standby") else ha.TURN_ON, {})]
    return [(ha.PLAY if was.state in ("playing", "buffering") else ha.PAUSE, {})]


_BY_DOMAIN: Final[dict[str, Callable[[Effect], list[Step]]]] = {
    "light": _light,
    "cover": _cover,
    "valve": _cover,
    "lock": _lock,
    "climate": _climate,
    "fan": _fan,
    "media_player": _player,
    "vacuum": _vacuum,
}
