"""The `zwave-mcp-server` command."""

import sys


def main() -> int:
    from zwave_mcp.stdout_guard import take_stdout

    wire = take_stdout()
    # Only now: whatever these imports print, it cannot reach the client.
    import signal

    for number in (signal.SIGTERM, signal.SIGINT):  # until the event loop takes over
        signal.signal(number, lambda *_: sys.exit(0))
    from zwave_mcp.cli import start

    return start(sys.argv[1:], wire)


if __name__ == "__main__":
    sys.exit(main())
