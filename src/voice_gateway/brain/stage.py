"""What every stage of the brain gets, and what it gives back."""

from dataclasses import dataclass, field
from typing import Protocol

from voice_gateway.brain.history import History
from voice_gateway.turn import Gate, Passed, Reply, Say, Utterance


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
    passed: tuple[Passed, ...] = ()  # the stages that were asked before


class Stage(Protocol):
    """Somebody who may answer: the local brain, a model."""

    @property
    def name(self) -> str:
        """`local`, `ollama` or `anthropic`."""
        ...

    async def answer(self, turn: Turn) -> Reply | Passed: ...
