"""What goes wrong with the Anthropic API, sorted by the type of the error, in words that say what to do."""

from voice_gateway.config import AnthropicSettings
from voice_gateway.errors import BrainError, UnfitAnswer, named
from voice_gateway.problems import (
    MODEL_BROKE_OFF,
    MODEL_BUSY,
    MODEL_KEY_REFUSED,
    MODEL_REFUSED,
    MODEL_TOO_LONG,
    MODEL_TOO_SLOW,
    MODEL_UNKNOWN,
    MODEL_UNREACHABLE,
)

NO_KEY = "ANTHROPIC_API_KEY is not set. Set it, or choose another brain.provider."


def translated(error: Exception, settings: AnthropicSettings) -> BrainError:
    import anthropic
    import httpx2

    if isinstance(error, anthropic.AuthenticationError | anthropic.PermissionDeniedError):
        return BrainError(
            f"Anthropic does not accept the key ({error.status_code}). Check ANTHROPIC_API_KEY.",
            spoken=MODEL_KEY_REFUSED,
        )
    if isinstance(error, anthropic.NotFoundError):
        return BrainError(
            f'Anthropic does not know the model "{settings.model}". Check anthropic.model.',
            spoken=MODEL_UNKNOWN,
        )
    if isinstance(error, anthropic.APIStatusError):
        return _status(error)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return BrainError(
            f"Anthropic did not answer within {settings.timeout_seconds:g} s.",
            spoken=MODEL_TOO_SLOW,
        )
    if isinstance(error, anthropic.APIConnectionError | httpx2.HTTPError | OSError):
        return BrainError(f"The connection to Anthropic failed: {named(error)}", spoken=MODEL_UNREACHABLE)
    return BrainError(f"Anthropic gave no readable answer: {named(error)}", spoken=MODEL_BROKE_OFF)


def _status(error: "anthropic.APIStatusError") -> BrainError:  # type: ignore[name-defined]  # noqa: F821
    """By the API's own error type first: inside a stream the HTTP status is 200 whatever went wrong."""
    kind = error.type or {429: "rate_limit_error", 529: "overloaded_error"}.get(error.status_code, "")
    if (
        kind in {"rate_limit_error", "overloaded_error", "api_error", "timeout_error"}
        or error.status_code >= 500
    ):
        words = {"rate_limit_error": "rate-limited", "overloaded_error": "overloaded"}.get(kind, "in trouble")
        return BrainError(f"Anthropic is {words} ({error.status_code}). Try again later.", spoken=MODEL_BUSY)
    if kind in {"authentication_error", "permission_error"}:
        return BrainError(
            "Anthropic does not accept the key. Check ANTHROPIC_API_KEY.", spoken=MODEL_KEY_REFUSED
        )
    return BrainError(f"Anthropic refused the request ({error.status_code}): {error.api_message or kind}")


def incomplete(stop_reason: str | None, settings: AnthropicSettings) -> BrainError:
    """A reply that ended before its end is no answer, and half a tool call is never run."""
    if stop_reason == "max_tokens":
        return UnfitAnswer(
            f"The answer was cut after {settings.max_tokens} tokens.",
            spoken=MODEL_TOO_LONG,
        )
    if stop_reason == "refusal":
        return UnfitAnswer("The model refused to answer.", spoken=MODEL_REFUSED)
    if stop_reason == "model_context_window_exceeded":
        return BrainError(
            "The conversation is too long for the model. Start a new one.", spoken=MODEL_BROKE_OFF
        )
    return BrainError(
        f"Anthropic's answer ended without its end (stop_reason {stop_reason}).", spoken=MODEL_BROKE_OFF
    )
