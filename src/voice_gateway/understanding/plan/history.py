"""Questions about what was: from the file of changes, and from the state of now."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from voice_gateway import languages
from voice_gateway.integrations.device import Device, has_state
from voice_gateway.recorder.changes import Changed, ChangeStore, kind_of_state
from voice_gateway.understanding.nodes import Item, Past, Which, bare
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plans
from voice_gateway.understanding.plan.sensors import PEOPLE, tells
from voice_gateway.understanding.resolver import Doubt, Resolver, Unknown

MOTION: Final = "motion"
OPPOSITE: Final = {
    "on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked",
}  # fmt: skip


@plans(Past)
def past(node: Past, context: Context) -> Plan:
    """What the changes of the devices that are named tell."""
    devices = _devices(node, context)
    if isinstance(devices, Question):
        return devices
    history = context.history
    if history is None or context.now is None:
        raise Refused("no changes are kept", Say("past.not_kept"))
    zone = context.place.zone if context.place is not None else None
    now = context.now.astimezone(zone)
    seen = _Seen(history, devices, node.state, now, context)
    ask = {"when": seen.when, "since": seen.since, "ever": seen.ever, "often": seen.often}[node.ask]
    key, facts = ask(node.span)
    key = named if languages.has(f"past.{(named := f'{key}.{node.state}')}") else key
    facts = {
        "things": [languages.Proper(one.name) if one.domain in PEOPLE else one.name for one in devices[:1]],
        "done": _word("done", node.state),
        **facts,
    }
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

    found = Resolver(context.home, context.here, context.last).which(which, "look", able)
    if isinstance(found, Unknown):
        facts = {"text": found.text, "here": context.here}
        raise Refused(f"unknown: {found.text}", Say(f"unknown.{found.what}", facts), unknown=True)
    several = found.candidates if isinstance(found, Doubt) else found.devices
    devices = tuple(filter(able, several))
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


class _Seen:
    """The changes of some devices into one state."""

    def __init__(
        self, history: ChangeStore, devices: Sequence[Device], state: str, now: datetime, context: Context
    ) -> None:
        self.history, self.state, self.now = history, state, now
        self.device, self.today = devices[0], context.home.state_of(devices[0])
        self.changes: list[Changed] = sorted(
            (change for one in devices for change in history.of(one)), key=lambda change: -change.at
        )
        self.begun = [
            change
            for change in self.changes
            if _is_so(self.device, state, change.after) and not _is_so(self.device, state, change.before)
        ]
        self.is_so = any(_is_so(one, state, context.home.state_of(one)) for one in devices)

    def when(self, span: str) -> tuple[str, dict[str, Any]]:
        if self.begun:
            return "when", {"when": self._moment(self.begun[0].at)}
        return self._never(0.0)

    def since(self, span: str) -> tuple[str, dict[str, Any]]:
        if not self.is_so:
            return "not_so", {"state": _word("state", self.state)}
        known = bool(self.begun) and kind_of_state(self.changes[0].after) == kind_of_state(self.today)
        if not known:
            began = self.history.began()
            return "since_before", {"when": self._moment(began) if began else "", "state": self.today}
        at = self.begun[0].at
        facts = {"when": self._moment(at), "length": self._length(at), "state": _word("state", self.state)}
        return "since", facts

    def ever(self, span: str) -> tuple[str, dict[str, Any]]:
        hits = self._within(span or "today")
        if hits:
            return "yes" if len(hits) == 1 else "yes_often", {
                "when": self._moment(hits[0].at),
                "count": len(hits),
            }
        return self._never(self._window(span or "today")[0], span or "today")

    def often(self, span: str) -> tuple[str, dict[str, Any]]:
        hits = self._within(span or "today")
        if not hits:
            return self._never(self._window(span or "today")[0], span or "today")
        return "once" if len(hits) == 1 else "often", {"count": len(hits), "when": self._moment(hits[0].at)}

    def _within(self, span: str) -> list[Changed]:
        start, end = self._window(span)
        return [one for one in self.begun if start <= one.at < end]

    def _window(self, span: str) -> tuple[float, float]:
        midnight = self.now.replace(hour=0, minute=0, second=0, microsecond=0)
        day, end = timedelta(days=1), self.now + timedelta(seconds=1)
        start, end = {
            "yesterday": (midnight - day, midnight),
            "night": (midnight - timedelta(hours=2), min(midnight + timedelta(hours=7), end)),
            "morning": (midnight + timedelta(hours=4), min(midnight + timedelta(hours=12), end)),
            "hour": (self.now - timedelta(hours=1), end),
            "week": (self.now - 7 * day, end),
        }.get(span, (midnight, end))
        return start.timestamp(), end.timestamp()

    def _never(self, start: float, span: str = "") -> tuple[str, dict[str, Any]]:
        """Of the time before the file began, nothing is known."""
        began = self.history.began()
        if began is None:
            return "nothing_yet", {}
        if began > start:
            return "not_since", {"when": self._moment(began)}
        return "not", {"span": _word("span", span)}

    def _moment(self, at: float) -> str:
        return moment_words(datetime.fromtimestamp(at, UTC), self.now)

    def _length(self, at: float) -> str:
        minutes = max(1, round((self.now.timestamp() - at) / 60))
        parts = {"day": minutes // 1440, "hour": minutes // 60 % 24, "minute": minutes % 60}
        said = [_word("past", f"{unit}{'' if n == 1 else 's'}", n) for unit, n in parts.items() if n]
        return languages.listed(said[:2])


def moment_words(moment: datetime, now: datetime) -> str:
    """ "today at 6:02 PM", as seen from now."""
    moment = moment.astimezone(now.tzinfo)
    days = (now.date() - moment.date()).days
    clock = moment.strftime(_word("clock", "time")).lstrip("0")
    day = moment.strftime(_word("clock", "weekday" if abs(days) < 7 else "date")).replace(" 0", " ")
    key = {0: "today", 1: "yesterday", -1: "tomorrow"}.get(days, "day")
    return languages.say(f"past.at.{key}", time=clock, day=day)


def _word(kind: str, name: str, count: int = 0) -> str:
    key = {"clock": f"clock.{name}", "past": f"past.{name}"}.get(kind, f"past.{kind}.{name}")
    return languages.say(key, count=count) if name and languages.has(key) else name
