"""Answers with a model that Ollama serves (MSG-2, FMT-*)."""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from voice_gateway.backoff import Backoff, wait_at_most
from voice_gateway.config import BrainSettings, OllamaSettings
from voice_gateway.errors import BrainError
from voice_gateway.llm.client import Around, ModelClient, TurnModel
from voice_gateway.llm.model import OnText
from voice_gateway.llm.offer import Offer, few
from voice_gateway.llm.ollama.chat import OllamaChat, unheard
from voice_gateway.llm.ollama.qwen_format import to_qwen_tool, to_qwen_tools
from voice_gateway.llm.prompt import SYSTEM_PROMPT, note_tokens, stamped, tokens_of
from voice_gateway.problems import MODEL_TOO_SLOW
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import estimate_tokens
from voice_gateway.turn import Utterance
from voice_gateway.turns.stage import Turn

log = logging.getLogger(__name__)

CONVERSATION_TOKENS = 512  # the least that must be left for what is said, whatever the tools take
LOOK_AGAIN_SECONDS = 5.0  # between checks for changed tools, a changed home, or an unloaded model
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


@dataclass(frozen=True)
class Prefix:
    """What every request begins with: the tools as they were offered and as they are sent, then the home.

    The home stands behind the tools, before the first words of a conversation: templates put a system prompt
    before the tools, and a renamed lamp would make the server read all of them again.
    """

    offer: Offer
    tools: list[dict[str, Any]]
    home: str = ""
    system: str = SYSTEM_PROMPT
    examples: tuple[BaseMessage, ...] = ()

    @classmethod
    def of_form(cls, prompt: Sequence[tuple[str, str]]) -> "Prefix":
        """Of role and text of each message, the system prompt first."""
        turns = [AIMessage(text) if role == "assistant" else HumanMessage(text) for role, text in prompt[1:]]
        return cls(Offer(), [], system=prompt[0][1], examples=tuple(turns))

    @property
    def sent(self) -> tuple[object, ...]:
        return self.tools, self.home, self.system, self.examples

    @property
    def tokens(self) -> int:
        return self.offer.tokens + note_tokens(self.home)

    def before(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """The conversation as it is sent. One message, because many templates want the roles to alternate."""
        if not self.home:
            return [*self.examples, *messages]
        if messages and isinstance(messages[0], HumanMessage):
            first, *rest = messages
            return [HumanMessage(content=f"{self.home}\n{first.text}"), *rest]
        return [HumanMessage(content=self.home), *messages]


class OllamaClient(ModelClient):
    """The stage `ollama`."""

    name = "ollama"

    def __init__(
        self,
        settings: OllamaSettings,
        brain: BrainSettings,
        executor: ToolExecutor,
        *,
        priority: Sequence[str] = (),
        monotonic: Callable[[], float] = time.monotonic,
        **around: Unpack[Around],
    ) -> None:
        fixed = estimate_tokens(SYSTEM_PROMPT) + settings.num_predict + CONVERSATION_TOKENS
        self._room = max(0, settings.num_ctx - fixed)  # for tools and home
        super().__init__(
            brain,
            executor,
            home_tokens=settings.home_token_budget,
            cost=lambda tool: tokens_of(to_qwen_tool(tool)),
            budget=min(settings.tool_token_budget, self._room),
            priority=priority,
            **around,
        )
        self._settings = settings
        self.model_name = settings.model
        self.chat = OllamaChat(settings)
        self.aclose = self.chat.aclose
        self._keep_seconds, self._now = seconds_of(settings.keep_alive), monotonic
        self._read: tuple[Prefix | None, float] = (None, 0.0)  # the last prefix that Ollama read, kept until
        self._prefix: Prefix | None = None
        self._warming: tuple[Prefix, asyncio.Timeout] | None = None
        self._changed = asyncio.Event()
        self.form_prefix: Callable[[], Sequence[tuple[str, str]]] | None = (
            None  # without it no form is filled
        )

    @property
    def fills_forms(self) -> bool:
        """Whether words about the home go into a form: for a model that is not trusted with several steps."""
        return self.form_prefix is not None and self._settings.form and not self.several_steps

    async def fill(self, messages: Sequence[tuple[str, str]], schema: Mapping[str, Any]) -> str:
        """The form that the model filled, as JSON; the words are the last of the messages."""
        prefix, read = Prefix.of_form(messages[:-1]), None
        self._stop_stale_warm_up(prefix)
        try:
            async with asyncio.timeout(self._settings.timeout_seconds):
                said = prefix.before([HumanMessage(messages[-1][1])])
                answer = await self.chat.fill(said, prefix.system, schema)
            read = prefix
        except TimeoutError as error:
            text = f"The form took longer than {self._settings.timeout_seconds:g} s (ollama.timeout_seconds)."
            raise BrainError(text, spoken=MODEL_TOO_SLOW) from error
        finally:
            self._was_read(read)
        return answer

    @property
    def parameter_size(self) -> str | None:
        return self.chat.parameter_size

    async def ready(self) -> object:
        return await self.chat.ready()

    async def _for_turn(self, turn: Turn) -> tuple[TurnModel, int]:
        prefix = self._current_prefix()
        if self.fills_forms:
            offer = few(prefix.offer, turn)
            home = prefix.home if turn.home.meant else ""
            prefix = Prefix(offer, to_qwen_tools(offer.tools), home)
        self._stop_stale_warm_up(prefix)
        taken = estimate_tokens(SYSTEM_PROMPT) + self._settings.num_predict + prefix.tokens
        room = max(CONVERSATION_TOKENS // 2, self._settings.num_ctx - taken)
        return TurnModel(self, prefix.offer, partial(self._reply, prefix)), room

    async def _reply(self, prefix: Prefix, messages: Sequence[BaseMessage], on_text: OnText) -> AIMessage:
        said = sum(estimate_tokens(str(message.text)) + 8 for message in messages)
        if estimate_tokens(SYSTEM_PROMPT) + prefix.tokens + said >= self.chat.context:
            # Only the last chunk tells that Ollama has cut the prompt: nothing may be spoken before.
            on_text = unheard
        try:
            message = await self.chat.send(prefix.before(messages), prefix.tools, on_text)
        except BrainError:
            self._was_read(None)  # the server may be gone, and what it had read with it
            raise
        self._was_read(prefix)
        return message

    async def warm_up(self) -> bool:
        """Let Ollama read the prefix, so that the first question is as quick as the second.

        Never raises for the model's sake: the first question will tell the user what is wrong.
        """
        prefix = self._first_prefix()
        read, kept_until = self._read
        known = read is not None and read.sent == prefix.sent and self._now() < kept_until
        if known or self.chat.busy:  # a turn that is under way reads it itself
            return known
        # Stamped like every question, so that the stamp is read by then, too.
        greeting = HumanMessage(content=stamped(Utterance("Hello."), self._clock()))
        try:
            async with asyncio.timeout(None) as limit:
                self._warming = (prefix, limit)
                await self.chat.read_prefix(prefix.before([greeting]), prefix.tools, prefix.system)
        except TimeoutError:
            log.debug("warm-up given up, tools or home have changed")
            return False
        except BrainError as error:
            log.warning("model could not be warmed up", extra={"reason": str(error)})
            return False
        finally:
            self._warming = None
        self._was_read(prefix)
        facts = {"model": self._settings.model, "tools": len(prefix.tools), "tokens": prefix.tokens}
        log.info("model warmed up", extra=facts)
        return True

    def _was_read(self, prefix: Prefix | None) -> None:
        """A request with this prefix was answered, which starts the time again; None: it failed."""
        self._read = prefix, self._now() + self._keep_seconds

    async def keep_warm(self) -> None:
        """Warm up now, after every change of tools or home, and after Ollama has unloaded the model."""
        if not self._settings.warm_up or self._keep_seconds < LEAST_KEEP_SECONDS:
            await self.prepare()
            return
        wait = Backoff(LOOK_AGAIN_SECONDS, LAST_RETRY_SECONDS)
        while True:
            self._changed.clear()
            if await self.warm_up():
                wait.reset()
            await wait_at_most(self._changed, wait.next())

    def tools_changed(self) -> None:
        """May be called when the tool list changes, so that the new prefix is read at once."""
        self._changed.set()
        self._stop_stale_warm_up(self._first_prefix())

    def _first_prefix(self) -> Prefix:
        """What the next request most likely begins with: the form's words, or the tools."""
        if self.fills_forms and self.form_prefix is not None:
            return Prefix.of_form(self.form_prefix())
        return self._current_prefix()

    def _current_prefix(self) -> Prefix:
        offer = self.offer()
        if self._prefix is None or self._prefix.offer is not offer:
            self._prefix = Prefix(offer, to_qwen_tools(offer.tools))
        note = self._home_note(self._room - offer.tokens)
        if note != self._prefix.home:
            self._prefix = replace(self._prefix, home=note)
        return self._prefix

    def _stop_stale_warm_up(self, prefix: Prefix) -> None:
        """A turn waits only for a warm-up of its own prefix. Ollama keeps what it has read of another."""
        if self._warming is None:
            return
        being_read, limit = self._warming
        if being_read.sent != prefix.sent and not limit.expired():
            limit.reschedule(asyncio.get_running_loop().time())
