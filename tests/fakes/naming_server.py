"""An MCP server that says who it is and what it was given: `naming_server.py NAME [SECONDS to wait]`."""

import os
import sys
import time

from stdio_rpc import serve, text, tool

ABOUT = {"get_owner": "Whose tool this is.", "get_variable": "What MINE is."}


def answer(method: str, params: dict) -> dict | None:
    if method == "tools/list":
        return {"tools": [tool(name, about, {}, looks=True) for name, about in ABOUT.items()]}
    if method == "tools/call":
        return text(sys.argv[1] if params["name"] == "get_owner" else os.environ.get("MINE", "nothing"))
    return None


if __name__ == "__main__":
    time.sleep(float(sys.argv[2]) if len(sys.argv) > 2 else 0)
    serve(sys.argv[1], answer)
