"""A stdio MCP server of somebody else. Its tools and answers are what a file says; it writes down its calls.

Usage: strange_server.py FILE: {"tools": [...], "answer": "..."}; every call is added to FILE.calls.
"""

import json
import sys
from pathlib import Path
from typing import Any


def answer(method: str, params: dict[str, Any], file: Path) -> dict[str, Any] | None:
    said = json.loads(file.read_text())
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "strange", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": said["tools"]}
    if method == "tools/call":
        with file.with_suffix(".calls").open("a") as calls:
            calls.write(f"{params['name']}\n")
        return {"content": [{"type": "text", "text": said["answer"]}]}
    return {} if method == "ping" else None


def main() -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params") or {}, Path(sys.argv[1]))
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if result is None:
            reply["error"] = {"code": -32601, "message": "Method not found"}
        else:
            reply["result"] = result
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
