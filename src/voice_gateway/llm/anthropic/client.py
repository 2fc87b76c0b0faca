"""Answers with a model of Anthropic (MSG-1): prompts are marked for caching, answers checked to their end.

Tools stay LangChain tools, ChatAnthropic converts them.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Unpack

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool

from voice_gateway.config import AnthropicSettings, BrainSettings
from voice_gateway.errors import BrainError, UnfitAnswer, named
from voice_gateway.llm.client import Around, Made, ModelClient, TurnModel
from voice_gateway.llm.model import OnText, collected
from voice_gateway.llm.offer import Offer
from voice_gateway.llm.prompt import SYSTEM_PROMPT, tokens_of
from voice_gateway.problems import (
    MODEL_BROKE_OFF,
    MODEL_BUSY,
    MODEL_KEY_REFUSED,
    MODEL_NO_KEY,
    MODEL_REFUSED,
    MODEL_TOO_LONG,
    MODEL_TOO_SLOW,
    MODEL_UNKNOWN,
    MODEL_UNREACHABLE,
)
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import schema_of, sendable_name
from voice_gateway.turns.stage import Turn

if TYPE_CHECKING:
    from anthropic import APIStatusError
    from langchain_anthropic import ChatAnthropic

log = logging.getLogger(__name__)

CACHED = {"type": "ephemeral"}
# Besides one timeout per try: the waits between tries, and one long answer. Whatever happens, a request ends.
DEADLINE_TIMEOUTS = 2
NO_KEY = "ANTHROPIC_API_KEY is not set. Set it, or choose another brain.provider."
HISTORY_TOKENS = 50_000  # of a context of 200,000: what is older is seldom meant, and costs money
_COMPLETE = {"end_turn", "stop_sequence", "tool_use"}


def make_chat(settings: AnthropicSettings) -> "ChatAnthropic":
    """Imports the library, which takes about two seconds: call it in a thread."""
    import anthropic
    from langchain_anthropic import ChatAnthropic

    class Chat(ChatAnthropic):
        """With a connection pool of its own: the library shares one by address, and we close ours."""

        @cached_property
        def _async_client(self) -> anthropic.AsyncClient:
            return anthropic.AsyncClient(**self._client_params)

    assert settings.api_key is not None
    extra: dict[str, Any] = {"base_url": settings.base_url} if settings.base_url else {}
    return Chat(
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
    fit = [tool if schema_of(tool).get("type") == "object" else _as_object(tool) for tool in tools]
    if fit:
        extras = {**(fit[-1].extras or {}), "cache_control": CACHED}
        fit[-1] = fit[-1].model_copy(update={"extras": extras})
    return fit


def _as_object(tool: BaseTool) -> BaseTool:
    return tool.model_copy(update={"args_schema": {"properties": {}, **schema_of(tool), "type": "object"}})


def sendable(message: BaseMessage) -> BaseMessage:
    """Names and ids as the API accepts them: a conversation may have begun with another brain."""
    if isinstance(message, ToolMessage):
        return message.model_copy(update={"tool_call_id": sendable_name(message.tool_call_id)})
    if isinstance(message, AIMessage) and message.tool_calls:
        calls = [
            {**call, "id": sendable_name(call["id"] or ""), "name": sendable_name(call["name"])}
            for call in message.tool_calls
        ]
        return message.model_copy(update={"tool_calls": calls})
    return message


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
        self._settings, self.model_name = settings, settings.model
        self._made = Made("Anthropic", lambda: new_chat(settings))
        self._bound: tuple[Offer, Any] | None = None

    async def aclose(self) -> None:
        if self._made.chat is not None:
            await self._made.chat._async_client.close()
            self._made.chat = None

    async def ready(self) -> "ChatAnthropic":
        if self._settings.api_key is None or not self._settings.api_key.get_secret_value().strip():
            raise BrainError(NO_KEY, spoken=MODEL_NO_KEY)
        return await self._made.get()

    async def _for_turn(self, turn: Turn) -> tuple[TurnModel, int]:
        chat, offer = await self.ready(), self.offer()
        if self._bound is None or self._bound[0] is not offer:
            tools = with_cache_mark(offer.tools)
            self._bound = (offer, chat.bind_tools(tools) if tools else chat)
        # The home last, with a mark of its own: a change of it leaves tools and prompt in the cache.
        texts = filter(None, [SYSTEM_PROMPT, self._home_note(HISTORY_TOKENS)])
        system = [{"type": "text", "text": text, "cache_control": CACHED} for text in texts]
        reply = partial(self._reply, self._bound[1], SystemMessage(content=[*system]))
        return TurnModel(self, offer, reply), HISTORY_TOKENS

    async def _reply(
        self, bound: Any, system: SystemMessage, messages: Sequence[BaseMessage], on_text: OnText
    ) -> AIMessage:
        async def trouble(error: Exception) -> BrainError:
            return translated(error, self._settings)

        tries = self._settings.max_retries + 1
        stream = bound.astream([system, *map(sendable, messages)])
        try:
            async with asyncio.timeout(self._settings.timeout_seconds * (tries + DEADLINE_TIMEOUTS)):
                whole = await collected(stream, on_text, trouble)
        except TimeoutError as error:
            raise translated(error, self._settings) from error
        stop_reason = whole.response_metadata.get("stop_reason") if whole is not None else None
        if whole is None or stop_reason not in _COMPLETE:
            raise incomplete(stop_reason, self._settings)
        calls = bool(whole.tool_calls or whole.invalid_tool_calls)
        if calls and stop_reason != "tool_use":  # input cut off in the middle still parses to a likely call
            raise incomplete(stop_reason, self._settings)
        log.debug("model answered", extra={"model": self.model_name, "usage": whole.usage_metadata})
        return whole


def _cost(tool: BaseTool) -> int:
    return tokens_of({"name": tool.name, "description": tool.description, "input_schema": schema_of(tool)})


# --- what goes wrong, by the type of the error, in words that say what to do


_KINDS = {
    401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error",
    529: "overloaded_error",
}  # fmt: skip
_KEY_REFUSED = ("Anthropic does not accept the key ({status}). Check ANTHROPIC_API_KEY.", MODEL_KEY_REFUSED)
_BUSY = ("Anthropic is rate-limited or in trouble ({status}). Try again later.", MODEL_BUSY)
_REFUSALS = {
    **dict.fromkeys(("authentication_error", "permission_error"), _KEY_REFUSED),
    "not_found_error": ('Anthropic does not know the model "{model}". Check anthropic.model.', MODEL_UNKNOWN),
    **dict.fromkeys(("rate_limit_error", "overloaded_error", "api_error", "timeout_error"), _BUSY),
}


def translated(error: Exception, settings: AnthropicSettings) -> BrainError:
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return _status(error, settings)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return BrainError(
            f"Anthropic did not answer within {settings.timeout_seconds:g} s.", spoken=MODEL_TOO_SLOW
        )
    if isinstance(error, anthropic.APIConnectionError | httpx2.HTTPError | OSError):
        return BrainError(f"The connection to Anthropic failed: {named(error)}", spoken=MODEL_UNREACHABLE)
    return BrainError(f"Anthropic gave no readable answer: {named(error)}", spoken=MODEL_BROKE_OFF)


def _status(error: "APIStatusError", settings: AnthropicSettings) -> BrainError:
    """By the API's own error type first: inside a stream the HTTP status is 200 whatever went wrong."""
    status = error.status_code
    kind = error.type or _KINDS.get(status, "api_error" if status >= 500 else "")
    if kind not in _REFUSALS:
        return BrainError(f"Anthropic refused the request ({status}): {error.api_message or kind}")
    text, spoken = _REFUSALS[kind]
    return BrainError(text.format(status=status, model=settings.model), spoken=spoken)


def incomplete(stop_reason: str | None, settings: AnthropicSettings) -> BrainError:
    """A reply that ended before its end is no answer, and half a tool call is never run."""
    if stop_reason == "max_tokens":
        return UnfitAnswer(f"The answer was cut after {settings.max_tokens} tokens.", spoken=MODEL_TOO_LONG)
    if stop_reason == "refusal":
        return UnfitAnswer("The model refused to answer.", spoken=MODEL_REFUSED)
    text = f"Anthropic's answer ended without its end (stop_reason {stop_reason})."
    if stop_reason == "model_context_window_exceeded":
        text = "The conversation is too long for the model. Start a new one."
    return BrainError(text, spoken=MODEL_BROKE_OFF)
