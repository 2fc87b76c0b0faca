"""Logs: a fixed phrase with its facts behind it, and the turn they belong to. To stderr, or where people talk
at a terminal to a file, because there they would stand between the words."""

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from voice_gateway.private_files import private_file

LARGEST_FILE = 1_000_000  # bytes; the one before it is kept as well

# What every LogRecord has of its own; whatever else stands on a record came in as `extra`.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

# A context variable: every logger, those of libraries too, tells the turn in which it speaks.
_turn: ContextVar[dict[str, str]] = ContextVar("turn", default={})  # noqa: B039 (never changed in place)


_BARE = re.compile(r"""[^\s"'=()\\]+""")  # cannot be taken for anything but one value


_NUMBERS = frozenset({int, float, bool})


class MultilineText(str):
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

    def __init__(self, *, tracebacks: bool, dated: bool = False) -> None:
        super().__init__()
        self._tracebacks = tracebacks
        self._time = "%Y-%m-%d %H:%M:%S" if dated else "%H:%M:%S"
        self._second, self._clock = 0, ""  # lines come in bursts: one second's text serves them all

    def format(self, record: logging.LogRecord) -> str:
        facts = {key: value for key, value in vars(record).items() if key not in _STANDARD}
        facts.update(_turn.get())
        behind = " ".join(
            [f"{key}={_quoted(value)}" for key, value in facts.items() if value is not None and value != ""]
        )
        source = record.name.removeprefix("voice_gateway.")
        if (second := int(record.created)) != self._second:
            self._second, self._clock = second, self.formatTime(record, self._time)
        said = record.getMessage()
        below: list[str] = []
        if isinstance(record.msg, MultilineText):
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
    return text if type(value) in _NUMBERS else _quoted_text(text)


@lru_cache(maxsize=1000)  # names of tools and parts come again with every line
def _quoted_text(text: str) -> str:
    if _BARE.fullmatch(text) and text.isprintable():
        return text
    escaped = text.replace("\\", r"\\").replace('"', r"\"")
    return f'"{one_line(escaped)}"'


class LogFile(logging.FileHandler):
    """For its owner alone, and never larger than two files. What it cannot take goes to stderr after all."""

    def __init__(self, file: Path, largest_bytes: int = LARGEST_FILE) -> None:
        self._largest_bytes = largest_bytes
        super().__init__(file, encoding="utf-8", errors="backslashreplace", delay=True)

    def _open(self) -> TextIOWrapper:
        private_file(Path(self.baseFilename))
        return super()._open()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self.stream is not None and self.stream.tell() >= self._largest_bytes:
                self.stream.close()
                self.stream = None  # the next line opens a new one
                Path(self.baseFilename).replace(f"{self.baseFilename}.1")
            super().emit(record)
        except OSError:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (the library's name)
        print(self.format(record), file=sys.stderr)


def destination() -> str:
    """Where the lines go, for people."""
    files = [one.baseFilename for one in logging.getLogger().handlers if isinstance(one, LogFile)]
    return files[0] if files else "stderr"


def set_up(
    level: str = "warning", *, debug: bool = False, stream: TextIO | None = None, file: Path | None = None
) -> None:
    """Our own tracebacks appear only with `debug`; a server's output is quoted behind its name always."""
    handler: logging.Handler = LogFile(file) if file else logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(FactsFormatter(tracebacks=debug, dated=file is not None))
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
        "sse_starlette",
        "anthropic",
        "asyncio",
        "ddgs",
        "primp",
    ):
        logging.getLogger(library).setLevel(logging.WARNING)
    # What a server at an address does wrong is said by our link, in one line; the SDK adds tracebacks.
    logging.getLogger("mcp.client").setLevel(logging.CRITICAL)
