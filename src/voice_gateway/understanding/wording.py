"""Words replies to steps: a key of replies.yaml with facts, outcomes of acts, answers to questions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from home_names.resolver import number_of
from home_names.states import UNKNOWN, degrees_of, measured_of, parts_of
from voice_gateway import languages
from voice_gateway.integrations.device import Device, has_state
from voice_gateway.integrations.home import Home, Request
from voice_gateway.integrations.zwave import HEALTH
from voice_gateway.languages import capital, listed, plainly, the
from voice_gateway.languages.outcomes import own_text, state_words, told
from voice_gateway.turn import OutcomeStatus, ToolOutcome
from voice_gateway.understanding.listing import DANGERS, OPPOSITE, DeviceQuery
from voice_gateway.understanding.listing import answer as listed_answer
from voice_gateway.understanding.nodes import Everyday
from voice_gateway.understanding.plan import Say, Step
from voice_gateway.understanding.plan.sensors import Sensing, answer

MOST_ROOMS: Final = 8  # more than these nobody listens to
MOST_CHOICES: Final = 4
MOST_GUESSES: Final = 2  # behind "Did you mean"; of more the rooms are asked for
ACTS_ASKED: Final = frozenset({"on", "off", "open", "close", "stop", "lock", "unlock", "start"})
_SURE: Final = (OutcomeStatus.READ, OutcomeStatus.CONFIRMED)
# What a reading is called by the tools, in small letters.
_LABELS: Final = {
    "temperature": r"temperature", "humidity": r"humid", "power": r"power|electric|consumption",
    "battery": r"battery", "light": r"lumin|light", "motion": r"motion|presence|occup",
}  # fmt: skip


def say(what: Say, home: Home, code: str = "en") -> str:
    """A reply with its devices in words."""
    facts: dict[str, Any] = {key: _spoken(key, fact, home, code) for key, fact in what.facts.items()}
    devices: tuple[Device, ...] = tuple(facts.get("devices", ()))
    if what.key == "ask.which" and (rooms := rooms_asked(devices)):
        return languages.say(
            "ask.which_room", code, rooms=listed([plainly(room, code) for room in rooms], code, "or")
        )
    if what.key.endswith("_which") and (rooms := rooms_asked(devices, MOST_GUESSES)):
        lead = languages.say(what.key.removesuffix("_which"), code, **facts)
        named = listed([plainly(room, code) for room in rooms], code, "or")
        return f"{lead} {languages.say('ask.which_room', code, rooms=named)}"
    if devices:
        facts["devices"] = choice(devices, home, code)
        facts["things"] = [device.name for device in devices]
        facts["state"] = state_words(home.state_of(devices[0]), code)
        do = f"do.{facts.get('do', '')}"
        if what.key == "ask.shall_i" and facts.get("do") in ACTS_ASKED:
            return languages.say("ask.shall_i_do", code, do=languages.say(do, code), devices=facts["devices"])
        if what.key == "cannot.device" and languages.has(able := f"cannot.device.{devices[0].kind}", code):
            return languages.say(able, code, **facts)
    for key in ("here", "room", "text"):
        if isinstance(facts.get(key), str):
            facts[key] = plainly(facts[key], code)
    return languages.say(what.key, code, **facts)


def _spoken(key: str, fact: Any, home: Home, code: str) -> Any:
    """Replies within a reply, and lists of words: `all` of them, or `either`."""
    if key not in ("all", "either"):
        return fact
    words = [say(one, home, code) if isinstance(one, Say) else str(one) for one in fact]
    return listed(words, code, "or" if key == "either" else "and")


def replies(done: Sequence[tuple[Step, Sequence[ToolOutcome]]], home: Home, code: str = "en") -> str:
    """The reply to all steps of an utterance; consecutive acts share a sentence."""
    texts: list[str] = []
    for acting, group in groupby(done, lambda pair: _acts(*pair)):
        steps = list(group)
        if acting:
            names = {call: name for step, outcomes in steps for call, name in _names(step, outcomes, code)}
            texts.append(told([outcome for _, outcomes in steps for outcome in outcomes], code, names))
        else:
            texts += [reply(step, outcomes, home, code) for step, outcomes in steps]
    return " ".join(filter(None, texts))


def _acts(step: Step, outcomes: Sequence[ToolOutcome]) -> bool:
    return step.acts and step.say is None and bool(outcomes)


def _names(step: Step, outcomes: Sequence[ToolOutcome], code: str) -> Iterator[tuple[str, str]]:
    """By call: what a device is called among others of its name, and a scene."""
    for request, outcome in zip(step.requests, outcomes, strict=False):
        if request.scene:
            yield outcome.call_id, request.scene
        elif request.twin and request.device is not None:
            yield outcome.call_id, _name(request, code)


def reply(  # noqa: PLR0911 (one for each kind of step)
    step: Step, outcomes: Sequence[ToolOutcome], home: Home, code: str = "en"
) -> str:
    """The reply to a step that reads a state or needs no call."""
    if step.say is not None:
        return say(step.say, home, code)
    if not outcomes:
        return ""
    node = step.node
    if step.requests and step.requests[0].tool == HEALTH and "offline" in outcomes[0].facts:
        return _health(outcomes[0].facts, code)
    if isinstance(step.query, Sensing) and any(outcome.ok for outcome in outcomes):
        return answer(step.query, step.requests, outcomes, code)
    if isinstance(step.query, DeviceQuery | Sensing):
        query = step.query if isinstance(step.query, DeviceQuery) else DeviceQuery("list")
        return listed_answer(query, [request.source for request in step.requests], outcomes, code)
    if step.measure and all(outcome.ok for outcome in outcomes):
        return _readings(step, outcomes, code)
    if isinstance(node, Everyday) and node.tool == "get_current_datetime" and outcomes[0].ok:
        return _clock(node, outcomes[0], code)
    if not step.acts and any(request.device for request in step.requests):
        return _looked(step, outcomes, code)
    return told(outcomes, code)


# --- names and choices


def _name(request: Request, code: str) -> str:
    """A device among others of its name, with its room."""
    device = request.device
    assert device is not None
    where = (
        languages.say("look.where", code, room=plainly(device.room, code))
        if device.room and request.twin
        else ""
    )
    return f"{device.name}{where}"


def choice(devices: Sequence[Device], home: Home | None = None, code: str = "en") -> str:
    """ "the ceiling light or the floor lamp", with rooms where they differ and are no part of the name."""
    names = [device.name.casefold() for device in devices]
    shown = []
    for device in devices[:MOST_CHOICES]:
        apart = names.count(device.name.casefold()) > 1 and device.room
        where = languages.say("look.where", code, room=plainly(device.room, code)) if apart else ""
        shown.append(f"{the(device.name, code)}{where}{_told_apart(device, devices, home, code)}")
    if len(devices) > MOST_CHOICES:
        shown.append(languages.say("ask.another", code))
    return listed(shown, code, "or")


def _told_apart(device: Device, among: Sequence[Device], home: Home | None, code: str) -> str:
    """What tells it from its twins: whose it is, or its number and what it is doing."""
    called = the(device.name).casefold()  # "The Lamp" and "Lamp" sound the same
    twins = [one for one in among if (the(one.name).casefold(), one.room) == (called, device.room)]
    if len(twins) < 2:
        return ""
    if len({one.source for one in twins}) == len(twins):
        return languages.say("ask.of_source", code, source=device.source) if device.source else ""
    number = (
        "" if device.node_id is None else languages.say("ask.with_number", code, number=number_of(device))
    )
    if home is None or len({home.state_of(one) for one in twins}) < 2 or home.state_of(device) == UNKNOWN:
        return number
    return f"{number} ({state_words(home.state_of(device), code)})"


def rooms_asked(devices: Sequence[Device], most: int = MOST_CHOICES) -> list[str]:
    """The rooms to ask for instead of devices; empty for up to `most` devices, which are listed."""
    rooms = list(dict.fromkeys(device.room for device in devices if device.room))
    return rooms if len(devices) > most and 1 < len(rooms) <= MOST_ROOMS else []


# --- looks at devices


def _looked(step: Step, outcomes: Sequence[ToolOutcome], code: str) -> str:
    texts: list[str] = []
    alike: dict[str, list[str]] = {}
    for request, outcome in zip(step.requests, outcomes, strict=True):
        device, state = request.device, outcome.facts.get("state")
        if device is None or outcome.status not in _SURE or not isinstance(state, str) or _warns(device):
            unreachable = device is not None and outcome.status is OutcomeStatus.UNREACHABLE
            name = _name(request, code) if unreachable else ""
            texts.append(
                languages.say("not.unreachable", code, things=[name]) if name else own_text(outcome, code)
            )
        elif step.state and len(outcomes) == 1:
            return _yes_or_no(step, device, _name(request, code), state, code)
        elif device.domain == "weather":
            texts.append(languages.say("look.weather", code, state=state_words(state, code)))
        elif device.kind == "thermostat" and (warmth := _warmth(_name(request, code), state, code)):
            texts.append(warmth)
        else:
            alike.setdefault(state, []).append(_name(request, code))
    if step.state and alike:
        alike_texts = [_all_or_some(step.state, alike, code)]
    else:
        alike_texts = [_so(names, state, code) for state, names in alike.items()]
    return " ".join([*alike_texts, *dict.fromkeys(texts)])


def _all_or_some(wanted: str, alike: Mapping[str, Sequence[str]], code: str) -> str:
    """Of several: all of them, none, or how many are."""
    so = [state for state in alike if has_state(Device("", "", "", state), wanted)]
    names = [name for group in alike.values() for name in group]
    if len(so) in (0, len(alike)):
        state = (
            state_words(next(iter(alike)), code)
            if len(alike) == 1
            else (wanted if so else OPPOSITE.get(wanted, ""))
        )
        if state:
            return languages.say("look.yes" if so else "look.no", code, things=names, state=state, where="")
    texts = [
        languages.say("look.is_so", code, things=group, state=state_words(state, code))
        for state, group in alike.items()
    ]
    count = sum(len(alike[state]) for state in so)
    return languages.say("look.mixed", code, count=count, total=len(names), texts=texts)


def _warns(device: Device) -> bool:
    """What watches for smoke or water: its tool tells of that, and its state may be about something else."""
    return device.kind == "sensor" and any(device.watches_for(danger) for danger in DANGERS)


def _so(names: Sequence[str], state: str, code: str) -> str:
    if state == UNKNOWN:
        return languages.say("look.no_state", code, things=names)
    key = "look.says" if state[:1].isdigit() and "open" not in state else "look.is"
    return languages.say(key, code, things=names, state=state_words(state, code))


def _warmth(name: str, state: str, code: str) -> str:
    degrees, now = degrees_of(state), measured_of(state)
    if degrees is None or now is None or "set to" not in state:
        return ""
    return languages.say("look.heating", code, degrees=degrees, now=now, things=[name])


def _yes_or_no(step: Step, device: Device, name: str, state: str, code: str) -> str:
    """Of a contact that measures as well only what was asked for: "Yes, the window is closed"."""

    def parts(wanted: str) -> list[str]:
        return [
            part
            for part in parts_of(state)
            if wanted and has_state(Device("", "", device.kind, part), wanted)
        ]

    now, against = Device("", "", device.kind, state), OPPOSITE.get(step.state, "")
    yes = has_state(now, step.state)
    if not yes and not has_state(now, against):
        return _so([name], state, code)
    told_of = (parts(step.state) or parts(against)) if device.kind == "sensor" else [state]
    shown = state_words((told_of or [state])[0], code)
    return languages.say("look.yes" if yes else "look.no", code, things=[name], state=shown, where="")


def _health(facts: Mapping[str, Any], code: str) -> str:
    """What is not well; else that all is."""
    texts = [str(alarm) for alarm in facts.get("alarms") or ()]
    for key, fact in (("health.offline", "offline"), ("health.low", "batteryLow")):
        texts += [languages.say(key, code, things=names)] if (names := facts.get(fact)) else []
    return " ".join(texts) or languages.say("health.fine", code, count=facts.get("devices", ""))


# --- readings


def _readings(step: Step, outcomes: Sequence[ToolOutcome], code: str) -> str:
    """Only what was asked for, of all that is measured there."""
    wanted = _LABELS.get(step.measure)
    if wanted is None or not any("readings" in outcome.facts for outcome in outcomes):
        return " ".join(own_text(outcome, code) for outcome in outcomes)
    measure = languages.say(f"look.measure.{step.measure}", code)
    facts: dict[str, Any] = {"measure": measure, "where": ""}
    if len(step.devices) > 1:
        return _by_place(step, outcomes, wanted, facts, code)
    texts = [text for outcome in outcomes for text in _measured(outcome.facts, wanted, code)]
    rooms = [str(room) for outcome in outcomes if (room := outcome.facts.get("room"))]
    if step.devices:
        facts["things"] = [_name(step.requests[0], code)]
    elif rooms:
        facts["where"] = languages.say("look.where", code, room=plainly(rooms[0], code))
    kind = "of" if step.devices else "in"
    if not texts:
        return languages.say(f"look.none_{kind}", code, **facts)
    special = f"look.measured_{kind}.{step.measure}"
    key = special if languages.has(special, code) else f"look.measured_{kind}"
    return languages.say(key, code, text=listed(texts, code), **facts)


def _by_place(
    step: Step, outcomes: Sequence[ToolOutcome], wanted: str, facts: Mapping[str, Any], code: str
) -> str:
    """ "It's 21.5 degrees in the office and 19 degrees in the hallway." """
    parts: dict[str, None] = {}
    for request, outcome in zip(step.requests, outcomes, strict=False):
        device = request.device
        for text in _measured(outcome.facts, wanted, code):
            room = device.room if device is not None else ""
            key = "look.measured_there" if room else "look.measured_at"
            name = the(device.name, code) if device is not None else ""
            parts[languages.say(key, code, text=text, room=plainly(room, code), name=name)] = None
    if not parts:
        return languages.say("look.none_in", code, **facts)
    special = f"look.measured_in.{step.measure}"
    key = special if languages.has(special, code) else "look.measured_in"
    return languages.say(key, code, text=languages.counted(list(parts), code), **facts)


def _measured(facts: Mapping[str, Any], wanted: str, code: str) -> list[str]:
    """The readings of this label, each with its device where several devices differ."""
    readings = [
        (str(one.get("device") or ""), state_words(str(one.get("text", one.get("value", ""))), code))
        for one in facts.get("readings") or ()
        if isinstance(one, Mapping) and re.search(wanted, str(one.get("label", "")).casefold())
    ]
    texts = list(dict.fromkeys(text for _, text in readings))
    devices = {device for device, _ in readings}
    if len(texts) < 2 or len(devices) < 2 or "" in devices:
        return texts
    return [
        languages.say("look.measured_at", code, text=text, room="", name=the(device, code))
        for device, text in dict.fromkeys(readings)
    ]


# --- the time, the weekday, the date or the year


def _clock(node: Everyday, outcome: ToolOutcome, code: str) -> str:
    """The part that was asked for; the tool's own sentence for another day or without facts."""
    try:
        now = datetime.fromisoformat(str(outcome.facts["iso"]))
    except (KeyError, ValueError):
        return own_text(outcome, code)
    asks_date = bool(node.part or node.weekday)
    part = node.part or "date"
    shown = now.strftime(languages.say(f"clock.{part}", code)).replace(" 0", " ")
    if node.when and asks_date and not node.weekday:
        return capital(f"{shown}.")
    if node.when or (asks_date and node.place):
        return own_text(outcome, code)
    if not asks_date:
        clock = now.strftime(languages.say("clock.time", code)).lstrip("0")
        return languages.say(
            "time.in" if node.place else "time.now", code, time=clock, place=node.place.title()
        )
    if node.weekday:
        key = "time.yes" if node.weekday == f"{now:%A}".lower() else "time.no"
        return languages.say(key, code, day=now.strftime(languages.say("clock.weekday", code)))
    return languages.say("time.now", code, time=shown)
