"""Answers made of what the tools said: short, and never more than they said."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from home_words.kinds import COVERS, DeviceClass
from voice_gateway.brain.local.home import Device, Home, parse_devices, parse_scenes
from voice_gateway.brain.local.understanding import DeviceQuery, Request, Step
from voice_gateway.brain.local.wording import capital, listed, the
from voice_gateway.tools.traits import traits
from voice_gateway.turn import ToolOutcome

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

MANY = 3  # from this many confirmed devices on, one sentence for all of them
LONGEST = 600  # characters of a foreign tool's text that are spoken


def told(outcome: ToolOutcome) -> str:
    text = capital(spoken(" ".join(outcome.text.removeprefix("Error: ").split())))
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0] + " …"
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def compose(step: Step, outcomes: Sequence[ToolOutcome]) -> str:
    if step.say:
        return step.say
    if step.look is not None:
        failed = [outcome for outcome in outcomes if not outcome.ok]
        return told(failed[0]) if failed else looked(step.look, outcomes)
    if step.measure and outcomes and all(outcome.ok for outcome in outcomes):
        return _read(step, outcomes)
    if step.expect and len(outcomes) == 1:
        return _yes_or_no(step, outcomes[0])
    if step.acts and len(outcomes) >= MANY:
        return _many(step, outcomes)
    text = " ".join(_told_of(step, place, outcome) for place, outcome in enumerate(outcomes))
    return _with_room(text, step.by_room)


def _namesake(request: Request) -> Device | None:
    """The device that is called by its room too, because another one has its name."""
    device = request.device
    return device if device and device.room and request.args.get("deviceName") != device.name else None


def _told_of(step: Step, place: int, outcome: ToolOutcome) -> str:
    """What the tool said; with the room, where the name alone says too little."""
    text = told(outcome)
    device = _namesake(step.requests[place]) if place < len(step.requests) else None
    if device is None or device.room.casefold() in text.casefold():
        return text
    return re.sub(re.escape(device.name), f"{device.name} in the {device.room}", text, count=1)


_MEASURES = {
    "temperature": re.compile(r"temperature", re.IGNORECASE),
    "humidity": re.compile(r"humid", re.IGNORECASE),
    "power": re.compile(r"power|electric|consumption", re.IGNORECASE),
    "battery": re.compile(r"battery", re.IGNORECASE),
    "light": re.compile(r"lumin|light", re.IGNORECASE),
    "motion": re.compile(r"motion|presence|occup", re.IGNORECASE),
}


def _read(step: Step, outcomes: Sequence[ToolOutcome]) -> str:
    """Only what was asked for, of all that is measured there."""
    facts = [outcome.structured for outcome in outcomes if isinstance(outcome.structured, Mapping)]
    readings = [one for fact in facts for one in fact.get("readings") or () if isinstance(one, Mapping)]
    wanted = _MEASURES.get(step.measure)
    if wanted is None or not any("readings" in fact for fact in facts):
        return " ".join(told(outcome) for outcome in outcomes)
    found = [one for one in readings if wanted.search(str(one.get("label", "")))]
    place = next((str(fact["room"]) for fact in facts if fact.get("room")), "")
    twins = any(_namesake(request) for request in step.requests)
    where = (
        f" of {the(step.devices[0], room=twins)}"
        if len(step.devices) == 1
        else f" in the {place}"
        if place
        else ""
    )
    if not found:
        one = step.devices[0] if len(step.devices) == 1 else None
        return (
            f"{capital(the(one, room=twins))} does not tell its {step.measure}."
            if one
            else f"Nothing{where} measures the {step.measure}."
        )
    texts = dict.fromkeys(_spoken_state(str(one.get("text", one.get("value", "")))) for one in found)
    return (
        capital(f"the {step.measure}{where} is {listed(list(texts))}.")
        if step.measure != "motion"
        else (capital(f"{listed(list(texts))}{where}."))
    )


def _with_room(text: str, room: str | None) -> str:
    """Where the door's room settled what was meant, the answer says so."""
    if not room or room.casefold() in text.casefold():
        return text
    first = text[:1].lower() + text[1:] if text.startswith(("The ", "A ", "It ")) else text
    return f"In the {room}, {first}"


def _outcome(outcome: ToolOutcome) -> str:
    structured = outcome.structured
    return str(structured.get("outcome", "")) if isinstance(structured, Mapping) else ""


def _many(step: Step, outcomes: Sequence[ToolOutcome]) -> str:
    """Devices with one confirmed state in one sentence; every other outcome in its own words."""
    by_state: dict[str, list[str]] = {}
    others: list[str] = []
    for place, outcome in enumerate(outcomes):
        facts = outcome.structured if isinstance(outcome.structured, Mapping) else {}
        if outcome.ok and _outcome(outcome) == "confirmed" and facts.get("device") and facts.get("state"):
            twin = _namesake(step.requests[place]) if place < len(step.requests) else None
            name = f"{facts['device']} in the {twin.room}" if twin else str(facts["device"])
            by_state.setdefault(_spoken_state(str(facts["state"])), []).append(name)
        else:
            others.append(_told_of(step, place, outcome))
    parts = []
    for state, names in by_state.items():
        verb = "is" if len(names) == 1 else "are"
        parts.append(f"The {listed(names)} {verb} {state}.")
    return " ".join([*parts, *others])


_SIGNS = (
    ("°C", "degrees Celsius"), ("°F", "degrees Fahrenheit"), ("%", "percent"), ("W", "watts"),
    ("kWh", "kilowatt hours"), ("lx", "lux"),
)  # fmt: skip


def spoken(text: str) -> str:
    """Signs as they are said."""
    for sign, words in _SIGNS:
        text = re.sub(rf"(?<=\d) ?{sign}(?!\w)", f" {words}", text)
    return text


def _spoken_state(state: str) -> str:
    return spoken(re.sub(r"^on, (\d+)", r"on at \1", state))


def _yes_or_no(step: Step, outcome: ToolOutcome) -> str:
    expected, text = step.expect, _told_of(step, 0, outcome)
    facts = outcome.structured if isinstance(outcome.structured, Mapping) else {}
    state = facts.get("state")
    if not outcome.ok or not isinstance(state, str) or _outcome(outcome) not in ("", "confirmed"):
        return text
    opposite = {
        "on": "off",
        "off": "on",
        "open": "closed",
        "closed": "open",
        "locked": "unlocked",
        "unlocked": "locked",
    }
    now = Device("", "", "", state)
    lower = text[:1].lower() + text[1:] if text.startswith("The ") else text
    if has_state(now, expected):
        return f"Yes, {lower}"
    return f"No, {lower}" if has_state(now, opposite.get(expected, "")) else text


# --- from the list of all devices: which are on, how many there are, whether anything is open

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


# --- what can be done now, from the tools that are there

_KNOWN = (
    ("get_current_datetime", "tell the time and date"),
    ("control_speaker_volume", "change the volume"),
    ("control_zwave_device", "switch and dim your devices"),
    ("get_zwave_device", "tell what is on, open or locked"),
    ("set_zwave_thermostat", "set the heating"),
    ("set_timer", "set timers and reminders"),
    ("search_web", "search the web"),
)
_OURS = frozenset(
    "list_zwave_devices get_device_sensor_data control_zwave_lock activate_zwave_scene check_zwave_health "
    "list_timers cancel_timer".split()
)


def can_do(tools: Iterable["BaseTool"]) -> list[str]:
    names = {traits(tool).original_name or tool.name: tool for tool in tools}
    known = [words for name, words in _KNOWN if name in names]
    others = [
        tool
        for name, tool in names.items()
        if name not in _OURS and name not in {known for known, _ in _KNOWN}
    ]
    titles = [traits(tool).title or tool.name.replace("_", " ") for tool in others[:3]]
    return known + ([f"use {listed(titles)}"] if titles else [])


def abilities(tools: Iterable["BaseTool"], home: Home) -> str:
    abilities = can_do(tools)
    if not abilities:
        return "I can't do anything at the moment: no tools are connected."
    devices = f" I know {len(home.devices)} devices in {len(home.rooms)} rooms." if home.devices else ""
    return f"I can {listed(abilities)}.{devices}"
