"""An act's outcome for programs, in the shape of every home's; of several devices an honest sum."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from voice_gateway.integrations.home_assistant.before import Takes, before
from voice_gateway.integrations.home_assistant.confirm import Verdict
from voice_gateway.integrations.home_assistant.devices import name_of, room_of, state_of
from voice_gateway.integrations.home_assistant.effects import Effect
from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.turn import OutcomeStatus

# Of several the worst is what became of the call: done is only what was done by all.
_WORST_FIRST: Final = (
    OutcomeStatus.FAILED,
    OutcomeStatus.UNREACHABLE,
    OutcomeStatus.UNSUPPORTED,
    OutcomeStatus.UNCONFIRMED,
    OutcomeStatus.WORKING,
    OutcomeStatus.CONFIRMED,
)
GOOD: Final = frozenset({OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING})
_MAY_HAVE_HAPPENED: Final = GOOD | {OutcomeStatus.UNCONFIRMED}


def act_facts(args: Mapping[str, Any], verdicts: Sequence[Verdict], degrees: str) -> dict[str, Any]:
    """In the shape of every home's outcome; of several devices each stands in `results`."""
    found = {verdict.outcome for verdict in verdicts}
    outcome = next((one for one in _WORST_FIRST if one in found), "")
    facts: dict[str, Any] = {"device": None, "room": None, "requested": dict(args), "state": None}
    results = [_result(verdict, degrees) for verdict in verdicts]
    if len(results) == 1:
        facts |= results[0] | {"requested": _requested(verdicts[0].effect)}
    elif results:
        facts["results"] = results
    return {**facts, "outcome": str(outcome)}


def _result(verdict: Verdict, degrees: str) -> dict[str, Any]:
    entity = verdict.now or verdict.effect.before
    return {
        "device": name_of(entity),
        "room": room_of(entity),
        "domain": entity.domain,
        "state": state_of(entity, degrees) if verdict.now is not None else None,
        "outcome": verdict.outcome.value,
    }


def _requested(effect: Effect) -> dict[str, Any]:
    wanted: dict[str, Any] = {"action": effect.action}
    if effect.level is not None:
        level = round(effect.level, 2)
        wanted["temperature" if effect.action == "set" else "level"] = (
            int(level) if level == int(level) else level
        )
    return {**wanted, "value": effect.value} if effect.value else wanted


def undo_of(takes: Takes, entities: Sequence[Entity], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Of those that changed, or may have."""
    calls: list[dict[str, Any]] = []
    reasons: list[str] = []
    for verdict in verdicts:
        was, now = verdict.effect.before, verdict.now
        if verdict.outcome not in _MAY_HAVE_HAPPENED and (now is None or now == was or verdict.jammed):
            continue
        known = before(verdict.effect, entities, takes)
        calls += known.calls
        reasons += [known.undo] if known.undo else []
    told = {"undo": " ".join(dict.fromkeys(reasons))} if reasons else {}
    return {"before": calls, **told} if calls or told else {}
