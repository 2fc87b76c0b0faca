"""What a routine is: what starts it, on what condition, what it does, and how it is written down."""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, AwareDatetime, Field, TypeAdapter, ValidationError

MAKE, LIST, CANCEL = "make_routine", "list_routines", "cancel_routine"
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")  # as RRULE writes them; Monday is 0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

T = TypeVar("T")
Call = Mapping[str, Any]  # {"name": tool, "args": {…}}
Moment = Annotated[AwareDatetime, AfterValidator(lambda moment: moment.astimezone(UTC))]
SunEvent = Annotated[str, Field(pattern="^(sunrise|sunset|dawn|dusk)$")]
Bound = Annotated[str, Field(pattern=r"^(|sunrise|sunset|dawn|dusk|([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?)$")]


@dataclass(frozen=True, slots=True)
class Once:
    """With `seconds` it is a duration: due when so much time has passed, however the clock is set."""

    at: Moment
    seconds: float | None = None
    kind: Literal["once"] = "once"


@dataclass(frozen=True, slots=True)
class Every:
    """A rule of RFC 5545 in local time, counted from `start`."""

    rrule: str
    start: Moment
    kind: Literal["every"] = "every"


@dataclass(frozen=True, slots=True)
class Sun:
    event: SunEvent
    offset_seconds: int = 0
    days: tuple[int, ...] = ()  # weekdays; none: all
    once: bool = False
    kind: Literal["sun"] = "sun"


@dataclass(frozen=True, slots=True)
class Event:
    """A resource of a server gets another state; `becomes` is that state, or a measure and its limit."""

    server: str
    resource: str
    becomes: str  # "open", "motion", "temperature < 18", "battery < 20"
    seconds: float = 0.0  # how long the state must last
    device: str = ""  # its name
    once: bool = False
    kind: Literal["event"] = "event"


Trigger = Once | Every | Sun | Event
_SHOWN = {  # fields of each kind of trigger in `routines --json`
    "once": ("kind", "at"),
    "every": ("kind", "rrule"),
    "sun": ("kind", "event", "offset_seconds"),
    "event": ("kind", "server", "resource", "becomes"),
}


@dataclass(frozen=True, slots=True)
class Condition:
    """All of it must hold when the routine starts. Hours are local; `after` may be later than `before`."""

    weekdays: tuple[int, ...] = ()
    after: Bound = ""  # "22:00", or an event of the sun
    before: Bound = ""
    server: str = ""
    resource: str = ""
    device: str = ""
    state: str = ""
    unless: bool = False  # the device must not have that state

    def to_json(self) -> dict[str, Any]:
        facts = asdict(self) | {"weekdays": list(self.weekdays)}
        return {name: value for name, value in facts.items() if value}


@dataclass(frozen=True, slots=True)
class Later:
    """What the words of a "when" mean."""

    trigger: Annotated[Trigger, Field(discriminator="kind")]
    condition: Condition | None = None
    until: datetime | None = None
    note: str = ""  # said beside it
    back: bool = False  # done now, and taken back then


def later_text(later: Later) -> str:
    """JSON that a tool takes as its "when"."""
    return _adapter(Later).dump_json(later).decode()


def later_of(text: str) -> Later:
    """ValueError where it is none."""
    later: Later = _adapter(Later).validate_json(text)
    return later


@functools.cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)


@dataclass(frozen=True, slots=True)
class Missing:
    """A sentence that says what is wrong with a "when", or asks for what it lacks."""

    text: str


def calls_text(calls: Sequence[Call]) -> str:
    """The JSON that a tool takes."""
    return json.dumps([{"name": call["name"], "args": dict(call["args"])} for call in calls])


@dataclass(frozen=True, slots=True)
class LastRun:
    at: Moment
    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class Routine:
    """Makes its calls, or says its words, whenever its trigger comes and its condition holds."""

    text: str  # "turn off the Floor Lamp every day at 11 PM"
    trigger: Annotated[Trigger, Field(discriminator="kind")]
    calls: tuple[Call, ...] = ()
    say: str = ""
    condition: Condition | None = None
    devices: tuple[tuple[str, str, str], ...] = ()  # name, room and server of all that the calls reach
    sensitive: bool = False  # the user said yes to more than can be taken back
    aloud: bool = False  # its success is announced, too
    back: bool = False  # it ends what was done for a while
    note: str = ""  # said once, when it is made: for example that the time has passed and means tomorrow
    channel: Annotated[str, Field(alias="door")] = "cli"
    room: str = ""
    conversation: str = "default"
    until: Moment | None = None
    made: Moment = _EPOCH
    id: int = 0
    next: datetime | None = None
    paused: bool = False
    last: LastRun | None = None
    left_out: tuple[date, ...] = ()  # days on which it does not come

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

        trigger = {name: getattr(self.trigger, name) for name in _SHOWN[self.trigger.kind]}
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
    """JSON with all of it but its number and its next time."""
    exclude = {"id", "next", "condition", "note"}
    record = _adapter(Routine).dump_python(routine, mode="json", by_alias=True, exclude=exclude)
    return {**record, "condition": routine.condition.to_json() if routine.condition else None}


def from_record(record: Mapping[str, Any]) -> Routine:
    """ValueError where it is none."""
    try:
        routine: Routine = _adapter(Routine).validate_python(record)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise ValueError(f"{where}: {problem['msg']}") from error
    return routine


# --- states

_COMPARED = re.compile(r"(?:(?P<measure>[^<>]+) )?(?P<sign>[<>]) (?P<number>-?\d+(?:\.\d+)?)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_UNITS = {"temperature": "°", "battery": "%", "humidity": "%", "power": "W", "light": "lx"}


@dataclass(frozen=True, slots=True)
class ResourceState:
    """The state of a resource in words, and its readings ("battery 20 %")."""

    state: str
    readings: tuple[str, ...] = ()

    def tells(self, becomes: str) -> bool | None:
        """Whether it has this state, or a reading on this side of the limit. None: it says nothing of that,
        for example because the device is away."""
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
        named = [text[len(measure) :] for text in self.readings if text.casefold().startswith(f"{measure} ")]
        in_state = measure == "" or (measure in _UNITS and measure != "battery")
        unit = "" if named else _UNITS.get(measure, "")
        for text in named or ([self.state.rpartition("now ")[2]] if in_state else []):
            for part in text.split(","):
                if unit in part and (number := _NUMBER.search(part)):
                    return float(number[0])
        return None
