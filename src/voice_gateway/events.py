"""The event bus: steps of turns, notices, and states of parts, for channels, recorder and status."""

import asyncio
import contextlib
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar, get_args, overload

from voice_gateway.progress import Progress
from voice_gateway.turn import PartSource, Reply, ToolCall, ToolOutcome, ToolTraits, Utterance, Verdict, Words

log = logging.getLogger(__name__)

DECIDED_SECONDS = 3.0  # how long "ready" waits for a silent broker or model server
E = TypeVar("E")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """The time of the event, also for subscribers that publish it later."""

    at: float = field(default_factory=time.time, compare=False)


@dataclass(frozen=True, slots=True)
class Heard(Dated):
    utterance: Utterance
    in_answer_to: str = ""  # the open question of the gateway


@dataclass(frozen=True, slots=True)
class Staged(Dated):
    """A stage was asked, or a part that answers before the stages."""

    utterance: Utterance
    stage: str  # local, ollama, anthropic; confirmation, timers, prompts
    taken: bool  # it answered
    reason: str  # why it passed, or what it took the words for
    seconds: float
    words: Words | None = None  # what they are, as one that passes sees it
    trust: str = ""  # how far the model is trusted, and why


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One message to a model."""

    role: str  # user, assistant, tool
    text: str
    calls: tuple[ToolCall, ...] = ()  # of an assistant
    tool: str = ""  # whose result it is, and of which call
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ModelRound(Dated):
    """One request to a model, and its reply."""

    utterance: Utterance
    model: str
    number: int  # in this turn, from 1
    seconds: float
    first_token_seconds: float | None = None  # None: it wrote no text
    input_tokens: int | None = None
    output_tokens: int | None = None
    calls: tuple[ToolCall, ...] = ()
    text: str = ""
    error: str = ""  # it gave no message
    sent: tuple[SentMessage, ...] = ()  # those that no earlier round of this turn had
    earlier: int = 0  # messages of earlier turns, sent before these
    prompt: str = ""  # by which the system prompt is known
    tools: tuple[str, ...] = ()  # that it was offered; told in the first round


@dataclass(frozen=True, slots=True)
class Judged(Dated):
    """Whether a call may run, and why."""

    utterance: Utterance
    call: ToolCall  # with the arguments that would reach the tool
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class CallStarted(Dated):
    utterance: Utterance
    call: ToolCall
    traits: ToolTraits


@dataclass(frozen=True, slots=True)
class CallFinished(Dated):
    """Published at once; `Acted` follows with the final outcome at the end of the turn."""

    utterance: Utterance
    outcome: ToolOutcome


@dataclass(frozen=True, slots=True)
class Said(Dated):
    """A piece of the answer, while it is made."""

    utterance: Utterance
    text: str
    source: PartSource = PartSource.GATEWAY


@dataclass(frozen=True, slots=True)
class Acted(Dated):
    utterance: Utterance
    outcome: ToolOutcome
    model: str | None = None  # that asked for the call; None: understood without a model


class AnswerWanted(StrEnum):
    YES_NO = "yes_no"
    PIN = "pin"  # or a no
    WORDS = "words"  # which one is meant, say


@dataclass(frozen=True, slots=True)
class Answered(Dated):
    utterance: Utterance
    reply: Reply
    asks: AnswerWanted | None = None  # what would settle the question that is open now


@dataclass(frozen=True, slots=True)
class Notice(Dated):
    """Unprompted words, such as those of a missed timer."""

    text: str
    aloud: bool = False  # also by voice; a timer that rings speaks for itself
    alarm: bool = False  # repeated until acknowledged; channels that list alarms can skip it


@dataclass(frozen=True, slots=True)
class OwnerAsked(Dated):
    """A program wants what needs a person's yes. Published again, not open, once that is settled."""

    id: str
    text: str
    pin: bool = False  # the yes needs the PIN
    open: bool = True


@dataclass(frozen=True, slots=True)
class Happened(Dated):
    """Something in the home: a button, a door, smoke."""

    kind: str
    text: str
    facts: Mapping[str, Any]
    noticed: bool = False  # a notice with the same words follows


@dataclass(frozen=True, slots=True)
class AlarmsTold(Dated):
    """All active or unacknowledged alarms, after each change."""

    alarms: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class ListTold(Dated):
    """The content of a list, at the start and after each change."""

    name: str
    items: tuple[tuple[str, bool], ...]  # the text, and whether it is done


@dataclass(frozen=True, slots=True)
class Planned(Dated):
    """All timers or all routines by number, next due first: at the start and after each change."""

    kind: str  # timer, routine
    plans: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Waiting(Dated):
    """A call of this turn, or the model, takes long."""

    utterance: Utterance
    what: str  # it waits for: "the Space Heater"; "" for the model

    @property
    def text(self) -> str:
        return f"Still waiting for {self.what} …" if self.what else "Still thinking …"


@dataclass(frozen=True, slots=True)
class Progressed(Dated):
    """The progress of a call; without an utterance a command made it."""

    utterance: Utterance | None
    progress: Progress


class State(StrEnum):
    STARTING = "starting"
    OK = "ok"
    DEGRADED = "degraded"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class PartState:
    """The state of one part, in a sentence for people."""

    part: str
    state: State
    sentence: str
    since: float  # wall-clock time of the last change
    advice: str = ""  # what to check; for reading, not for saying aloud
    late: bool = False  # it is still starting, and the ready line no longer waits for it

    def to_json(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "state": self.state.value,
            "sentence": self.sentence,
            "advice": self.advice,
            "since": self.since,
        }


# Events between the begin and the end of a turn.
Step = Staged | ModelRound | Judged | CallStarted | CallFinished | Said | Waiting
Event = (
    Heard | Step | Acted | Answered | Progressed | Notice | OwnerAsked | Happened | AlarmsTold
    | ListTold | Planned | PartState
)  # fmt: skip


class EventBus:
    """Hands each event to the subscribers of its type. A subscriber that raises affects no other."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._subscribers: dict[type, list[Callable[[Any], None]]] = defaultdict(list)
        self._parts: dict[str, PartState] = {}
        self._now = now

    @overload
    def subscribe(self, listener: Callable[[Event], None]) -> None: ...
    @overload
    def subscribe(self, listener: Callable[[E], None], *kinds: type[E]) -> None: ...
    def subscribe(self, listener: Callable[[Any], None], *kinds: type) -> None:
        """Calls `listener` with each event of these types, or with every event if none is given."""
        for kind in kinds or get_args(Event):
            self._subscribers[kind].append(listener)

    def publish(self, event: Event) -> None:
        for listener in self._subscribers[type(event)]:
            try:
                listener(event)
            except Exception:  # a listener must not disturb a turn
                log.exception("event listener failed")

    def report(self, part: str, state: State, sentence: str, advice: str = "") -> None:
        """Publishes the state of a part if it has changed. A library's words get their full stop; without
        advice a `Problem` brings its own."""
        advice = advice or getattr(sentence, "advice", "")
        if not sentence.endswith((".", "!", "?", "…")):
            sentence += "."
        known = self._parts.get(part)
        if known is not None and (known.state, known.sentence, known.advice) == (state, sentence, advice):
            return
        since = known.since if known is not None and known.state is state else self._now()
        self._parts[part] = PartState(part, state, sentence, since, advice)
        self.publish(self._parts[part])

    async def decided(self, limit_seconds: float = DECIDED_SECONDS) -> None:
        """Returns when no part is starting any more, or after the limit: then such parts are marked late."""
        news = asyncio.Event()
        self.subscribe(lambda _event: news.set(), PartState)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_seconds):
                while any(part.state is State.STARTING for part in self.parts()):
                    news.clear()
                    await news.wait()
        for part in self.parts():
            if part.state is State.STARTING:
                self._parts[part.part] = replace(part, late=True)
                self.publish(self._parts[part.part])

    def state(self, part: str) -> State | None:
        known = self._parts.get(part)
        return known.state if known is not None else None

    def part(self, name: str) -> PartState | None:
        return self._parts.get(name)

    def parts(self) -> list[PartState]:
        return list(self._parts.values())


class Changes:
    """Filters the states of parts: failures, and recoveries of parts that had failed or were late."""

    def __init__(self) -> None:
        self._failed: set[str] = set()

    def news(self, event: PartState) -> PartState | None:
        if event.late:  # the ready line names it
            self._failed.add(event.part)
        if event.state is State.DEGRADED:
            self._failed.add(event.part)
            return event
        if event.state is State.OK and event.part in self._failed:
            self._failed.remove(event.part)
            return event
        return None
