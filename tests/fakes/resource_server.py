"""A stdio MCP server with a resource that can be subscribed to, and is no home.

Its tool `set_weather` says what `weather://now` holds from then on; with a second word on its command line
(`mute`) it knows no subscriptions.
"""

import sys

from stdio_rpc import send, serve, text, tool

MUTE = "mute" in sys.argv
RESOURCE = "weather://now"
TOOL = tool("set_weather", "Says what the weather is.", {"text": {"type": "string"}})
now = {"weather": '{"state": "sunny", "temperature": 21}', "subscribed": False}


def answer(method: str, params: dict) -> dict | None:
    if method == "resources/read" and params["uri"] == RESOURCE:
        return {"contents": [{"uri": RESOURCE, "mimeType": "application/json", "text": now["weather"]}]}
    if method == "resources/subscribe" and not MUTE:
        now["subscribed"] = True
        return {}
    if method == "tools/call":
        now["weather"] = params["arguments"]["text"]
        if now["subscribed"]:
            send({"method": "notifications/resources/updated", "params": {"uri": RESOURCE}})
        return text("Done.")
    lists = {"tools/list": {"tools": [TOOL]}, "resources/unsubscribe": {}}
    return {**lists, "resources/list": {"resources": [{"uri": RESOURCE, "name": "weather"}]}}.get(method)


if __name__ == "__main__":
    serve("weather", answer, resources={} if MUTE else {"subscribe": True})
