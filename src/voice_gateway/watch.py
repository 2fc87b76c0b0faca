"""What happens in turns and how the parts are, for whoever wants to watch: MQTT, status, a log. Read-only."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from voice_gateway.progress import Progress
from voice_gateway.turn import Reply, ToolOutcome, Utterance

log = logging.getLogger(__name__)

DECIDED_SECONDS = 3.0  # how long "ready" waits for a broker or a model server that says nothing at all


@dataclass(frozen=True, slots=True)
class Heard:
    utterance: Utterance


@dataclass(frozen=True, slots=True)
class Acted:
    utterance: Utterance
    outcome: ToolOutcome
    model: str | None = None  # that asked for the call; the local brain is none


@dataclass(frozen=True, slots=True)
class Answered:
    utterance: Utterance
    reply: Reply


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to say that nobody asked for, such as a timer that was missed."""

    text: str
    aloud: bool = False  # also by voice; a timer that rings speaks for itself


@dataclass(frozen=True, slots=True)
class ListTold:
    """What is on a list: at the start, and whenever it changes."""

    name: str
    items: tuple[tuple[str, bool], ...]  # the text, and whether it is done


@dataclass(frozen=True, slots=True)
class Planned:
    """All timers, or all routines, by their number, those that are due first: at the start, and whenever one
    of them changes."""

    kind: str  # timer, routine
    plans: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call of this turn takes long."""

    utterance: Utterance
    what: str  # it waits for: "the Space Heater"

    @property
    def text(self) -> str:
        return f"Still waiting for {self.what} …"


@dataclass(frozen=True, slots=True)
class Progressed:
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


Event = Heard | Acted | Answered | Waiting | Progressed | Notice | ListTold | Planned | PartState


class Watch:
    """Hands events to all who asked for them. A watcher that fails costs only itself its event."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._watchers: list[Callable[[Event], None]] = []
        self._parts: dict[str, PartState] = {}
        self._now = now

    def subscribe(self, watcher: Callable[[Event], None]) -> None:
        self._watchers.append(watcher)

    def tell(self, event: Event) -> None:
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
        self.tell(self._parts[part])

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
                self.tell(self._parts[part.part])

    def state(self, part: str) -> State | None:
        known = self._parts.get(part)
        return known.state if known is not None else None

    def part(self, name: str) -> PartState | None:
        return self._parts.get(name)

    def parts(self) -> list[PartState]:
        return list(self._parts.values())


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
