"""Gives a device another name or room, which is done when the gateway's own list has it; and pings a
device."""

import asyncio
import re
import unicodedata
from typing import Any, Final

from home_names import wording
from home_names.names import spellings
from home_names.phrases import capital
from zwave_mcp.confirm import answers_ping
from zwave_mcp.devices import Device
from zwave_mcp.home import CannotDo, Home, NoAnswer, Node
from zwave_mcp.results import Result, result
from zwave_mcp.undo import address
from zwave_mcp.view import View, Viewer, resolve_device, resolve_single

_LONGEST: Final = 60  # a name that can still be said
_NODE: Final = re.compile(r"node[\W_]*(\d{1,9})", re.IGNORECASE)
_NOT_IN_TOPICS: Final = frozenset("+#/\0")  # the gateway makes topics of names


async def ping(home: Home, viewer: Viewer, asked: str) -> Result:
    device = resolve_single(await viewer.now(), asked)
    name = capital(wording.the(device))
    if device.node.asleep:
        sentence = f"{name} {wording.verb(device, 'is')} asleep, and answers only after waking up."
        return result(sentence, "queued", device)
    clock = asyncio.get_running_loop().time
    started = clock()
    if not await answers_ping(home, device.node.id):
        return result(wording.unreachable(device), "unreachable", device)
    seconds = round(clock() - started, 2)
    spoken = "less than a second" if seconds < 1 else f"{seconds:g} seconds"
    return result(f"{name} answered after {spoken}.", "confirmed", device, more={"seconds": seconds})


async def rename(
    home: Home, viewer: Viewer, asked: str, name: str | None = None, room: str | None = None
) -> Result:
    view = await viewer.now()
    device = resolve_device(view, asked)
    problem = _problem(view, device, name, room)
    if device.members:
        problem = f"{capital(wording.the(device))} is a group, which gets its name in Z-Wave JS UI."
    if problem is not None:
        return result(problem, "unsupported" if device.members else "invalid", device)
    node = device.node
    try:
        if name is not None and name.strip() != node.name:
            await home.rename(node.id, name.strip())
        if room is not None and room.strip() != node.room:
            await home.move(node.id, room.strip())
    except (CannotDo, NoAnswer) as error:
        sent = isinstance(error, NoAnswer)
        sentence = f"It is not confirmed: {error}" if sent else str(error)
        return result(sentence, "unconfirmed" if sent else "unsupported", device)
    now = next((item for item in (await home.snapshot(0)).nodes if item.id == node.id), None)
    named = now is not None and (name is None or now.name == name.strip())
    if now is None or not named or (room is not None and now.room != room.strip()):
        sentence = f"Z-Wave JS UI still calls it {wording.the(device, room=True)}."
        return result(sentence, "failed", device)
    return _done(view, device, now, named=name is not None, moved=room is not None)


def _done(view: View, device: Device, now: Node, *, named: bool, moved: bool) -> Result:
    fresh = Device(now.name or f"Node {now.id}", now.room, device.kind, now, device.endpoint, device.values)
    back: dict[str, Any] = {"deviceName": f"node {now.id}"}
    back |= {"newName": device.node.name} if named and device.node.name else {}
    back |= {"room": device.node.room} if moved and device.node.room else {}
    more: dict[str, Any] = {"before": [{"name": "rename_zwave_device", "args": back}]}
    if len(back) == 1:
        more = {"before": [], "undo": f"{capital(wording.the(device))} had none before."}
    where = wording.in_room(now.room) if now.room else "in no room"
    if named:
        place = f", {where}" if moved else ""
        sentence = f"{capital(address(view.names, device))} is now called {fresh.name}{place}."
    else:
        sentence = f"{capital(wording.the(fresh))} is now {where}."
    return result(sentence, "confirmed", fresh, more=more)


def _problem(view: View, device: Device, name: str | None, room: str | None) -> str | None:
    """Why the device cannot get this name or room."""
    if name is None and room is None:
        return "Say a new name, a room, or both."
    for text in (name, room):
        if text is not None and (unusable := _unusable(text.strip())):
            return unusable
    number = _NODE.fullmatch(name.strip()) if name is not None else None
    if number is not None and int(number[1]) != device.node.id:
        return f"It is node {device.node.id}, and what has no name is called by its number."
    if sum(item.node.id == device.node.id for item in view.devices) > 1:
        whole = device.node.name or f"Node {device.node.id}"
        return f"{device.name} is a part of {whole}, which has only one name for all of them."
    new_name, new_room = (name or device.node.name).strip(), (room or device.node.room).strip()
    for other in view.devices:
        same = spellings(other.name) & spellings(new_name) and spellings(other.room) == spellings(new_room)
        if other.node.id != device.node.id and same:
            where = f" {wording.in_room(new_room)}" if new_room else ""
            return f"There is already something called {new_name}{where}; nobody could tell them apart."
    return None


def _unusable(text: str) -> str | None:
    if not text:
        return "A name or room needs a word."
    if len(text) > _LONGEST:
        return f"A name or room may have {_LONGEST} characters."
    if any(sign in _NOT_IN_TOPICS or unicodedata.category(sign)[0] == "C" for sign in text):
        return "A name or room may have no slash, plus or hash sign, and no line end."
    if not any(sign.isalnum() for sign in text):
        return "A name or room needs a letter or a digit."
    return None
