"""The loop of a small stdio MCP server, on the standard library. The servers beside it are run as scripts."""

import json
import sys
import threading
from collections.abc import Callable

_writing = threading.Lock()


def send(message: dict) -> None:
    with _writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def text(words: str) -> dict:
    """The result of a call."""
    return {"content": [{"type": "text", "text": words}]}


def tool(name: str, description: str, properties: dict, *, looks: bool = False) -> dict:
    """A definition; every parameter is required."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    hints = {"annotations": {"readOnlyHint": True}} if looks else {}
    return {"name": name, "description": description, "inputSchema": schema, **hints}


def serve(name: str, answer: Callable[[str, dict], dict | None], *, threads: bool = False) -> None:
    """`answer` gets a method and its parameters; None: there is no such method. With `threads` each call is
    answered in a thread of its own."""

    def reply(message: dict) -> None:
        method, params = message["method"], message.get("params") or {}
        result: dict | None = {}
        if method == "initialize":
            result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
            result |= {"serverInfo": {"name": name, "version": "1"}}
        elif method != "ping":
            result = answer(method, params)
        missing = {"error": {"code": -32601, "message": "Method not found"}}
        send({"id": message["id"], **(missing if result is None else {"result": result})})

    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        if threads and message["method"] == "tools/call":
            threading.Thread(target=reply, args=(message,), daemon=True).start()
        else:
            reply(message)
