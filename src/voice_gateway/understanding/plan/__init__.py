"""A node → calls, a question, or a refusal. One module per subject registers its planners with `plans`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, Request
from voice_gateway.recorder.changes import ChangeStore
from voice_gateway.routines.schedule import Place
from voice_gateway.understanding.nodes import Node, Unread, Which, opened, unread
from voice_gateway.understanding.resolver import Able, Doubt, Meant, Resolver, Unknown

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Say:
    """A reply by its key in replies.yaml, with the facts that it names."""

    key: str
    facts: Facts = field(default_factory=dict)


class Done(Node):
    """One step of the last turn that acted, and its devices."""

    node: Node
    devices: tuple[Device, ...] = ()


@dataclass(frozen=True)
class Before:
    """What is known of the turns before."""

    last: tuple[Device, ...] = ()  # of the last turn, or of the step before
    recent: tuple[Device, ...] = ()  # of the last command, and of those that only added devices to it
    touched: tuple[Device, ...] = ()  # by the last orders, the latest last
    topic: str = ""  # device, volume, timer, list, routine: what was spoken of last
    command: Node | None = None  # the last command or question
    steps: tuple[Done, ...] = ()  # of the last turn that acted
    task: Node | None = None  # the last timer, list or plan
    inquiry: Node | None = None  # the last question about the home or the world
    timer: str = ""  # the timer that was just set
    said: str = ""  # our last words
    acted: bool = False  # the last turn did something
    idle: bool = False  # the last turn did nothing: it asked, or was not understood


@dataclass(frozen=True)
class Context(Before):
    """What is known beside the words."""

    home: Home = field(default_factory=Home)
    here: str | None = None  # the speaker's room
    tools: frozenset[str] = frozenset()
    voices: Mapping[str, Any] = field(default_factory=dict)  # tools of other servers that can be spoken to
    polite: bool = False  # "please" was said
    question: bool = False  # the utterance ends with a question mark
    alone: bool = True  # the only step of the utterance
    raw: str = ""
    about: Any = None  # `GatewayFacts`: what the gateway says of itself
    reader: Any = None  # `Reader`: reads the sentences that a situation proposes
    now: datetime | None = None
    place: Place | None = None  # of the home; without it nothing is kept for later
    history: ChangeStore | None = None  # how the devices changed

    def not_here(self, found: Unknown) -> "Refused":
        """Says that there is no such thing, room or floor."""
        say = Say(f"unknown.{found.what}", {"text": found.text, "here": self.here})
        return Refused(f"unknown {found.what}: {found.text}", say, unknown=True)

    def asked_about(self, which: Which | None, able: Able) -> Meant | Doubt:
        """The devices of a question; refused where there is no such thing."""
        if which is None:
            raise Refused("nothing is asked about")
        found = Resolver(self.home, self.here, self.last, self.recent).which(which, "look", able)
        if isinstance(found, Unknown):
            raise self.not_here(found)
        return found


@dataclass(frozen=True, slots=True)
class Step:
    """One step that is understood."""

    node: Node
    requests: tuple[Request, ...] = ()
    devices: tuple[Device, ...] = ()  # what "it" means afterwards
    acts: bool = False
    say: Say | None = None  # said without any call
    state: str = ""  # a look: the state that was asked about
    measure: str = ""  # a look: what was asked to be read
    room: str = ""  # where it was asked for
    query: Any = None  # a look at the whole home: what to pick from its list
    topic: str = "device"
    undo: int = 0  # so many acts are to be taken back
    corrects: bool = False  # instead of the last act
    keeps: tuple[Device, ...] = ()  # of the last act: what stays as it is
    adds: bool = False  # the same as before, for more devices
    back: str = ""  # the "when" at which it is taken back
    back_calls: str = ""  # what is done then, where it is not what was before

    @property
    def effect(self) -> object:
        """What tells two steps apart: what they call, or say."""
        calls = frozenset((request.tool, repr(sorted(request.args.items()))) for request in self.requests)
        return calls or (self.say.key if self.say else ""), self.undo, self.corrects, self.back


@dataclass(frozen=True, slots=True)
class Question:
    """What is missing; the node waits for the answer."""

    say: Say
    node: Node
    candidates: tuple[Device, ...] = ()
    expects: str = "device"  # device, yes, or a field of the node that is missing
    doubts: bool = False  # it is understood, and only a yes is missing
    instead: bool = False  # it corrects the last act
    unknown: bool = False  # a name is unknown: the home may have changed


class Refused(Exception):
    """This reading cannot be carried out; `say` is what a person should hear."""

    def __init__(
        self,
        reason: str,
        say: Say | None = None,
        *,
        unknown: bool = False,
        talk: bool = False,
        later: bool = False,
    ) -> None:
        super().__init__(reason)
        self.say, self.unknown, self.talk = say, unknown, talk
        self.later = later  # it is no wish for now


Plan = Step | Question
N = TypeVar("N", bound=Node)
_PLANNERS: dict[type[Node], Callable[[Any, Context], Plan]] = {}


def plans(kind: type[N]) -> Callable[[Callable[[N, Context], Plan]], Callable[[N, Context], Plan]]:
    """Registers the planner of a node class."""

    def register(planner: Callable[[N, Context], Plan]) -> Callable[[N, Context], Plan]:
        _PLANNERS[kind] = planner
        return planner

    return register


def plan(node: Node, context: Context) -> Plan:
    """What a node means here. A step that left a part of it unread is refused."""
    planner = _PLANNERS.get(type(node))
    if planner is None:
        raise Refused(f"nothing plans {type(node).__name__}")
    counted = opened(node)
    made = planner(counted, context)
    if isinstance(made, Step) and (left := unread(counted)):
        raise Unread(", ".join(left))
    return made
