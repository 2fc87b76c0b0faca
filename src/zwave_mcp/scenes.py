"""Scenes: the gateway accepts them at once, so each value is checked with its device afterwards."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from home_words.names import spellings, words
from home_words.phrases import listed
from home_words.risk import RELAYS, is_guarded, is_sensitive
from zwave_mcp import wording
from zwave_mcp.colour import Looks, looks_for
from zwave_mcp.devices import (
    BARRIER,
    BASIC,
    BINARY_SWITCH,
    COLOR_SWITCH,
    DOOR_LOCK,
    LAST_LEVEL,
    MULTILEVEL_SWITCH,
    THERMOSTAT_FAN_MODE,
    THERMOSTAT_MODE,
    THERMOSTAT_SETPOINT,
    WINDOW_COVERING,
    Device,
)
from zwave_mcp.home import Home, HomeError, NoAnswer, Refused, Scene, SceneValue, is_number
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.states import LOCKED, components
from zwave_mcp.undo import before_scene
from zwave_mcp.view import View, Viewer

NEEDS_YES: Final = "needsYes"  # in a result: the same call with `confirmed` is for the user to agree to
_NEAR: Final = 2
# What a scene can write to a lamp, a blind or a thermostat without anything else coming of it.
_PLAIN_CLASSES: Final = frozenset(
    {BASIC, BINARY_SWITCH, COLOR_SWITCH, MULTILEVEL_SWITCH, WINDOW_COVERING}
    | {THERMOSTAT_FAN_MODE, THERMOSTAT_MODE, THERMOSTAT_SETPOINT}
)
# A value of these classes is for such a device, whatever else its node is.
_KINDS: Final = {BARRIER: "garage_door", DOOR_LOCK: "lock"}
# Values that move a device, and what writing "no" and "yes", or 0 and more, to them does.
_MOVES: Final = {
    **dict.fromkeys(("targetValue", "targetState"), ("close", "open")),
    **dict.fromkeys(("Up", "Open", "On", "levelChangeUp"), ("stop", "open")),
    **dict.fromkeys(("Down", "Close", "Off", "levelChangeDown"), ("stop", "close")),
}


class Scenes:
    def __init__(self, home: Home, viewer: Viewer, *, allow_unlock: bool = False) -> None:
        self._home = home
        self._viewer = viewer
        self._allow_unlock = allow_unlock

    async def activate(self, asked: str, *, confirmed: bool = False) -> Result:
        """`confirmed`: the user was told that not all of it is known, and said yes."""
        requested: dict[str, Any] = {"scene": asked}
        known = await self._home.scenes()
        scene = _find(asked, known)
        if scene is None:
            sentence = wording.no_scene(asked, [one.name for one in known])
            more = {"scenes": [one.name for one in known]}
            return result(sentence, "not_found", Facts(requested, more=more))
        view = await self._viewer.now()
        if (refusal := self._refusal(scene, view, confirmed=confirmed)) is not None:
            return result(refusal.sentence, "unsupported", Facts(requested, more=refusal.facts()))
        touched = [(device, value.id) for value in scene.values for device in _devices(value, view)]
        was = before_scene(view.names, touched).facts()
        try:
            await self._home.activate_scene(scene.id)
        except Refused as refusal:
            return result(f"The scene {scene.name} did not start: {refusal}", "failed", Facts(requested))
        except NoAnswer:
            sentence = f"The scene {scene.name} is not confirmed, it may still happen."
            return result(sentence, "unconfirmed", Facts(requested, more=was))
        return await self._judge(scene, view, requested, was)

    def _refusal(self, scene: Scene, view: View, *, confirmed: bool) -> "Refusal | None":
        """Why this scene is not started. Whoever confirms an opening must hear what is opened."""
        for value in scene.values:
            risky = next((one for one in _devices(value, view) if _is_risky(one, value)), None)
            if risky is not None:
                what = wording.the(risky)
                return Refusal(f"The scene {scene.name} acts on {what}, which must be asked for by itself.")
        if not _is_unknown(scene, view):
            return None
        unknown = f"It is not known all that the scene {scene.name} does"
        if not self._allow_unlock and _may_unlock(scene, view):
            return Refusal(f"{unknown}, and unlocking is switched off in the settings of the Z-Wave server.")
        return None if confirmed else Refusal(f"{unknown}, so it is not started from here.", needs_yes=True)

    async def _judge(
        self, scene: Scene, view: View, requested: dict[str, Any], was: dict[str, Any]
    ) -> Result:
        async with asyncio.TaskGroup() as checks:
            tasks = [checks.create_task(self._took(value, view)) for value in scene.values]
        behind = [name for name in (task.result() for task in tasks) if name]
        more = {"notConfirmed": behind, **was}
        if behind:
            names = listed(list(dict.fromkeys(behind)))
            sentence = f"The scene {scene.name} was started, but this is not confirmed: {names}."
            return result(sentence, "unconfirmed", Facts(requested, more=more))
        outcome: Outcome = "confirmed" if scene.values else "working"
        sentence = (
            f"The scene {scene.name} is on." if scene.values else f"The scene {scene.name} was started."
        )
        return result(sentence, outcome, Facts(requested, more=more))

    async def _took(self, wanted: SceneValue, view: View) -> str | None:
        """None when the device has the value, else its name."""
        device = next((one for one in view.devices if one.target == wanted.id), None)
        shown = _shown(wanted, view) if device is None else None
        device, parts = shown or (device, {})
        read = device.state_value.id if device is not None and device.state_value else wanted.id
        name = wording.told_apart(device) if device is not None else f"Node {wanted.id.node_id}"
        if device is not None and device.node.dead:
            return name
        clock = asyncio.get_running_loop().time
        pace = self._home.pace
        end = clock() + pace.scene_window_seconds
        looks = parts or {read: lambda now: _same(now, wanted.value)}
        while not await self._has(looks):
            if clock() + pace.scene_poll_seconds > end:
                return name
            await asyncio.sleep(pace.scene_poll_seconds)
        if device is not None and device.kind == "lock":
            self._viewer.bolt_moved(device)
        return None

    async def _has(self, looks: Looks) -> bool:
        try:
            return all([reached(await self._home.poll(read)) for read, reached in looks.items()])
        except HomeError:
            return False


def _shown(wanted: SceneValue, view: View) -> tuple[Device, Looks] | None:
    """The light of a colour, and its components: nobody is asked for a whole colour."""
    if wanted.id.command_class != COLOR_SWITCH:
        return None
    light = next((one for one in _devices(wanted, view) if components(one)), None)
    if light is None:
        return None
    return light, looks_for(light, wanted.id, wanted.value) or {wanted.id: lambda now: now == wanted.value}


def _find(asked: str, known: tuple[Scene, ...]) -> Scene | None:
    """Exactly as it is called, or with the same words; a scene does too much to be guessed."""
    forms = spellings(asked)
    said = words(asked) - {"scene"} or words(asked)
    for scene in known:
        if forms & spellings(scene.name) or said == (words(scene.name) - {"scene"} or words(scene.name)):
            return scene
    return None


def _same(now: Any, wanted: Any) -> bool:
    if is_number(now) and is_number(wanted):
        if wanted == LAST_LEVEL:
            return bool(now > 0)
        return bool(abs(now - wanted) <= (_NEAR if wanted else 0))
    return now is not None and bool(now == wanted)


@dataclass(frozen=True, slots=True)
class Refusal:
    sentence: str
    needs_yes: bool = False  # with the user's yes it would be started

    def facts(self) -> dict[str, Any]:
        return {NEEDS_YES: True} if self.needs_yes else {}


def _is_unknown(scene: Scene, view: View) -> bool:
    return not scene.complete or any(_is_strange(value, view) for value in scene.values)


def _is_strange(value: SceneValue, view: View) -> bool:
    return not _devices(value, view) or value.id.command_class not in _PLAIN_CLASSES | set(_KINDS)


def _may_unlock(scene: Scene, view: View) -> bool:
    """Whether what is not known of it could be a lock's."""
    if not any(device.kind == "lock" for device in view.devices):
        return False
    reached = [_devices(value, view) for value in scene.values if _is_strange(value, view)]
    return not scene.complete or any(not one or any(d.kind == "lock" for d in one) for one in reached)


def _devices(value: SceneValue, view: View) -> list[Device]:
    """Those that a value reaches: an endpoint's own, and of a value for a whole node all of it."""
    of_node = [device for device in view.devices if device.node_id == value.id.node_id]
    return [device for device in of_node if device.endpoint == value.id.endpoint] or of_node


def _is_risky(device: Device, value: SceneValue) -> bool:
    kind = _KINDS.get(value.id.command_class, device.kind)
    names = (device.name, f"{device.room} {device.name}")
    return is_guarded(kind, names) and is_sensitive(kind, names, _action(kind, value))


def _action(kind: str, value: SceneValue) -> str:
    """The word for what writing this value does; the riskiest one where nobody knows."""
    wanted = value.value
    if value.id.command_class == DOOR_LOCK:
        return "lock" if value.id.property == "targetMode" and wanted == LOCKED else "unlock"
    moves = _MOVES.get(str(value.id.property))
    if moves is None or not (isinstance(wanted, bool) or is_number(wanted)):
        return "toggle"
    action = moves[bool(wanted)]
    switched = {"close": "off", "open": "on"}
    return switched.get(action, action) if kind in RELAYS else action
