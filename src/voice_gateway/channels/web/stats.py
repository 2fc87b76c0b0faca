"""What is counted of turns and calls, for `/api/health` and `/metrics`: numbers and known names."""

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from voice_gateway.config.kinds import CHANNELS
from voice_gateway.events import Acted, Answered, Event, ModelRound, Notice, Planned
from voice_gateway.turn import ToolOutcome

LIMITS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # seconds
RECENT = 200  # calls that p50 and p95 are of
SHOWN = 40  # of these in a small chart
MOST_NAMES = 300  # of tools or models; a server that renames its tools for ever fills no memory
OTHER = "other"
STAGES = frozenset({"local", "ollama", "anthropic", "none"})


@dataclass(slots=True)
class Spread:
    """How long something took, each time."""

    buckets: list[int] = field(default_factory=lambda: [0] * (len(LIMITS) + 1))
    seconds: float = 0.0
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))

    def add(self, seconds: float) -> None:
        self.buckets[bisect_left(LIMITS, seconds)] += 1
        self.seconds += seconds
        self.recent.append(seconds)

    def quantile(self, share: float) -> float | None:
        """Of the recent ones; None where there was none."""
        if not self.recent:
            return None
        ordered = sorted(self.recent)
        return ordered[min(len(ordered) - 1, ceil(share * len(ordered)) - 1)]


class Figures:
    """Since the gateway was started. `known_tool` gives the name of a tool that there is, or None."""

    def __init__(self, known_tool: Callable[[str], str | None]) -> None:
        self._known_tool = known_tool
        self._names: set[str] = set()
        self.turns: Counter[tuple[str, str, str]] = Counter()  # door, stage, whether it went well
        self.turn_times: dict[str, Spread] = {}  # by stage
        self.calls: Counter[tuple[str, str]] = Counter()  # tool, what became of it
        self.call_times: dict[str, Spread] = {}  # by tool
        self.rounds: dict[str, Spread] = {}  # by model
        self.tokens: Counter[tuple[str, str]] = Counter()  # model, input or output
        self.plans: dict[str, int] = {}  # timers, routines
        self.notices = 0

    def watched(self, event: Event) -> None:
        if isinstance(event, Acted):
            self._acted(event.outcome)
        elif isinstance(event, Answered):
            reply = event.reply
            stage = reply.stage if reply.stage in STAGES else OTHER
            door = event.utterance.channel if event.utterance.channel in CHANNELS else OTHER
            self.turns[door, stage, str(reply.ok).lower()] += 1
            self.turn_times.setdefault(stage, Spread()).add(reply.seconds)
        elif isinstance(event, ModelRound):
            self._asked(event)
        elif isinstance(event, Planned):
            self.plans[event.kind] = len(event.plans)
        elif isinstance(event, Notice):
            self.notices += 1

    def _acted(self, outcome: ToolOutcome) -> None:
        tool = self._bounded(self._known_tool(outcome.name))
        self.calls[tool, outcome.status.value] += 1
        if outcome.ran:
            self.call_times.setdefault(tool, Spread()).add(outcome.seconds)

    def _asked(self, event: ModelRound) -> None:
        model = self._bounded(event.model)
        self.rounds.setdefault(model, Spread()).add(event.seconds)
        for kind, count in (("input", event.input_tokens), ("output", event.output_tokens)):
            self.tokens[model, kind] += count or 0

    def _bounded(self, name: str | None) -> str:
        if name is None or (name not in self._names and len(self._names) >= MOST_NAMES):
            return OTHER
        self._names.add(name)
        return name

    def tools(self) -> list[dict[str, Any]]:
        """For the health page, by name."""
        return [self._tool(name) for name in sorted({tool for tool, _ in self.calls})]

    def _tool(self, name: str) -> dict[str, Any]:
        times = self.call_times.get(name, Spread())
        failed = sum(count for (tool, status), count in self.calls.items() if tool == name and _bad(status))
        return {
            "name": name,
            "calls": sum(count for (tool, _), count in self.calls.items() if tool == name),
            "failed": failed,
            "p50": times.quantile(0.5),
            "p95": times.quantile(0.95),
            "recent": [round(seconds, 6) for seconds in list(times.recent)[-SHOWN:]],
        }


_GOOD = frozenset({"read", "confirmed", "working", "queued", "waiting"})


def _bad(status: str) -> bool:
    return status not in _GOOD


def cumulative(spread: Spread) -> Iterable[tuple[str, int]]:
    """Each limit with how many were not above it, as Prometheus counts."""
    total = 0
    for limit, count in zip((*LIMITS, float("inf")), spread.buckets, strict=True):
        total += count
        yield ("+Inf" if limit == float("inf") else str(limit)), total
