"""Logs: to stderr only, a fixed phrase with its facts behind it, and the turn they belong to."""

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

# What every LogRecord has of its own; whatever else stands on a record came in as `extra`.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_turn: ContextVar[dict[str, str]] = ContextVar("turn", default={})  # noqa: B039 (never changed in place)


_BARE = re.compile(r"""[^\s"'=()\\]+""")  # cannot be taken for anything but one value


_NUMBERS = frozenset({int, float, bool})


class Lines(str):
    """A message that we have made of several lines; any other stays on one, whatever stands in it."""

    __slots__ = ()


def one_line(text: str) -> str:
    """With everything written out that would begin a line, move a cursor, colour or reverse what follows."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@contextmanager
def turn_context(**facts: str) -> Iterator[None]:
    """Every line logged inside says which turn and door it belongs to."""
    token = _turn.set({**_turn.get(), **facts})
    try:
        yield
    finally:
        _turn.reset(token)


class FactsFormatter(logging.Formatter):
    """`12:01:07 warning tools.executor: tool is slow (tool=search_web reason="no answer" turn=4f2a)`

    A record is one line. What belongs to it below that line is indented, so that nothing in it, wherever it
    came from, can be taken for a record.
    """

    def __init__(self, *, tracebacks: bool) -> None:
        super().__init__()
        self._tracebacks = tracebacks
        self._second, self._clock = 0, ""  # lines come in bursts: one second's text serves them all

    def format(self, record: logging.LogRecord) -> str:
        facts = {key: value for key, value in vars(record).items() if key not in _STANDARD}
        facts.update(_turn.get())
        behind = " ".join(
            [f"{key}={_quoted(value)}" for key, value in facts.items() if value is not None and value != ""]
        )
        source = record.name.removeprefix("voice_gateway.")
        if (second := int(record.created)) != self._second:
            self._second, self._clock = second, self.formatTime(record, "%H:%M:%S")
        said = record.getMessage()
        below: list[str] = []
        if isinstance(record.msg, Lines):
            said, *below = said.split("\n")
        line = f"{self._clock} {record.levelname.lower()} {source}: {one_line(said)}"
        if behind:
            line += f" ({behind})"
        if self._tracebacks and record.exc_info:
            below += [f"  {one}" for one in self.formatException(record.exc_info).splitlines()]
        if not below:
            return line
        return "\n".join([line, *(one_line(one if one.startswith("  ") else f"  {one}") for one in below)])


def _quoted(value: object) -> str:
    text = str(value)
    if type(value) in _NUMBERS:
        return text
    if _BARE.fullmatch(text) and text.isprintable():
        return text
    escaped = text.replace("\\", r"\\").replace('"', r"\"")
    return f'"{one_line(escaped)}"'


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
