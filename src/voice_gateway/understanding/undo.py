"""Takes back what was done, and does what was meant instead."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from voice_gateway.errors import LinkError
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, Request
from voice_gateway.languages import capital, say
from voice_gateway.languages.outcomes import told
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import OutcomeStatus, Reply, ToolOutcome
from voice_gateway.turns.acts import Call, UndoEntry, new_calls, target
from voice_gateway.turns.stage import Turn
from voice_gateway.understanding.calls import run_in_order

log = logging.getLogger(__name__)

MOST_TRIES = 2  # to put something back; then the next "undo" goes further
_NOT_DONE = frozenset(
    {OutcomeStatus.FAILED, OutcomeStatus.UNREACHABLE, OutcomeStatus.SYSTEM_DOWN, OutcomeStatus.NOT_PERMITTED}
)


@dataclass(frozen=True, slots=True)
class Done:
    reply: Reply
    requests: tuple[Request, ...] = ()
    outcomes: tuple[ToolOutcome, ...] = ()  # one for each request, for who keeps the home's states
    right: tuple[Request, ...] = ()  # those that were meant


async def take_back(executor: ToolExecutor, turn: Turn, home: Home, only: Device | None, count: int) -> Done:
    """The last act, or the last few as one, in reverse order, or `only` its part for one device. What failed
    can be tried once more."""
    assert turn.acts is not None
    turn.history.add_user(turn.utterance.text)
    try:
        act = await turn.acts.take(count)
    except LinkError as error:
        log.warning("what was done cannot be looked up", extra={"reason": str(error)})
        return _told(turn, say("undo.unknown"))
    if act is None:
        return _told(turn, say("undo.nothing"))
    turn.acts.leave(act)  # should the turn end in the middle
    calls = [call for call in act.calls if only is None or _device_of(call, home) == only]
    if only is not None and not calls:
        return _told(turn, say("undo.other", things=[only.name]))
    outcomes, failed = await _put_back(executor, turn, calls)
    again = failed if act.tries + 1 < MOST_TRIES else []
    left = [call for call in act.calls if call not in calls or call in again]
    rest = replace(act, calls=tuple(left), tries=act.tries + bool(failed))
    turn.acts.leave(rest if left else None)
    sentences = [_okay(outcomes)] if outcomes else []
    if act.reasons and only is None:
        sentences.append(say("undo.part" if outcomes else "undo.cannot", why=" ".join(act.reasons)))
    text = " ".join(sentences)
    turn.history.add_ai(text)
    ok = bool(outcomes) and all(outcome.ok for outcome in outcomes)
    return _done(text, outcomes, home, ok=ok)


async def correct(
    executor: ToolExecutor, turn: Turn, requests: Sequence[Request], home: Home, keeps: Sequence[Device] = ()
) -> Done:
    """The last act is put back, then the right one done. What both are about only gets its new value, and
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
    turn.history.add_ai(text)
    done = _done(text, outcomes, home, ok=all(outcome.ok for outcome in outcomes))
    return replace(done, right=tuple(requests))


def _device_of(call: Call, home: Home) -> Device | None:
    return home.device_of(str(call["name"]), call["args"])


def _about(call: Call, home: Home) -> object:
    """Two calls on one device may look different: what turns it on, and what dims it."""
    device = _device_of(call, home)
    return device.key if device is not None else target(call)


async def _put_back(
    executor: ToolExecutor, turn: Turn, calls: Sequence[Call]
) -> tuple[list[ToolOutcome], list[Call]]:
    """The outcomes, and the calls that were in vain."""
    assert turn.acts is not None
    made = new_calls(calls)
    turn.acts.puts_back(made)
    outcomes = await run_in_order(executor, turn, made)
    vain = {outcome.call_id for outcome in outcomes if outcome.status in _NOT_DONE}
    return outcomes, [call for call, one in zip(calls, made, strict=True) if one.id in vain]


def _okay(outcomes: Sequence[ToolOutcome]) -> str:
    """ "Okay, desk lamp off." """
    text, inside = told(outcomes), told(outcomes, inside=True)
    return say("undo.done", text=inside) if inside != text else text


def _told(turn: Turn, text: str) -> Done:
    turn.history.add_ai(text)
    return Done(Reply(text, stage="local", ok=False))


def _done(text: str, outcomes: Sequence[ToolOutcome], home: Home, *, ok: bool) -> Done:
    requests = tuple(
        Request(outcome.name, outcome.args, home.device_of(outcome.name, outcome.args))
        for outcome in outcomes
    )
    return Done(Reply(capital(text), tuple(outcomes), stage="local", ok=ok), requests, tuple(outcomes))
