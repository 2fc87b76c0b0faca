"""Keeps stdout for JSON-RPC alone. Runs before any other import, because libraries print while they load."""

import os
import sys


def take_stdout() -> int:
    """From here on file descriptor 1, `print` and child processes go to stderr; the returned descriptor is
    the only way to the client."""
    try:
        wire = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # started without stdout or stderr: there is nobody to talk to
        wire = os.open(os.devnull, os.O_WRONLY)
    sys.stdout = sys.stderr
    return wire
