"""Words replies to steps: a key of replies.yaml with facts, outcomes of acts, answers to questions."""

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
from voice_gateway.understanding.listing import DANGERS, OPPOSITE, DeviceQuery, where
from voice_gateway.understanding.listing import answer as listed_answer
from voice_gateway.understanding.nodes import Everyday
from voice_gateway.understanding.plan import Say, Step
from voice_gateway.understanding.plan.sensors import Sensing, answer
from voice_gateway.understanding.templates import language

MOST_ROOMS: Final = 8  # more than these nobody listens to
MOST_CHOICES: Final = 4
MOST_GUESSES: Final = 2  # behind "Did you mean"; of more the rooms are asked for
ACTS_ASKED: Final = frozenset({"on", "off", "open", "close", "stop", "lock", "unlock", "start"})
_SURE: Final = (OutcomeStatus.READ, OutcomeStatus.CONFIRMED)
# Parts of the labels that the tools give a reading, in small letters.
_LABELS: Final = {
    "temperature": ("temperature",), "humidity": ("humid",), "power": ("power", "electric", "consumption"),
    "battery": ("battery",), "light": ("lumin", "light"), "motion": ("motion", "presence", "occup"),
}  # fmt: skip


def say(what: Say, home: Home) -> str:
    """A reply with its devices in words."""
    facts: dict[str, Any] = {key: _spoken(key, fact, home) for key, fact in what.facts.items()}
    devices: tuple[Device, ...] = tuple(facts.get("devices", ()))
    guess = what.key.endswith("_which")
    rooms = _rooms(devices, MOST_GUESSES if guess else MOST_CHOICES)
    if rooms and (guess or what.key == "ask.which"):
        ask = languages.say("ask.which_room", rooms=listed([plainly(room) for room in rooms], word="or"))
        return f"{languages.say(what.key.removesuffix('_which'), **facts)} {ask}" if guess else ask
    if devices:
        facts["devices"] = choice(devices, home)
        facts["things"] = [device.name for device in devices]
        facts["state"] = state_words(home.state_of(devices[0]))
        if what.key == "ask.shall_i" and (do := facts.get("do")) in ACTS_ASKED:
            return languages.say("ask.shall_i_do", do=languages.say(f"do.{do}"), devices=facts["devices"])
        if what.key == "cannot.device" and languages.has(able := f"cannot.device.{devices[0].kind}"):
            return languages.say(able, **facts)
    for key in ("here", "room", "text"):
        if isinstance(facts.get(key), str):
            facts[key] = plainly(facts[key])
    return languages.say(what.key, **facts)


def _spoken(key: str, fact: Any, home: Home) -> Any:
    """Replies within a reply, and lists of words: `all` of them, or `either`."""
    if key not in ("all", "either"):
        return fact
    words = [say(one, home) if isinstance(one, Say) else str(one) for one in fact]
    return listed(words, word="or" if key == "either" else "and")


def replies(done: Sequence[tuple[Step, Sequence[ToolOutcome]]], home: Home) -> str:
    """The reply to all steps of an utterance; consecutive acts share a sentence."""
    texts: list[str] = []
    for acting, group in groupby(done, lambda pair: pair[0].acts and pair[0].say is None and bool(pair[1])):
        steps = list(group)
        if acting:
            names = {call: name for step, outcomes in steps for call, name in _call_names(step, outcomes)}
            texts.append(told([outcome for pair in steps for outcome in _news(*pair)], names=names))
        else:
            texts += [reply(step, outcomes, home) for step, outcomes in steps]
    return " ".join(filter(None, texts))


def _news(step: Step, outcomes: Sequence[ToolOutcome]) -> Iterator[ToolOutcome]:
    """The outcomes to tell: not that the wrong timer or item of a correction is gone."""
    quiet = [request.quiet for request in step.requests]
    for at, outcome in enumerate(outcomes):
        if not (outcome.ok and at < len(quiet) and quiet[at]):
            yield outcome


def _call_names(step: Step, outcomes: Sequence[ToolOutcome]) -> Iterator[tuple[str, str]]:
    """Names by call: of scenes, and of devices that share their name."""
    for request, outcome in zip(step.requests, outcomes, strict=False):
        if request.scene:
            yield outcome.call_id, request.scene
        elif request.twin and request.device is not None:
            yield outcome.call_id, _name(request)


def reply(  # noqa: PLR0911 (one for each kind of step)
    step: Step, outcomes: Sequence[ToolOutcome], home: Home
) -> str:
    """The reply to a step that reads a state or needs no call."""
    if step.say is not None:
        return say(step.say, home)
    if not outcomes:
        return ""
    node = step.node
    if step.requests and step.requests[0].tool == HEALTH and "offline" in outcomes[0].facts:
        return _health(outcomes[0].facts)
    if isinstance(step.query, Sensing) and any(outcome.ok for outcome in outcomes):
        return answer(step.query, step.requests, outcomes)
    if isinstance(step.query, DeviceQuery | Sensing):
        query = step.query if isinstance(step.query, DeviceQuery) else DeviceQuery("list")
        return listed_answer(query, [request.source for request in step.requests], outcomes)
    if step.measure and all(outcome.ok for outcome in outcomes):
        return _readings(step, outcomes)
    if isinstance(node, Everyday) and node.tool == "get_current_datetime" and outcomes[0].ok:
        return _clock(node, outcomes[0])
    if not step.acts and any(request.device for request in step.requests):
        return _looked(step, outcomes)
    return told(outcomes)


# --- names and choices


def _name(request: Request) -> str:
    """The device's name, with its room if another device has the same name."""
    device = request.device
    assert device is not None
    return f"{device.name}{where((device.room,)) if device.room and request.twin else ''}"


def choice(devices: Sequence[Device], home: Home) -> str:
    """The devices to choose from, with rooms where names are alike: "the ceiling light or the floor lamp"."""
    names = [device.name.casefold() for device in devices]
    shown = []
    for device in devices[:MOST_CHOICES]:
        apart = names.count(device.name.casefold()) > 1 and device.room
        room = where((device.room,)) if apart else ""
        shown.append(f"{the(device.name)}{room}{_told_apart(device, devices, home)}")
    if len(devices) > MOST_CHOICES:
        shown.append(languages.say("ask.another"))
    return listed(shown, word="or")


def _told_apart(device: Device, among: Sequence[Device], home: Home) -> str:
    """What distinguishes a device from others of its name and room: its source, or its number and state."""
    called = the(device.name).casefold()  # "The Lamp" and "Lamp" sound the same
    twins = [one for one in among if (the(one.name).casefold(), one.room) == (called, device.room)]
    if len(twins) < 2:
        return ""
    if len({one.source for one in twins}) == len(twins):
        return languages.say("ask.of_source", source=device.source) if device.source else ""
    number = "" if device.node_id is None else languages.say("ask.with_number", number=number_of(device))
    if len({home.state_of(one) for one in twins}) < 2 or home.state_of(device) == UNKNOWN:
        return number
    return f"{number} ({state_words(home.state_of(device))})"


def _rooms(devices: Sequence[Device], most: int) -> list[str]:
    """The rooms to ask for instead of devices; empty for up to `most` devices, which are listed."""
    rooms = list(dict.fromkeys(device.room for device in devices if device.room))
    return rooms if len(devices) > most and 1 < len(rooms) <= MOST_ROOMS else []


# --- looks at devices


def _looked(step: Step, outcomes: Sequence[ToolOutcome]) -> str:
    texts: list[str] = []
    alike: dict[str, list[str]] = {}
    for request, outcome in zip(step.requests, outcomes, strict=True):
        device, state = request.device, outcome.facts.get("state")
        # Of a sensor that watches for smoke or water its tool's own text is said.
        warns = device is not None and device.kind == "sensor" and any(map(device.watches_for, DANGERS))
        if device is None or outcome.status not in _SURE or not isinstance(state, str) or warns:
            unreachable = device is not None and outcome.status is OutcomeStatus.UNREACHABLE
            away = languages.say("not.unreachable", things=[_name(request)]) if unreachable else ""
            texts.append(away or own_text(outcome))
        elif device.domain == "weather" and not step.state:
            texts.append(languages.say("look.weather", state=state_words(state)))
        elif "set to" in state and not step.state and (now := measured_of(state)) is not None:
            degrees = degrees_of(state)
            texts.append(languages.say("look.heating", degrees=degrees, now=now, things=[_name(request)]))
        else:
            shown = _part(state, step.state) if device.kind == "sensor" else state
            alike.setdefault(shown, []).append(_name(request))
    states = [_so(names, state) for state, names in alike.items()]
    asked = [_answered(step.state, alike)] if step.state and alike else states
    return " ".join([*asked, *dict.fromkeys(texts)])


def _answered(wanted: str, alike: Mapping[str, Sequence[str]]) -> str:
    """Yes, no, or how many; of one device that is neither so nor the opposite its state."""
    names = [name for group in alike.values() for name in group]
    so = [state for state in alike if _is(state, wanted)]
    first = next(iter(alike))
    if len(names) == 1 and not so and not _is(first, OPPOSITE.get(wanted, "")):
        return _so(names, first)
    if len(so) in (0, len(alike)):
        same = state_words(first) if len(alike) == 1 else ""
        if state := same or (wanted if so else OPPOSITE.get(wanted, "")):
            return languages.say(
                "look.yes" if so else "look.no", things=names, state=state_words(state), where=""
            )
    texts = [
        languages.say("look.is_so", things=group, state=state_words(state)) for state, group in alike.items()
    ]
    count = sum(len(alike[state]) for state in so)
    return languages.say("look.mixed", count=count, total=len(names), texts=texts)


def _so(names: Sequence[str], state: str) -> str:
    if state == UNKNOWN:
        return languages.say("look.no_state", things=names)
    key = "look.says" if state[:1].isdigit() and "open" not in state else "look.is"
    return languages.say(key, things=names, state=state_words(state))


def _is(state: str, wanted: str) -> bool:
    return has_state(Device("", "", "", state), wanted)


def _part(state: str, wanted: str) -> str:
    """Of a contact that measures as well, the part that tells what was asked for."""
    parts = [part for part in parts_of(state) if _is(part, wanted) or _is(part, OPPOSITE.get(wanted, ""))]
    return parts[0] if parts else state


def _health(facts: Mapping[str, Any]) -> str:
    """The problems of a network, or that there are none."""
    texts = [str(alarm) for alarm in facts.get("alarms") or ()]
    for key, fact in (("health.offline", "offline"), ("health.low", "batteryLow")):
        texts += [languages.say(key, things=names)] if (names := facts.get(fact)) else []
    return " ".join(texts) or languages.say("health.fine", count=facts.get("devices", ""))


# --- readings


def _readings(step: Step, outcomes: Sequence[ToolOutcome]) -> str:
    """The readings that were asked for; of several devices each with its place."""
    wanted = _LABELS.get(step.measure)
    if wanted is None or not any("readings" in outcome.facts for outcome in outcomes):
        return " ".join(own_text(outcome) for outcome in outcomes)
    several = len(step.devices) > 1 and not step.room
    kind = "of" if len(step.devices) == 1 and not step.room else "in"
    facts: dict[str, Any] = {"measure": languages.say(f"look.measure.{step.measure}"), "where": ""}
    rooms = [str(room) for outcome in outcomes if (room := outcome.facts.get("room"))]
    if kind == "of":
        facts["things"] = [_name(step.requests[0])]
    elif rooms and not several:
        facts["where"] = where(rooms[:1])
    if kind == "of" and getattr(step.node, "outside", False) and step.measure == "temperature":
        kind, facts["where"] = "in", languages.say("look.outside")
    texts = list(
        dict.fromkeys(
            _placed(text, request.device) if several else text
            for request, outcome in zip(step.requests, outcomes, strict=False)
            for text in _measured(outcome.facts, wanted)
        )
    )
    if not texts:
        return languages.say(f"look.none_{kind}", **facts)
    special = f"look.measured_{kind}.{step.measure}"
    key = special if languages.has(special) else f"look.measured_{kind}"
    return languages.say(key, text=languages.counted(texts) if several else listed(texts), **facts)


def _placed(text: str, device: Device | None) -> str:
    """A reading with the room of its device, or with its name if it has no room."""
    room, name = (device.room, the(device.name)) if device is not None else ("", "")
    key = "look.measured_there" if room else "look.measured_at"
    return languages.say(key, text=text, room=plainly(room), name=name)


def _measured(facts: Mapping[str, Any], wanted: Sequence[str]) -> list[str]:
    """The readings of this label, each with its device where several devices differ."""
    readings = [
        (str(one.get("device") or ""), state_words(str(one.get("text", one.get("value", "")))))
        for one in facts.get("readings") or ()
        if isinstance(one, Mapping) and any(word in str(one.get("label", "")).casefold() for word in wanted)
    ]
    ends = language(languages.current()).groups[
        "reading_words"
    ]  # a sensor of its own knows better than the heating
    own = [one for one in readings if one[0].split() and one[0].split()[-1].lower() in ends]
    readings = own if len(own) == 1 else readings
    texts = list(dict.fromkeys(text for _, text in readings))
    devices = {device for device, _ in readings}
    if len(texts) < 2 or len(devices) < 2 or "" in devices:
        return texts
    return [
        languages.say("look.measured_at", text=text, room="", name=the(device))
        for device, text in dict.fromkeys(readings)
    ]


# --- the time, the weekday, the date or the year


def _clock(node: Everyday, outcome: ToolOutcome) -> str:
    """The time or date that was asked for; the tool's own text for another day or without facts."""
    try:
        now = datetime.fromisoformat(str(outcome.facts["iso"]))
    except (KeyError, ValueError):
        return own_text(outcome)
    asks_date = bool(node.part or node.weekday)
    shown = languages.dated(now, languages.say(f"clock.{node.part or 'date'}")).replace(" 0", " ")
    if node.when and asks_date and not node.weekday:
        return capital(f"{shown}.")
    if node.when or (asks_date and node.place):
        return own_text(outcome)
    if not asks_date:
        clock = now.strftime(languages.say("clock.time"))
        return languages.say("time.in" if node.place else "time.now", time=clock, place=node.place.title())
    if node.weekday:
        key = "time.yes" if node.weekday == f"{now:%A}".lower() else "time.no"
        return languages.say(key, day=languages.dated(now, languages.say("clock.weekday")))
    return languages.say("time.now", time=shown)
