"""Every error of the gateway, grouped by the part that handles it."""

from enum import StrEnum
from typing import Any

from voice_gateway.problems import MODEL_NO_ANSWER


class GatewayError(Exception):
    """`str(error)` is for the log; `spoken` is safe to say aloud and to show to a model."""

    default_spoken = "Something went wrong."

    def __init__(self, message: str, *, spoken: str | None = None) -> None:
        super().__init__(message)
        self.has_own_words = spoken is not None  # else `spoken` is the default of its class
        self.spoken = spoken or self.default_spoken


class ConfigError(GatewayError):
    """The settings cannot be used. The command line prints the mistakes and exits with 2."""

    default_spoken = "My settings are not right."


class LinkError(GatewayError):
    """A connection (MCP server, broker) is down. Its owner retries; the program runs degraded and says so."""

    default_spoken = "A connection is down."


class HearingError(GatewayError):
    """The voice channel drops the turn and listens again."""

    default_spoken = "I could not hear that."


class SpeakingError(GatewayError):
    """The voice channel shows the reply as text."""

    default_spoken = "I cannot speak at the moment."


class BrainError(GatewayError):
    """The model gave no usable answer. The conversation answers with an apology."""

    default_spoken = MODEL_NO_ANSWER


class UnfitAnswer(BrainError):
    """The model answered, but the answer is too long, cut off or a refusal."""


class ErrorKind(StrEnum):
    """What went wrong with a call (`ToolOutcome.error`); the words are those of `--json`."""

    UNKNOWN_TOOL = "unknown_tool"
    BAD_ARGUMENTS = "bad_arguments"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"


class ToolError(GatewayError):
    """A tool could not do its job. The executor makes it a failed outcome.

    `str(error)` is what the model gets behind "Error: ", so it is short, useful and safe; the cause travels
    as `__cause__` and in the log. `structured` keeps a server's own facts about the failure.
    """

    kind = ErrorKind.FAILED

    def __init__(self, message: str, *, structured: Any = None, spoken: str | None = None) -> None:
        super().__init__(message, spoken=spoken or message)
        self.structured = structured


class UnknownTool(ToolError):
    """There is no tool of that name."""

    kind = ErrorKind.UNKNOWN_TOOL


class BadArguments(ToolError):
    """The arguments do not fit the tool's schema, also after repair."""

    kind = ErrorKind.BAD_ARGUMENTS


class ToolTimeout(ToolError):
    """The tool ran past our limit."""

    kind = ErrorKind.TIMEOUT


class ToolUnavailable(ToolError):
    """What the tool needs (network, server, device link) is not reachable."""

    kind = ErrorKind.UNAVAILABLE


def named(error: BaseException) -> str:
    """ "ValueError: …", or the kind alone where it says nothing; for the log."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def first_error(error: BaseException) -> BaseException:
    """The first exception inside nested exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
