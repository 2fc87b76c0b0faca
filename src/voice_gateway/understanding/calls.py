"""Makes the calls of a turn, writes them into its history like a model's, and takes them back."""

import logging
from collections.abc import Container, Sequence
from dataclasses import replace

from voice_gateway.errors import LinkError
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, Request
from voice_gateway.languages import capital, say
from voice_gateway.languages.outcomes import told
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import OutcomeStatus, Reply, ToolCall, ToolOutcome, new_id
from voice_gateway.turns.acts import Call, UndoEntry, new_calls, target, waves
from voice_gateway.turns.stage import Turn
from voice_gateway.understanding.plan import Step

log = logging.getLogger(__name__)

MOST_TRIES = 2  # to put something back; then the next "undo" goes further
_NOT_DONE = frozenset(
    {OutcomeStatus.FAILED, OutcomeStatus.UNREACHABLE, OutcomeStatus.SYSTEM_DOWN, OutcomeStatus.NOT_PERMITTED}
)


async def run_in_order(
    executor: ToolExecutor, turn: Turn, calls: Sequence[ToolCall], scenes: Container[str] = ()
) -> list[ToolOutcome]:
    """Runs calls at once, except those about one thing, which keep their order."""
    outcomes: list[ToolOutcome] = []
    for wave in waves(calls, scenes):
        turn.history.add_ai("", wave)
        made = await turn.run(executor, wave)
        turn.history.add_outcomes(made)
        outcomes += made
    return outcomes


async def make_calls(executor: ToolExecutor, turn: Turn, requests: Sequence[Request]) -> list[ToolOutcome]:
    """Makes the calls of all requests; several looks at a whole home share one call."""
    made: dict[str, ToolCall] = {}
    for place, request in enumerate(requests):
        made.setdefault(_alike(request, place), ToolCall(new_id(), request.tool, dict(request.args)))
    called = [made[_alike(request, place)].id for place, request in enumerate(requests)]
    scenes = {call for call, request in zip(called, requests, strict=True) if request.scene}
    outcomes = await run_in_order(executor, turn, list(made.values()), scenes)
    by_id = {outcome.call_id: outcome for outcome in outcomes}
    return [by_id[call] for call in called]


def _alike(request: Request, place: int) -> str:
    return request.tool if not request.args and not request.scene else str(place)


async def more_pages(
    executor: ToolExecutor, turn: Turn, step: Step, outcomes: Sequence[ToolOutcome]
) -> tuple[Step, list[ToolOutcome]]:
    """Reads the further pages of a list; returns the step with those requests, and all outcomes."""
    requests, every = list(step.requests), list(outcomes)
    for request, first in zip(step.requests, outcomes, strict=False) if step.query is not None else ():
        total, have, page = first.facts.get("total"), _listed(first), first
        while isinstance(total, int) and 0 < have < total and page.ok and _listed(page):
            requests.append(replace(request, args={**request.args, "offset": have}))
            [page] = await make_calls(executor, turn, requests[-1:])
            every.append(page)
            have += _listed(page)
    return replace(step, requests=tuple(requests)), every


def _listed(outcome: ToolOutcome) -> int:
    devices = outcome.facts.get("devices")
    return len(devices) if isinstance(devices, list) else 0


# --- taking back


async def take_back(executor: ToolExecutor, turn: Turn, count: int) -> Reply:
    """Undoes the last act, or the last few as one, in reverse order. What failed can be tried once more."""
    assert turn.acts is not None
    turn.history.add_user(turn.utterance.text)
    try:
        act = await turn.acts.take(count)
    except LinkError as error:
        log.warning("what was done cannot be looked up", extra={"reason": str(error)})
        return _reply(turn, say("undo.unknown"), ())
    if act is None:
        return _reply(turn, say("undo.nothing"), ())
    turn.acts.leave(act)  # should the turn end in the middle
    outcomes, failed = await _put_back(executor, turn, act.calls)
    left = failed if act.tries + 1 < MOST_TRIES else []
    turn.acts.leave(replace(act, calls=tuple(left), tries=act.tries + bool(failed)) if left else None)
    sentences = [_okay(outcomes)] if outcomes else []
    if act.reasons:
        sentences.append(say("undo.part" if outcomes else "undo.cannot", why=" ".join(act.reasons)))
    return _reply(turn, " ".join(sentences), outcomes)


async def correct(
    executor: ToolExecutor, turn: Turn, requests: Sequence[Request], home: Home, keeps: Sequence[Device] = ()
) -> Reply:
    """Puts the last act back and does the right one. Devices of both only get the new value, and
    can be taken back to what was before the first."""
    assert turn.acts is not None
    turn.history.add_user(turn.utterance.text)
    act = await turn.acts.take() or UndoEntry()
    right = new_calls({"name": request.tool, "args": request.args} for request in requests)
    again = {_about({"name": call.name, "args": call.args}, home) for call in right}
    again |= {device.key for device in keeps}
    kept = [call for call in act.calls if _about(call, home) in again]
    outcomes, failed = await _put_back(executor, turn, [call for call in act.calls if call not in kept])
    turn.acts.leave(replace(act, calls=(*kept, *failed), reasons=()))
    outcomes += await run_in_order(executor, turn, right)
    text = _okay(outcomes)
    if act.reasons and not kept:
        text = f"{text} {say('undo.part', why=' '.join(act.reasons))}"
    return _reply(turn, text, outcomes)


def requests_of(outcomes: Sequence[ToolOutcome], home: Home) -> list[Request]:
    """Requests for outcomes, from which the home's cache learns states."""
    return [Request(one.name, one.args, home.device_of(one.name, one.args)) for one in outcomes]


def _about(call: Call, home: Home) -> object:
    """The device or thing that a call is about."""
    device = home.device_of(str(call["name"]), call["args"])
    return device.key if device is not None else target(call)


async def _put_back(
    executor: ToolExecutor, turn: Turn, calls: Sequence[Call]
) -> tuple[list[ToolOutcome], list[Call]]:
    """Makes the calls that put back; returns the outcomes and the calls that failed."""
    assert turn.acts is not None
    made = new_calls(calls)
    turn.acts.puts_back(made)
    outcomes = await run_in_order(executor, turn, made)
    vain = {outcome.call_id for outcome in outcomes if outcome.status in _NOT_DONE}
    return outcomes, [call for call, one in zip(calls, made, strict=True) if one.id in vain]


def _okay(outcomes: Sequence[ToolOutcome]) -> str:
    """The outcomes behind an "okay", as in "Okay, desk lamp off."."""
    text, inside = told(outcomes), told(outcomes, inside=True)
    return say("undo.done", text=inside) if inside != text else text


def _reply(turn: Turn, text: str, outcomes: Sequence[ToolOutcome]) -> Reply:
    turn.history.add_ai(text)
    ok = bool(outcomes) and all(outcome.ok for outcome in outcomes)
    return Reply(capital(text), tuple(outcomes), stage="local", ok=ok)
