"""Acts for a while. The end is planned before the act, so that a late device is put back, too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voice_gateway.integrations.home import Home, Request
from voice_gateway.integrations.source import Act
from voice_gateway.languages import say
from voice_gateway.routines.model import CANCEL, MAKE, calls_text
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import NOT_MADE, NOT_MEANT, OutcomeStatus, ToolCall, ToolOutcome
from voice_gateway.turns.acts import act_of, new_calls
from voice_gateway.turns.stage import Turn
from voice_gateway.understanding.calls import make_calls, run_in_order
from voice_gateway.understanding.plan import Step

_OPPOSITE = {
    "on": "off", "dim": "off", "off": "on", "open": "close", "close": "open", "lock": "unlock",
    "unlock": "lock", "mute": "unmute", "unmute": "mute", "pause": "play", "play": "pause",
}  # fmt: skip
_WILL_NOT_HAPPEN = {*NOT_MEANT, *NOT_MADE, OutcomeStatus.FAILED}


@dataclass(frozen=True, slots=True)
class KeptEnd:
    """The outcome of planning the end, and the calls it will make."""

    outcome: ToolOutcome
    calls: str

    @property
    def refused(self) -> bool:
        """Whether nothing may be done, since the end was not planned; a plan may wait for a yes."""
        return not self.outcome.ok and self.outcome.status is not OutcomeStatus.WAITING


async def keep_end(executor: ToolExecutor, turn: Turn, step: Step, home: Home) -> KeptEnd:
    """Plans what puts the step back, as far as it is known before the act."""
    calls, words = step.back_calls, ""
    if not calls:
        ends = [_opposite(request, home) for request in step.requests]
        calls = calls_text([end for end in ends if end is not None]) if any(ends) else ""
        words = "" if all(ends) else say("later.cannot_restore", text=turn.utterance.text)
    return KeptEnd(await _plan(executor, turn, step.back, calls, words), calls)


async def settle_end(
    executor: ToolExecutor, turn: Turn, step: Step, end: KeptEnd, outcomes: Sequence[ToolOutcome]
) -> list[ToolOutcome]:
    """The outcomes to report of the end after the act; empty if there is nothing to put back.

    An end that is not needed is cancelled, and one that the devices know more exactly is replaced. While an
    act may still happen it stays.
    """
    if end.refused or end.outcome.status is OutcomeStatus.WAITING:
        return [end.outcome]
    act = act_of(outcomes, turn.acts.called) if turn.acts is not None else None
    changed = act is not None and any(call not in act.did for call in act.calls)
    none_will = all(outcome.status in _WILL_NOT_HAPPEN for outcome in outcomes)
    was_so = not step.back_calls and not changed and all(outcome.ok for outcome in outcomes)
    if none_will or was_so:
        await _drop(executor, turn, end)
        return []
    exact = calls_text(act.calls) if act is not None and changed and not step.back_calls else end.calls
    if exact != end.calls and all(outcome.ok for outcome in outcomes):
        replaced = await _plan(executor, turn, step.back, exact)
        if replaced.ok:
            await _drop(executor, turn, end)
            return [replaced]
    return [end.outcome]


def _opposite(request: Request, home: Home) -> Mapping[str, Any] | None:
    """The call that puts the device back; None where that is not known."""
    if request.device is None or request.wish is None or request.wish.action not in _OPPOSITE:
        return None
    device, action = request.device, _OPPOSITE[request.wish.action]
    if request.wish.action == "dim" and not home.is_so(device, "off"):
        return None  # it was at another level
    call = home.source_of(device).act(device, Act(action), home)
    return None if isinstance(call, str) else {"name": call.tool, "args": dict(call.args)}


async def _plan(executor: ToolExecutor, turn: Turn, when: str, calls: str, words: str = "") -> ToolOutcome:
    args = {"when": when, **({"calls": calls} if calls else {}), **({"say": words} if words else {})}
    [outcome] = await make_calls(executor, turn, [Request(MAKE, args)])
    return outcome


async def _drop(executor: ToolExecutor, turn: Turn, end: KeptEnd) -> None:
    """Cancels the plan; neither the plan nor this can be undone."""
    known = end.outcome.facts.get("before") or ()
    calls = new_calls(call for call in known if call["name"] == CANCEL)
    if turn.acts is not None:
        turn.acts.puts_back([*calls, ToolCall(end.outcome.call_id, MAKE, {})])
    await run_in_order(executor, turn, calls)
