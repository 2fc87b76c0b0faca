"""An MCP server that says who it is and what it was given: `naming_server.py NAME [SECONDS to wait]`."""

import json
import os
import sys
import time

TOOLS = [
    {
        "name": name,
        "description": about,
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True},
    }
    for name, about in (("get_owner", "Whose tool this is."), ("get_variable", "What MINE is."))
]


def answer(method: str, params: dict) -> dict | None:
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": sys.argv[1], "version": "1"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        said = sys.argv[1] if params["name"] == "get_owner" else os.environ.get("MINE", "nothing")
        return {"content": [{"type": "text", "text": said}]}
    return {} if method == "ping" else None


def main() -> None:
    time.sleep(float(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        reply |= (
            {"error": {"code": -32601, "message": "Method not found"}}
            if result is None
            else {"result": result}
        )
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
