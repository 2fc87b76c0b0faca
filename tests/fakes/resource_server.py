"""A stdio MCP server with a resource that can be subscribed to, and is no home. Standard library only.

Its tool `set_weather` says what `weather://now` holds from then on; with a second word on its command line
(`mute`) it knows no subscriptions.
"""

import json
import sys

MUTE = "mute" in sys.argv
RESOURCE = "weather://now"
TOOL = {
    "name": "set_weather",
    "description": "Says what the weather is.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}
now = {"weather": '{"state": "sunny", "temperature": 21}', "subscribed": False}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(method, params):
    if method == "initialize":
        offers = {"tools": {}, "resources": {} if MUTE else {"subscribe": True}}
        about = {"name": "weather", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": offers, "serverInfo": about}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "resources/list":
        return {"resources": [{"uri": RESOURCE, "name": "weather"}]}
    if method == "resources/read" and params["uri"] == RESOURCE:
        return {"contents": [{"uri": RESOURCE, "mimeType": "application/json", "text": now["weather"]}]}
    if method == "resources/subscribe" and not MUTE:
        now["subscribed"] = True
        return {}
    if method in ("resources/unsubscribe", "ping"):
        return {}
    if method == "tools/call":
        now["weather"] = params["arguments"]["text"]
        if now["subscribed"]:
            send({"method": "notifications/resources/updated", "params": {"uri": RESOURCE}})
        return {"content": [{"type": "text", "text": "Done."}]}
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = answer(request["method"], request.get("params") or {})
        problem = {"error": {"code": -32601, "message": "Method not found"}}
        send({"id": request["id"], **({"result": result} if result is not None else problem)})
