"""The turn that every stage gets, and the interface of a stage."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, runtime_checkable

from home_names.names import fold
from voice_gateway.events import CallFinished, CallStarted, EventBus, Judged, Step
from voice_gateway.interruption import Interruption
from voice_gateway.tools.executor import CONFIRMED, ToolExecutor
from voice_gateway.tools.permission.gate import TurnGate
from voice_gateway.tools.traits import traits
from voice_gateway.turn import (
    Autonomy,
    Decision,
    Gate,
    Passed,
    Reply,
    Say,
    ToolCall,
    ToolOutcome,
    ToolTraits,
    Utterance,
    Verdict,
    Words,
)
from voice_gateway.turns.acts import TurnActs
from voice_gateway.turns.history import History

OnOutcome = Callable[[ToolOutcome], None]


@dataclass(frozen=True, slots=True)
class HomeFacts:
    """What is known of the home in a turn, read once by the conversation."""

    names: frozenset[str] = frozenset()  # of its devices and rooms
    servers: frozenset[str] = frozenset()  # the tool servers that have its devices
    meant: bool = False  # the user's words are a wish or question about it
    talk: bool = False  # they are plainly neither: a greeting, a story, general knowledge
    read: bool = False  # the user's words make sense to our own brain

    def names_in(self, text: str) -> frozenset[str]:
        """The names in a text. A script without spaces has no word borders; other languages bend a name."""
        folded = " ".join(fold(text).split())
        return frozenset(name for name in self.names if _holds(folded, " ".join(fold(name).split())))


def _holds(text: str, name: str) -> bool:
    if not name or name not in text:
        return False
    if not any(character.isascii() for character in name):
        return True
    return re.search(rf"(?<!\w){re.escape(name)}\w{{0,2}}(?!\w)", text) is not None


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance on its way through the stages.

    The stage that answers adds the user's words and all that followed to `history`; a stage that passes
    leaves it as it was.
    """

    utterance: Utterance
    history: History = field(default_factory=History)
    say: Say | None = None  # where the reply's text goes while it is made
    gate: Gate | None = None  # asked before each call of this turn, besides the executor's own gate
    passed: tuple[Passed, ...] = ()  # the stages that passed before
    interruption: Interruption = field(default_factory=Interruption)
    outcomes: list[ToolOutcome] = field(default_factory=list)  # of all calls so far, as they came
    acts: TurnActs | None = None  # what was done before and can be taken back
    home: HomeFacts = HomeFacts()
    trusted_next: bool = False  # the next stage is a model that may act on doubtful words
    events: EventBus | None = None  # where its steps are published
    shown: Utterance | None = None  # the utterance as others may see it: without a PIN

    def may_act(self, autonomy: Autonomy) -> bool:
        """Whether a model may try to act, by the judgement of earlier stages."""
        words = {passed.words for passed in self.passed}
        return Words.TALK not in words and (autonomy is not Autonomy.LOOK or Words.DOUBTFUL not in words)

    def heard_outside(self) -> bool:
        """Whether text from outside is in its history or in the results of its calls."""
        return self.history.has_outside_words or any(outcome.outside for outcome in self.outcomes)

    def tell_step(self, step: Callable[..., Step], *facts: Any, **more: Any) -> None:
        if self.events is not None:
            self.events.publish(step(self.shown, *facts, **more))

    async def run(
        self, executor: ToolExecutor, calls: Sequence[ToolCall], on_outcome: OnOutcome | None = None
    ) -> list[ToolOutcome]:
        """Makes calls of this turn: checked by its gate, not interruptible, and kept for undo."""

        def keep(outcome: ToolOutcome) -> None:
            self.tell_step(CallFinished, outcome)
            self.outcomes.append(outcome)
            if on_outcome is not None:
                on_outcome(outcome)

        if not (isinstance(self.gate, TurnGate) and self.gate.confirmed):
            calls = [_without_yes(call) for call in calls]
        if isinstance(self.gate, TurnGate) and self.gate.by_model:
            known = ((call, executor.tools.find(call.name)) for call in calls)
            self.gate.consider((call, traits(tool)) for call, tool in known if tool is not None)
        with self.interruption.calls():
            gate = None if self.gate is None else partial(self._judged, self.gate)
            return await executor.execute_all(calls, gate=gate, on_outcome=keep)

    def _judged(self, gate: Gate, call: ToolCall, known: ToolTraits) -> Verdict:
        verdict = gate(call, known)
        self.tell_step(Judged, call, verdict)
        if verdict.decision is Decision.ALLOWED:
            self.tell_step(CallStarted, call, known)
        return verdict


def _without_yes(call: ToolCall) -> ToolCall:
    """Removes a model's own confirmation of a scene: only the user says yes."""
    if not isinstance(call.args, dict) or "sceneName" not in call.args or CONFIRMED not in call.args:
        return call
    return replace(call, args={key: value for key, value in call.args.items() if key != CONFIRMED})


@dataclass(frozen=True, slots=True)
class Trust:
    """What a model may do that the words do not plainly ask for, and why."""

    autonomy: Autonomy
    why: str

    def __str__(self) -> str:
        return f"{self.autonomy.value} ({self.why})"


class Stage(Protocol):
    """A part that may answer: the understanding, a model."""

    @property
    def name(self) -> str:
        """`local`, `ollama` or `anthropic`."""
        ...

    async def answer(self, turn: Turn) -> Reply | Passed: ...


@runtime_checkable
class ModelStage(Stage, Protocol):
    """A stage whose calls a model makes."""

    def trust(self) -> Trust:
        """Known once the model has answered; before that the careful guess."""
        ...
