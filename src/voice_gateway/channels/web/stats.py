"""Counts of turns and calls, for `/api/health` and Prometheus: numbers and known names, no words of users."""

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import Any

from fastapi import APIRouter
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import choose_encoder
from starlette.requests import Request
from starlette.responses import Response

from voice_gateway.config.kinds import CHANNELS
from voice_gateway.events import Acted, Answered, Event, ModelRound, Notice, PartState, Planned, State
from voice_gateway.mcp_client.integration import ServerStatus
from voice_gateway.turn import ToolOutcome

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
RECENT = 200  # calls that p50 and p95 are computed from
SHOWN = 40  # of these in a small chart
MOST_NAMES = 300  # of tools or models: a server that keeps renaming its tools fills no memory
OTHER = "other"
STAGES = frozenset({"local", "ollama", "anthropic", "none"})
_GOOD = frozenset({"read", "confirmed", "working", "queued", "waiting"})


@dataclass(slots=True)
class _Tool:
    """The calls of one tool, with the seconds of the last ones that reached it."""

    calls: int = 0
    failed: int = 0
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))


class Stats:
    """Since the gateway was started. `known_tool` gives the name of a registered tool, or None."""

    def __init__(self, known_tool: Callable[[str], str | None], version: str = "") -> None:
        self._known_tool = known_tool
        self._names: set[str] = set()
        self._tools: defaultdict[str, _Tool] = defaultdict(_Tool)
        self.registry = registry = CollectorRegistry()
        disable_created_metrics()  # type: ignore[no-untyped-call]
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        Info("voice_gateway", "The running version.", registry=registry).info({"version": version})
        counter = partial(Counter, namespace="voice_gateway", registry=registry)
        gauge = partial(Gauge, namespace="voice_gateway", registry=registry)
        histogram = partial(Histogram, namespace="voice_gateway", registry=registry, buckets=SECONDS)
        self._turns = counter("turns", "Answered turns.", ("door", "stage", "ok"))
        self._turn_seconds = histogram("turn_seconds", "From the words to the whole answer.", ("stage",))
        self._tool_calls = counter("tool_calls", "Tool calls by outcome.", ("tool", "outcome"))
        self._tool_seconds = histogram("tool_seconds", "Calls that reached their tool.", ("tool",))
        self._model_seconds = histogram("model_seconds", "One request to a language model.", ("model",))
        self._tokens = counter("model_tokens", "Tokens.", ("model", "kind"))
        self._notices = counter("notices", "Unprompted messages.")
        self._planned = gauge("planned", "Timers and routines.", ("kind",))
        self._part_state = gauge("part_state", "1 for the state a part is in.", ("part", "state"))
        self._part_since = gauge("part_since_seconds", "Unix time of the last state change.", ("part",))
        self._restarts = counter("server_restarts", "Lost connections.", ("server",))
        self._server_tools = gauge("server_tools", "Tools of an MCP server.", ("server",))

    def on_event(self, event: Event) -> None:
        if isinstance(event, Acted):
            self._acted(event.outcome)
        elif isinstance(event, Answered):
            reply, channel = event.reply, event.utterance.channel
            stage = reply.stage if reply.stage in STAGES else OTHER
            door = channel if channel in CHANNELS else OTHER
            self._turns.labels(door, stage, str(reply.ok).lower()).inc()
            self._turn_seconds.labels(stage).observe(reply.seconds)
        elif isinstance(event, ModelRound):
            model = self._bounded(event.model)
            self._model_seconds.labels(model).observe(event.seconds)
            self._tokens.labels(model, "input").inc(event.input_tokens or 0)
            self._tokens.labels(model, "output").inc(event.output_tokens or 0)
        elif isinstance(event, Planned):
            self._planned.labels(event.kind).set(len(event.plans))
        elif isinstance(event, Notice):
            self._notices.inc()

    def _acted(self, outcome: ToolOutcome) -> None:
        name, status = self._bounded(self._known_tool(outcome.name)), outcome.status.value
        tool = self._tools[name]
        tool.calls += 1
        tool.failed += status not in _GOOD
        self._tool_calls.labels(name, status).inc()
        if outcome.ran:
            tool.recent.append(outcome.seconds)
            self._tool_seconds.labels(name).observe(outcome.seconds)

    def _bounded(self, name: str | None) -> str:
        if name is None or (name not in self._names and len(self._names) >= MOST_NAMES):
            return OTHER
        self._names.add(name)
        return name

    def tools(self) -> list[dict[str, Any]]:
        """For the health page, sorted by name."""
        return [
            {
                "name": name,
                "calls": tool.calls,
                "failed": tool.failed,
                "p50": quantile(tool.recent, 0.5),
                "p95": quantile(tool.recent, 0.95),
                "recent": [round(seconds, 6) for seconds in list(tool.recent)[-SHOWN:]],
            }
            for name, tool in sorted(self._tools.items())
        ]

    def update(self, parts: Sequence[PartState], servers: Sequence[ServerStatus]) -> None:
        """Takes over the present state of parts and servers, before the registry is read."""
        for metric in (self._part_state, self._part_since, self._restarts, self._server_tools):
            metric.clear()
        for part in parts:
            self._part_since.labels(part.part).set(part.since)
            for state in State:
                self._part_state.labels(part.part, state.value).set(part.state is state)
        for server in servers:
            self._restarts.labels(server.name).inc(server.restarts)
            self._server_tools.labels(server.name).set(len(server.tools))


def quantile(values: Collection[float], share: float) -> float | None:
    """The nearest-rank quantile; None of an empty list."""
    return sorted(values)[min(len(values), ceil(share * len(values))) - 1] if values else None


def metrics_router(
    stats: Stats, parts: Callable[[], Sequence[PartState]], servers: Callable[[], Sequence[ServerStatus]]
) -> APIRouter:
    router = APIRouter()

    @router.get("/metrics", response_class=Response)
    async def metrics(request: Request) -> Response:
        """For Prometheus"""
        stats.update(parts(), servers())
        encode, kind = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(stats.registry), media_type=kind)

    return router
