"""Answers from the list of all devices: which are on, how many there are, whether anything is open."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from voice_gateway.brain.local.classes import DeviceClass
from voice_gateway.brain.local.home import COVERS, Device, parse_devices, parse_scenes
from voice_gateway.brain.local.understanding import DeviceQuery
from voice_gateway.brain.local.wording import capital, listed
from voice_gateway.turn import ToolOutcome

MOST_NAMES = 8  # more than these nobody remembers


def has_state(device: Device, state: str) -> bool:
    now = device.state.casefold()
    if state in ("on", "off", "locked", "unlocked", "closed"):
        return re.match(rf"{state}\b", now) is not None
    if state == "offline":
        return not device.available
    return bool(re.search(r"\bopen(?:ing)?$", now)) if state == "open" else False


def _opens(device: Device) -> bool:
    return device.kind in COVERS or has_state(device, "open") or has_state(device, "closed")


_HAVING: dict[str, Callable[[Device], bool]] = {
    **dict.fromkeys(("open", "closed"), _opens),
    **dict.fromkeys(("locked", "unlocked"), lambda device: device.kind == "lock"),
}


def looked(look: DeviceQuery, outcomes: Sequence[ToolOutcome]) -> str:
    """The answer from a list of all devices, read a moment ago."""
    devices = [device for outcome in outcomes for device in parse_devices(outcome.structured)]
    if look.mode == "rooms":
        return _counted("room", list(dict.fromkeys(device.room for device in devices if device.room)))
    if look.mode == "scenes":
        return _counted(
            "scene", [name for outcome in outcomes for name in parse_scenes(outcome.structured) or ()]
        )
    return _of_devices(look, devices)


def shown(look: DeviceQuery, outcomes: Sequence[ToolOutcome]) -> tuple[Device, ...]:
    """What was asked about: "turn them off" means those that are on, or all if all were asked about."""
    devices = [device for outcome in outcomes for device in parse_devices(outcome.structured)]
    asked = _chosen(look, devices)
    if look.mode != "all":
        asked = [device for device in asked if device.available and has_state(device, look.state)]
    return tuple(asked) if len(asked) <= MOST_NAMES else ()


def _counted(noun: str, names: Sequence[str]) -> str:
    if not names:
        return f"I know no {noun}s."
    counted = f"is 1 {noun}" if len(names) == 1 else f"are {len(names)} {noun}s"
    return f"There {counted}: {listed(names)}."


def _chosen(look: DeviceQuery, devices: Sequence[Device]) -> list[Device]:
    members = DeviceClass(look.sort, look.noun, plural=True)  # type: ignore[arg-type]
    # "Is anything open" is no question about switches: what can be open is meant.
    having = _HAVING.get(look.state) if look.sort in ("all", "device") else None
    chosen = [device for device in devices if (having or members.has)(device)]
    if look.sort == "door" and look.state in ("open", "closed"):
        chosen = [device for device in chosen if _opens(device)]  # a lock does not tell
    if look.room:
        chosen = [device for device in chosen if device.room.casefold() == look.room.casefold()]
    return chosen


def _of_devices(look: DeviceQuery, devices: Sequence[Device]) -> str:
    chosen = _chosen(look, devices)
    where = f" in the {look.room}" if look.room else ""
    twins = _twins(devices)
    if look.state:
        return _by_state(look, chosen, where, twins)
    noun = (
        "devices"
        if look.sort in ("device", "all")
        else look.noun
        if look.noun.endswith("s")
        else f"{look.noun}s"
    )
    if not chosen:
        return f"There are no {noun}{where}."
    counted = f"is 1 {noun.removesuffix('s')}" if len(chosen) == 1 else f"are {len(chosen)} {noun}"
    count = f"There {counted}{where}"
    return (
        f"{count}."
        if look.mode == "count" and len(chosen) > MOST_NAMES
        else f"{count}: {_names(chosen, twins)}."
    )


def _twins(devices: Sequence[Device]) -> frozenset[str]:
    """Names that more than one device has: these are told with their rooms."""
    counts = Counter(device.name.casefold() for device in devices)
    return frozenset(name for name, count in counts.items() if count > 1)


def _called(device: Device, twins: frozenset[str]) -> str:
    apart = device.room and device.name.casefold() in twins
    return f"{device.name} in the {device.room}" if apart else device.name


def _names(devices: Sequence[Device], twins: frozenset[str]) -> str:
    """All of them when there are few, else how many there are in each room."""
    if len(devices) <= MOST_NAMES:
        return listed([_called(device, twins) for device in devices])
    rooms: dict[str, int] = {}
    for device in devices:
        rooms[device.room or "no room"] = rooms.get(device.room or "no room", 0) + 1
    return listed(
        [f"{count} in {'the ' if room != 'no room' else ''}{room}" for room, count in rooms.items()]
    )


def _by_state(look: DeviceQuery, members: Sequence[Device], where: str, twins: frozenset[str]) -> str:
    offline = look.state == "offline"
    known = [device for device in members if device.available or offline]
    silent = [device for device in members if not device.available and not offline]
    hits = [device for device in known if has_state(device, look.state)]
    tail = (
        f" I can't reach {listed(['the ' + _called(device, twins) for device in silent])}." if silent else ""
    )
    what = "Everything" if look.sort in ("all", "device") else f"All {look.noun}"
    nothing = "Nothing" if look.sort in ("all", "device") else f"No {look.noun.removesuffix('s')}"
    doors = look.noun.startswith("door")  # not every door tells: those that do are named
    if look.mode == "all" and known and len(hits) == len(known) and not doors:
        return f"Yes, {what.lower()}{where} {_be(what)} {look.state}.{tail}"
    if not hits:
        answer = "No, n" + nothing[1:] if look.mode in ("any", "all") else nothing
        return f"{answer}{where} is {look.state}.{tail}"
    names = listed([f"the {_called(device, twins)}" for device in hits[:MOST_NAMES]])
    more = f" and {len(hits) - MOST_NAMES} more" if len(hits) > MOST_NAMES else ""
    verb = "is" if len(hits) == 1 and not hits[0].name.endswith("s") else "are"
    every = "Yes, " if len(hits) == len(known) else "Not all: "
    lead = {"any": "Yes, ", "all": every}.get(look.mode, f"{len(hits)}: " if look.mode == "count" else "")
    text = f"{lead}{names}{more} {verb} {look.state}{where}."
    return capital(text) + tail


def _be(what: str) -> str:
    return "is" if what == "Everything" else "are"
