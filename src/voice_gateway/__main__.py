"""The entrance: until the command line has taken over, Ctrl-C ends the program without a word."""

import os
import sys

# `python -m` looks for modules in the current folder first, and that may have come from anywhere. These two
# are the interpreter's own already; nothing else is imported before this.
if (
    __name__ == "__main__"
    and not sys.flags.safe_path
    and __file__ != f"{sys.path[0]}/voice_gateway/__main__.py"
):
    del sys.path[0]

import signal
from collections.abc import Sequence
from types import FrameType

# LangChain would send every turn to a cloud when one of these happens to be set for other programs.
TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")


def main(argv: Sequence[str] | None = None) -> int:
    usual = signal.signal(signal.SIGINT, _leave)
    for name in TRACING:
        os.environ.pop(name, None)
    try:
        from voice_gateway.cli.main import main  # takes a while

        return main(argv)
    finally:
        signal.signal(signal.SIGINT, usual)


def _leave(number: int, _frame: FrameType | None) -> None:
    """Nothing has begun that would have to be ended in order."""
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
