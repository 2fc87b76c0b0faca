"""Looking after the home: batteries, who has a code for a lock, names and rooms, and pings."""

import asyncio
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from home_names import wording
from home_names.names import spellings
from home_names.phrases import capital, listed
from zwave_mcp import sentences
from zwave_mcp.confirm import answers_ping
from zwave_mcp.devices import CC, Device
from zwave_mcp.home import CannotDo, GatewayError, Home, LockUser, LockUsers, NoAnswer, Node, is_number
from zwave_mcp.results import Outcome, Result, result
from zwave_mcp.states import age_seconds
from zwave_mcp.undo import address
from zwave_mcp.view import View, Viewer, resolve_device, resolve_single

# --- batteries

_OLD_SECONDS: Final = 7 * 24 * 3600.0  # a sensor that has reported nothing for a week may be empty
_MOST_NAMED: Final = 8


async def batteries(viewer: Viewer) -> Result:
    """One entry for each node with a battery, the low ones first."""
    devices = (await viewer.now()).devices
    having = {device.node.id: device for device in devices if _has_battery(device)}
    entries = [_battery_entry(device) for device in having.values()]
    entries.sort(
        key=lambda entry: (not entry["low"], entry["level"] is None, entry["level"] or 0, entry["device"])
    )
    distinct = sentences.distinct_names(devices)
    # An outlet of a strip is named by the strip, whose battery it is.
    names = {
        number: distinct[device.place] if device.node.name in ("", device.name) else device.node.name
        for number, device in having.items()
    }
    return result(_battery_sentence(entries, names), "confirmed", more={"batteries": entries})


def _has_battery(device: Device) -> bool:
    return any(value.id.command_class == CC.BATTERY for value in device.node.values)


def _battery_entry(device: Device) -> dict[str, Any]:
    values = (entry for entry in device.node.values if entry.id.command_class == CC.BATTERY)
    level = next((entry for entry in values if entry.id.property == "level"), None)
    return {
        "device": device.node.name or device.name,
        "room": device.room,
        "nodeId": device.node.id,
        "level": round(level.value) if level is not None and is_number(level.value) else None,
        "low": device.battery_low,
        "ageSeconds": age_seconds(level) if level is not None else None,
        "available": device.available,
    }


def _battery_sentence(entries: list[dict[str, Any]], names: dict[int, str]) -> str:
    if not entries:
        return "Nothing here runs on a battery, as far as is known."

    def named(some: list[dict[str, Any]]) -> str:
        return sentences.counted([names[entry["nodeId"]] for entry in some], _MOST_NAMED)

    low = [entry for entry in entries if entry["low"]]
    parts = ["No battery is low"]
    if low:
        each = [_with_level(names[entry["nodeId"]], entry["level"]) for entry in low]
        these = "This battery is" if len(low) == 1 else "These batteries are"
        parts = [f"{these} low: {sentences.counted(each, _MOST_NAMED)}"]
    if fine := [entry for entry in entries if not entry["low"] and entry["level"] is not None]:
        lowest = min(fine, key=lambda entry: entry["level"])
        several = f"{'the other' if low else 'all'} {len(fine)} have"
        single = "the other one has" if low else "the only one has"
        name = names[lowest["nodeId"]].replace(" (", ", ").removesuffix(")")
        parts.append(f"{several if len(fine) > 1 else single} at least {lowest['level']} percent ({name})")
    if unknown := [entry for entry in entries if entry["level"] is None and not entry["low"]]:
        parts.append(f"nothing is known of {named(unknown)}")
    if silent := [entry for entry in entries if not entry["available"]]:
        parts.append(f"{named(silent)} {'does' if len(silent) == 1 else 'do'} not answer")
    if old := [
        entry for entry in entries if entry["available"] and (entry["ageSeconds"] or 0) > _OLD_SECONDS
    ]:
        parts.append(f"older than a week is what {named(old)} told")
    return "; ".join(parts) + "."


def _with_level(name: str, level: int | None) -> str:
    if level is None:
        return name
    return (
        f"{name.removesuffix(')')}, {level} percent)" if name.endswith(")") else f"{name} ({level} percent)"
    )


# --- users of locks

_ENABLED, _DISABLED = 1, 2
_LOCK: Final = re.compile(r"\s*(?:(?P<lock>[^:=]+):)?(?P<users>.*)", re.DOTALL)
_USER: Final = re.compile(r"\s*(\d{1,5})\s*=\s*([^=]{1,60}?)\s*")
_EVERY_LOCK: Final = ""


class NoUserNames(ValueError):
    """The setting cannot be read."""


class UserNames:
    """The names of a lock's users: from the settings, or as the lock itself tells them."""

    def __init__(self, given: Mapping[str, Mapping[int, str]] | None = None) -> None:
        self._given = given or {}  # by the lock's name
        self._learned: dict[int, dict[int, str]] = {}  # by node

    @classmethod
    def read(cls, text: str) -> "UserNames":
        """From "1=Anna, 2=Ben" for every lock, or "Front Door: 1=Anna; Cellar: 1=Ben" for each its own."""
        given: dict[str, dict[int, str]] = {}
        for part in filter(str.strip, text.split(";")):
            match = _LOCK.fullmatch(part)
            users = [_USER.fullmatch(item) for item in match["users"].split(",")] if match else [None]
            if match is None or not all(users):
                raise NoUserNames(part.strip())
            lock = (match["lock"] or _EVERY_LOCK).strip()
            given.setdefault(lock, {}).update({int(item[1]): item[2] for item in users if item})
        return cls(given)

    def learn(self, node: int, users: Iterable[LockUser]) -> None:
        self._learned[node] = {user.id: user.name for user in users if user.name}

    def of(self, node: int, lock: str, user: int | None) -> str:
        """The user's name; empty where it is unknown."""
        if user is None:
            return ""
        own = [users for name, users in self._given.items() if name and spellings(name) & spellings(lock)]
        for users in (*own, self._given.get(_EVERY_LOCK, {}), self._learned.get(node, {})):
            if user in users:
                return users[user]
        return ""


async def user_codes(home: Home, viewer: Viewer, names: UserNames, asked: str = "") -> Result:
    """The users of one lock, or of all."""
    view = await viewer.now()
    locks = [device for device in view.devices if _has_codes(device)]
    if asked:
        locks = [resolve_device(view, asked, _has_codes)]
    if not locks:
        return result("No lock here has codes.", "unsupported")
    answers = [await _users_of(home, names, lock) for lock in locks]
    if len(answers) == 1:
        return answers[0]
    outcome: Outcome = "unconfirmed" if any(item.is_error for item in answers) else "confirmed"
    more = {"locks": [dict(item.structured) for item in answers]}
    return result(" ".join(item.sentence for item in answers), outcome, more=more)


async def _users_of(home: Home, names: UserNames, lock: Device) -> Result:
    name = capital(wording.the(lock))
    if not _has_codes(lock):
        return result(f"{name} has no codes.", "unsupported", lock)
    if lock.node.dead:
        return result(wording.unreachable(lock), "unreachable", lock)
    try:
        read: LockUsers | None = await home.lock_users(lock.node.id)
    except (NoAnswer, GatewayError, CannotDo):
        read = _remembered(lock)
    if read is None:
        return result(f"{name} has not told who has a code.", "unconfirmed", lock)
    names.learn(lock.node.id, read.users)
    users = [
        replace(item, name=names.of(lock.node.id, lock.name, item.id) or item.name) for item in read.users
    ]
    more: dict[str, Any] = {
        "users": [{"id": item.id, "name": item.name or None, "active": item.active} for item in users],
        "places": read.places,
    }
    return result(_users_sentence(lock, users, read.places), "confirmed", lock, more=more)


def _has_codes(device: Device) -> bool:
    return any(value.id.command_class in (CC.USER_CODE, CC.USER_CREDENTIAL) for value in device.node.values)


def _remembered(lock: Device) -> LockUsers | None:
    """The users by the lock's values, as an older gateway has them; None where they were never read."""
    states = {
        value.id.property_key: value.value
        for value in lock.node.values
        if value.id.command_class == CC.USER_CODE and value.id.property == "userIdStatus"
    }
    if all(state is None for state in states.values()):
        return None
    used = sorted((int(key or 0), state) for key, state in states.items() if state in (_ENABLED, _DISABLED))
    return LockUsers(tuple(LockUser(key, state == _ENABLED) for key, state in used), len(states) or None)


def _users_sentence(lock: Device, users: list[LockUser], places: int | None) -> str:
    active = [item.name or f"user {item.id}" for item in users if item.active]
    off = [item.name or f"user {item.id}" for item in users if not item.active]
    room = f"; there is room for {places}" if places else ""
    if not users:
        return f"Nobody has a code for {wording.the(lock)}{room}."
    codes = "one code" if len(active) == 1 else f"{len(active)} codes"
    use = f"has {codes} in use, by {listed(active)}" if active else "has no code in use"
    that, are = ("that", "is") if len(off) == 1 else ("those", "are")
    disabled = f"; {that} of {listed(off)} {are} switched off" if off else ""
    return f"{capital(wording.the(lock))} {use}{disabled}{room}."


# --- names, rooms, pings

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
    problem = _unfit(view, device, name, room)
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
    return _renamed(view, device, now, named=name is not None, moved=room is not None)


def _renamed(view: View, device: Device, now: Node, *, named: bool, moved: bool) -> Result:
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


def _unfit(view: View, device: Device, name: str | None, room: str | None) -> str | None:
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
