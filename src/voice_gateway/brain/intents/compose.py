"""Answers made of what the tools said: short, and never more than they said."""

import re
from collections.abc import Mapping, Sequence

from voice_gateway.brain.intents.classes import DeviceClass
from voice_gateway.brain.intents.home import Device, parse_devices
from voice_gateway.brain.intents.understanding import Look, Step
from voice_gateway.brain.intents.wording import capital, listed, the
from voice_gateway.turn import ToolOutcome

MOST_NAMES = 8  # more than these nobody remembers
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
        return _looked(step.look, outcomes)
    if step.measure and outcomes and all(outcome.ok for outcome in outcomes):
        return _read(step, outcomes)
    if step.expect and len(outcomes) == 1:
        return _yes_or_no(step.expect, outcomes[0])
    if step.acts and len(outcomes) >= MANY:
        return _many(outcomes)
    text = " ".join(told(outcome) for outcome in outcomes)
    return _with_room(text, step.by_room)


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
    where = f" of {the(step.devices[0])}" if len(step.devices) == 1 else f" in the {place}" if place else ""
    if not found:
        one = step.devices[0] if len(step.devices) == 1 else None
        return (
            f"{capital(the(one))} does not tell its {step.measure}."
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


def _many(outcomes: Sequence[ToolOutcome]) -> str:
    """Devices with one confirmed state in one sentence; every other outcome in its own words."""
    by_state: dict[str, list[str]] = {}
    others: list[str] = []
    for outcome in outcomes:
        facts = outcome.structured if isinstance(outcome.structured, Mapping) else {}
        if outcome.ok and _outcome(outcome) == "confirmed" and facts.get("device") and facts.get("state"):
            by_state.setdefault(_spoken_state(str(facts["state"])), []).append(str(facts["device"]))
        else:
            others.append(told(outcome))
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


def has_state(device: Device, state: str) -> bool:
    now = device.state.casefold()
    if state in ("on", "off", "locked", "unlocked", "closed"):
        return re.match(rf"{state}\b", now) is not None
    if state == "offline":
        return not device.available
    return bool(re.search(r"\bopen(?:ing)?$", now)) if state == "open" else False


def _yes_or_no(expected: str, outcome: ToolOutcome) -> str:
    facts = outcome.structured if isinstance(outcome.structured, Mapping) else {}
    state = facts.get("state")
    if not outcome.ok or not isinstance(state, str) or _outcome(outcome) not in ("", "confirmed"):
        return told(outcome)
    opposite = {
        "on": "off",
        "off": "on",
        "open": "closed",
        "closed": "open",
        "locked": "unlocked",
        "unlocked": "locked",
    }
    now = Device("", "", "", state)
    text = told(outcome)
    lower = text[:1].lower() + text[1:] if text.startswith("The ") else text
    if has_state(now, expected):
        return f"Yes, {lower}"
    return f"No, {lower}" if has_state(now, opposite.get(expected, "")) else text


def _looked(look: Look, outcomes: Sequence[ToolOutcome]) -> str:
    failed = [outcome for outcome in outcomes if not outcome.ok]
    if failed:
        return told(failed[0])
    devices = [device for outcome in outcomes for device in parse_devices(outcome.structured)]
    members = DeviceClass(look.sort, look.noun, plural=True)  # type: ignore[arg-type]
    chosen = [device for device in devices if members.has(device)]
    if look.room:
        chosen = [device for device in chosen if device.room.casefold() == look.room.casefold()]
    where = f" in the {look.room}" if look.room else ""
    if look.state:
        return _by_state(look, chosen, where)
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
        else f"{count}: {_names(chosen, look)}."
    )


def _names(devices: Sequence[Device], look: Look) -> str:
    """All of them when there are few, else how many there are in each room."""
    if len(devices) <= MOST_NAMES:
        return listed([device.name for device in devices])
    rooms: dict[str, int] = {}
    for device in devices:
        rooms[device.room or "no room"] = rooms.get(device.room or "no room", 0) + 1
    return listed(
        [f"{count} in {'the ' if room != 'no room' else ''}{room}" for room, count in rooms.items()]
    )


def _by_state(look: Look, members: Sequence[Device], where: str) -> str:
    offline = look.state == "offline"
    known = [device for device in members if device.available or offline]
    silent = [device for device in members if not device.available and not offline]
    hits = [device for device in known if has_state(device, look.state)]
    tail = f" I can't reach {listed(['the ' + device.name for device in silent])}." if silent else ""
    what = "Everything" if look.sort in ("all", "device") else f"All {look.noun}"
    nothing = "Nothing" if look.sort in ("all", "device") else f"No {look.noun.removesuffix('s')}"
    if look.mode == "all" and known and len(hits) == len(known):
        return f"Yes, {what.lower()}{where} {_be(what)} {look.state}.{tail}"
    if not hits:
        answer = "No, n" + nothing[1:] if look.mode in ("any", "all") else nothing
        return f"{answer}{where} is {look.state}.{tail}"
    names = listed([f"the {device.name}" for device in hits[:MOST_NAMES]])
    more = f" and {len(hits) - MOST_NAMES} more" if len(hits) > MOST_NAMES else ""
    verb = "is" if len(hits) == 1 and not hits[0].name.endswith("s") else "are"
    lead = {"any": "Yes, ", "all": "Not all: "}.get(
        look.mode, f"{len(hits)}: " if look.mode == "count" else ""
    )
    text = f"{lead}{names}{more} {verb} {look.state}{where}."
    return capital(text) + tail


def _be(what: str) -> str:
    return "is" if what == "Everything" else "are"
