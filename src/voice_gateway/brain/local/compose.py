"""Answers made of what the tools said: short, and never more than they said."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from home_names.kinds import COVERS, DeviceClass
from home_names.phrases import capital, listed, with_article
from home_names.resolver import number_of
from home_names.states import UNKNOWN, parts_of, spoken_state, spoken_units
from home_words.command_words import OPPOSITE
from voice_gateway.brain.local.alarm_answer import alarm_answer
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import DeviceQuery, Request, Step
from voice_gateway.brain.local.wording import the
from voice_gateway.integrations.device import Device, has_state
from voice_gateway.integrations.listed import read_devices, read_scenes
from voice_gateway.turn import OutcomeStatus, ToolOutcome

MANY = 3  # from this many confirmed devices on, one sentence for all of them
LONGEST = 600  # characters of a foreign tool's text that are spoken
MOST_NAMES = 8  # more than these nobody remembers

# What a reading is called, in small letters.
_MEASURES = {
    "temperature": r"temperature", "humidity": r"humid", "power": r"power|electric|consumption",
    "battery": r"battery", "light": r"lumin|light", "motion": r"motion|presence|occup",
}  # fmt: skip


def compose(step: Step, outcomes: Sequence[ToolOutcome]) -> str:
    if step.say or not outcomes:
        return step.say
    if step.query is not None:
        return _of_all_homes(step, step.query, outcomes)
    if step.measure and outcomes and all(outcome.ok for outcome in outcomes):
        return _reading(step, outcomes)
    if step.expect and len(outcomes) == 1:
        return _yes_or_no(step, outcomes[0])
    if step.acts and len(outcomes) >= MANY:
        return _many(step, outcomes)
    text = " ".join(_told(step, place, outcome) for place, outcome in enumerate(outcomes))
    return _with_room(text, step.by_room)


def _told(step: Step, place: int, outcome: ToolOutcome) -> str:
    if step.intent in ("Time", "Date") and step.frame is not None and outcome.ok:
        return _clock_answer(step.frame, outcome.facts, _sentence(outcome))
    return _placed(step, place, outcome)


def _sentence(outcome: ToolOutcome) -> str:
    text = capital(spoken_units(" ".join((outcome.text if outcome.ok else outcome.trouble).split())))
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0] + " …"
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _namesake(step: Step, place: int) -> Device | None:
    """The device that is called by its room too, because another one has its name."""
    request = step.requests[place] if place < len(step.requests) else Request("")
    device = request.device
    return device if device and device.room and request.twin else None


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
    called = Counter((name, room) for name, room, _ in {_of_home(outcome) for outcome in outcomes})
    for place, outcome in enumerate(outcomes):
        name, state = outcome.facts.get("device"), outcome.facts.get("state")
        if outcome.status is OutcomeStatus.CONFIRMED and name and state:
            twin = _namesake(step, place)
            named = f"{name} in the {twin.room}" if twin else str(name)
            known_as, room, node = _of_home(outcome)
            if called[known_as, room] > 1 and node:
                named += f" (node {node})"
            by_state.setdefault(spoken_state(str(state)), []).append(named)
        else:
            others.append(_placed(step, place, outcome))
    alike = [
        f"The {listed(names)} {'is' if len(names) == 1 else 'are'} {state}."
        for state, names in by_state.items()
    ]
    return " ".join([*alike, *others])


def _of_home(outcome: ToolOutcome) -> tuple[str, str, str]:
    """Name, room and number of the device that a result is about."""
    name, room, node = (outcome.facts.get(key) for key in ("device", "room", "nodeId"))
    return str(name or ""), str(room or ""), str(node or "")


def _yes_or_no(step: Step, outcome: ToolOutcome) -> str:
    text, state = _placed(step, 0, outcome), outcome.facts.get("state")
    sure = outcome.status in (OutcomeStatus.READ, OutcomeStatus.CONFIRMED)
    if not sure or not isinstance(state, str):
        return text
    now = Device("", "", "", state)
    told = _lower(text) if text.startswith("The ") else text
    told = _only(step, told, state)
    if has_state(now, step.expect):
        return f"Yes, {told}"
    return f"No, {told}" if has_state(now, OPPOSITE.get(step.expect, "")) else text


def _only(step: Step, told: str, state: str) -> str:
    """Of a contact that measures as well only what was asked for: "the Window is closed"."""
    parts = parts_of(state)
    asked = [part for part in parts if has_state(Device("", "", "", part), step.expect)]
    other = [part for part in parts if has_state(Device("", "", "", part), OPPOSITE.get(step.expect, ""))]
    if len(step.devices) != 1 or step.devices[0].kind != "sensor" or len(parts) == 1 or not (asked or other):
        return told
    return f"{the(step.devices[0], room=_namesake(step, 0) is not None)} is {(asked or other)[0]}."


def _reading(step: Step, outcomes: Sequence[ToolOutcome]) -> str:
    """Only what was asked for, of all that is measured there."""
    facts, wanted = [outcome.facts for outcome in outcomes], _MEASURES.get(step.measure)
    if wanted is None or not any("readings" in fact for fact in facts):
        return " ".join(_sentence(outcome) for outcome in outcomes)
    if len(step.devices) > 1:
        return _readings_by_place(step, outcomes, wanted)
    found = [one for fact in facts for one in _measured(fact, wanted)]
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


def _measured(fact: Mapping[str, Any], wanted: str) -> list[Mapping[str, Any]]:
    readings = [one for one in fact.get("readings") or () if isinstance(one, Mapping)]
    return [one for one in readings if re.search(wanted, str(one.get("label", "")).casefold())]


def _readings_by_place(step: Step, outcomes: Sequence[ToolOutcome], wanted: str) -> str:
    """ "It's 21.5 degrees in the Office and 19 degrees in the Hallway." """
    parts = []
    for device, outcome in zip(step.devices, outcomes, strict=False):
        where = f"in the {device.room}" if device.room else f"at {the(device)}"
        texts = [
            _bare(str(one.get("text", one.get("value", "")))) for one in _measured(outcome.facts, wanted)
        ]
        parts += [f"{text} {where}" for text in dict.fromkeys(texts)]
    if not parts:
        return f"Nothing measures the {step.measure}."
    opening = "it's" if step.measure == "temperature" else f"the {step.measure} is"
    return capital(f"{listed(parts)}." if step.measure == "motion" else f"{opening} {listed(parts)}.")


def _bare(text: str) -> str:
    return spoken_state(text).removesuffix(" Celsius")


# --- from the list of all devices: which are on, how many there are, whether anything is open


def _of_all_homes(step: Step, query: DeviceQuery, outcomes: Sequence[ToolOutcome]) -> str:
    """What is known, and which home could not be asked."""
    failed = list(dict.fromkeys(_sentence(outcome) for outcome in outcomes if not outcome.ok))
    there = any(outcome.ok for outcome in outcomes)
    return " ".join([answer_query(step, query, outcomes), *failed] if there else failed[:1])


def answer_query(step: Step, query: DeviceQuery, outcomes: Sequence[ToolOutcome]) -> str:
    """The answer from the lists of all devices, read a moment ago."""
    devices = _listed_devices(step, outcomes)
    if query.mode == "rooms":
        rooms = dict.fromkeys(device.room for device in devices if device.room)
        return f"{_counted('room', len(rooms))}: {listed(list(rooms))}." if rooms else "I know no rooms."
    if query.mode == "scenes":
        names = [name for outcome in outcomes for name in read_scenes(outcome.structured) or ()]
        return f"{_counted('scene', len(names))}: {listed(names)}." if names else "I know no scenes."
    if query.mode == "alarm":
        return alarm_answer(devices, query.noun, query.room, asked=query.state != "told")
    chosen = _told_apart(_chosen(query, devices), devices)
    where = f" in the {query.room}" if query.room else ""
    return (_by_state if query.state else _all_of_them)(query, chosen, where)


def _told_apart(chosen: Sequence[Device], devices: Sequence[Device]) -> list[Device]:
    """With its room where another one has its name, and with its number where that is there, too."""
    names = Counter(one.name.casefold() for one in devices)
    places = Counter((one.name.casefold(), one.room.casefold()) for one in devices)
    told = []
    for one in chosen:
        room = f" in the {one.room}" if one.room and names[one.name.casefold()] > 1 else ""
        twin = places[one.name.casefold(), one.room.casefold()] > 1 and one.node_id is not None
        told.append(replace(one, name=f"{one.name}{room}{f' ({number_of(one)})' if twin else ''}"))
    return told


def devices_shown(step: Step, outcomes: Sequence[ToolOutcome]) -> tuple[Device, ...]:
    """What was asked about: "turn them off" means those that are on, or all if all were asked about."""
    query = step.query
    if query is None:
        return ()
    asked = _chosen(query, _listed_devices(step, outcomes))
    if query.mode != "all":
        asked = [device for device in asked if device.available and has_state(device, query.state)]
    return tuple(asked) if len(asked) <= MOST_NAMES else ()


def _listed_devices(step: Step, outcomes: Sequence[ToolOutcome]) -> list[Device]:
    pages = zip(step.requests, outcomes, strict=False)
    return [one for request, page in pages for one in read_devices(page.structured, request.source)]


def _chosen(query: DeviceQuery, devices: Sequence[Device]) -> list[Device]:
    """ "Is anything open" is no question about switches, nor about a lock: what can be open is meant."""
    sort = DeviceClass(query.sort, query.noun, plural=True)

    def fits(device: Device) -> bool:
        return sort.has(device) or (query.sort in _OPENINGS and query.sort in device.watches)

    opening, locking = query.state in ("open", "closed"), query.state in ("locked", "unlocked")
    room = query.room.casefold() if query.room else None
    return [
        device
        for device in devices
        if (fits(device) or (query.any_sort and (opening or locking)))
        and not (locking and query.any_sort and device.kind != "lock")
        and not (opening and query.any_sort and not _opens(device))
        and not (opening and query.sort in _OPENINGS and not (_opens(device) or _is_unsure(device)))
        and room in (None, device.room.casefold())
    ]


_OPENINGS = ("door", "window")


def _opens(device: Device) -> bool:
    return device.kind in COVERS or has_state(device, "open") or has_state(device, "closed")


def _is_unsure(device: Device) -> bool:
    """A contact that has told nothing: it may be open."""
    return device.kind == "sensor" and device.state in ("", UNKNOWN)


def _counted(noun: str, count: int) -> str:
    return f"There is 1 {noun}" if count == 1 else f"There are {count or 'no'} {noun}s"


def _all_of_them(query: DeviceQuery, chosen: Sequence[Device], where: str) -> str:
    noun = "device" if query.any_sort else query.noun.removesuffix("s")
    count, rooms = _counted(noun, len(chosen)) + where, Counter(device.room for device in chosen)
    named = [device.name for device in chosen]
    if len(chosen) > MOST_NAMES:
        spread = [f"{number} in {f'the {room}' if room else 'no room'}" for room, number in rooms.items()]
        named = [] if query.mode == "count" else spread
    return f"{count}: {listed(named)}." if named else f"{count}."


def _by_state(query: DeviceQuery, members: Sequence[Device], where: str) -> str:
    reached = [device for device in members if device.available or query.state == "offline"]
    unsure = query.state in ("open", "closed") and query.sort in _OPENINGS
    known = [device for device in reached if not (unsure and _is_unsure(device))]
    silent = [with_article(device.name) for device in members if device not in reached]
    mute = [with_article(device.name) for device in reached if device not in known]
    tail = f" I can't reach {listed(silent)}." if silent else ""
    tail += f" {capital(listed(mute))} {'has' if len(mute) == 1 else 'have'} not told." if mute else ""
    hits = [device for device in known if has_state(device, query.state)]
    every = bool(known) and len(hits) == len(known)
    doors = query.noun.startswith("door")  # not every door tells: those that do are named
    whole = query.any_sort or query.noun == "everything"  # "is the house locked"
    if query.mode == "all" and every and not doors:
        what = f"everything{where} is" if whole else f"all {query.noun}{where} are"
        return f"Yes, {what} {query.state}.{tail}"
    told = query.state in ("open", "closed", "locked", "unlocked")
    if not members and (query.sort in _OPENINGS or (told and (query.any_sort or query.sort == "lock"))):
        # Of what nothing watches, nobody can say that it is closed.
        what = f"a {query.sort}" if query.sort in _OPENINGS else "anything"
        return f"Nothing here can tell me whether {what}{where} is {query.state}."
    if not members and not whole:
        return capital(f"I know no {query.noun.removesuffix('s')}{where}.")
    if not known and tail and unsure:
        return f"I don't know.{tail}"
    if not hits:
        nothing = "nothing" if whole else f"no {query.noun.removesuffix('s')}"
        lead = "No, " if query.mode in ("any", "all") else ""
        return capital(f"{lead}{nothing}{where} is {query.state}.{tail}")
    names = listed([with_article(device.name) for device in hits[:MOST_NAMES]])
    more = f" and {len(hits) - MOST_NAMES} more" if len(hits) > MOST_NAMES else ""
    verb = "is" if len(hits) == 1 and not hits[0].name.endswith("s") else "are"
    leads = {"any": "Yes, ", "all": "Yes, " if every else "Not all: ", "count": f"{len(hits)}: "}
    return capital(f"{leads.get(query.mode, '')}{names}{more} {verb} {query.state}{where}.") + tail


# --- the time, the weekday, the date or the year


def _clock_answer(frame: Frame, facts: Mapping[str, Any], text: str) -> str:
    """`text` is the tool's own sentence: said for what is not now, and where it told no facts."""
    try:
        now = datetime.fromisoformat(str(facts["iso"]))
    except (KeyError, ValueError):
        return text
    offset, place = frame.text("offset"), frame.text("place")
    if offset or (frame.intent == "Date" and place):
        return _some_day(frame, now) or text
    if frame.intent == "Time":
        return f"It's {_clock(now)} in {place.title()}." if place else f"It's {_clock(now)}."
    if asked := frame.text("weekday"):
        return f"{'Yes' if asked == f'{now:%A}'.lower() else 'No'}, it's {now:%A}."
    return f"It's {_part(frame, now)}."


def _clock(moment: datetime) -> str:
    return f"{moment:%I:%M %p}".lstrip("0")


def _part(frame: Frame, moment: datetime) -> str:
    parts = {
        "weekday": f"{moment:%A}",
        "date": f"{moment:%A}, {moment.day} {moment:%B}",
        "month": f"{moment:%B}",
        "year": f"{moment.year}",
    }
    return parts[frame.text("part") or "date"]


def _some_day(frame: Frame, moment: datetime) -> str:
    """Of another day its name alone, or its date; how far it is away the tool tells better."""
    return f"{_part(frame, moment)}." if frame.text("part") in ("month", "year") else ""
