"""The `zwave-mcp-server` command."""

import os
import sys


def main() -> int:
    wire = take_stdout()
    # After stdout was taken, so output of these imports cannot reach the client.
    import signal

    for number in (signal.SIGTERM, signal.SIGINT):  # until the event loop takes over
        signal.signal(number, lambda *_: sys.exit(0))
    from zwave_mcp.cli import start

    return start(sys.argv[1:], wire)


def take_stdout() -> int:
    """Reserve stdout for JSON-RPC: libraries print while they load.

    From here on file descriptor 1, `print` and child processes go to stderr; the returned descriptor is the
    only way to the client.
    """
    try:
        wire = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # started without stdout or stderr: there is no client
        wire = os.open(os.devnull, os.O_WRONLY)
    sys.stdout = sys.stderr
    return wire


if __name__ == "__main__":
    sys.exit(main())
