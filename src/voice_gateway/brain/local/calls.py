"""The calls of a turn, written into its history as a model's would be."""

from collections.abc import Sequence

from voice_gateway.brain.acts import waves
from voice_gateway.brain.local.meaning import Request, Step
from voice_gateway.brain.stage import Turn
from voice_gateway.homes.zwave import LIST, LIST_ARGS
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import ToolCall, ToolOutcome, new_id


async def run_in_order(executor: ToolExecutor, turn: Turn, calls: Sequence[ToolCall]) -> list[ToolOutcome]:
    """Together, unless two of them are about one thing: those keep their order."""
    outcomes: list[ToolOutcome] = []
    for wave in waves(calls):
        turn.history.add_ai("", wave)
        made = await turn.run(executor, wave)
        turn.history.add_outcomes(made)
        outcomes += made
    return outcomes


async def make_calls(executor: ToolExecutor, turn: Turn, requests: Sequence[Request]) -> list[ToolOutcome]:
    calls = [ToolCall(new_id(), request.tool, dict(request.args)) for request in requests]
    return await run_in_order(executor, turn, calls)


async def more_pages(
    executor: ToolExecutor, turn: Turn, step: Step, outcomes: Sequence[ToolOutcome]
) -> list[ToolOutcome]:
    """A list longer than one page is read to its end before it is told of."""
    more: list[ToolOutcome] = []
    while step.query is not None and (start := _next_page([*outcomes, *more])):
        page = await make_calls(executor, turn, [Request(LIST, {**LIST_ARGS, "offset": start})])
        more += page
        if not page[0].ok or not _listed(page[0]):
            break
    return more


def _listed(outcome: ToolOutcome) -> int:
    devices = outcome.facts.get("devices")
    return len(devices) if isinstance(devices, list) else 0


def _next_page(pages: Sequence[ToolOutcome]) -> int:
    """Where the next page starts; 0 when there is none."""
    total = pages[0].facts.get("total") if pages else None
    have = sum(_listed(page) for page in pages)
    return have if isinstance(total, int) and 0 < have < total else 0
