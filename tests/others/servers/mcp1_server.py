"""A server on the SDK before its version 2: over stdio, or `streamable-http` or `sse` on the port in PORT."""

import os
import sys

from mcp.server.fastmcp import FastMCP  # type: ignore[attr-defined] # newer ones do not have it
from mcp.types import ToolAnnotations

server = FastMCP("mcp1", host="127.0.0.1", port=int(os.environ.get("PORT", "0")))


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("the kettle is empty")


if __name__ == "__main__":
    server.run(transport=sys.argv[1] if len(sys.argv) > 1 else "stdio")
