"""Answers with a model of Anthropic (MSG-1); tools stay LangChain tools, ChatAnthropic converts them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

from langchain_core.tools import BaseTool

from voice_gateway.config import AnthropicSettings, BrainSettings
from voice_gateway.errors import BrainError
from voice_gateway.llm.anthropic.chat import NO_KEY, AnthropicModel, make_chat, with_cache_mark
from voice_gateway.llm.client import Around, Made, ModelClient
from voice_gateway.llm.model import Model
from voice_gateway.llm.offer import Offer
from voice_gateway.llm.prompt import tokens_of
from voice_gateway.problems import MODEL_NO_KEY
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import schema_of

if TYPE_CHECKING:
    from langchain_anthropic import ChatAnthropic

HISTORY_TOKENS = 50_000  # of a context of 200,000: what is older is seldom meant, and costs money


class AnthropicClient(ModelClient):
    """The stage `anthropic`. The model sees all tools, because it has room."""

    name = "anthropic"

    def __init__(
        self,
        settings: AnthropicSettings,
        brain: BrainSettings,
        executor: ToolExecutor,
        *,
        new_chat: "Callable[[AnthropicSettings], ChatAnthropic]" = make_chat,
        **around: Unpack[Around],
    ) -> None:
        super().__init__(brain, executor, home_tokens=settings.home_token_budget, cost=_cost, **around)
        self._settings = settings
        self._made = Made("Anthropic", lambda: new_chat(settings))
        self._bound: tuple[Offer, Any] | None = None

    async def keep_warm(self) -> None:
        """Nothing is sent before there is a question."""
        await self.prepare()

    def tools_changed(self) -> None:
        """Nothing to do: the next question binds the new list."""

    async def aclose(self) -> None:
        if self._made.chat is not None:
            await self._made.chat._async_client.close()
            self._made.chat = None

    async def ready(self) -> "ChatAnthropic":
        if self._settings.api_key is None or not self._settings.api_key.get_secret_value().strip():
            raise BrainError(NO_KEY, spoken=MODEL_NO_KEY)
        return await self._made.get()

    async def _for_turn(self) -> tuple[Model, int]:
        chat, offer = await self.ready(), self.offer()
        if self._bound is None or self._bound[0] is not offer:
            tools = with_cache_mark(offer.tools)
            self._bound = (offer, chat.bind_tools(tools) if tools else chat)
        note = self._home_note(HISTORY_TOKENS)
        model = AnthropicModel(self._bound[1], offer, self._settings, note, self.several_steps)
        return model, HISTORY_TOKENS


def _cost(tool: BaseTool) -> int:
    return tokens_of({"name": tool.name, "description": tool.description, "input_schema": schema_of(tool)})
