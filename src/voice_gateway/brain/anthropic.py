"""Answers with a model of Anthropic (MSG-1); tools stay LangChain tools, ChatAnthropic converts them."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool

from voice_gateway.brain.anthropic_errors import NO_KEY, WRONG_KEY, incomplete, translated
from voice_gateway.brain.client import Turn
from voice_gateway.brain.loop import Compose, run_loop
from voice_gateway.brain.offer import Offer, Offering, tokens_of
from voice_gateway.brain.prompt import SYSTEM_PROMPT, Clock, local_time, stamped
from voice_gateway.brain.release import Review
from voice_gateway.brain.told import told
from voice_gateway.config import AnthropicSettings, BrainSettings
from voice_gateway.errors import BrainError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import schema_of
from voice_gateway.turn import Reply

if TYPE_CHECKING:
    from langchain_anthropic import ChatAnthropic

log = logging.getLogger(__name__)

CACHED = {"type": "ephemeral"}
HISTORY_TOKENS = 50_000  # of a context of 200,000: what is older is seldom meant, and costs money
# Besides one timeout per try: the waits between tries, and one long answer. Whatever happens, a request ends.
DEADLINE_TIMEOUTS = 2
_COMPLETE = {"end_turn", "stop_sequence", "tool_use"}


def make_chat(settings: AnthropicSettings) -> "ChatAnthropic":
    """Imports the library, which takes about two seconds: call it in a thread."""
    from langchain_anthropic import ChatAnthropic

    assert settings.api_key is not None
    extra: dict[str, Any] = {"base_url": settings.base_url} if settings.base_url else {}
    return ChatAnthropic(
        model_name=settings.model,
        api_key=settings.api_key,
        max_tokens_to_sample=settings.max_tokens,
        timeout=settings.timeout_seconds,
        max_retries=settings.max_retries,
        stop=None,
        **extra,
    )


def with_cache_mark(tools: Sequence[BaseTool]) -> list[BaseTool]:
    """The tools themselves, but for a schema without `type: object`, and a mark on the last one.

    The mark makes the API keep everything up to and including the tools, so they are read once.
    """
    fit = [tool if _is_object(tool) else _as_object(tool) for tool in tools]
    if fit:
        extras = {**(fit[-1].extras or {}), "cache_control": CACHED}
        fit[-1] = fit[-1].model_copy(update={"extras": extras})
    return fit


def _is_object(tool: BaseTool) -> bool:
    return schema_of(tool).get("type") == "object"


def _as_object(tool: BaseTool) -> BaseTool:
    return tool.model_copy(update={"args_schema": {"properties": {}, **schema_of(tool), "type": "object"}})


def sendable(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Names and ids as the API accepts them: a conversation may have begun with another brain."""
    return [_sendable(message) for message in messages]


def _sendable(message: BaseMessage) -> BaseMessage:
    if isinstance(message, ToolMessage):
        return message.model_copy(update={"tool_call_id": _word(message.tool_call_id)})
    if isinstance(message, AIMessage) and message.tool_calls:
        calls = [
            {**call, "id": _word(call["id"] or ""), "name": _word(call["name"])}
            for call in message.tool_calls
        ]
        return message.model_copy(update={"tool_calls": calls})
    return message


def _word(text: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", text)[:64] or "_"


@dataclass(frozen=True)
class _AnthropicModel:
    """One turn's model with its tools bound."""

    bound: Any  # a Runnable; LangChain's types for it say nothing more
    offer: Offer
    settings: AnthropicSettings

    stage = "anthropic"

    @property
    def model_name(self) -> str:
        return self.settings.model

    def doubtful(self, messages: Sequence[BaseMessage]) -> bool:
        return False  # the API refuses a prompt that is too long, it does not cut it

    async def reply(self, messages: Sequence[BaseMessage], on_text: Callable[[str], None]) -> AIMessage:
        tries = self.settings.max_retries + 1
        limit = self.settings.timeout_seconds * (tries + DEADLINE_TIMEOUTS)
        system = SystemMessage(content=[{"type": "text", "text": SYSTEM_PROMPT, "cache_control": CACHED}])
        whole: AIMessageChunk | None = None
        try:
            async with asyncio.timeout(limit):
                async for chunk in self.bound.astream([system, *sendable(messages)]):
                    whole = chunk if whole is None else whole + chunk
                    if text := str(chunk.text):
                        on_text(text)
        except Exception as error:
            raise translated(error, self.settings) from error
        return self._checked(whole)

    def _checked(self, whole: AIMessageChunk | None) -> AIMessage:
        stop_reason = whole.response_metadata.get("stop_reason") if whole is not None else None
        if whole is None or stop_reason not in _COMPLETE:
            raise incomplete(stop_reason, self.settings)
        calls = bool(whole.tool_calls or whole.invalid_tool_calls)
        if calls and stop_reason != "tool_use":  # input cut off in the middle still parses to a likely call
            raise incomplete(stop_reason, self.settings)
        log.debug("model answered", extra={"model": self.settings.model, "usage": whole.usage_metadata})
        return whole


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
        review: Review | None = None,
        compose: Compose = told,
        tools_ready: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._settings, self._brain, self._executor = settings, brain, executor
        self._clock = clock
        self._review, self._compose = review, compose
        self._tools_ready = tools_ready
        self._offers = Offering(executor.tools, cost=_cost, clock=clock)
        self._chat: ChatAnthropic | None = None
        self._making = asyncio.Lock()
        self._bound: tuple[Offer, Any] | None = None

    def offer(self) -> Offer:
        """The tools the model sees; all of them, because a large model has room."""
        return self._offers.current()

    async def answer(self, turn: Turn) -> Reply:
        if self._tools_ready is not None:
            await self._tools_ready()
        chat = await self._ready()
        may_act = not any(passed.forbid_side_effects for passed in turn.passed)
        return await run_loop(
            self._model(chat),
            turn,
            self._executor,
            user_text=stamped(turn.utterance, self._clock(), may_act=may_act),
            max_rounds=self._brain.max_rounds,
            history_budget=HISTORY_TOKENS,
            review=self._review,
            compose=self._compose,
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
            raise BrainError(NO_KEY, spoken=WRONG_KEY)
        async with self._making:
            if self._chat is None:
                self._chat = await asyncio.to_thread(make_chat, self._settings)
            return self._chat

    def _model(self, chat: "ChatAnthropic") -> _AnthropicModel:
        offer = self._offers.current()
        if self._bound is None or self._bound[0] is not offer:
            tools = with_cache_mark(offer.tools)
            self._bound = (offer, chat.bind_tools(tools) if tools else chat)
        return _AnthropicModel(self._bound[1], offer, self._settings)


def _cost(tool: BaseTool) -> int:
    return tokens_of({"name": tool.name, "description": tool.description, "input_schema": schema_of(tool)})
