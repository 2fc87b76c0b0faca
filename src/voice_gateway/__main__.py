"""The entrance: until the command line has taken over, Ctrl-C ends the program without a word."""

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType


def main(argv: Sequence[str] | None = None) -> int:
    usual = signal.signal(signal.SIGINT, _leave)
    try:
        from voice_gateway.commands.line import main  # takes a while

        return main(argv)
    finally:
        signal.signal(signal.SIGINT, usual)


def _leave(number: int, _frame: FrameType | None) -> None:
    """Nothing has begun that would have to be ended in order."""
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
