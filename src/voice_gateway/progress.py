"""Progress of a slow call, from the connection that runs it to the caller."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

LONGEST_MESSAGE = 200  # characters of what a server says of its progress


@dataclass(frozen=True, slots=True)
class Progress:
    done: float
    total: float | None = None
    message: str = ""  # the server's own words
    what: str = ""  # the call, in our words: "the research server"

    @property
    def share(self) -> float | None:
        """From 0 to 1, where the end is known."""
        if not self.total or self.total <= 0:
            return None
        return min(max(self.done / self.total, 0.0), 1.0)

    @property
    def text(self) -> str:
        """One line for people: "the research server: 40 %, reading page 4"."""
        share = self.share
        parts = [f"{share * 100:.0f} %" if share is not None else "", self.message]
        return f"{self.what or 'a tool'}: {', '.join(filter(None, parts)) or 'still at work'}"

    def to_json(self) -> dict[str, Any]:
        return {"what": self.what, "done": self.done, "total": self.total, "message": self.message}


def read_progress(done: Any, total: Any, message: Any) -> Progress | None:
    """What a server sent, or None if it is no progress."""
    if not _is_number(done):
        return None
    words = message if isinstance(message, str) else ""
    words = " ".join("".join(c if c.isprintable() else " " for c in words[: 4 * LONGEST_MESSAGE]).split())
    return Progress(float(done), float(total) if _is_number(total) else None, words[:LONGEST_MESSAGE])


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < 1e15 and math.isfinite(value)


OnProgress = Callable[[Progress], None]
# A context variable, because LangChain's tools and MCP's sessions stand between a caller and the connection,
# and pass nothing on but arguments.
on_progress: ContextVar[OnProgress | None] = ContextVar("on_progress", default=None)
listener = on_progress.get  # the callback for the progress of calls that are made here


@contextmanager
def progress_to(report: OnProgress) -> Iterator[None]:
    """Report the progress of every call that is made inside."""
    token = on_progress.set(report)
    try:
        yield
    finally:
        on_progress.reset(token)
