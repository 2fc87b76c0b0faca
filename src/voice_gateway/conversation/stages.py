"""Asks the stages in their order, after the parts that answer before them."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from time import perf_counter
from typing import NamedTuple

from voice_gateway.errors import GatewayError, UnfitAnswer
from voice_gateway.events import EventBus, Staged, State
from voice_gateway.languages.outcomes import told
from voice_gateway.tools.permission.gate import TurnGate
from voice_gateway.turn import Autonomy, Part, PartSource, Passed, Reply, ToolOutcome, Utterance, joined
from voice_gateway.turns.stage import ModelStage, Stage, Turn
from voice_gateway.understanding.stage import UnderstandingStage

log = logging.getLogger(__name__)

OURS = frozenset({"local"})  # stages without a model; they are not interrupted


class Aside(NamedTuple):
    """A part that answers before the stages; None if the words are about something else."""

    name: str
    reason: str  # for the trace: what it took the words for
    answer: Callable[[Utterance], Awaitable[str | None]]


class Stages:
    def __init__(
        self,
        stages: Sequence[Stage],
        events: EventBus,
        context: UnderstandingStage,
        asides: Sequence[Aside],
    ) -> None:
        self._stages, self._asides = tuple(stages), asides
        self._events, self._context = events, context

    async def answer(self, turn: Turn, gate: TurnGate) -> Reply:
        """The reply of the first stage that answers. A stage that passes also classifies the words."""
        started = perf_counter()
        for aside in self._asides:
            if text := await aside.answer(turn.utterance):
                turn.tell_step(Staged, aside.name, True, aside.reason, perf_counter() - started)
                turn.history.add_user(turn.utterance.text)
                turn.history.add_ai(text)
                return Reply(text, stage="local")
        for stage, behind in zip_longest(self._stages, self._stages[1:]):
            gate.by_model = stage.name not in OURS
            if gate.by_model:
                turn = replace(turn, home=self._context.home_facts(turn.utterance.text))
            if isinstance(stage, ModelStage):
                gate.autonomy = partial(lambda model: model.trust().autonomy, stage)
            acts = isinstance(behind, ModelStage) and behind.trust().autonomy is Autonomy.ACT
            started = perf_counter()
            try:
                result = await _asked(stage, replace(turn, trusted_next=acts))
            except GatewayError as error:
                turn.tell_step(Staged, stage.name, False, error.spoken, perf_counter() - started)
                log.error("stage failed", extra={"stage": stage.name, "reason": str(error)})
                if not isinstance(error, UnfitAnswer):
                    part = f"brain {stage.name}"
                    self._events.report(part, State.DEGRADED, error.spoken, str(error))
                failed = Reply(error.spoken, stage=stage.name, ok=False, passed=turn.passed)
                return await self._without_model(turn, gate) or behind_outcomes(turn.outcomes, failed)
            trust = str(stage.trust()) if isinstance(stage, ModelStage) else ""
            _tell_stage(turn, stage, result, perf_counter() - started, trust)
            if isinstance(result, Reply):
                self._report_there(stage, result)
                return replace(result, passed=turn.passed, trust=trust)
            turn = replace(turn, passed=(*turn.passed, result))
            gate.words = result.words
            gate.unspoken_of |= result.unspoken_of
            if result.last:
                break
        return self._context.fallback(turn)

    async def _without_model(self, turn: Turn, gate: TurnGate) -> Reply | None:
        """Lets the first stage answer after all, when it left doubtful words to a model that failed."""
        if turn.outcomes or not turn.passed:
            return None
        gate.by_model = False
        stage, started = self._stages[0], perf_counter()
        result = await stage.answer(turn)
        _tell_stage(turn, stage, result, perf_counter() - started)
        return result if isinstance(result, Reply) else None

    def _report_there(self, stage: Stage, reply: Reply) -> None:
        if reply.model is None and stage.name not in OURS:
            return  # it was interrupted, so its health is unknown
        model = f"My language model ({reply.model}) is there."
        self._events.report(
            f"brain {stage.name}", State.OK, model if reply.model else "Understanding without a model works."
        )


def _tell_stage(turn: Turn, stage: Stage, result: Reply | Passed, seconds: float, trust: str = "") -> None:
    if isinstance(result, Reply):
        turn.tell_step(Staged, stage.name, True, result.understood, seconds, trust=trust)
    else:
        turn.tell_step(Staged, stage.name, False, result.reason, seconds, result.words, trust)


def behind_outcomes(done: Sequence[ToolOutcome], reply: Reply) -> Reply:
    if not done:
        return reply
    return replace(reply.behind(told(done)), outcomes=tuple(done))


async def _asked(stage: Stage, turn: Turn) -> Reply | Passed:
    """The stage's answer. An interruption ends a model's text; its words and calls so far stay."""
    if stage.name in OURS:
        return await stage.answer(turn)
    spoken: list[Part] = []

    def say(part: Part) -> None:
        spoken.append(part)
        if turn.say is not None:
            turn.say(part)

    answer = await turn.interruption.cutting(stage.answer(replace(turn, say=say)))
    if answer is not None:
        return answer
    outcomes = tuple(turn.outcomes)
    log.info("turn interrupted", extra={"stage": stage.name, "calls": len(outcomes)})
    if not outcomes:  # then the stage has left no trace
        turn.history.add_user(turn.utterance.text)
    parts = joined(spoken)
    if not parts and outcomes:
        parts = (Part(PartSource.GATEWAY, told(outcomes)),)
    text = " ".join(part.text for part in parts)
    turn.history.add_ai(text)
    ok = bool(text) and all(outcome.ok for outcome in outcomes)
    return Reply(text, outcomes, stage=stage.name, ok=ok, parts=parts)
