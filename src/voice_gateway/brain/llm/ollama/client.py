"""Answers with a model that Ollama serves (MSG-2, FMT-*)."""

import asyncio
import hashlib
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from voice_gateway.backoff import Backoff
from voice_gateway.brain.grounding import HomeNames
from voice_gateway.brain.llm.loop import run_loop
from voice_gateway.brain.llm.offer import Offer, Offering, tokens_of
from voice_gateway.brain.llm.ollama.chat import OllamaChat, prompt_tokens
from voice_gateway.brain.llm.ollama.qwen_format import to_qwen_tool, to_qwen_tools
from voice_gateway.brain.llm.prompt import SYSTEM_PROMPT, Clock, local_time, stamped
from voice_gateway.brain.llm.trust import several_steps
from voice_gateway.brain.stage import Turn
from voice_gateway.config import BrainSettings, OllamaSettings, SeveralSteps
from voice_gateway.errors import BrainError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.lint import estimate_tokens
from voice_gateway.turn import Reply, Utterance, Words

log = logging.getLogger(__name__)

CONVERSATION_TOKENS = 512  # the least that must be left for what is said, whatever the tools take
LOOK_AGAIN_SECONDS = 5.0  # how soon a change of the tools, or an unload, is seen when nobody tells
LEAST_KEEP_SECONDS = 60.0  # a model kept for less is meant to go; loading it again and again would be absurd
LAST_RETRY_SECONDS = 300.0  # while Ollama is down, the wait doubles up to this

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
FOR_EVER = float("inf")


def seconds_of(keep_alive: str) -> float:
    """Ollama's durations: "30m", "1h30m", "90" (seconds), "-1" (for ever)."""
    text = keep_alive.strip()
    if text.startswith("-"):
        return FOR_EVER
    if text.isdigit():
        return float(text)
    return sum(
        float(number) * _UNITS[unit] for number, unit in re.findall(r"(?<![\d.])([\d.]+)(ms|s|m|h)", text)
    )


class PrefixCache:
    """Which prefix the model server has read last, and until when it keeps it."""

    def __init__(self, keep_alive: str, now: Callable[[], float]) -> None:
        self._keep = seconds_of(keep_alive)
        self._now = now
        self._prefix: str | None = None
        self._until = 0.0

    def read(self, prefix: str) -> None:
        """A request with this prefix was answered: it starts the time again."""
        self._prefix, self._until = prefix, self._now() + self._keep

    def lost(self) -> None:
        self._prefix = None

    def knows(self, prefix: str) -> bool:
        return self._prefix == prefix and self._now() < self._until


@dataclass(frozen=True)
class Prefix:
    """What every request begins with: the tools as they were offered, and as they are sent."""

    offer: Offer
    tools: list[dict[str, Any]]
    key: str


@dataclass(frozen=True)
class _OllamaModel:
    """One turn's model: the same tools for all its requests, even when the list changes meanwhile."""

    chat: OllamaChat
    prefix: Prefix
    settings: OllamaSettings
    cache: PrefixCache
    steps: SeveralSteps

    stage = "ollama"

    @property
    def model_name(self) -> str:
        return self.settings.model

    @property
    def offer(self) -> Offer:
        return self.prefix.offer

    @property
    def several_steps(self) -> bool:
        return several_steps(self.steps, provider="ollama", parameter_size=self.chat.parameter_size)

    def doubtful(self, messages: Sequence[BaseMessage]) -> bool:
        # Only the last chunk tells that a prompt was cut, and by then a sentence would have been spoken.
        return prompt_tokens(messages, self.offer.tokens) >= self.chat.context

    async def reply(self, messages: Sequence[BaseMessage], on_text: Callable[[str], None]) -> AIMessage:
        try:
            message = await self.chat.send(messages, self.prefix.tools, on_text)
        except BrainError:
            self.cache.lost()  # the server may be gone, and what it had read with it
            raise
        self.cache.read(self.prefix.key)
        return message


class OllamaClient:
    """The stage `ollama`."""

    name = "ollama"

    def __init__(
        self,
        settings: OllamaSettings,
        brain: BrainSettings,
        executor: ToolExecutor,
        *,
        priority: Sequence[str] = (),
        clock: Clock = local_time,
        monotonic: Callable[[], float] = time.monotonic,
        home: Callable[[], HomeNames] = HomeNames,
        tools_ready: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._settings, self._brain, self._executor = settings, brain, executor
        self._clock = clock
        self._home = home
        self._tools_ready = tools_ready
        self._chat = OllamaChat(settings)
        self._offers = Offering(
            executor.tools,
            cost=lambda tool: tokens_of(to_qwen_tool(tool)),
            budget=min(settings.tool_token_budget, self._room_for_tools()),
            priority=priority,
            clock=clock,
        )
        self._prefix: Prefix | None = None
        self._cache = PrefixCache(settings.keep_alive, monotonic)
        self._warming: tuple[Prefix, asyncio.Timeout] | None = None
        self._changed = asyncio.Event()

    def offer(self) -> Offer:
        """The tools the model sees now, what was shortened, and what was left out and why."""
        return self._offers.current()

    async def answer(self, turn: Turn) -> Reply:
        if self._tools_ready is not None:
            await self._tools_ready()
        prefix = self._current_prefix()
        self._stop_stale_warm_up(prefix)
        may_act = all(passed.words is Words.WISH for passed in turn.passed)
        return await run_loop(
            _OllamaModel(self._chat, prefix, self._settings, self._cache, self._brain.several_steps),
            turn,
            self._executor,
            user_text=stamped(turn.utterance, self._clock(), may_act=may_act),
            max_rounds=self._brain.max_rounds,
            history_budget=self._room_for_conversation(prefix),
            language=self._brain.language,
            home=self._home(),
        )

    async def warm_up(self) -> bool:
        """Let Ollama read the prefix, so that the first question is as quick as the second.

        Never raises for the model's sake: the first question will tell the user what is wrong.
        """
        prefix = self._current_prefix()
        if self._cache.knows(prefix.key) or self._chat.busy:  # a turn that is under way reads it itself
            return self._cache.knows(prefix.key)
        try:
            async with asyncio.timeout(None) as limit:
                self._warming = (prefix, limit)
                await self._chat.read_prefix(prefix.tools, stamped(Utterance("Hello."), self._clock()))
        except TimeoutError:
            log.debug("warm-up given up, the tools have changed")
            return False
        except BrainError as error:
            log.warning("model could not be warmed up", extra={"reason": str(error)})
            return False
        finally:
            self._warming = None
        self._cache.read(prefix.key)
        log.info("model warmed up", extra={"model": self._settings.model, "tools": len(prefix.tools)})
        return True

    async def keep_warm(self) -> None:
        """Warm up now, after every change of the tools, and after Ollama has unloaded the model."""
        if not self._settings.warm_up or seconds_of(self._settings.keep_alive) < LEAST_KEEP_SECONDS:
            await self.prepare()
            return
        wait = Backoff(LOOK_AGAIN_SECONDS, LAST_RETRY_SECONDS)
        while True:
            self._changed.clear()
            if await self.warm_up():
                wait.reset()
            await self._sleep(wait.next())

    async def prepare(self) -> None:
        """Import the library before the first question needs it; nothing is sent."""
        try:
            await self._chat.ready()
        except BrainError as error:
            log.warning("model cannot be used", extra={"reason": str(error)})

    def tools_changed(self) -> None:
        """May be called when the tool list changes, so that the new prefix is read at once."""
        self._changed.set()
        self._stop_stale_warm_up(self._current_prefix())

    async def aclose(self) -> None:
        await self._chat.aclose()

    async def _sleep(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            pass

    def _current_prefix(self) -> Prefix:
        offer = self._offers.current()
        if self._prefix is None or self._prefix.offer is not offer:
            tools = to_qwen_tools(offer.tools)
            text = json.dumps([SYSTEM_PROMPT, tools], ensure_ascii=False)
            self._prefix = Prefix(offer, tools, hashlib.sha256(text.encode()).hexdigest())
        return self._prefix

    def _stop_stale_warm_up(self, prefix: Prefix) -> None:
        """A turn waits for a warm-up that reads its own prefix, and for no other."""
        if self._warming is None:
            return
        being_read, limit = self._warming
        if being_read.key != prefix.key and not limit.expired():
            limit.reschedule(asyncio.get_running_loop().time())

    def _room_for_tools(self) -> int:
        fixed = estimate_tokens(SYSTEM_PROMPT) + self._settings.num_predict + CONVERSATION_TOKENS
        return max(0, self._settings.num_ctx - fixed)

    def _room_for_conversation(self, prefix: Prefix) -> int:
        taken = estimate_tokens(SYSTEM_PROMPT) + self._settings.num_predict + prefix.offer.tokens
        return max(CONVERSATION_TOKENS // 2, self._settings.num_ctx - taken)
