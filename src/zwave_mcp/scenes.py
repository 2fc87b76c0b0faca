"""Scenes: the gateway accepts them at once, so each value is checked with its device afterwards."""

import asyncio
from typing import Any, Final

from home_words.names import spellings, words
from home_words.phrases import listed
from zwave_mcp import wording
from zwave_mcp.devices import BARRIER, DOOR_LOCK, LAST_LEVEL
from zwave_mcp.home import Home, HomeError, NoAnswer, Refused, Scene, SceneValue, ValueId, is_number
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.states import LOCKED
from zwave_mcp.view import View, Viewer

_NEAR: Final = 2


class Scenes:
    def __init__(self, home: Home, viewer: Viewer) -> None:
        self._home = home
        self._viewer = viewer

    async def activate(self, asked: str) -> Result:
        requested: dict[str, Any] = {"scene": asked}
        known = await self._home.scenes()
        scene = _find(asked, known)
        if scene is None:
            sentence = wording.no_scene(asked, [one.name for one in known])
            more = {"scenes": [one.name for one in known]}
            return result(sentence, "not_found", Facts(requested, more=more))
        if any(_opens_the_house(value) for value in scene.values):
            # Whoever confirms an unlocking must hear what is unlocked: it is a command of its own.
            sentence = f"The scene {scene.name} unlocks or opens a door, which must be asked for by itself."
            return result(sentence, "unsupported", Facts(requested))
        view = await self._viewer.now()
        try:
            await self._home.activate_scene(scene.id)
        except Refused as refusal:
            return result(f"The scene {scene.name} did not start: {refusal}", "failed", Facts(requested))
        except NoAnswer:
            sentence = f"The scene {scene.name} is not confirmed, it may still happen."
            return result(sentence, "unconfirmed", Facts(requested))
        return await self._judge(scene, view, requested)

    async def _judge(self, scene: Scene, view: View, requested: dict[str, Any]) -> Result:
        async with asyncio.TaskGroup() as checks:
            tasks = [checks.create_task(self._took(value, view)) for value in scene.values]
        behind = [name for name in (task.result() for task in tasks) if name]
        more = {"notConfirmed": behind}
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
        read = device.state_value.id if device is not None and device.state_value else wanted.id
        name = device.name if device is not None else f"Node {wanted.id.node_id}"
        if device is not None and device.node.dead:
            return name
        clock = asyncio.get_running_loop().time
        pace = self._home.pace
        end = clock() + pace.scene_window_seconds
        while not await self._has(read, wanted.value):
            if clock() + pace.scene_poll_seconds > end:
                return name
            await asyncio.sleep(pace.scene_poll_seconds)
        if device is not None and device.kind == "lock":
            self._viewer.bolt_moved(device)
        return None

    async def _has(self, read: ValueId, wanted: Any) -> bool:
        try:
            return _same(await self._home.poll(read), wanted)
        except HomeError:
            return False


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


def _opens_the_house(value: SceneValue) -> bool:
    if value.id.command_class == BARRIER:
        return bool(value.value != 0)
    return value.id.command_class == DOOR_LOCK and value.value != LOCKED
