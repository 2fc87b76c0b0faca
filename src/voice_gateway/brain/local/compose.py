"""Answers made of what the tools said: short, and never more than they said."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from home_words.kinds import COVERS, DeviceClass
from home_words.phrases import capital, listed
from home_words.states import spoken_state, spoken_units
from voice_gateway.brain.local.home import Device, Home, has_state, parse_devices, parse_scenes
from voice_gateway.brain.local.meaning import DeviceQuery, Request, Step
from voice_gateway.brain.local.wording import the
from voice_gateway.tools.traits import traits
from voice_gateway.turn import OutcomeStatus, ToolOutcome

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

MANY = 3  # from this many confirmed devices on, one sentence for all of them
LONGEST = 600  # characters of a foreign tool's text that are spoken
MOST_NAMES = 8  # more than these nobody remembers

_MEASURES = {
    "temperature": re.compile(r"temperature", re.IGNORECASE),
    "humidity": re.compile(r"humid", re.IGNORECASE),
    "power": re.compile(r"power|electric|consumption", re.IGNORECASE),
    "battery": re.compile(r"battery", re.IGNORECASE),
    "light": re.compile(r"lumin|light", re.IGNORECASE),
    "motion": re.compile(r"motion|presence|occup", re.IGNORECASE),
}
_OPPOSITE = {"on": "off", "open": "closed", "locked": "unlocked"}
_OPPOSITE |= {after: before for before, after in _OPPOSITE.items()}


def compose(step: Step, outcomes: Sequence[ToolOutcome]) -> str:
    if step.say:
        return step.say
    if step.query is not None:
        failed = [outcome for outcome in outcomes if not outcome.ok]
        return _sentence(failed[0]) if failed else answer_query(step.query, outcomes)
    if step.measure and outcomes and all(outcome.ok for outcome in outcomes):
        return _reading(step, outcomes)
    if step.expect and len(outcomes) == 1:
        return _yes_or_no(step, outcomes[0])
    if step.acts and len(outcomes) >= MANY:
        return _many(step, outcomes)
    text = " ".join(_placed(step, place, outcome) for place, outcome in enumerate(outcomes))
    return _with_room(text, step.by_room)


def _sentence(outcome: ToolOutcome) -> str:
    text = capital(spoken_units(" ".join(outcome.text.removeprefix("Error: ").split())))
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0] + " …"
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _namesake(step: Step, place: int) -> Device | None:
    """The device that is called by its room too, because another one has its name."""
    request = step.requests[place] if place < len(step.requests) else Request("")
    device = request.device
    return device if device and device.room and request.args.get("deviceName") != device.name else None


def _placed(step: Step, place: int, outcome: ToolOutcome) -> str:
    """What the tool said; with the room, where the name alone says too little."""
    text, device = _sentence(outcome), _namesake(step, place)
    if device is None or device.room.casefold() in text.casefold():
        return text
    return re.sub(re.escape(device.name), f"{device.name} in the {device.room}", text, count=1)


def _with_room(text: str, room: str | None) -> str:
    """Where the door's room settled what was meant, the answer says so."""
    if not room or room.casefold() in text.casefold():
        return text
    return f"In the {room}, {_lower(text) if text.startswith(('The ', 'A ', 'It ')) else text}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _many(step: Step, outcomes: Sequence[ToolOutcome]) -> str:
    """Devices with one confirmed state in one sentence; every other outcome in its own words."""
    by_state: dict[str, list[str]] = {}
    others: list[str] = []
    for place, outcome in enumerate(outcomes):
        name, state = outcome.facts.get("device"), outcome.facts.get("state")
        if outcome.status is OutcomeStatus.CONFIRMED and name and state:
            twin = _namesake(step, place)
            named = f"{name} in the {twin.room}" if twin else str(name)
            by_state.setdefault(spoken_state(str(state)), []).append(named)
        else:
            others.append(_placed(step, place, outcome))
    alike = [
        f"The {listed(names)} {'is' if len(names) == 1 else 'are'} {state}."
        for state, names in by_state.items()
    ]
    return " ".join([*alike, *others])


def _yes_or_no(step: Step, outcome: ToolOutcome) -> str:
    text, state = _placed(step, 0, outcome), outcome.facts.get("state")
    sure = outcome.status in (OutcomeStatus.READ, OutcomeStatus.CONFIRMED)
    if not sure or not isinstance(state, str):
        return text
    now = Device("", "", "", state)
    told = _lower(text) if text.startswith("The ") else text
    if has_state(now, step.expect):
        return f"Yes, {told}"
    return f"No, {told}" if has_state(now, _OPPOSITE.get(step.expect, "")) else text


def _reading(step: Step, outcomes: Sequence[ToolOutcome]) -> str:
    """Only what was asked for, of all that is measured there."""
    facts, wanted = [outcome.facts for outcome in outcomes], _MEASURES.get(step.measure)
    if wanted is None or not any("readings" in fact for fact in facts):
        return " ".join(_sentence(outcome) for outcome in outcomes)
    readings = [one for fact in facts for one in fact.get("readings") or () if isinstance(one, Mapping)]
    found = [one for one in readings if wanted.search(str(one.get("label", "")))]
    room = next((str(fact["room"]) for fact in facts if fact.get("room")), "")
    where = f" in the {room}" if room else ""
    nothing = f"Nothing{where} measures the {step.measure}."
    if len(step.devices) == 1:
        one_of_two = any(_namesake(step, place) for place in range(len(step.requests)))
        called = the(step.devices[0], room=one_of_two)
        where, nothing = f" of {called}", f"{capital(called)} does not tell its {step.measure}."
    if not found:
        return nothing
    texts = listed(
        list(dict.fromkeys(spoken_state(str(one.get("text", one.get("value", "")))) for one in found))
    )
    return capital(
        f"{texts}{where}." if step.measure == "motion" else f"the {step.measure}{where} is {texts}."
    )


# --- from the list of all devices: which are on, how many there are, whether anything is open


def answer_query(query: DeviceQuery, outcomes: Sequence[ToolOutcome]) -> str:
    """The answer from a list of all devices, read a moment ago."""
    devices = _listed_devices(outcomes)
    if query.mode == "rooms":
        return _counted("room", list(dict.fromkeys(device.room for device in devices if device.room)))
    if query.mode == "scenes":
        names = [name for outcome in outcomes for name in parse_scenes(outcome.structured) or ()]
        return _counted("scene", names)
    chosen = _chosen(query, devices)
    where = f" in the {query.room}" if query.room else ""
    counts = Counter(device.name.casefold() for device in devices)
    twins = frozenset(name for name, count in counts.items() if count > 1)
    return (_by_state if query.state else _all_of_them)(query, chosen, where, twins)


def devices_shown(query: DeviceQuery, outcomes: Sequence[ToolOutcome]) -> tuple[Device, ...]:
    """What was asked about: "turn them off" means those that are on, or all if all were asked about."""
    asked = _chosen(query, _listed_devices(outcomes))
    if query.mode != "all":
        asked = [device for device in asked if device.available and has_state(device, query.state)]
    return tuple(asked) if len(asked) <= MOST_NAMES else ()


def _listed_devices(outcomes: Sequence[ToolOutcome]) -> list[Device]:
    return [device for outcome in outcomes for device in parse_devices(outcome.structured)]


def _counted(noun: str, names: Sequence[str]) -> str:
    if not names:
        return f"I know no {noun}s."
    counted = f"is 1 {noun}" if len(names) == 1 else f"are {len(names)} {noun}s"
    return f"There {counted}: {listed(names)}."


def _opens(device: Device) -> bool:
    return device.kind in COVERS or has_state(device, "open") or has_state(device, "closed")


def _chosen(query: DeviceQuery, devices: Sequence[Device]) -> list[Device]:
    fits = DeviceClass(query.sort, query.noun, plural=True).has
    # "Is anything open" is no question about switches: what can be open is meant.
    opening, locking = query.state in ("open", "closed"), query.state in ("locked", "unlocked")
    chosen = [
        device
        for device in devices
        if (
            (_opens(device) if opening else device.kind == "lock")
            if query.any_sort and (opening or locking)
            else fits(device)
        )
    ]
    if query.sort == "door" and opening:
        chosen = [device for device in chosen if _opens(device)]  # a lock does not tell
    if query.room:
        chosen = [device for device in chosen if device.room.casefold() == query.room.casefold()]
    return chosen


def _called(device: Device, twins: frozenset[str]) -> str:
    """With its room, where another one has its name."""
    apart = device.room and device.name.casefold() in twins
    return f"{device.name} in the {device.room}" if apart else device.name


def _all_of_them(query: DeviceQuery, chosen: Sequence[Device], where: str, twins: frozenset[str]) -> str:
    one = "device" if query.any_sort else query.noun.removesuffix("s")
    if not chosen:
        return f"There are no {one}s{where}."
    count = f"There {f'is 1 {one}' if len(chosen) == 1 else f'are {len(chosen)} {one}s'}{where}"
    if len(chosen) <= MOST_NAMES:
        return f"{count}: {listed([_called(device, twins) for device in chosen])}."
    if query.mode == "count":
        return f"{count}."
    rooms = Counter(device.room for device in chosen)
    spread = [f"{number} in {f'the {room}' if room else 'no room'}" for room, number in rooms.items()]
    return f"{count}: {listed(spread)}."


def _by_state(query: DeviceQuery, members: Sequence[Device], where: str, twins: frozenset[str]) -> str:
    offline = query.state == "offline"
    known = [device for device in members if device.available or offline]
    silent = [f"the {_called(device, twins)}" for device in members if device not in known]
    tail = f" I can't reach {listed(silent)}." if silent else ""
    hits = [device for device in known if has_state(device, query.state)]
    all_hit = len(hits) == len(known)
    doors = query.noun.startswith("door")  # not every door tells: those that do are named
    if query.mode == "all" and known and all_hit and not doors:
        what = "everything" if query.any_sort else f"all {query.noun}"
        return f"Yes, {what}{where} {'is' if query.any_sort else 'are'} {query.state}.{tail}"
    if not hits:
        nothing = "nothing" if query.any_sort else f"no {query.noun.removesuffix('s')}"
        lead = "No, " if query.mode in ("any", "all") else ""
        return capital(f"{lead}{nothing}{where} is {query.state}.{tail}")
    names = listed([f"the {_called(device, twins)}" for device in hits[:MOST_NAMES]])
    more = f" and {len(hits) - MOST_NAMES} more" if len(hits) > MOST_NAMES else ""
    verb = "is" if len(hits) == 1 and not hits[0].name.endswith("s") else "are"
    leads = {"any": "Yes, ", "all": "Yes, " if all_hit else "Not all: ", "count": f"{len(hits)}: "}
    return capital(f"{leads.get(query.mode, '')}{names}{more} {verb} {query.state}{where}.") + tail


# --- what can be done now, from the tools that are there

_ABILITIES = {
    "get_current_datetime": "tell the time and date",
    "control_speaker_volume": "change the volume",
    "control_zwave_device": "switch and dim your devices",
    "get_zwave_device": "tell what is on, open or locked",
    "set_zwave_thermostat": "set the heating",
    "set_timer": "set timers and reminders",
    "search_web": "search the web",
}
_WITH_THEM = frozenset(
    "list_zwave_devices get_device_sensor_data control_zwave_lock activate_zwave_scene check_zwave_health "
    "list_timers cancel_timer".split()
)


def abilities(tools: Iterable["BaseTool"], home: Home) -> str:
    names = {traits(tool).original_name or tool.name: tool for tool in tools}
    known = [words for name, words in _ABILITIES.items() if name in names]
    others = [tool for name, tool in names.items() if name not in _ABILITIES and name not in _WITH_THEM]
    titles = [traits(tool).title or tool.name.replace("_", " ") for tool in others[:3]]
    every = known + ([f"use {listed(titles)}"] if titles else [])
    if not every:
        return "I can't do anything at the moment: no tools are connected."
    devices = f" I know {len(home.devices)} devices in {len(home.rooms)} rooms." if home.devices else ""
    return f"I can {listed(every)}.{devices}"
