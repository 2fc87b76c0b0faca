"""Diagnostics on stderr: a fixed phrase, and the facts behind it."""

import logging
import sys
from typing import Final

_OWN: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class Facts(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        facts = " ".join(f"{key}={value!r}" for key, value in record.__dict__.items() if key not in _OWN)
        return f"{line} {facts}".rstrip()


def configure(level: int) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Facts("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler], force=True)
