"""Logs: to stderr only, a fixed phrase with its facts behind it, and the turn they belong to."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

# What every LogRecord has of its own; whatever else stands on a record came in as `extra`.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_turn: ContextVar[dict[str, str]] = ContextVar("turn", default={})  # noqa: B039 (never changed in place)


@contextmanager
def turn_context(**facts: str) -> Iterator[None]:
    """Every line logged inside says which turn and door it belongs to."""
    token = _turn.set({**_turn.get(), **facts})
    try:
        yield
    finally:
        _turn.reset(token)


class FactsFormatter(logging.Formatter):
    """`12:01:07 warning tools.executor: tool is slow (tool=search_web seconds=1.9 turn=4f2a)`"""

    def __init__(self, *, tracebacks: bool) -> None:
        super().__init__()
        self._tracebacks = tracebacks
        self._second, self._clock = 0, ""  # lines come in bursts: one second's text serves them all

    def format(self, record: logging.LogRecord) -> str:
        facts = {key: value for key, value in vars(record).items() if key not in _STANDARD}
        facts.update(_turn.get())
        behind = " ".join(f"{key}={value}" for key, value in facts.items() if value not in (None, ""))
        source = record.name.removeprefix("voice_gateway.")
        if (second := int(record.created)) != self._second:
            self._second, self._clock = second, self.formatTime(record, "%H:%M:%S")
        line = f"{self._clock} {record.levelname.lower()} {source}: {record.getMessage()}"
        if behind:
            line += f" ({behind})"
        if self._tracebacks and record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


def set_up(level: str = "warning", *, debug: bool = False, stream: TextIO | None = None) -> None:
    """Our own tracebacks appear only with `debug`; a server's output is quoted behind its name always."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(FactsFormatter(tracebacks=debug))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG if debug else level.upper())
    # Our lines say neither process nor thread nor source line: looking them up is a tenth of a tool call.
    logging.logProcesses = logging.logThreads = logging.logMultiprocessing = False
    logging._srcfile = None
    # Libraries at debug would drown our own lines and repeat what people said.
    for library in (
        "httpx",
        "httpcore",
        "httpx2",
        "httpcore2",
        "mcp",
        "anthropic",
        "asyncio",
        "ddgs",
        "primp",
    ):
        logging.getLogger(library).setLevel(logging.WARNING)
