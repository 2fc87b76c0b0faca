"""Makes the calls of a turn and writes them into its history, as a model's turn would."""

from collections.abc import Mapping, Sequence

from voice_gateway.brain.local.plan_look import LIST, LIST_ARGS
from voice_gateway.brain.local.understanding import Request, Step
from voice_gateway.brain.stage import Turn
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import ToolCall, ToolOutcome, new_id


async def make_calls(executor: ToolExecutor, turn: Turn, requests: Sequence[Request]) -> list[ToolOutcome]:
    calls = [ToolCall(new_id(), request.tool, dict(request.args)) for request in requests]
    if not calls:
        return []
    turn.history.add_ai("", calls)
    outcomes = await turn.run(executor, calls)
    turn.history.add_outcomes(outcomes)
    return outcomes


async def more_pages(
    executor: ToolExecutor, turn: Turn, step: Step, outcomes: Sequence[ToolOutcome]
) -> list[ToolOutcome]:
    """A list longer than one page is read to its end before it is told of."""
    more: list[ToolOutcome] = []
    while step.look is not None and (start := _next_page([*outcomes, *more])):
        page = await make_calls(executor, turn, [Request(LIST, {**LIST_ARGS, "offset": start})])
        more += page
        if not page[0].ok or not _listed(page[0]):
            break
    return more


def batches(steps: Sequence[Step]) -> list[list[Step]]:
    """Steps run together unless two of them are about one device: those keep their order.

    A scene may be about any device, so nothing runs beside it.
    """
    batches: list[list[Step]] = [[]]
    busy: set[object] = set()
    for step in steps:
        keys = {device.key for device in step.devices} if step.requests else set()
        alone = "Scene" in (step.intent, *(other.intent for other in batches[-1]))
        if batches[-1] and (busy & keys or alone):
            batches.append([])
            busy = set()
        batches[-1].append(step)
        busy |= keys
    return batches


def _facts(outcome: ToolOutcome) -> Mapping[str, object]:
    return outcome.structured if isinstance(outcome.structured, Mapping) else {}


def _listed(outcome: ToolOutcome) -> int:
    devices = _facts(outcome).get("devices")
    return len(devices) if isinstance(devices, list) else 0


def _next_page(pages: Sequence[ToolOutcome]) -> int:
    """Where the next page starts; 0 when there is none."""
    total = _facts(pages[0]).get("total") if pages else None
    have = sum(_listed(page) for page in pages)
    return have if isinstance(total, int) and 0 < have < total else 0
