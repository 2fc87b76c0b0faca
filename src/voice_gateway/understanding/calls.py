"""The calls of a turn, written into its history as a model's would be."""

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from voice_gateway.integrations.home import Request
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import ToolCall, ToolOutcome, new_id
from voice_gateway.turns.acts import waves
from voice_gateway.turns.stage import Turn

S = TypeVar("S", bound=Any)  # a step, old or new


async def run_in_order(
    executor: ToolExecutor, turn: Turn, calls: Sequence[ToolCall], scenes: Container[str] = ()
) -> list[ToolOutcome]:
    """Together, unless two of them are about one thing: those keep their order."""
    outcomes: list[ToolOutcome] = []
    for wave in waves(calls, scenes):
        turn.history.add_ai("", wave)
        made = await turn.run(executor, wave)
        turn.history.add_outcomes(made)
        outcomes += made
    return outcomes


async def make_calls(executor: ToolExecutor, turn: Turn, requests: Sequence[Request]) -> list[ToolOutcome]:
    """One look at a whole home is enough for all that is asked of it."""
    made: dict[str, ToolCall] = {}
    called: list[str] = []
    for place, request in enumerate(requests):
        call = ToolCall(new_id(), request.tool, dict(request.args))
        alike = request.tool if not request.args and not request.scene else str(place)
        called.append(made.setdefault(alike, call).id)
    scenes = {call for call, request in zip(called, requests, strict=True) if request.scene}
    outcomes = await run_in_order(executor, turn, list(made.values()), scenes)
    by_id = {outcome.call_id: outcome for outcome in outcomes}
    return [by_id[one] for one in called]


async def more_pages(
    executor: ToolExecutor, turn: Turn, step: S, outcomes: Sequence[ToolOutcome]
) -> tuple[S, list[ToolOutcome]]:
    """A list longer than one page is read to its end before it is told of; the step gets those requests."""
    requests, every = list(step.requests), list(outcomes)
    for request, first in zip(step.requests, outcomes, strict=False) if step.query is not None else ():
        pages = [first]
        while (start := _next_page(pages)) and pages[-1].ok and _listed(pages[-1]):
            requests.append(replace(request, args={**request.args, "offset": start}))
            pages += await make_calls(executor, turn, requests[-1:])
        every += pages[1:]
    return replace(step, requests=tuple(requests)), every


def _listed(outcome: ToolOutcome) -> int:
    devices = outcome.facts.get("devices")
    return len(devices) if isinstance(devices, list) else 0


def _next_page(pages: Sequence[ToolOutcome]) -> int:
    """Where the next page starts; 0 when there is none."""
    total = pages[0].facts.get("total") if pages else None
    have = sum(_listed(page) for page in pages)
    return have if isinstance(total, int) and 0 < have < total else 0
