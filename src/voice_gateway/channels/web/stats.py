"""Counts of turns and calls, for `/api/health` and Prometheus: numbers and known names, no words of users."""

from collections import Counter as Counts
from collections import deque
from collections.abc import Callable, Sequence
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


class Stats:
    """Since the gateway was started. `known_tool` gives the name of a registered tool, or None."""

    def __init__(self, known_tool: Callable[[str], str | None], version: str = "") -> None:
        self._known_tool = known_tool
        self._names: set[str] = set()
        self._calls: Counts[tuple[str, str]] = Counts()  # tool, outcome
        self._recent: dict[str, deque[float]] = {}  # seconds of calls, by tool
        self.registry = registry = CollectorRegistry()
        disable_created_metrics()  # type: ignore[no-untyped-call]
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)

        def metric(kind: Any, name: str, text: str, *labels: str, **options: Any) -> Any:
            return kind(f"voice_gateway_{name}", text, labels, registry=registry, **options)

        Info("voice_gateway", "The running version.", registry=registry).info({"version": version})
        self._turns = metric(Counter, "turns", "Answered turns.", "door", "stage", "ok")
        self._turn_seconds = metric(
            Histogram, "turn_seconds", "From the words to the whole answer.", "stage", buckets=SECONDS
        )
        self._tool_calls = metric(Counter, "tool_calls", "Tool calls by outcome.", "tool", "outcome")
        self._tool_seconds = metric(
            Histogram, "tool_seconds", "Calls that reached their tool.", "tool", buckets=SECONDS
        )
        self._model_seconds = metric(
            Histogram, "model_seconds", "One request to a language model.", "model", buckets=SECONDS
        )
        self._tokens = metric(Counter, "model_tokens", "Tokens.", "model", "kind")
        self._notices = metric(Counter, "notices", "Unprompted messages.")
        self._planned = metric(Gauge, "planned", "Timers and routines.", "kind")
        self._part_state = metric(Gauge, "part_state", "1 for the state a part is in.", "part", "state")
        self._part_since = metric(Gauge, "part_since_seconds", "Unix time of the last state change.", "part")
        self._restarts = metric(Counter, "server_restarts", "Lost connections.", "server")
        self._server_tools = metric(Gauge, "server_tools", "Tools of an MCP server.", "server")

    def on_event(self, event: Event) -> None:
        if isinstance(event, Acted):
            self._acted(event.outcome)
        elif isinstance(event, Answered):
            reply = event.reply
            stage = reply.stage if reply.stage in STAGES else OTHER
            channel = event.utterance.channel if event.utterance.channel in CHANNELS else OTHER
            self._turns.labels(channel, stage, str(reply.ok).lower()).inc()
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
        tool = self._bounded(self._known_tool(outcome.name))
        self._calls[tool, outcome.status.value] += 1
        self._tool_calls.labels(tool, outcome.status.value).inc()
        if outcome.ran:
            self._recent.setdefault(tool, deque(maxlen=RECENT)).append(outcome.seconds)
            self._tool_seconds.labels(tool).observe(outcome.seconds)

    def _bounded(self, name: str | None) -> str:
        if name is None or (name not in self._names and len(self._names) >= MOST_NAMES):
            return OTHER
        self._names.add(name)
        return name

    def tools(self) -> list[dict[str, Any]]:
        """For the health page, sorted by name."""
        return [self._tool(name) for name in sorted({tool for tool, _ in self._calls})]

    def _tool(self, name: str) -> dict[str, Any]:
        calls = {status: count for (tool, status), count in self._calls.items() if tool == name}
        recent = list(self._recent.get(name, ()))
        return {
            "name": name,
            "calls": sum(calls.values()),
            "failed": sum(count for status, count in calls.items() if status not in _GOOD),
            "p50": quantile(recent, 0.5),
            "p95": quantile(recent, 0.95),
            "recent": [round(seconds, 6) for seconds in recent[-SHOWN:]],
        }

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


def quantile(values: Sequence[float], share: float) -> float | None:
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
