"""Questions about the past, answered from the recorded changes and the present state."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from voice_gateway import languages
from voice_gateway.integrations.device import Device, has_state
from voice_gateway.integrations.home import Home
from voice_gateway.recorder.changes import ChangeStore, kind_of_state
from voice_gateway.understanding.listing import OPPOSITE
from voice_gateway.understanding.nodes import Item, Past, Which, bare
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plans
from voice_gateway.understanding.plan.sensors import PEOPLE, tells

MOTION: Final = "motion"


@plans(Past)
def past(node: Past, context: Context) -> Plan:
    """The answer from the recorded changes of the devices that are named."""
    devices = _devices(node, context)
    if isinstance(devices, Question):
        return devices
    history = context.history
    if history is None or context.now is None:
        raise Refused("no changes are kept", Say("past.not_kept"))
    zone = context.place.zone if context.place is not None else None
    now = context.now.astimezone(zone)
    key, facts = _told(node, devices, history, now, context.home)
    key = named if languages.has(f"past.{(named := f'{key}.{node.state}')}") else key
    name = languages.Proper(devices[0].name) if devices[0].domain in PEOPLE else devices[0].name
    facts = {"things": [name], "done": _word("past.done", node.state), **facts}
    return Step(bare(node), devices=devices, say=Say(f"past.{key}", facts))


def _devices(node: Past, context: Context) -> tuple[Device, ...] | Question:
    which = node.which
    if which is None:
        which = Which(item=(Item(kind="sensor", plural=True, quant="all", place=node.place),))
    elif node.place:
        raise Refused("two places")

    def able(device: Device) -> bool:
        states = (node.state, OPPOSITE.get(node.state, ""))
        if device.domain in PEOPLE or node.state in ("home", "away"):
            return device.domain in PEOPLE and node.state in ("home", "away")
        motion = node.state == MOTION and tells(device, MOTION) is not None
        return motion or any(_is_so(device, one, context.home.state_of(device)) for one in states if one)

    devices = tuple(filter(able, context.asked_about(which, able).devices))
    if not devices:
        raise Refused("nothing tells that", Say("look.unknown", {"where": ""}))
    if len(devices) > 1 and node.state != MOTION:
        return Question(Say("ask.which", {"devices": devices}), bare(node), devices)
    return devices


def _is_so(device: Device, state: str, now: str) -> bool:
    device = replace(device, state=now, readings=())
    if state in ("home", "away"):
        return device.domain in PEOPLE and (now == "home") is (state == "home")
    return bool(tells(device, MOTION)) if state == MOTION else has_state(device, state)


def _told(
    node: Past, devices: Sequence[Device], history: ChangeStore, now: datetime, home: Home
) -> tuple[str, dict[str, Any]]:
    """The key and the facts of the reply about changes of these devices into the state."""
    state, first, began = node.state, devices[0], history.began()
    changes = sorted((one for device in devices for one in history.of(device)), key=lambda one: -one.at)
    begun = [one for one in changes if _is_so(first, state, one.after)]
    begun = [one for one in begun if not _is_so(first, state, one.before)]
    span = node.span or ("" if node.ask in ("when", "since") else "today")
    if node.ask == "since":
        steady = bool(begun) and kind_of_state(changes[0].after) == kind_of_state(home.state_of(first))
        so = any(_is_so(one, state, home.state_of(one)) for one in devices)
        moment = begun[0].at if steady else began or now.timestamp()
        facts = {"when": _at(moment, now), "length": _length(now.timestamp() - moment)}
        key = "not_so" if not so else "since" if steady else "since_before"
        return key, {**facts, "state": _word("past.state", state)}
    start, end = _window(span, now) if span else (0.0, now.timestamp() + 1)
    if hits := [one for one in begun if start <= one.at < end]:
        keys = {"when": ("when", "when"), "ever": ("yes", "yes_often"), "often": ("once", "often")}
        return keys[node.ask][len(hits) > 1], {"when": _at(hits[0].at, now), "count": len(hits)}
    if began is not None and began <= start:
        return "not", {"span": _word("past.span", span)}
    # Of the time before, nothing is known.
    return ("nothing_yet", {}) if began is None else ("not_since", {"when": _at(began, now)})


def _at(moment: float, now: datetime) -> str:
    return languages.moment_words(datetime.fromtimestamp(moment, UTC), now)


def _window(span: str, now: datetime) -> tuple[float, float]:
    midnight, hour, end = now.replace(hour=0, minute=0, second=0, microsecond=0), timedelta(hours=1), now
    start, end = {
        "yesterday": (midnight - 24 * hour, midnight),
        "night": (midnight - 2 * hour, min(midnight + 7 * hour, end)),
        "morning": (midnight + 4 * hour, min(midnight + 12 * hour, end)),
        "hour": (now - hour, end),
        "week": (now - 7 * 24 * hour, end),
    }.get(span, (midnight, end))
    return start.timestamp(), end.timestamp() + 1


def _length(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    parts = {"day": minutes // 1440, "hour": minutes // 60 % 24, "minute": minutes % 60}
    counted = [_word("past", f"{unit}{'' if n == 1 else 's'}", n) for unit, n in parts.items() if n]
    return languages.listed(counted[:2])


def _word(kind: str, name: str, count: int = 0) -> str:
    key = f"{kind}.{name}"
    return languages.say(key, count=count) if name and languages.has(key) else name
