"""What is known of one request over HTTP and its answer; the SDK tells only that something failed."""

from contextvars import ContextVar
from dataclasses import dataclass

REFUSED, FAULTY = 400, 500  # these HTTP statuses, and all above
TOO_MANY = 429
JSON, EVENTS = "application/json", "text/event-stream"


@dataclass(slots=True)
class Exchange:
    """Filled in by the HTTP client, in the context of whoever asks."""

    status: int = 0  # 0: no answer came
    kind: str = ""  # its content type
    words: str = ""  # what it said, if that was a no
    reached: bool = True  # the server may have read the request
    broken: str = ""  # why no answer came, or only half of one

    def clear(self) -> None:
        """A redirect, or a login before it, makes several requests of one."""
        self.status, self.kind, self.words, self.reached, self.broken = 0, "", "", True, ""

    @property
    def refused(self) -> bool:
        return self.status >= REFUSED

    @property
    def answered(self) -> bool:
        """By something that speaks JSON-RPC, and to its end."""
        return not self.broken and self.kind in ((JSON,) if self.refused else (JSON, EVENTS))

    @property
    def surely_not_run(self) -> bool:
        """Nobody read it, or it was turned away before any tool was looked for. What a server (or a proxy
        before it) reports with 500 and above may have happened."""
        return not self.reached or REFUSED <= self.status < FAULTY


# A context variable: the SDK stands between who asks and the HTTP client that fills it in.
exchange_under_way: ContextVar[Exchange | None] = ContextVar("exchange", default=None)
