"""How far a call that takes long has come: told by whoever runs it, to whoever made it."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Any

LONGEST_MESSAGE = 200  # characters of what a server says of its progress


@dataclass(frozen=True, slots=True)
class Progress:
    done: float
    total: float | None = None
    message: str = ""  # in the words of whoever runs it
    what: str = ""  # is under way, in ours: "the research server"

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
        told = [f"{share * 100:.0f} %" if share is not None else "", self.message]
        return f"{self.what or 'a tool'}: {', '.join(one for one in told if one) or 'still at work'}"

    def to_json(self) -> dict[str, Any]:
        return {"what": self.what, "done": self.done, "total": self.total, "message": self.message}


def read_progress(done: Any, total: Any, message: Any) -> Progress | None:
    """What a server sent, if it can be meant."""
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
# A context variable: between who made a call and the connection that hears of its progress stand LangChain's
# tools, which pass nothing on but arguments, and MCP's sessions.
_on_progress: ContextVar[OnProgress | None] = ContextVar("on_progress", default=None)


def listener() -> OnProgress | None:
    """Who wants to hear of the progress of a call that is made here."""
    return _on_progress.get()


def set_listener(told: OnProgress | None) -> Token[OnProgress | None]:
    return _on_progress.set(told)


def reset_listener(token: Token[OnProgress | None]) -> None:
    _on_progress.reset(token)


@contextmanager
def progress_to(told: OnProgress) -> Iterator[None]:
    """For every call that is made inside."""
    token = _on_progress.set(told)
    try:
        yield
    finally:
        _on_progress.reset(token)
