"""Which scenes there are, and what each does with which device."""

from typing import Any, Final

from home_words.names import spellings
from home_words.phrases import listed
from home_words.states import UNKNOWN
from zwave_mcp import wording
from zwave_mcp.devices import Device
from zwave_mcp.home import Home, Scene, SceneValue
from zwave_mcp.results import Facts, Result, result
from zwave_mcp.secrets import is_secret
from zwave_mcp.states import state_of
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
        sentence = _whole(told[0]) if asked and told else _names(told)
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


def _member(value: SceneValue, view: View) -> dict[str, Any]:
    of_node = [one for one in view.devices if one.node.id == value.id.node_id]
    device = next((one for one in of_node if one.target == value.id), None)
    part = next(
        (one for one in of_node if one.endpoint == value.id.endpoint), of_node[0] if of_node else None
    )
    meant = device or part
    return {
        "device": meant.name if meant else f"Node {value.id.node_id}",
        "room": meant.room if meant else None,
        "nodeId": value.id.node_id,
        "state": _state(device, value),
    }


def _state(device: Device | None, value: SceneValue) -> str | None:
    """None: it is set to something for which there is no word here, or that is nobody's business."""
    if device is None or is_secret(value.id.command_class, value.id.property):
        return None
    said = state_of(device, value.value)
    return None if said == UNKNOWN else said


def _names(told: list[dict[str, Any]]) -> str:
    if not told:
        return "No scenes are set up."
    names = [one["name"] for one in told]
    more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    count = "There is one scene" if len(names) == 1 else f"There are {len(names)} scenes"
    return f"{count}: {listed([*names[:_MOST_NAMED], *more])}."


def _whole(one: dict[str, Any]) -> str:
    members = [
        f"{member['device']} {member['state'] or 'is set to something'}"
        for member in one["members"][:_MOST_NAMED]
    ]
    rest = len(one["members"]) - len(members)
    more = [f"{rest} more"] if rest > 0 else []
    unknown = "" if one["complete"] else "; and something that could not be read"
    if not members:
        return f"The scene {one['name']} sets nothing{unknown}."
    return f"The scene {one['name']}: {listed([*members, *more])}{unknown}."
