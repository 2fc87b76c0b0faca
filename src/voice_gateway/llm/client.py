"""What the clients of both providers share: the tools they offer, the notes on the home, and a turn."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypedDict, TypeVar, Unpack

from langchain_core.tools import BaseTool

from voice_gateway.config import BrainSettings
from voice_gateway.errors import BrainError
from voice_gateway.llm.loop import run_loop
from voice_gateway.llm.model import Completion, is_trusted, trust
from voice_gateway.llm.offer import Offer, Offering
from voice_gateway.llm.prompt import (
    Clock,
    Devices,
    Instructions,
    home_note,
    local_time,
    note_for,
    note_tokens,
    server_note,
    stamped,
)
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import Reply
from voice_gateway.turns.stage import Trust, Turn

log = logging.getLogger(__name__)

T = TypeVar("T")


class Around(TypedDict, total=False):
    """What the gateway tells a client."""

    clock: Clock
    devices: Devices
    instructions: Instructions
    tools_ready: Callable[[], Awaitable[None]] | None  # returns when all tools are known


class ModelClient(ABC):
    """The stage of one provider."""

    name: str
    model_name: str

    def __init__(
        self,
        brain: BrainSettings,
        executor: ToolExecutor,
        *,
        home_tokens: int,
        cost: Callable[[BaseTool], int],
        budget: int | None = None,
        priority: Sequence[str] = (),
        **around: Unpack[Around],
    ) -> None:
        self._brain, self._executor, self._home_tokens = brain, executor, home_tokens
        self._clock = around.get("clock", local_time)
        self._devices = around.get("devices", tuple)
        self._instructions = around.get("instructions", dict)
        self._tools_ready = around.get("tools_ready")
        limits = {"cost": cost, "budget": budget, "priority": priority}
        self._offers = Offering(executor.tools, self._clock, **limits)

    def offer(self) -> Offer:
        """The tools the model sees now, what was shortened, and what was left out and why."""
        return self._offers.current()

    @property
    def parameter_size(self) -> str | None:
        """Ollama's word for the model's size; None while it is not known."""
        return None

    @property
    def several_steps(self) -> bool:
        """Whether the model is asked again after all went well; known once it has answered."""
        setting = self._brain.several_steps
        return is_trusted(self.name, self.parameter_size) if setting == "auto" else setting

    def trust(self) -> Trust:
        return trust(self._brain.autonomy, provider=self.name, parameter_size=self.parameter_size)

    async def answer(self, turn: Turn) -> Reply:
        if self._tools_ready is not None:
            await self._tools_ready()
        model, history_budget = await self._for_turn(turn)
        stamp = stamped(turn.utterance, self._clock(), may_act=turn.may_act(self.trust().autonomy))
        # Tools that the words call for stand before them, behind the prefix, and stay in the history.
        rare = note_for(turn.utterance.text, model.offer.rare)
        return await run_loop(
            model,
            turn,
            self._executor,
            user_text="\n".join(filter(None, [rare, stamp])),
            max_rounds=self._brain.max_rounds,
            history_budget=history_budget,
        )

    @abstractmethod
    async def _for_turn(self, turn: Turn) -> "tuple[TurnModel, int]":
        """The model with the tools of now, and the tokens that the history may have."""

    def _home_note(self, room: int) -> str:
        """The notes on the home and its servers, in `room` tokens."""
        home = home_note(tuple(self._devices()), min(self._home_tokens, room))
        servers = server_note(self._instructions(), room - note_tokens(home))
        return "\n".join(filter(None, [home, servers]))

    @abstractmethod
    async def ready(self) -> object:
        """Imports the provider's library, which takes a second or two. BrainError: it cannot be used."""

    async def prepare(self) -> bool:
        """Imports the library before the first question needs it; nothing is sent."""
        try:
            await self.ready()
        except BrainError as error:
            log.warning("model cannot be used", extra={"reason": str(error)})
            return False
        return True

    async def keep_warm(self) -> None:
        await self.prepare()

    def tools_changed(self) -> None:  # noqa: B027 (the next question gets the new list anyway)
        """Called when the list of tools has changed."""


@dataclass(frozen=True)
class TurnModel:
    """The same tools for all requests of a turn, even when the list changes meanwhile."""

    client: ModelClient
    offer: Offer
    reply: Completion

    @property
    def stage(self) -> str:
        return self.client.name

    @property
    def model_name(self) -> str:
        return self.client.model_name

    @property
    def several_steps(self) -> bool:
        return self.client.several_steps


class Made(Generic[T]):
    """A provider's chat, made in a thread when it is first needed."""

    def __init__(self, provider: str, make: Callable[[], T]) -> None:
        self._provider, self._make = provider, make
        self._making = asyncio.Lock()
        self.chat: T | None = None

    async def get(self) -> T:
        async with self._making:
            if self.chat is None:
                try:
                    self.chat = await asyncio.to_thread(self._make)
                except Exception as error:  # an address or a number that the library does not take
                    raise BrainError(f"{self._provider}'s settings cannot be used: {error}") from error
            return self.chat
