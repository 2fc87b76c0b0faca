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
UPDATED = "updated"  # a resource says something else, whatever it is
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")  # as RRULE writes them; Monday is 0
_COMPARED = re.compile(r"(?:(?P<measure>[^<>]+) )?(?P<sign>[<>]) (?P<number>-?\d+(?:\.\d+)?)")
_NOTHING_TOLD = ("", "unknown", "unavailable")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Once:
    """`seconds`: set for a while, and due when so much time has passed, however the clock is set."""

    at: datetime  # UTC
    seconds: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {"kind": "once", "at": self.at.isoformat(timespec="seconds")}


@dataclass(frozen=True, slots=True)
class Every:
    """A rule as RFC 5545 writes it, in local time; counted from `start`."""

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
    """A resource of a server tells another state; `becomes` is that state, or a measure and its limit."""

    server: str
    resource: str
    becomes: str  # "open", "motion", "temperature < 18", "battery < 20"
    seconds: float = 0.0  # how long it must stay so
    device: str = ""  # how people call it
    once: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "event", "server": self.server, "resource": self.resource, "becomes": self.becomes
        }  # fmt: skip


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
    unless: bool = False  # of the device: it must not be so

    def to_json(self) -> dict[str, Any]:
        facts = asdict(self)
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in facts.items() if value
        }


@dataclass(frozen=True, slots=True)
class Later:
    """What the words of a "when" mean."""

    trigger: Trigger
    condition: Condition | None = None
    until: datetime | None = None
    note: str = ""  # what should be said beside it
    back: bool = False  # done now, and taken back then


@dataclass(frozen=True, slots=True)
class Missing:
    """A sentence that says what is wrong with a "when", or asks for what it lacks."""

    text: str


Call = Mapping[str, Any]  # {"name": tool, "args": {…}}


def calls_text(calls: Sequence[Call]) -> str:
    """As a tool takes them."""
    return json.dumps([{"name": call["name"], "args": dict(call["args"])} for call in calls])


@dataclass(frozen=True, slots=True)
class Last:
    """What became of it the last time."""

    at: datetime
    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class Routine:
    """It does its calls, or says its words, whenever its trigger comes and its condition holds."""

    text: str  # as it is spoken of: "turn off the Floor Lamp every day at 11 PM"
    trigger: Trigger
    calls: tuple[Call, ...] = ()
    say: str = ""
    condition: Condition | None = None
    devices: tuple[tuple[str, str, str], ...] = ()  # name, room and server of all that the calls reach
    sensitive: bool = False  # a yes was said to more than can be taken back
    aloud: bool = False  # it is told when it went well, too
    back: bool = False  # it ends what was done for a while
    channel: str = "cli"
    room: str = ""
    conversation: str = "default"
    until: datetime | None = None
    made: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    id: int = 0
    next: datetime | None = None
    paused: bool = False
    last: Last | None = None

    @property
    def one_time(self) -> bool:
        trigger = self.trigger
        return isinstance(trigger, Once) or (isinstance(trigger, Sun | Event) and trigger.once)

    @property
    def rings(self) -> bool:
        """An alarm or a reminder: it lets one ring when it comes."""
        return bool(self.calls) and all(
            call["name"] == "set_timer" and call["args"].get("at") == "now" for call in self.calls
        )

    def to_json(self, zone: Any) -> dict[str, Any]:
        """The shape that `routines --json` promises, times in the home's own zone."""

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


def to_record(routine: Routine) -> dict[str, Any]:
    """All of it but what the store has in columns of its own."""
    kind = type(routine.trigger).__name__.lower()
    facts: dict[str, Any] = {
        "text": routine.text,
        "trigger": {"kind": kind, **{key: _plain(value) for key, value in asdict(routine.trigger).items()}},
        "calls": [dict(call) for call in routine.calls],
        "say": routine.say,
        "condition": routine.condition.to_json() if routine.condition else None,
        "devices": [list(one) for one in routine.devices],
        "sensitive": routine.sensitive,
        "aloud": routine.aloud,
        "back": routine.back,
        "door": routine.channel,
        "room": routine.room,
        "conversation": routine.conversation,
        "until": _plain(routine.until),
        "made": _plain(routine.made),
        "paused": routine.paused,
        "last": None,
    }
    if routine.last:
        facts["last"] = {"at": _plain(routine.last.at), "ok": routine.last.ok, "text": routine.last.text}
    return facts


def from_record(facts: Mapping[str, Any]) -> Routine:
    """ValueError, TypeError or KeyError where it is none."""
    condition, last, until = facts.get("condition"), facts.get("last"), facts.get("until")
    calls = tuple({"name": str(one["name"]), "args": dict(one["args"])} for one in facts.get("calls", ()))
    devices = facts.get("devices", ())
    return Routine(
        text=str(facts["text"]),
        trigger=trigger_from(facts["trigger"]),
        calls=calls,
        say=str(facts.get("say", "")),
        condition=condition_from(condition) if condition else None,
        devices=tuple((str(name), str(room), str(server)) for name, room, server in devices),
        sensitive=bool(facts.get("sensitive", False)),
        aloud=bool(facts.get("aloud", False)),
        back=bool(facts.get("back", False)),
        channel=str(facts.get("door", "cli")),
        room=str(facts.get("room", "")),
        conversation=str(facts.get("conversation", "default")),
        until=_moment(until) if until else None,
        made=_moment(facts["made"]) if "made" in facts else datetime(1970, 1, 1, tzinfo=UTC),
        paused=bool(facts.get("paused", False)),
        last=Last(_moment(last["at"]), bool(last["ok"]), str(last["text"])) if last else None,
    )


def trigger_from(facts: Mapping[str, Any]) -> Trigger:
    kind, once = facts["kind"], bool(facts.get("once", False))
    if kind == "once":
        seconds = facts.get("seconds")
        return Once(_moment(facts["at"]), None if seconds is None else float(seconds))
    if kind == "every":
        return Every(str(facts["rrule"]), _moment(facts["start"]))
    if kind == "sun":
        if facts["event"] not in SUN_EVENTS:
            raise ValueError(f"no event of the sun: {facts['event']}")
        days = tuple(int(day) for day in facts.get("days", ()))
        return Sun(facts["event"], int(facts.get("offset_seconds", 0)), days, once)
    if kind == "event":
        seconds, device = float(facts.get("seconds", 0.0)), str(facts.get("device", ""))
        names = str(facts["server"]), str(facts["resource"]), str(facts["becomes"])
        return Event(*names, seconds, device, once)
    raise ValueError(f"no kind of trigger: {kind}")


def condition_from(facts: Mapping[str, Any]) -> Condition:
    days = tuple(int(day) for day in facts.get("weekdays", ()))
    for key in ("after", "before"):
        if facts.get(key) and facts[key] not in SUN_EVENTS:
            time.fromisoformat(str(facts[key]))
    words = {
        key: str(facts.get(key, "")) for key in ("after", "before", "server", "resource", "device", "state")
    }
    return Condition(days, **words, unless=bool(facts.get("unless", False)))


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _moment(text: Any) -> datetime:
    moment = datetime.fromisoformat(str(text))
    if moment.tzinfo is None:
        raise ValueError(f"a time without its zone: {text}")
    return moment.astimezone(UTC)


# --- what a state is


@dataclass(frozen=True, slots=True)
class Shown:
    """How a resource is: in words, and what it measures beside ("battery 20 %")."""

    state: str
    readings: tuple[str, ...] = ()

    def is_so(self, becomes: str) -> bool:
        return is_so(becomes, self.state, self.readings)

    def tells(self, becomes: str) -> bool | None:
        """None: it says nothing of that, for example because the device is not there."""
        compared = _COMPARED.fullmatch(becomes.casefold())
        if compared is not None:
            known = _measured(compared["measure"] or "", self.state, self.readings) is not None
        else:
            known = self.state.casefold() not in _NOTHING_TOLD
        return self.is_so(becomes) if known else None


def is_so(becomes: str, state: str, readings: Sequence[str] = ()) -> bool:
    """Whether a device that tells this state, and these readings ("battery 20 %"), has become that."""
    becomes = becomes.casefold()
    compared = _COMPARED.fullmatch(becomes)
    if compared is None:
        parts = [state, *re.split(r"[,;]", state), *readings]
        return any(becomes == part.strip().casefold() for part in parts) or (
            becomes == "open" and re.search(r"\bopen\b", state.casefold()) is not None
            and not state.casefold().startswith("not ")
        )  # fmt: skip
    number = _measured(compared["measure"] or "", state, readings)
    if number is None:
        return False
    limit = float(compared["number"])
    return number < limit if compared["sign"] == "<" else number > limit


_UNITS = {"temperature": "°", "battery": "%", "humidity": "%", "power": "W", "light": "lx"}


def _measured(measure: str, state: str, readings: Sequence[str]) -> float | None:
    """Of a thermostat what it measures, not what it is set to."""
    named = [one[len(measure) :] for one in readings if measure and one.casefold().startswith(f"{measure} ")]
    told_by_state = measure == "" or (measure in _UNITS and measure != "battery")
    texts = named or ([state.rpartition("now ")[2]] if told_by_state else [])
    for text in texts:
        for part in text.split(","):
            unit = _UNITS.get(measure, "")
            if (found := _NUMBER.search(part)) and (named or unit in part):
                return float(found[0])
    return None
