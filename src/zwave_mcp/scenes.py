"""Scenes: what each does, and starting one. The gateway accepts a scene at once, so its values are polled
afterwards."""

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from home_names import wording
from home_names.names import spellings, words
from home_names.phrases import listed
from home_names.risk import RELAYS, is_guarded, is_sensitive
from home_names.states import UNKNOWN
from zwave_mcp import sentences
from zwave_mcp.colour import Looks, looks_for
from zwave_mcp.devices import CC, LAST_LEVEL, LOCKED, Device, View, Viewer, components, without_jam
from zwave_mcp.home import GatewayError, Home, HomeError, NoAnswer, Scene, SceneValue, is_number, is_secret
from zwave_mcp.results import Result, before_scene, result
from zwave_mcp.states import reading_text, state_of

NEEDS_YES: Final = "needsYes"  # key in a result: the user may agree to the same call with `confirmed`
_NEAR: Final = 2
_MOST_NAMED: Final = 10
# What a scene can write to a lamp, a blind or a thermostat without side effects.
_PLAIN_CLASSES: Final = frozenset(
    {CC.BASIC, CC.BINARY_SWITCH, CC.COLOR_SWITCH, CC.MULTILEVEL_SWITCH, CC.WINDOW_COVERING}
    | {CC.THERMOSTAT_FAN_MODE, CC.THERMOSTAT_MODE, CC.THERMOSTAT_SETPOINT}
)
# A value of these classes is for such a device, also on a node of another kind.
_KINDS: Final[dict[int, str]] = {CC.BARRIER: "garage_door", CC.DOOR_LOCK: "lock"}
# Values that move a device, and what writing 0 (or false) and more to them does.
_MOVES: Final = {
    **dict.fromkeys(("targetValue", "targetState"), ("close", "open")),
    **dict.fromkeys(("Up", "Open", "On", "levelChangeUp"), ("stop", "open")),
    **dict.fromkeys(("Down", "Close", "Off", "levelChangeDown"), ("stop", "close")),
}


@dataclass(frozen=True, slots=True)
class Scenes:
    home: Home
    viewer: Viewer
    allow_unlock: bool = False

    async def activate(self, asked: str, *, confirmed: bool = False) -> Result:
        """`confirmed`: the user was told that not all of the scene is known, and said yes."""
        known = await self.home.scenes()
        scene = _find(asked, known)
        if scene is None:
            names = [item.name for item in known]
            sentence = sentences.no_scene(asked, names)
            return result(sentence, "not_found", more={"scenes": names})
        view = await self.viewer.now()
        sentence, needs_yes = self._refusal(scene, view, confirmed=confirmed)
        if sentence:
            return result(sentence, "unsupported", more={NEEDS_YES: True} if needs_yes else {})
        touched = [(device, value.id) for value in scene.values for device in _reached(value, view)]
        before = before_scene(view.names, touched)
        try:
            await self.home.activate_scene(scene.id)
        except GatewayError as error:
            return result(f"The scene {scene.name} did not start: {error}", "failed")
        except NoAnswer:
            sentence = f"The scene {scene.name} is not confirmed, it may still happen."
            return result(sentence, "unconfirmed", more=before)
        return await self._judge(scene, view, before)

    async def _judge(self, scene: Scene, view: View, before: dict[str, Any]) -> Result:
        answers = await asyncio.gather(*(self._not_taken(value, view) for value in scene.values))
        behind = [name for name in answers if name]
        more = {"notConfirmed": behind, **before}
        if behind:
            names = listed(list(dict.fromkeys(behind)))
            sentence = f"The scene {scene.name} was started, but this is not confirmed: {names}."
            return result(sentence, "unconfirmed", more=more)
        if not scene.values:
            return result(f"The scene {scene.name} was started.", "working", more=more)
        return result(f"The scene {scene.name} is on.", "confirmed", more=more)

    def _refusal(self, scene: Scene, view: View, *, confirmed: bool) -> tuple[str, bool]:
        """Why the scene is not started, and whether the user's yes would start it. A user who confirms an
        opening must hear what is opened."""
        for value in scene.values:
            risky = next((item for item in _reached(value, view) if _is_risky(item, value)), None)
            if risky is not None:
                what = wording.the(risky)
                return f"The scene {scene.name} acts on {what}, which must be asked for by itself.", False
        strange = [_reached(value, view) for value in scene.values if _is_strange(value, view)]
        if scene.complete and not strange:
            return "", False
        unknown = f"It is not known all that the scene {scene.name} does"
        has_lock = any(device.kind == "lock" for device in view.devices)
        may_unlock = not scene.complete or any(
            not devices or any(device.kind == "lock" for device in devices) for devices in strange
        )
        if has_lock and may_unlock and not self.allow_unlock:
            off = "unlocking is switched off in the settings of the Z-Wave server"
            return f"{unknown}, and {off}.", False
        return ("", False) if confirmed else (f"{unknown}, so it is not started from here.", True)

    async def _not_taken(self, wanted: SceneValue, view: View) -> str:
        """The name of the device if it does not report the value within its window."""
        device = next((item for item in view.devices if item.target == wanted.id), None)
        looks: Looks = {}
        same = partial(_is_same, wanted=wanted.value)
        if device is not None and device.state_value:
            looks = {device.state_value.id: same}
        elif wanted.id.command_class == CC.COLOR_SWITCH:  # it cannot be polled whole, its components can
            device = next((item for item in _reached(wanted, view) if components(item)), None)
            looks = looks_for(device, wanted.id, wanted.value) if device is not None else {}
        looks = looks or {wanted.id: same}
        name = sentences.numbered(device) if device is not None else f"Node {wanted.id.node_id}"
        if device is not None and device.node.dead:
            return name
        clock, timing = asyncio.get_running_loop().time, self.home.timing
        end = clock() + timing.scene_window_seconds
        while True:
            try:
                if all([reached(await self.home.poll(read)) for read, reached in looks.items()]):
                    break
            except HomeError:
                pass
            if clock() + timing.scene_poll_seconds > end:
                return name
            await asyncio.sleep(timing.scene_poll_seconds)
        return ""

    async def list(self, asked: str = "") -> Result:
        """All scenes, or one with its members."""
        known, view = await self.home.scenes(), await self.viewer.now()
        scene = _find(asked, known)
        if asked and scene is None:
            return result(sentences.no_scene(asked, [item.name for item in known]), "not_found")
        entries: list[dict[str, Any]] = [
            {
                "name": item.name,
                "members": [_member(value, view) for value in item.values],
                "complete": item.complete,
            }
            for item in ((scene,) if scene else known)
        ]
        if scene:
            sentence = _members_sentence(scene, entries[0]["members"], view)
        elif known:
            count = "There is one scene" if len(known) == 1 else f"There are {len(known)} scenes"
            sentence = f"{count}: {sentences.counted([item.name for item in known], _MOST_NAMED)}."
        else:
            sentence = "No scenes are set up."
        return result(sentence, "confirmed", more={"scenes": entries})


def _find(asked: str, known: tuple[Scene, ...]) -> Scene | None:
    """By its exact name or the same words: a scene does too much to be guessed."""

    def core(text: str) -> set[str]:
        return set(words(text) - {"scene"} or words(text))

    forms, asked_core = spellings(asked), core(asked)
    same = (item for item in known if forms & spellings(item.name) or asked_core == core(item.name))
    return next(same, None) if asked else None


def _is_same(now: Any, wanted: Any) -> bool:
    if is_number(now) and is_number(wanted):
        if wanted == LAST_LEVEL:
            return bool(now > 0)
        return bool(abs(now - wanted) <= (_NEAR if wanted else 0))
    return now is not None and bool(now == wanted)


# --- what a scene reaches


def _reached(value: SceneValue, view: View) -> list[Device]:
    """The devices that a value reaches: those of its endpoint; of a value for a whole node, all of it."""
    of_node = [device for device in view.devices if device.node_id == value.id.node_id]
    return [device for device in of_node if device.endpoint == value.id.endpoint] or of_node


def _is_strange(value: SceneValue, view: View) -> bool:
    return not _reached(value, view) or value.id.command_class not in _PLAIN_CLASSES | set(_KINDS)


def _is_risky(device: Device, value: SceneValue) -> bool:
    kind = _KINDS.get(value.id.command_class, device.kind)
    names = (device.name, f"{device.room} {device.name}")
    return is_guarded(kind, names) and is_sensitive(kind, names, _action(kind, value))


def _action(kind: str, value: SceneValue) -> str:
    """The word for what writing this value does; the riskiest one where it is unknown."""
    wanted = value.value
    if value.id.command_class == CC.DOOR_LOCK:
        return "lock" if value.id.property == "targetMode" and wanted == LOCKED else "unlock"
    moves = _MOVES.get(str(value.id.property))
    if moves is None or not (isinstance(wanted, bool) or is_number(wanted)):
        return "toggle"
    action = moves[bool(wanted)]
    return {"close": "off", "open": "on"}.get(action, action) if kind in RELAYS else action


# --- what a scene sets


def _meant(value: SceneValue, view: View) -> Device | None:
    """The device whose state it is, or a part of it."""
    of_node = [device for device in view.devices if device.node_id == value.id.node_id]
    exact = next((device for device in of_node if device.target == value.id), None)
    return exact or next(iter(_reached(value, view)), None)


def _member(value: SceneValue, view: View) -> dict[str, Any]:
    device = _meant(value, view)
    return {
        "device": device.name if device else f"Node {value.id.node_id}",
        "room": device.room if device else None,
        "nodeId": value.id.node_id,
        "state": _set_to(device, value) if device else None,
    }


def _set_to(device: Device, value: SceneValue) -> str | None:
    """What the scene sets; None where there is no word for it, or it is secret."""
    if is_secret(value.id.command_class, value.id.property):
        return None
    if device.target == value.id:  # its state, without the present colour or a jam
        plain = tuple(item for item in device.values if item.id.command_class != CC.COLOR_SWITCH)
        text = state_of(without_jam(replace(device, values=plain)), value.value)
        return None if text == UNKNOWN else text
    known = next((item for item in device.node.values if item.id == value.id), None)
    if known is None or not (isinstance(value.value, bool | str) or is_number(value.value)):
        return None
    text = reading_text(replace(known, value=value.value))
    return f"set to {text}" if value.id.command_class == CC.THERMOSTAT_SETPOINT else text


def _members_sentence(scene: Scene, members: list[dict[str, Any]], view: View) -> str:
    names = sentences.distinct_names(view.devices)
    meant = [_meant(value, view) for value in scene.values]
    each = [
        f"{names[device.place] if device else member['device']} {member['state'] or 'is set to something'}"
        for device, member in zip(meant, members, strict=True)
    ]
    unknown = "" if scene.complete else "; and something that could not be read"
    if not each:
        return f"The scene {scene.name} sets nothing{unknown}."
    return f"The scene {scene.name}: {sentences.counted(each, _MOST_NAMED)}{unknown}."
