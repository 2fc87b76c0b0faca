"""Which scenes there are, and what each does with which device."""

from dataclasses import replace
from typing import Any, Final

from home_words.names import spellings
from home_words.phrases import listed
from home_words.states import UNKNOWN
from zwave_mcp import wording
from zwave_mcp.colour import colour_written
from zwave_mcp.devices import (
    COLOR_SWITCH,
    THERMOSTAT_MODE,
    THERMOSTAT_SETPOINT,
    Device,
    is_component,
    without_jam,
)
from zwave_mcp.home import Home, Scene, SceneValue, is_number
from zwave_mcp.results import Facts, Result, result
from zwave_mcp.secrets import is_secret
from zwave_mcp.states import label_of, reading_text, state_of
from zwave_mcp.view import View, Viewer

_MOST_NAMED: Final = 10


class SceneList:
    def __init__(self, home: Home, viewer: Viewer) -> None:
        self._home = home
        self._viewer = viewer

    async def tell(self, asked: str = "") -> Result:
        known = await self._home.scenes()
        requested = {"scene": asked} if asked else {}
        if asked:
            known = tuple(one for one in known if spellings(one.name) & _forms(asked))
            if not known:
                names = [one.name for one in await self._home.scenes()]
                return result(wording.no_scene(asked, names), "not_found", Facts(requested))
        view = await self._viewer.now() if known else None
        told = [_entry(scene, view) for scene in known if view is not None]
        sentence = _whole(told[0], _called(known[0], view)) if asked and view is not None else _names(told)
        return result(sentence, "confirmed", Facts(requested, more={"scenes": told}))


def _forms(asked: str) -> frozenset[str] | set[str]:
    said = asked.casefold()
    shorter = said.removeprefix("the ").removesuffix(" scene").removeprefix("scene ").strip()
    return spellings(asked) | spellings(shorter)


def _entry(scene: Scene, view: View) -> dict[str, Any]:
    return {
        "name": scene.name,
        "members": [_member(value, view) for value in scene.values],
        "complete": scene.complete,
    }


def _called(scene: Scene, view: View) -> list[str]:
    """Its members in their order: two of one name are told apart."""
    called = wording.called_apart(view.devices)
    meant = [(value, _meant(value, view)) for value in scene.values]
    return [str(called[one.place]) if one else f"Node {value.id.node_id}" for value, one in meant]


def _meant(value: SceneValue, view: View) -> Device | None:
    """The device whose state it is, or a part of it."""
    of_node = [one for one in view.devices if one.node.id == value.id.node_id]
    of_endpoint = [one for one in of_node if one.endpoint == value.id.endpoint]
    return next((one for one in of_node if one.target == value.id), next(iter(of_endpoint + of_node), None))


def _member(value: SceneValue, view: View) -> dict[str, Any]:
    meant = _meant(value, view)
    device = meant if meant is not None and meant.target == value.id else None
    return {
        "device": meant.name if meant else f"Node {value.id.node_id}",
        "room": meant.room if meant else None,
        "nodeId": value.id.node_id,
        "state": _state(device, value) or _set_to(meant, value),
    }


def _state(device: Device | None, value: SceneValue) -> str | None:
    """As it will be, where it is the state of a device; its colour of now, or a jam, is no part of that."""
    if device is None or is_secret(value.id.command_class, value.id.property):
        return None
    free = without_jam(device)
    bare = replace(free, values=tuple(one for one in free.values if not is_component(one)))
    said = state_of(bare, value.value)
    return None if said == UNKNOWN else said


def _set_to(device: Device | None, value: SceneValue) -> str | None:
    """One more of its values: a mode, a set point, a colour, anything with a name. None: there is no word for
    it here, or it is nobody's business."""
    if device is None or is_secret(value.id.command_class, value.id.property):
        return None
    if value.id.command_class == COLOR_SWITCH:
        return colour_written(device, value.id, value.value) or None
    known = next((one for one in device.node.values if one.id == value.id), None)
    told = isinstance(value.value, bool | str) or is_number(value.value)
    if known is None or not told:
        return None
    text = reading_text(replace(known, value=value.value))
    if value.id.command_class == THERMOSTAT_SETPOINT:
        return f"set to {text}"
    if value.id.command_class == THERMOSTAT_MODE:
        return f"in {text} mode" if text not in ("off", "on") else text
    return f"{label_of(known)} {text}"


def _names(told: list[dict[str, Any]]) -> str:
    if not told:
        return "No scenes are set up."
    names = [one["name"] for one in told]
    more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    count = "There is one scene" if len(names) == 1 else f"There are {len(names)} scenes"
    return f"{count}: {listed([*names[:_MOST_NAMED], *more])}."


def _whole(one: dict[str, Any], called: list[str]) -> str:
    members = [
        f"{name} {member['state'] or 'is set to something'}"
        for name, member in list(zip(called, one["members"], strict=True))[:_MOST_NAMED]
    ]
    rest = len(one["members"]) - len(members)
    more = [f"{rest} more"] if rest > 0 else []
    unknown = "" if one["complete"] else "; and something that could not be read"
    if not members:
        return f"The scene {one['name']} sets nothing{unknown}."
    return f"The scene {one['name']}: {listed([*members, *more])}{unknown}."
