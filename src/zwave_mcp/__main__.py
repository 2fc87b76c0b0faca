"""The `zwave-mcp-server` command."""

import sys


def main() -> int:
    from zwave_mcp.guard import take_stdout

    wire = take_stdout()
    # Only now: whatever these imports print, it cannot reach the client.
    from zwave_mcp.cli import start

    return start(sys.argv[1:], wire)


if __name__ == "__main__":
    sys.exit(main())
