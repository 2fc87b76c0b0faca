"""Taking back what was done, and doing what was meant instead: "undo", "no, I meant the desk lamp"."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from home_names.phrases import capital
from home_words.undo_words import HOW_MANY, REGRET, UNDO, UNDO_ONE
from voice_gateway.brain.local.calls import run_in_order
from voice_gateway.brain.local.correction import correction_in, device_of, meant_instead
from voice_gateway.brain.local.followup import QUESTION_SECONDS, resolve_answer
from voice_gateway.brain.local.grammar import Frame, has_own_sentences
from voice_gateway.brain.local.meaning import Clarification, Request
from voice_gateway.brain.local.memory import Memory
from voice_gateway.brain.local.normalise import NormalisedText, normalise, strip_politeness
from voice_gateway.brain.local.understand import Reader
from voice_gateway.brain.local.wording import the
from voice_gateway.errors import LinkError
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import OutcomeStatus, Reply, ToolOutcome
from voice_gateway.turns.acts import Call, TurnActs, UndoEntry, new_calls, target
from voice_gateway.turns.render_outcomes import render_outcomes
from voice_gateway.turns.stage import Turn

log = logging.getLogger(__name__)

NOTHING = "There is nothing that I could take back."
CANNOT_LOOK = "I cannot look up what I did, so I took nothing back."
CORRECTED_SECONDS = 300.0  # so long "no, I meant …" is about what was done last
CORRECTING = "correcting"  # in the state: the open question is about what was meant instead
MOST_TRIES = 2  # to put something back; then the next "undo" goes further
EVERYTHING = 20  # acts: no more of them are taken back at once
_NOT_DONE = frozenset(
    {OutcomeStatus.FAILED, OutcomeStatus.UNREACHABLE, OutcomeStatus.SYSTEM_DOWN, OutcomeStatus.NOT_PERMITTED}
)

# --- the words


def acts_to_undo(said: NormalisedText) -> int:
    """How many acts are to be taken back. It must be the whole of it: who says more than that speaks of
    something else."""
    for parts in ((said.text,), (said.whole,), said.parts):
        meant = [part for part in parts if len(parts) == 1 or not REGRET.fullmatch(part)]
        if len(meant) == 1 and (count := _acts(meant[0])):
            return count
    return 0


def _acts(text: str) -> int:
    regret = REGRET.match(text)
    rest = text[regret.end() :].strip() if regret else text
    if not any(UNDO.fullmatch(strip_politeness(words)[0]) for words in (text, rest) if words):
        return 0
    many = HOW_MANY.search(rest)
    if many is None:
        return 1
    count = many["count"] or many["times"] or (2 if many["two"] else EVERYTHING)
    return min(int(count), EVERYTHING)


def undone_device(said: NormalisedText, home: Home) -> Device | None:
    """The one that is to be put back, called by its own name: "put the floor lamp back"."""
    match = UNDO_ONE.fullmatch(said.text)
    found = home.names.exact(match["undone"] or match["put"] or match["was"]) if match else ()
    return found[0] if len(found) == 1 else None


# --- what is said of what was done


async def put_right(
    executor: ToolExecutor, turn: Turn, acts: TurnActs, reader: Reader, memory: Memory
) -> "Done | Clarification | None":
    """The last act is taken back, or put right; None where nobody speaks of it."""
    said, correcting = normalise(turn.utterance.text), turn.history.state.pop(CORRECTING, False)
    context, ours = reader.context, has_own_sentences(reader.language)
    only = undone_device(said, context.home) if ours and acts.wanted is None else None
    count = acts_to_undo(said) if ours else 0
    if acts.wanted is not None or only is not None or count:
        asking = turn.asking() if said.question and acts.wanted is None else turn
        return await take_back(executor, asking, context.home, only, count or 1)
    if correcting and memory.asked is not None and acts.now() - memory.asked_at <= QUESTION_SECONDS:
        answered = resolve_answer(said, memory.asked, context)
        meant = reader.planned(answered).requests if isinstance(answered, Frame) else ()
        return await correct(executor, turn, meant, context.home) if meant else None
    correction = correction_in(said) if ours and memory.asked is None else None
    act = await acts.last(CORRECTED_SECONDS) if correction is not None else None
    if correction is None or act is None:
        return None
    instead = await asyncio.to_thread(meant_instead, correction, act, memory, reader)
    if isinstance(instead, Clarification):
        turn.history.state[CORRECTING] = True
        return instead
    return await correct(executor, turn, instead, context.home) if instead else None


# --- carried out


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
        return _told(turn, CANNOT_LOOK)
    if act is None:
        return _told(turn, NOTHING)
    turn.acts.leave(act)  # should the turn end in the middle
    calls = [call for call in act.calls if only is None or device_of(call, home) == only]
    if only is not None and not calls:
        return _told(turn, f"What I did last was not about {the(only)}, so I took nothing back.")
    outcomes, failed = await _put_back(executor, turn, calls)
    again = failed if act.tries + 1 < MOST_TRIES else []
    left = [call for call in act.calls if call not in calls or call in again]
    rest = replace(act, calls=tuple(left), tries=act.tries + bool(failed))
    turn.acts.leave(rest if left else None)
    sentences = [render_outcomes(outcomes)] if outcomes else []
    if act.reasons and only is None:
        sentences.append(
            f"I cannot take {'all of that' if outcomes else 'that'} back. {' '.join(act.reasons)}"
        )
    text = " ".join(sentences)
    turn.history.add_ai(text)
    ok = bool(outcomes) and all(outcome.ok for outcome in outcomes)
    return _done(text, outcomes, home, ok=ok)


async def correct(executor: ToolExecutor, turn: Turn, requests: Sequence[Request], home: Home) -> Done:
    """The last act is put back, then the right one done. What both are about only gets its new value, and
    can be taken back to what was before the first."""
    assert turn.acts is not None
    turn.history.add_user(turn.utterance.text)
    act = await turn.acts.take() or UndoEntry()
    right = new_calls({"name": request.tool, "args": request.args} for request in requests)
    again = {_about({"name": call.name, "args": call.args}, home) for call in right}
    kept = [call for call in act.calls if _about(call, home) in again]
    outcomes, failed = await _put_back(executor, turn, [call for call in act.calls if call not in kept])
    turn.acts.leave(replace(act, calls=(*kept, *failed), reasons=()))
    outcomes += await run_in_order(executor, turn, right)
    text = render_outcomes(outcomes)
    if act.reasons and not kept:
        text = f"{text} I cannot take back what I did before. {' '.join(act.reasons)}"
    turn.history.add_ai(text)
    done = _done(text, outcomes, home, ok=all(outcome.ok for outcome in outcomes))
    return replace(done, right=tuple(requests))


def _about(call: Call, home: Home) -> object:
    """Two calls on one device may look different: what turns it on, and what dims it."""
    device = device_of(call, home)
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


def _told(turn: Turn, text: str) -> Done:
    turn.history.add_ai(text)
    return Done(Reply(text, stage="local", ok=False))


def _done(text: str, outcomes: Sequence[ToolOutcome], home: Home, *, ok: bool) -> Done:
    requests = tuple(
        Request(outcome.name, outcome.args, home.device_of(outcome.name, outcome.args))
        for outcome in outcomes
    )
    return Done(Reply(capital(text), tuple(outcomes), stage="local", ok=ok), requests, tuple(outcomes))
