"""The smallest honest MCP server on the standard library: isolates what a client costs."""

import json
import sys

TOOLS = [
    {
        "name": "add",
        "description": "Adds two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
        "annotations": {"readOnlyHint": True},
    }
]


def answer(method: str, params: dict) -> dict | None:
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "minimal", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        total = params["arguments"]["a"] + params["arguments"]["b"]
        return {"content": [{"type": "text", "text": str(total)}]}
    return {} if method == "ping" else None


def main() -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if result is None:
            reply["error"] = {"code": -32601, "message": "Method not found"}
        else:
            reply["result"] = result
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
