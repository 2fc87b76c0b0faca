"""What goes wrong with the Anthropic API, sorted by the type of the error, in words that say what to do."""

from voice_gateway.config import AnthropicSettings
from voice_gateway.errors import BrainError, UnfitAnswer

NO_KEY = "ANTHROPIC_API_KEY is not set. Set it, or choose another brain.provider."
NO_KEY_SPOKEN = "I have no key for my language model."
BUSY = "My language model is busy. Please try again in a minute."
UNREACHABLE = "I cannot reach my language model."
NO_MODEL = "My language model is not known to its provider."
WRONG_KEY = "My language model does not accept my key."
BROKEN = "My language model stopped in the middle of its answer."


def translated(error: Exception, settings: AnthropicSettings) -> BrainError:
    import anthropic
    import httpx2

    if isinstance(error, anthropic.AuthenticationError | anthropic.PermissionDeniedError):
        return BrainError(
            f"Anthropic does not accept the key ({error.status_code}). Check ANTHROPIC_API_KEY.",
            spoken=WRONG_KEY,
        )
    if isinstance(error, anthropic.NotFoundError):
        return BrainError(
            f'Anthropic does not know the model "{settings.model}". Check anthropic.model.', spoken=NO_MODEL
        )
    if isinstance(error, anthropic.APIStatusError):
        return _status(error)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return BrainError(
            f"Anthropic did not answer within {settings.timeout_seconds:g} s.",
            spoken="My language model took too long.",
        )
    if isinstance(error, anthropic.APIConnectionError | httpx2.HTTPError | OSError):
        return BrainError(f"The connection to Anthropic failed: {_named(error)}", spoken=UNREACHABLE)
    return BrainError(f"Anthropic gave no readable answer: {_named(error)}", spoken=BROKEN)


def _status(error: "anthropic.APIStatusError") -> BrainError:  # type: ignore[name-defined]  # noqa: F821
    """By the API's own error type first: inside a stream the HTTP status is 200 whatever went wrong."""
    kind = error.type or {429: "rate_limit_error", 529: "overloaded_error"}.get(error.status_code, "")
    if (
        kind in {"rate_limit_error", "overloaded_error", "api_error", "timeout_error"}
        or error.status_code >= 500
    ):
        words = {"rate_limit_error": "rate-limited", "overloaded_error": "overloaded"}.get(kind, "in trouble")
        return BrainError(f"Anthropic is {words} ({error.status_code}). Try again later.", spoken=BUSY)
    if kind in {"authentication_error", "permission_error"}:
        return BrainError("Anthropic does not accept the key. Check ANTHROPIC_API_KEY.", spoken=WRONG_KEY)
    return BrainError(f"Anthropic refused the request ({error.status_code}): {error.api_message or kind}")


def incomplete(stop_reason: str | None, settings: AnthropicSettings) -> BrainError:
    """A reply that ended before its end is no answer, and half a tool call is never run."""
    if stop_reason == "max_tokens":
        return UnfitAnswer(
            f"The answer was cut after {settings.max_tokens} tokens. Raise anthropic.max_tokens.",
            spoken="My answer became too long.",
        )
    if stop_reason == "refusal":
        return UnfitAnswer("The model refused to answer.", spoken="I would rather not answer that.")
    if stop_reason == "model_context_window_exceeded":
        return BrainError("The conversation is too long for the model. Start a new one.", spoken=BROKEN)
    return BrainError(f"Anthropic's answer ended without its end (stop_reason {stop_reason}).", spoken=BROKEN)


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
