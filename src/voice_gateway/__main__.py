"""The entry point. Until the command line is imported, Ctrl-C ends the program silently."""

import os
import sys

# `python -m` would import modules from the current folder first. Only modules that the interpreter has loaded
# already are imported above.
if (
    __name__ == "__main__"
    and not sys.flags.safe_path
    and __file__ != f"{sys.path[0]}/voice_gateway/__main__.py"
):
    del sys.path[0]

import signal
from collections.abc import Sequence
from types import FrameType

# With one of these set, for other programs, LangChain would send every turn to a cloud.
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
    """End at once: nothing was started."""
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
