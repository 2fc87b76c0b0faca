"""A server on FastMCP: over stdio, or with the argument `http` or `sse` on the port in PORT."""

import os
import sys
from typing import Any

from fastmcp import FastMCP

server = FastMCP("fastmcp", instructions="Adds numbers.")


@server.tool(annotations={"readOnlyHint": True})
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool
def fail() -> str:
    """Fails."""
    raise ValueError("the kettle is empty")


if __name__ == "__main__":
    options: dict[str, Any] = {"show_banner": False}
    if len(sys.argv) > 1:
        options |= {"transport": sys.argv[1], "host": "127.0.0.1", "port": int(os.environ["PORT"])}
    server.run(**options)
