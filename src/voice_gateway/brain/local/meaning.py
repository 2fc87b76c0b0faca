"""What an utterance was taken for: calls to make, words to say, a question back, or nothing for us."""

from dataclasses import dataclass, field
from datetime import datetime

from home_names.kinds import Sort
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, Request
from voice_gateway.routines.schedule import Place

HOME_AWAY = "I can't reach the home at the moment."


@dataclass(frozen=True, slots=True)
class DeviceQuery:
    """What to pick from a list of all devices, and how to tell of it."""

    mode: str  # "which", "any", "all", "list", "count", "rooms", "scenes", "alarm"
    sort: Sort = "device"
    noun: str = "devices"
    room: str | None = None
    state: str = ""

    @property
    def any_sort(self) -> bool:
        return self.sort in ("all", "device")


@dataclass(frozen=True, slots=True)
class NotHandled:
    """Not for this stage."""

    reason: str
    forbid: bool = False
    spoken: str | None = None
    understood: bool = False  # it is clear what is meant; only it cannot be done
    unknown: bool = False  # what it names is no device or room: it may be a tool's


@dataclass(frozen=True, slots=True)
class Step:
    """One clause that is understood: what to call, and what it was about."""

    intent: str
    requests: tuple[Request, ...] = ()
    acts: bool = False
    frame: Frame | None = None
    devices: tuple[Device, ...] = ()
    by_room: str | None = None
    query: DeviceQuery | None = None
    expect: str = ""  # a state that was asked about: "is it on?"
    measure: str = ""  # what was asked to be read: "temperature"
    room: str = ""  # where it was asked for
    say: str = ""  # said without any call
    wide: bool = False  # about more than one named thing or group: "everything"
    otherwise: NotHandled | None = None  # what it was, if the tool knows nothing of that name

    @classmethod
    def calling(cls, frame: Frame, tool: str, *, acts: bool = False, **args: object) -> "Step":
        """One call, without the arguments that nobody gave."""
        given = {name: value for name, value in args.items() if value not in (None, "")}
        return cls(frame.intent, (Request(tool, given),), acts=acts, frame=frame)


@dataclass(frozen=True, slots=True)
class TimerChoice:
    """One of several timers that could be meant."""

    id: int
    called: str  # its name and message, as plain words
    seconds: int


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question back. What was asked for waits in `frame` until one of the candidates is chosen."""

    text: str
    frame: Frame
    candidates: tuple[Device, ...] = ()
    confirm: bool = False  # a yes is enough
    clear: tuple[Device, ...] = ()  # devices of the same wish that are no question
    slot: str = ""  # what is missing instead of a device: "duration"
    timers: tuple[TimerChoice, ...] = ()  # what is asked about instead of devices
    unknown: bool = False  # nobody is called that: something near is offered


Meaning = Step | Clarification | NotHandled


@dataclass(frozen=True, slots=True)
class Understanding:
    """The whole utterance. Either steps, all of them understood, or a question, or a reason to pass."""

    steps: tuple[Step, ...] = ()
    clarification: Clarification | None = None
    not_handled: NotHandled | None = None
    asks: bool = False  # understood, but not for sure: every act is asked about first

    @classmethod
    def of(cls, meaning: Meaning) -> "Understanding":
        """Of an utterance that is one clause."""
        if isinstance(meaning, Step):
            return cls((meaning,))
        if isinstance(meaning, Clarification):
            return cls(clarification=meaning)
        return cls(not_handled=meaning)

    @property
    def requests(self) -> tuple[Request, ...]:
        return tuple(request for step in self.steps for request in step.requests)

    @property
    def complete(self) -> bool:
        """A whole command or question: nothing more needs to be heard."""
        return bool(self.steps)


@dataclass(frozen=True, slots=True)
class Clock:
    """What time it is, and where."""

    now: datetime
    place: Place


@dataclass(frozen=True)
class Context:
    """What is known beside the words."""

    home: Home = field(default_factory=Home)
    room: str | None = None
    last: tuple[Device, ...] = ()  # what "it" means
    topic: str = ""  # "volume" or "device": what was talked of last
    tools: frozenset[str] = frozenset()
    problem: str = ""  # why the home is not known
    clock: Clock | None = None  # for what is meant for later


def home_unknown(context: Context) -> NotHandled:
    spoken = context.problem or HOME_AWAY
    return NotHandled("the home is not known", spoken=spoken, understood=True)


__all__ = ["Request"]
