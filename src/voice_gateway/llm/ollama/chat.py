"""ChatOllama with our settings: one request at a time, streamed, and checked to its end."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage
from pydantic import ValidationError

from voice_gateway.config import OllamaSettings
from voice_gateway.config.kinds import is_loopback
from voice_gateway.errors import BrainError, UnfitAnswer, named
from voice_gateway.llm.client import Made
from voice_gateway.llm.model import UnreadableCall, collected
from voice_gateway.llm.prompt import SYSTEM_PROMPT
from voice_gateway.problems import (
    MODEL_BROKE_OFF,
    MODEL_NOT_INSTALLED,
    MODEL_SILENT,
    MODEL_TOO_LONG,
    MODEL_TOO_MUCH,
    MODEL_TOO_SLOW,
    MODEL_WITHOUT_TOOLS,
)

if TYPE_CHECKING:
    import ssl

    from langchain_ollama import ChatOllama
    from ollama import ResponseError, ShowResponse

log = logging.getLogger(__name__)

CONNECT_SECONDS = 5.0  # a server in the house answers at once or not at all
_COMPLETE = {"stop", "tool_calls"}
_COUNTS = ("prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration", "load_duration")


def options(settings: OllamaSettings) -> dict[str, Any]:
    """Sent with every request, always the same: another `num_ctx` would make Ollama load the model again."""
    return {
        "num_ctx": settings.num_ctx,
        "num_predict": settings.num_predict,
        "temperature": settings.temperature,
    }


def make_chat(settings: OllamaSettings) -> "ChatOllama":
    """Imports the library, which takes most of a second: call it in a thread."""
    import httpx
    from langchain_ollama import ChatOllama

    keep_alive = settings.keep_alive.strip()
    return ChatOllama(
        model=settings.model,
        base_url=settings.base_url,
        **options(settings),
        reasoning=settings.reasoning,
        # Ollama reads a text as a duration with a unit; a bare number (-1 is "for ever") must be a number.
        keep_alive=int(keep_alive) if keep_alive.lstrip("-").isdigit() else keep_alive,
        client_kwargs={
            "timeout": httpx.Timeout(settings.timeout_seconds, connect=CONNECT_SECONDS),
            # A proxy of the environment is for the internet, not for a server on this very machine.
            "trust_env": not is_loopback(_address(settings.base_url).hostname or ""),
            "verify": _certificates(),
        },
    )


def _address(base_url: str) -> SplitResult:
    return urlsplit(base_url if "://" in base_url else f"http://{base_url}")


@cache
def _certificates() -> "ssl.SSLContext":
    """Whom to trust, read once: the library makes two clients, each of which would read it by itself."""
    import httpx

    return httpx.create_ssl_context()


def unheard(_text: str) -> None:
    """The text comes with the whole message."""


class OllamaChat:
    """Sends requests to Ollama, one at a time: a queue is fairer than four slow answers."""

    def __init__(self, settings: OllamaSettings) -> None:
        self._settings, self.model = settings, settings.model
        self._made = Made("Ollama", lambda: make_chat(settings))
        self.ready = self._made.get
        self._line = asyncio.Lock()
        self.context = settings.num_ctx  # what a prompt may fill; less when the model itself has less
        self.parameter_size: str | None = None  # "7.6B", from Ollama; None until it is known
        self._model_known = False

    @property
    def busy(self) -> bool:
        return self._line.locked()

    async def send(
        self, messages: Sequence[BaseMessage], tools: list[dict[str, Any]], on_text: Callable[[str], None]
    ) -> AIMessage:
        """The model's whole message. One that was cut, at its end or at the prompt's, is an error."""
        return self._complete(await self._stream(messages, tools, on_text))

    def _complete(self, whole: AIMessageChunk) -> AIMessageChunk:
        done_reason = whole.response_metadata.get("done_reason")
        if done_reason not in _COMPLETE:
            raise incomplete(done_reason, self._settings)
        return whole

    async def fill(self, messages: Sequence[BaseMessage], system: str, schema: Mapping[str, Any]) -> str:
        """JSON that follows the schema. Without tools in the request Ollama holds to it strictly."""
        whole = await self._stream(messages, [], unheard, system=system, format=dict(schema))
        return str(self._complete(whole).text)

    async def read_prefix(
        self, messages: Sequence[BaseMessage], tools: list[dict[str, Any]], system: str = SYSTEM_PROMPT
    ) -> None:
        """Let Ollama read system prompt, tools and home; one token of output is all that is wanted."""
        short = {**options(self._settings), "num_predict": 1}
        await self._stream(messages, tools, unheard, system=system, options=short)

    async def _stream(
        self,
        messages: Sequence[BaseMessage],
        tools: list[dict[str, Any]],
        on_text: Callable[[str], None],
        system: str = SYSTEM_PROMPT,
        **extra: Any,
    ) -> AIMessageChunk:
        chat = await self.ready()
        if tools:
            extra["tools"] = tools
        async with self._line:
            await self.learn_model()
            stream = chat.astream([SystemMessage(content=system), *messages], **extra)
            whole = await collected(stream, on_text, self._translated)
        if whole is None:
            raise incomplete(None, self._settings)
        facts = {key: whole.response_metadata.get(key) for key in _COUNTS}
        log.debug("model answered", extra={"model": self._settings.model, **facts})
        tokens = facts["prompt_eval_count"] or 0
        if tokens >= self.context:  # equality is the only sign that Ollama gives of a prompt it has cut
            raise prompt_cut(tokens, self._settings)
        return whole

    async def learn_model(self) -> None:
        """Ollama lowers `num_ctx` to what the model was trained for, without a word; so ask once.

        The same answer tells how large the model is."""
        if self._model_known:
            return
        shown = await self._show()
        if shown is not None:
            info = (shown.modelinfo or {}).items()
            lengths = [v for k, v in info if k.endswith(".context_length") and isinstance(v, int) and v > 0]
            self.context = min([self._settings.num_ctx, *lengths])
            self.parameter_size = shown.details.parameter_size if shown.details else None
            self._model_known = True

    async def _translated(self, error: Exception) -> BrainError:
        """After a refusal (400) the model's capabilities are asked for: better than the words of an error."""
        from ollama import ResponseError

        capabilities = None
        if isinstance(error, ResponseError) and error.status_code == 400:
            shown = await self._show()
            capabilities = list(shown.capabilities or []) if shown is not None else None
        return translated(error, self._settings, capabilities)

    async def _show(self) -> "ShowResponse | None":
        """What Ollama knows of the model. Only a question on the side: trouble shows with the request."""
        try:
            chat = await self.ready()
            async with asyncio.timeout(CONNECT_SECONDS):
                return await chat._async_client.show(self._settings.model)
        except Exception as trouble:
            log.debug("nothing known of the model", extra={"reason": str(trouble)})
            return None

    async def aclose(self) -> None:
        if (chat := self._made.chat) is not None:
            await chat._async_client.close()  # type: ignore[no-untyped-call]
            chat._client.close()  # type: ignore[no-untyped-call]
            self._made.chat = None


# --- what goes wrong, by the type of the error, in words that say what to do


def shown(base_url: str) -> str:
    """The address without a login that may stand in it."""
    parts = _address(base_url)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}"


def translated(error: Exception, settings: OllamaSettings, capabilities: list[str] | None) -> BrainError:
    """`capabilities` are the model's own, as Ollama tells them after a refusal; None when not asked."""
    import httpx
    from ollama import ResponseError

    where = shown(settings.base_url)
    if isinstance(error, ResponseError):
        return _refused(error, settings, capabilities)
    if isinstance(error, ValidationError | OutputParserException):
        text = f"{settings.model} called a tool with arguments that are not an object"
        return UnreadableCall(text, spoken=MODEL_BROKE_OFF)
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | ConnectionError):
        text = f"Nothing answers at {where}. Start Ollama with `ollama serve`, or set OLLAMA_BASE_URL."
        return BrainError(text, spoken=MODEL_SILENT)
    if isinstance(error, httpx.TimeoutException):
        text = f"Ollama at {where} was silent for {settings.timeout_seconds:g} s (ollama.timeout_seconds)."
        return BrainError(text, spoken=MODEL_TOO_SLOW)
    # Else text that is not Ollama's protocol (JSONDecodeError), or an empty stream.
    broke = isinstance(error, httpx.HTTPError | OSError)
    text = "The connection to Ollama at {} broke: {}" if broke else "Ollama at {} gave no readable answer: {}"
    return BrainError(text.format(where, named(error)), spoken=MODEL_BROKE_OFF)


def _refused(error: "ResponseError", settings: OllamaSettings, capabilities: list[str] | None) -> BrainError:
    model, status = settings.model, error.status_code
    known = capabilities if status == 400 else None
    if status == 404:
        text = f'Ollama does not have the model "{model}". Get it with `ollama pull {model}`.'
        return BrainError(text, spoken=MODEL_NOT_INSTALLED)
    if known is not None and "tools" not in known:
        text = f'The model "{model}" does not support tools. Choose one that does, for example qwen2.5:0.5b.'
        return BrainError(text, spoken=MODEL_WITHOUT_TOOLS)
    if known is not None and settings.reasoning and "thinking" not in known:
        return BrainError(f'The model "{model}" cannot think aloud. Set ollama.reasoning = false.')
    if status == -1:
        text = f"Ollama stopped in the middle of an answer: {error.error}"
        return BrainError(text, spoken=MODEL_BROKE_OFF)
    return BrainError(f"Ollama refused the request ({status}): {error.error}", spoken=MODEL_SILENT)


def incomplete(done_reason: str | None, settings: OllamaSettings) -> BrainError:
    """A reply that ended before its end is no answer, however good it looks."""
    if done_reason == "length":
        text = f"The answer was cut after {settings.num_predict} tokens. Raise ollama.num_predict."
        return UnfitAnswer(text, spoken=MODEL_TOO_LONG)
    text = f"Ollama's answer ended without its end (done_reason {done_reason})."
    return BrainError(text, spoken=MODEL_BROKE_OFF)


def prompt_cut(tokens: int, settings: OllamaSettings) -> BrainError:
    return UnfitAnswer(
        f"The prompt fills the whole context ({tokens} tokens, num_ctx {settings.num_ctx}): Ollama cut it. "
        "Raise ollama.num_ctx, lower ollama.tool_token_budget, or start a new conversation.",
        spoken=MODEL_TOO_MUCH,
    )
