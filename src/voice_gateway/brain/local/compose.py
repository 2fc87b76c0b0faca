"""Answers made of what the tools said: short, and never more than they said."""

import re
from collections.abc import Mapping, Sequence

from voice_gateway.brain.local.compose_look import has_state, looked
from voice_gateway.brain.local.home import Device
from voice_gateway.brain.local.understanding import Request, Step
from voice_gateway.brain.local.wording import capital, listed, the
from voice_gateway.turn import ToolOutcome

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
