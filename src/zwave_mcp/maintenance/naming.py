"""Another name or room for a device, done when the gateway's own list has it."""

import re
import unicodedata
from typing import Any, Final

from home_words.names import spellings
from home_words.phrases import capital
from zwave_mcp import wording
from zwave_mcp.devices import Device
from zwave_mcp.home import Home, NoAnswer, Node
from zwave_mcp.maintenance.network import CannotDo
from zwave_mcp.results import Facts, Result, result
from zwave_mcp.undo import address
from zwave_mcp.view import View, Viewer, resolve_device

_LONGEST: Final = 60  # a name that can still be said
_NODE: Final = re.compile(r"node[\W_]*(\d{1,9})", re.IGNORECASE)
_NOT_IN_TOPICS: Final = frozenset("+#/\0")  # the gateway makes topics of names


class Naming:
    def __init__(self, home: Home, viewer: Viewer) -> None:
        self._home = home
        self._viewer = viewer

    async def change(self, asked: str, name: str | None, room: str | None) -> Result:
        requested: dict[str, Any] = {
            key: one for key, one in (("newName", name), ("room", room)) if one is not None
        }
        view = await self._viewer.now()
        device = resolve_device(view, asked, requested)
        if isinstance(device, Result):
            return device
        if device.members:
            sentence = f"{capital(wording.the(device))} is a group, which gets its name in Z-Wave JS UI."
            return result(sentence, "unsupported", Facts(requested, device))
        wrong = objection(view, device, name, room)
        if wrong is not None:
            return result(wrong, "invalid", Facts(requested, device))
        return await self._carry_out(view, device, name, room, requested)

    async def _carry_out(
        self, view: View, device: Device, name: str | None, room: str | None, requested: dict[str, Any]
    ) -> Result:
        node = device.node
        try:
            if name is not None and name.strip() != node.name:
                await self._home.network.rename(node.id, name.strip())
            if room is not None and room.strip() != node.room:
                await self._home.network.move(node.id, room.strip())
        except CannotDo as no:
            return result(str(no), "unsupported", Facts(requested, device))
        except NoAnswer as error:
            return result(f"It is not confirmed: {error}", "unconfirmed", Facts(requested, device))
        now = next((one for one in (await self._home.snapshot(0)).nodes if one.id == node.id), None)
        if now is None or not _took(now, name, room):
            sentence = f"Z-Wave JS UI still calls it {wording.the(device, room=True)}."
            return result(sentence, "failed", Facts(requested, device))
        return self._done(view, device, now, requested)

    def _done(self, view: View, device: Device, now: Node, requested: dict[str, Any]) -> Result:
        fresh = Device(
            now.name or f"Node {now.id}", now.room, device.kind, now, device.endpoint, device.values
        )
        back: dict[str, Any] = {"deviceName": f"node {now.id}"}
        back |= {"newName": device.node.name} if "newName" in requested and device.node.name else {}
        back |= {"room": device.node.room} if "room" in requested and device.node.room else {}
        undone = len(back) > 1
        more: dict[str, Any] = {"before": [{"name": "rename_zwave_device", "args": back}] if undone else []}
        if not undone:
            more["undo"] = f"{capital(wording.the(device))} had none before."
        was, called = address(view.names, device), wording.the(fresh)
        named = "newName" in requested
        sentence = f"{capital(was)} is now called {fresh.name}" if named else capital(f"{called} is now")
        if "room" in requested:
            where = wording.in_room(now.room) if now.room else "in no room"
            sentence += f", {where}" if named else f" {where}"
        return result(f"{sentence}.", "confirmed", Facts(requested, fresh, more=more))


def objection(view: View, device: Device, name: str | None, room: str | None) -> str | None:
    """Why it cannot be called so, in one sentence."""
    if name is None and room is None:
        return "Say a new name, a room, or both."
    for said in (name, room):
        if said is not None and (bad := _unusable(said)):
            return bad
    number = _NODE.fullmatch(name.strip()) if name is not None else None
    if number is not None and int(number[1]) != device.node.id:
        return f"It is node {device.node.id}, and what has no name is called by its number."
    if sum(one.node.id == device.node.id for one in view.devices) > 1:
        whole = device.node.name or f"Node {device.node.id}"
        return f"{device.name} is a part of {whole}, which has only one name for all of them."
    name_then, room_then = (name or device.node.name).strip(), (room or device.node.room).strip()
    for other in view.devices:
        same = spellings(other.name) & spellings(name_then) and spellings(other.room) == spellings(room_then)
        if other.node.id != device.node.id and same:
            where = f" {wording.in_room(room_then)}" if room_then else ""
            return f"There is already something called {name_then}{where}; nobody could tell them apart."
    return None


def _unusable(said: str) -> str | None:
    text = said.strip()
    if not text:
        return "A name or room needs a word."
    if len(text) > _LONGEST:
        return f"A name or room may have {_LONGEST} characters."
    if any(sign in _NOT_IN_TOPICS or unicodedata.category(sign)[0] == "C" for sign in text):
        return "A name or room may have no slash, plus or hash sign, and no line end."
    if not any(sign.isalnum() for sign in text):
        return "A name or room needs a letter or a digit."
    return None


def _took(now: Node, name: str | None, room: str | None) -> bool:
    return (name is None or now.name == name.strip()) and (room is None or now.room == room.strip())
