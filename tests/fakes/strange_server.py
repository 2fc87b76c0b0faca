"""A stdio MCP server of somebody else. Its tools and answers are what a file says; it writes down its calls.

Usage: strange_server.py FILE: {"tools": [...], "answer": "..."}; every call is added to FILE.calls.
"""

import json
import sys
from pathlib import Path

from stdio_rpc import serve, text

FILE = Path(sys.argv[1])


def answer(method: str, params: dict) -> dict | None:
    given = json.loads(FILE.read_text())
    if method == "tools/call":
        with FILE.with_suffix(".calls").open("a") as calls:
            calls.write(f"{params['name']}\n")
        return text(given["answer"])
    return {"tools": given["tools"]} if method == "tools/list" else None


if __name__ == "__main__":
    serve("strange", answer)
