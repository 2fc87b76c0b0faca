"""Answers with a model of Anthropic (MSG-1); tools stay LangChain tools, ChatAnthropic converts them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool

from voice_gateway.config import AnthropicSettings, BrainSettings
from voice_gateway.errors import BrainError
from voice_gateway.llm.anthropic.chat import NO_KEY, AnthropicModel, make_chat, with_cache_mark
from voice_gateway.llm.loop import run_loop
from voice_gateway.llm.model import several_steps, trust
from voice_gateway.llm.offer import Offer, Offering
from voice_gateway.llm.prompt import (
    MOST_TOKENS,
    Clock,
    Devices,
    HomeNote,
    Instructions,
    local_time,
    server_note,
    stamped,
    tokens_of,
)
from voice_gateway.problems import MODEL_NO_KEY
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import schema_of
from voice_gateway.turn import Reply
from voice_gateway.turns.stage import Trust, Turn

if TYPE_CHECKING:
    from langchain_anthropic import ChatAnthropic

log = logging.getLogger(__name__)

HISTORY_TOKENS = 50_000  # of a context of 200,000: what is older is seldom meant, and costs money


class AnthropicClient:
    """The stage `anthropic`."""

    name = "anthropic"

    def __init__(
        self,
        settings: AnthropicSettings,
        brain: BrainSettings,
        executor: ToolExecutor,
        *,
        clock: Clock = local_time,
        devices: Devices = tuple,
        instructions: Instructions = dict,
        tools_ready: Callable[[], Awaitable[None]] | None = None,
        new_chat: "Callable[[AnthropicSettings], ChatAnthropic]" = make_chat,
    ) -> None:
        self._settings, self._brain, self._executor = settings, brain, executor
        self._clock = clock
        self._note = HomeNote(devices)
        self._instructions = instructions
        self._tools_ready = tools_ready
        self._new_chat = new_chat
        self._offers = Offering(executor.tools, cost=_cost, clock=clock)
        self._chat: ChatAnthropic | None = None
        self._making = asyncio.Lock()
        self._bound: tuple[Offer, Any] | None = None

    def offer(self) -> Offer:
        """The tools the model sees; all of them, because a large model has room."""
        return self._offers.current()

    def trust(self) -> Trust:
        return trust(self._brain.autonomy, provider=self.name)

    async def answer(self, turn: Turn) -> Reply:
        if self._tools_ready is not None:
            await self._tools_ready()
        chat = await self._ready()
        may_act = turn.may_act(self.trust().autonomy)
        return await run_loop(
            self._model(chat),
            turn,
            self._executor,
            user_text=stamped(turn.utterance, self._clock(), may_act=may_act),
            max_rounds=self._brain.max_rounds,
            history_budget=HISTORY_TOKENS,
        )

    async def warm_up(self) -> bool:
        """Import the library; nothing is sent before there is a question."""
        try:
            await self._ready()
        except BrainError as error:
            log.warning("model could not be warmed up", extra={"reason": str(error)})
            return False
        return True

    async def keep_warm(self) -> None:
        await self.warm_up()

    def tools_changed(self) -> None:
        """Nothing to do: the next question binds the new list."""

    async def aclose(self) -> None:
        if self._chat is not None:
            await self._chat._async_client.close()
            self._chat = None

    async def _ready(self) -> "ChatAnthropic":
        if self._settings.api_key is None or not self._settings.api_key.get_secret_value().strip():
            raise BrainError(NO_KEY, spoken=MODEL_NO_KEY)
        async with self._making:
            if self._chat is None:
                try:
                    self._chat = await asyncio.to_thread(self._new_chat, self._settings)
                except Exception as error:  # an address or a number that the library does not take
                    raise BrainError(f"Anthropic's settings cannot be used: {error}") from error
            return self._chat

    def _model(self, chat: "ChatAnthropic") -> AnthropicModel:
        offer = self._offers.current()
        if self._bound is None or self._bound[0] is not offer:
            tools = with_cache_mark(offer.tools)
            self._bound = (offer, chat.bind_tools(tools) if tools else chat)
        steps = several_steps(self._brain.several_steps, provider="anthropic")
        said = server_note(self._instructions(), MOST_TOKENS)
        note = "\n".join(filter(None, [self._note.within(self._settings.home_token_budget), said]))
        return AnthropicModel(self._bound[1], offer, self._settings, note, steps)


def _cost(tool: BaseTool) -> int:
    return tokens_of({"name": tool.name, "description": tool.description, "input_schema": schema_of(tool)})
