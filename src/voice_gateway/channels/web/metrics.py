"""`/metrics`: how the gateway is, for Prometheus, in numbers and known names; nobody's words."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway.channels.web.stats import Figures, Spread, cumulative
from voice_gateway.events import PartState, State
from voice_gateway.mcp_client.integration import ServerStatus

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import HistogramMetricFamily, Metric

PREFIX = "voice_gateway"


class Metrics:
    """The library is imported when somebody asks for the first time."""

    def __init__(
        self,
        figures: Figures,
        parts: Callable[[], Sequence[PartState]],
        servers: Callable[[], Sequence[ServerStatus]],
        version: str,
    ) -> None:
        self._figures = figures
        self._parts, self._servers = parts, servers
        self._version = version
        self._registry: CollectorRegistry | None = None

    def routes(self) -> list[BaseRoute]:
        return [Route("/metrics", self.metrics, methods=["GET"])]

    async def metrics(self, request: Request) -> Response:
        if self._registry is None:
            self._registry = await asyncio.to_thread(_new_registry)
            self._registry.register(self)
        from prometheus_client.exposition import choose_encoder

        encode, kind = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(self._registry), media_type=kind)

    def collect(self) -> "Iterable[Metric]":
        """What Prometheus calls a collector: asked at each look."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily

        known = self._figures
        yield InfoMetricFamily(PREFIX, "What runs.", {"version": self._version})
        turns = CounterMetricFamily(
            f"{PREFIX}_turns", "Turns that were answered.", labels=["door", "stage", "ok"]
        )
        _fill(turns, known.turns)
        yield turns
        yield _histogram("turn_seconds", "From the words to the whole answer.", "stage", known.turn_times)
        calls = CounterMetricFamily(
            f"{PREFIX}_tool_calls", "Calls of tools, by what became of them.", labels=["tool", "outcome"]
        )
        _fill(calls, known.calls)
        yield calls
        yield _histogram("tool_seconds", "Calls that reached their tool.", "tool", known.call_times)
        yield _histogram("model_seconds", "One question to a language model.", "model", known.rounds)
        tokens = CounterMetricFamily(f"{PREFIX}_model_tokens", "Tokens.", labels=["model", "kind"])
        _fill(tokens, known.tokens)
        yield tokens
        yield CounterMetricFamily(f"{PREFIX}_notices", "What was told unasked.", value=known.notices)
        planned = GaugeMetricFamily(f"{PREFIX}_planned", "Timers and routines.", labels=["kind"])
        _fill(planned, {(kind,): count for kind, count in known.plans.items()})
        yield planned
        yield from self._states()

    def _states(self) -> "Iterable[Metric]":
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        state = GaugeMetricFamily(
            f"{PREFIX}_part_state", "1 for the state that a part is in.", labels=["part", "state"]
        )
        since = GaugeMetricFamily(
            f"{PREFIX}_part_since_seconds", "When its state changed last, as a Unix time.", labels=["part"]
        )
        for part in self._parts():
            since.add_metric([part.part], part.since)
            for one in State:
                state.add_metric([part.part, one.value], float(part.state is one))
        restarts = CounterMetricFamily(
            f"{PREFIX}_server_restarts", "How often an MCP server was lost.", labels=["server"]
        )
        tools = GaugeMetricFamily(
            f"{PREFIX}_server_tools", "Tools that an MCP server offers.", labels=["server"]
        )
        for server in self._servers():
            restarts.add_metric([server.name], server.restarts)
            tools.add_metric([server.name], len(server.tools))
        yield from (state, since, restarts, tools)


def _new_registry() -> "CollectorRegistry":
    from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    return registry


def _fill(family: Any, counts: Mapping[Any, int]) -> None:
    """By their labels."""
    for labels, count in sorted(counts.items()):
        family.add_metric(labels, count)


def _histogram(name: str, text: str, label: str, spreads: Mapping[str, Spread]) -> "HistogramMetricFamily":
    from prometheus_client.core import HistogramMetricFamily

    family = HistogramMetricFamily(f"{PREFIX}_{name}", text, labels=[label])
    for value, spread in sorted(spreads.items()):
        family.add_metric([value], list(cumulative(spread)), spread.seconds)
    return family
