"""What a routine is: what starts it, on what condition, what it does, and how it is written down."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time
from typing import Any

# The tools, by their names.
MAKE, LIST, CANCEL = "make_routine", "list_routines", "cancel_routine"
SUN_EVENTS = ("sunrise", "sunset", "dawn", "dusk")
UPDATED = "updated"  # a resource has another content, whatever it is
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")  # as RRULE writes them; Monday is 0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Call = Mapping[str, Any]  # {"name": tool, "args": {…}}


@dataclass(frozen=True, slots=True)
class Once:
    """With `seconds` it is a duration: due when so much time has passed, however the clock is set."""

    at: datetime  # UTC
    seconds: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {"kind": "once", "at": self.at.isoformat(timespec="seconds")}


@dataclass(frozen=True, slots=True)
class Every:
    """A rule of RFC 5545 in local time, counted from `start`."""

    rrule: str
    start: datetime  # UTC

    def to_json(self) -> dict[str, Any]:
        return {"kind": "every", "rrule": self.rrule}


@dataclass(frozen=True, slots=True)
class Sun:
    event: str  # one of SUN_EVENTS
    offset_seconds: int = 0
    days: tuple[int, ...] = ()  # weekdays; none: all
    once: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"kind": "sun", "event": self.event, "offset_seconds": self.offset_seconds}


@dataclass(frozen=True, slots=True)
class Event:
    """A resource of a server gets another state; `becomes` is that state, or a measure and its limit."""

    server: str
    resource: str
    becomes: str  # "open", "motion", "temperature < 18", "battery < 20"
    seconds: float = 0.0  # how long the state must last
    device: str = ""  # its name
    once: bool = False

    def to_json(self) -> dict[str, Any]:
        names = {"server": self.server, "resource": self.resource, "becomes": self.becomes}
        return {"kind": "event", **names}


Trigger = Once | Every | Sun | Event


@dataclass(frozen=True, slots=True)
class Condition:
    """All of it must hold when the routine starts. Hours are local; `after` may be later than `before`."""

    weekdays: tuple[int, ...] = ()
    after: str = ""  # "22:00", or one of SUN_EVENTS
    before: str = ""
    server: str = ""
    resource: str = ""
    device: str = ""
    state: str = ""
    unless: bool = False  # the device must not have that state

    def to_json(self) -> dict[str, Any]:
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
            if value
        }


@dataclass(frozen=True, slots=True)
class Later:
    """What the words of a "when" mean."""

    trigger: Trigger
    condition: Condition | None = None
    until: datetime | None = None
    note: str = ""  # to be said beside it
    back: bool = False  # done now, and taken back then


@dataclass(frozen=True, slots=True)
class Missing:
    """A sentence that says what is wrong with a "when", or asks for what it lacks."""

    text: str


def calls_text(calls: Sequence[Call]) -> str:
    """The JSON that a tool takes."""
    return json.dumps([{"name": call["name"], "args": dict(call["args"])} for call in calls])


@dataclass(frozen=True, slots=True)
class LastRun:
    """Its result."""

    at: datetime
    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class Routine:
    """Makes its calls, or says its words, whenever its trigger comes and its condition holds."""

    text: str  # "turn off the Floor Lamp every day at 11 PM"
    trigger: Trigger
    calls: tuple[Call, ...] = ()
    say: str = ""
    condition: Condition | None = None
    devices: tuple[tuple[str, str, str], ...] = ()  # name, room and server of all that the calls reach
    sensitive: bool = False  # the user said yes to more than can be taken back
    aloud: bool = False  # it is told when it went well, too
    back: bool = False  # it ends what was done for a while
    channel: str = "cli"
    room: str = ""
    conversation: str = "default"
    until: datetime | None = None
    made: datetime = _EPOCH
    id: int = 0
    next: datetime | None = None
    paused: bool = False
    last: LastRun | None = None

    @property
    def one_time(self) -> bool:
        trigger = self.trigger
        return isinstance(trigger, Once) or (isinstance(trigger, Sun | Event) and trigger.once)

    @property
    def rings(self) -> bool:
        """An alarm or a reminder: its call lets one ring at once."""
        return bool(self.calls) and all(
            call["name"] == "set_timer" and call["args"].get("at") == "now" for call in self.calls
        )

    def to_json(self, zone: Any) -> dict[str, Any]:
        """The shape that `routines --json` promises, with times in the home's zone."""

        def local(moment: datetime) -> str:
            return moment.astimezone(zone).isoformat(timespec="seconds")

        trigger = self.trigger.to_json()
        if isinstance(self.trigger, Once):
            trigger["at"] = local(self.trigger.at)
        last = self.last and {"at": local(self.last.at), "ok": self.last.ok, "text": self.last.text}
        return {
            "id": self.id,
            "text": self.text,
            "trigger": trigger,
            "condition": self.condition.to_json() if self.condition else None,
            "next": local(self.next) if self.next and not self.paused else None,
            "calls": [dict(call) for call in self.calls],
            "say": self.say or None,
            "enabled": not self.paused,
            "last": last or None,
        }


# --- as it is kept

_TEXTS, _FLAGS = ("say", "room", "conversation"), ("sensitive", "aloud", "back", "paused")


def to_record(routine: Routine) -> dict[str, Any]:
    """All of it but its number and its next time."""
    trigger, last = routine.trigger, routine.last
    kind = type(trigger).__name__.lower()
    return {
        **{name: getattr(routine, name) for name in ("text", *_TEXTS, *_FLAGS)},
        "door": routine.channel,
        "trigger": {"kind": kind, **{key: _written(value) for key, value in asdict(trigger).items()}},
        "calls": [dict(call) for call in routine.calls],
        "condition": routine.condition.to_json() if routine.condition else None,
        "devices": [list(device) for device in routine.devices],
        "until": _written(routine.until),
        "made": _written(routine.made),
        "last": {"at": _written(last.at), "ok": last.ok, "text": last.text} if last else None,
    }


def from_record(facts: Mapping[str, Any]) -> Routine:
    """ValueError, TypeError or KeyError where it is none."""
    condition, last, until = facts.get("condition"), facts.get("last"), facts.get("until")
    plain: dict[str, Any] = {name: str(facts[name]) for name in _TEXTS if name in facts}
    plain |= {name: bool(facts[name]) for name in _FLAGS if name in facts}
    return Routine(
        **plain,
        text=str(facts["text"]),
        channel=str(facts.get("door", "cli")),
        trigger=_trigger(facts["trigger"]),
        calls=tuple(
            {"name": str(call["name"]), "args": dict(call["args"])} for call in facts.get("calls", ())
        ),
        condition=_condition(condition) if condition else None,
        devices=tuple((str(name), str(room), str(server)) for name, room, server in facts.get("devices", ())),
        until=_moment(until) if until else None,
        made=_moment(facts["made"]) if "made" in facts else _EPOCH,
        last=LastRun(_moment(last["at"]), bool(last["ok"]), str(last["text"])) if last else None,
    )


def _trigger(facts: Mapping[str, Any]) -> Trigger:
    kind, once = facts["kind"], bool(facts.get("once", False))
    if kind == "once":
        seconds = facts.get("seconds")
        return Once(_moment(facts["at"]), None if seconds is None else float(seconds))
    if kind == "every":
        return Every(str(facts["rrule"]), _moment(facts["start"]))
    if kind == "sun" and facts["event"] in SUN_EVENTS:
        days = tuple(int(day) for day in facts.get("days", ()))
        return Sun(facts["event"], int(facts.get("offset_seconds", 0)), days, once)
    if kind == "event":
        seconds, device = float(facts.get("seconds", 0.0)), str(facts.get("device", ""))
        names = str(facts["server"]), str(facts["resource"]), str(facts["becomes"])
        return Event(*names, seconds, device, once)
    raise ValueError(f"no kind of trigger: {dict(facts)}")


def _condition(facts: Mapping[str, Any]) -> Condition:
    days = tuple(int(day) for day in facts.get("weekdays", ()))
    for key in ("after", "before"):
        if facts.get(key) and facts[key] not in SUN_EVENTS:
            time.fromisoformat(str(facts[key]))
    names = ("after", "before", "server", "resource", "device", "state")
    words = {name: str(facts.get(name, "")) for name in names}
    return Condition(days, **words, unless=bool(facts.get("unless", False)))


def _written(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _moment(text: Any) -> datetime:
    moment = datetime.fromisoformat(str(text))
    if moment.tzinfo is None:
        raise ValueError(f"a time without its zone: {text}")
    return moment.astimezone(UTC)


# --- states

_COMPARED = re.compile(r"(?:(?P<measure>[^<>]+) )?(?P<sign>[<>]) (?P<number>-?\d+(?:\.\d+)?)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_UNITS = {"temperature": "°", "battery": "%", "humidity": "%", "power": "W", "light": "lx"}


@dataclass(frozen=True, slots=True)
class ResourceState:
    """The state of a resource in words, and its readings ("battery 20 %")."""

    state: str
    readings: tuple[str, ...] = ()

    def is_so(self, becomes: str) -> bool:
        """Whether it has this state, or a reading on this side of the limit."""
        return self.tells(becomes) is True

    def tells(self, becomes: str) -> bool | None:
        """The same; None: it says nothing of that, for example because the device is away."""
        becomes, state = becomes.casefold(), self.state.casefold()
        if (compared := _COMPARED.fullmatch(becomes)) is not None:
            number, limit = self._measured(compared["measure"] or ""), float(compared["number"])
            if number is None:
                return None
            return number < limit if compared["sign"] == "<" else number > limit
        parts = [part.strip().casefold() for part in (state, *re.split(r"[,;]", state), *self.readings)]
        opened = becomes == "open" and not state.startswith("not ") and re.search(r"\bopen\b", state)
        if becomes in parts or opened:
            return True
        return None if state in ("", "unknown", "unavailable") else False

    def _measured(self, measure: str) -> float | None:
        """Of a thermostat what it measures, not what it is set to."""
        found = [text[len(measure) :] for text in self.readings if text.casefold().startswith(f"{measure} ")]
        named = found if measure else []
        in_state = measure == "" or (measure in _UNITS and measure != "battery")
        unit = "" if named else _UNITS.get(measure, "")
        for text in named or ([self.state.rpartition("now ")[2]] if in_state else []):
            for part in text.split(","):
                if unit in part and (number := _NUMBER.search(part)):
                    return float(number[0])
        return None
