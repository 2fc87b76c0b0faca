"""What goes wrong with Ollama, sorted by the type of the error, in words that say what to do."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from langchain_core.exceptions import OutputParserException
from pydantic import ValidationError

from voice_gateway.config import OllamaSettings
from voice_gateway.errors import BrainError, UnfitAnswer, named
from voice_gateway.llm.model import UnreadableCall
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
    from ollama import ResponseError


def shown(base_url: str) -> str:
    """The address without a login that may stand in it."""
    parts = urlsplit(base_url if "://" in base_url else f"http://{base_url}")
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}"


def translated(error: Exception, settings: OllamaSettings, capabilities: list[str] | None) -> BrainError:
    """`capabilities` are the model's own, as Ollama tells them after a refusal; None when not asked."""
    import httpx
    from ollama import ResponseError

    where, spoken = shown(settings.base_url), MODEL_BROKE_OFF
    if isinstance(error, ResponseError):
        return _refused(error, settings, capabilities)
    if isinstance(error, ValidationError | OutputParserException):
        text = f"{settings.model} called a tool with arguments that are not an object"
        return UnreadableCall(text, spoken=spoken)
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | ConnectionError):
        spoken = MODEL_SILENT
        text = f"Nothing answers at {where}. Start Ollama with `ollama serve`, or set OLLAMA_BASE_URL to "
        text += "where it runs."
    elif isinstance(error, httpx.TimeoutException):
        spoken = MODEL_TOO_SLOW
        text = f"Ollama at {where} was silent for {settings.timeout_seconds:g} s. A smaller model, fewer "
        text += "tools, or a larger ollama.timeout_seconds may help."
    elif isinstance(error, httpx.HTTPError | OSError):
        text = f"The connection to Ollama at {where} broke: {named(error)}"
    else:  # text that is not Ollama's protocol (JSONDecodeError), or an empty stream
        text = f"Ollama at {where} gave no readable answer: {named(error)}"
    return BrainError(text, spoken=spoken)


def _refused(error: "ResponseError", settings: OllamaSettings, capabilities: list[str] | None) -> BrainError:
    model, status, spoken = settings.model, error.status_code, MODEL_SILENT
    known = capabilities if status == 400 else None
    text = f"Ollama refused the request ({status}): {error.error}"
    if status == 404:
        spoken = MODEL_NOT_INSTALLED
        text = f'Ollama does not have the model "{model}". Get it with `ollama pull {model}`, or set '
        text += "OLLAMA_MODEL to one that `ollama list` shows."
    elif known is not None and "tools" not in known:
        spoken = MODEL_WITHOUT_TOOLS
        text = f'The model "{model}" does not support tools. Choose one that does, for example `ollama pull '
        text += "qwen2.5:0.5b` and OLLAMA_MODEL=qwen2.5:0.5b."
    elif known is not None and settings.reasoning and "thinking" not in known:
        return BrainError(f'The model "{model}" cannot think aloud. Set ollama.reasoning = false.')
    elif status == -1:
        spoken, text = MODEL_BROKE_OFF, f"Ollama stopped in the middle of an answer: {error.error}"
    return BrainError(text, spoken=spoken)


def incomplete(done_reason: str | None, settings: OllamaSettings) -> BrainError:
    """A reply that ended before its end is no answer, however good it looks."""
    if done_reason == "length":
        return UnfitAnswer(
            f"The answer was cut after {settings.num_predict} tokens. Raise ollama.num_predict.",
            spoken=MODEL_TOO_LONG,
        )
    return BrainError(
        f"Ollama's answer ended without its end (done_reason {done_reason}).", spoken=MODEL_BROKE_OFF
    )


def prompt_cut(tokens: int, settings: OllamaSettings) -> BrainError:
    return UnfitAnswer(
        f"The prompt fills the whole context ({tokens} tokens, num_ctx {settings.num_ctx}): Ollama cut it. "
        "Raise ollama.num_ctx, lower ollama.tool_token_budget, or start a new conversation.",
        spoken=MODEL_TOO_MUCH,
    )
