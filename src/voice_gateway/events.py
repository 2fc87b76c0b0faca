"""What happens in turns and how the parts are, for whoever wants to watch: MQTT, status, a log. Read-only."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from voice_gateway.progress import Progress
from voice_gateway.turn import PartSource, Reply, ToolCall, ToolOutcome, ToolTraits, Utterance, Words
from voice_gateway.verdict import Verdict

log = logging.getLogger(__name__)

DECIDED_SECONDS = 3.0  # how long "ready" waits for a broker or a model server that says nothing at all


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """When it happened: whoever tells of an event later tells the same time."""

    at: float = field(default_factory=time.time, compare=False)


@dataclass(frozen=True, slots=True)
class Heard(Dated):
    utterance: Utterance
    in_answer_to: str = ""  # a question of ours that was open


@dataclass(frozen=True, slots=True)
class Staged(Dated):
    """Somebody who could answer was asked: a stage of the brain, or who comes before it."""

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
    """A model was asked once, and what it wants."""

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
    """At once, for who follows a turn; `Acted` tells what counts of it, when the turn is over."""

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
    model: str | None = None  # that asked for the call; the local brain is none


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
    """Something to say that nobody asked for, such as a timer that was missed."""

    text: str
    aloud: bool = False  # also by voice; a timer that rings speaks for itself
    alarm: bool = False  # told until it was heard; who shows the alarms themselves can leave it


@dataclass(frozen=True, slots=True)
class Happened(Dated):
    """Something in the home: a button, a door, smoke."""

    kind: str
    text: str
    facts: Mapping[str, Any]
    noticed: bool = False  # a notice with the same words follows


@dataclass(frozen=True, slots=True)
class AlarmsTold(Dated):
    """All alarms that stand or were not heard yet, whenever they change."""

    alarms: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class ListTold(Dated):
    """What is on a list: at the start, and whenever it changes."""

    name: str
    items: tuple[tuple[str, bool], ...]  # the text, and whether it is done


@dataclass(frozen=True, slots=True)
class Planned(Dated):
    """All timers, or all routines, by their number, those that are due first: at the start, and whenever one
    of them changes."""

    kind: str  # timer, routine
    plans: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Waiting(Dated):
    """A call of this turn takes long."""

    utterance: Utterance
    what: str  # it waits for: "the Space Heater"

    @property
    def text(self) -> str:
        return f"Still waiting for {self.what} …"


@dataclass(frozen=True, slots=True)
class Progressed(Dated):
    """A call tells how far it is; without an utterance it was made by a command."""

    utterance: Utterance | None
    progress: Progress


class State(StrEnum):
    STARTING = "starting"
    OK = "ok"
    DEGRADED = "degraded"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class PartState:
    """How one part is, in a sentence a person understands."""

    part: str
    state: State
    sentence: str
    since: float  # wall-clock time of the last change
    advice: str = ""  # what to check; for reading, not for saying aloud
    late: bool = False  # it is still starting, and nobody waits for it any more

    def to_json(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "state": self.state.value,
            "sentence": self.sentence,
            "advice": self.advice,
            "since": self.since,
        }


# What is told while a turn goes on, beside its begin and end.
Step = Staged | ModelRound | Judged | CallStarted | CallFinished | Said
Event = (
    Heard | Step | Acted | Answered | Waiting | Progressed | Notice | Happened | AlarmsTold | ListTold
    | Planned | PartState
)  # fmt: skip


class EventBus:
    """Hands events to all who asked for them. A watcher that fails costs only itself its event."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._watchers: list[Callable[[Event], None]] = []
        self._parts: dict[str, PartState] = {}
        self._now = now

    def subscribe(self, watcher: Callable[[Event], None]) -> None:
        self._watchers.append(watcher)

    def publish(self, event: Event) -> None:
        for watcher in self._watchers:
            try:
                watcher(event)
            except Exception:  # watching must never disturb a turn
                log.exception("watcher failed")

    def report(self, part: str, state: State, sentence: str, advice: str = "") -> None:
        """A part says how it is; only a change is news. What ends in a library's words gets its full stop."""
        if not sentence.endswith((".", "!", "?", "…")):
            sentence += "."
        known = self._parts.get(part)
        if known is not None and (known.state, known.sentence, known.advice) == (state, sentence, advice):
            return
        since = known.since if known is not None and known.state is state else self._now()
        self._parts[part] = PartState(part, state, sentence, since, advice)
        self.publish(self._parts[part])

    async def decided(self, limit_seconds: float = DECIDED_SECONDS) -> None:
        """Until no part is starting any more, so that what is missing can be said; but not for ever.

        Whatever is still starting then is from now on something that is missing.
        """
        news = asyncio.Event()
        self.subscribe(lambda _event: news.set())
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


@dataclass(frozen=True, slots=True)
class TurnEvents:
    """Where the steps of one turn are told; the utterance is one that everybody may know."""

    watch: EventBus
    utterance: Utterance

    def publish(self, step: Callable[..., Step], *facts: Any, **more: Any) -> None:
        self.watch.publish(step(self.utterance, *facts, **more))


class Changes:
    """Which events are news: that a part fails, and that one which failed or was late is there."""

    def __init__(self) -> None:
        self._failed: set[str] = set()

    def news(self, event: Event) -> PartState | None:
        if not isinstance(event, PartState):
            return None
        if event.late:  # the line that says ready names it
            self._failed.add(event.part)
        if event.state is State.DEGRADED:
            self._failed.add(event.part)
            return event
        if event.state is State.OK and event.part in self._failed:
            self._failed.remove(event.part)
            return event
        return None
