"""Logs: a fixed message, its facts, and the turn. They go to stderr, or to a file beside a terminal."""

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

from voice_gateway.private_files import private_file

LARGEST_FILE = 1_000_000  # bytes; one older file is kept

# The attributes of every LogRecord; all others came in as `extra`.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

# The loggers of libraries name the turn too.
_turn: ContextVar[dict[str, str]] = ContextVar("turn", default={})  # noqa: B039 (never changed in place)
_BARE = re.compile(r"""[^\s"'=()\\]+""")  # needs no quotes
# What moves a cursor, colours or names a window: CSI, OSC (which BEL or ST ends), and the short ones.
ANSI = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?|[@-Z\\-_])")


class MultilineText(str):
    """A message of ours with several lines; every other message is written on one line."""

    __slots__ = ()


def one_line(text: str) -> str:
    """The text with escapes for line ends, colours, and all else that is not printable."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@contextmanager
def turn_context(**facts: str) -> Iterator[None]:
    """Every line logged inside names its turn and channel."""
    token = _turn.set({**_turn.get(), **facts})
    try:
        yield
    finally:
        _turn.reset(token)


class FactsFormatter(logging.Formatter):
    """`12:01:07 warning tools.executor: tool is slow (tool=search_web reason="no answer" turn=4f2a)`

    A record is one line; further lines are indented, so that foreign text cannot look like a record.
    """

    def __init__(self, *, tracebacks: bool, dated: bool = False) -> None:
        super().__init__()
        self._tracebacks = tracebacks
        self._time = "%Y-%m-%d %H:%M:%S" if dated else "%H:%M:%S"

    def format(self, record: logging.LogRecord) -> str:
        known = {key: value for key, value in vars(record).items() if key not in _STANDARD} | _turn.get()
        facts = " ".join(f"{key}={_quoted(value)}" for key, value in known.items() if value not in (None, ""))
        message, *below = [record.getMessage()]
        if isinstance(record.msg, MultilineText):
            message, *below = message.split("\n")
        if self._tracebacks and record.exc_info:
            below += [f"  {more}" for more in self.formatException(record.exc_info).splitlines()]
        start = f"{self.formatTime(record, self._time)} {record.levelname.lower()}"
        source = record.name.removeprefix("voice_gateway.")
        line = f"{start} {source}: {one_line(message)}{f' ({facts})' if facts else ''}"
        indented = (more if more.startswith("  ") else f"  {more}" for more in below)
        return "\n".join([line, *map(one_line, indented)])


def _quoted(value: object) -> str:
    text = str(value)
    if isinstance(value, int | float) or (_BARE.fullmatch(text) and text.isprintable()):
        return text
    escaped = text.replace("\\", r"\\").replace('"', r"\"")
    return f'"{one_line(escaped)}"'


def log_file(file: Path, largest_bytes: int = LARGEST_FILE) -> RotatingFileHandler:
    """Private, and never larger than two files."""
    private_file(file)
    return RotatingFileHandler(
        file, maxBytes=largest_bytes, backupCount=1, encoding="utf-8", errors="backslashreplace"
    )


def destination() -> str:
    """Where the lines go, for people."""
    files = [log.baseFilename for log in logging.getLogger().handlers if isinstance(log, RotatingFileHandler)]
    return files[0] if files else "stderr"


def set_up(
    level: str = "warning", *, debug: bool = False, stream: TextIO | None = None, file: Path | None = None
) -> None:
    """Our own tracebacks appear only with `debug`."""
    handler: logging.Handler = log_file(file) if file else logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(FactsFormatter(tracebacks=debug, dated=file is not None))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG if debug else level.upper())
    # Not shown, and looking them up costs a tenth of a tool call.
    logging.logProcesses = logging.logThreads = logging.logMultiprocessing = False
    logging._srcfile = None
    # At debug the libraries' lines would bury ours, and repeat what people said.
    quiet = "httpx httpcore httpx2 httpcore2 mcp sse_starlette anthropic asyncio ddgs primp"
    for library in quiet.split():
        logging.getLogger(library).setLevel(logging.WARNING)
    # The link reports a failing server in one line; the SDK would add tracebacks.
    logging.getLogger("mcp.client").setLevel(logging.CRITICAL)
