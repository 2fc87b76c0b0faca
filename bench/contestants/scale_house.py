"""A stdio MCP server with dimmers that writes down every setting it made. Standard library only.

Usage: scale_house.py FILE: each setting adds a line with the lamp and its level to FILE.
"""

import itertools
import json
import os
import sys

COLOURS = ("red", "blue", "green", "yellow", "white", "black", "orange", "silver")
PLACES = ("desk", "floor", "ceiling", "corner", "shelf")
LAMPS = tuple(f"{c.title()} {p.title()} Lamp" for c, p in itertools.product(COLOURS, PLACES))

TEXT = {"type": "string"}
LIST = {
    "name": "list_zwave_devices",
    "description": "Lists the lamps.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "includeInactive": {"type": "boolean"},
            "limit": {"type": "integer"},
            "offset": {"type": "integer"},
        },
    },
    "annotations": {"readOnlyHint": True},
}
CONTROL = {
    "name": "control_zwave_device",
    "description": "Dims a lamp.",
    "inputSchema": {
        "type": "object",
        "properties": {"deviceName": TEXT, "action": TEXT, "level": {"type": "integer"}},
        "required": ["deviceName", "action"],
    },
}


def devices():
    common = {"room": "Hall", "kind": "dimmer", "endpoint": 0, "state": "off", "available": True}
    return [{**common, "name": name, "nodeId": number} for number, name in enumerate(LAMPS, 2)]


def called(name, arguments):
    if name == LIST["name"]:
        return "The lamps.", {"devices": devices(), "total": len(LAMPS)}
    lamp, level = arguments["deviceName"], arguments.get("level")
    file = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{lamp} {level}\n".encode())  # one write, so that two processes never mix their lines
    os.close(file)
    facts = {"device": lamp, "requested": "dim", "state": f"{level}%", "outcome": "confirmed", "level": level}
    return f"The {lamp} is now at {level}%.", facts


def answer(method, params):
    if method == "initialize":
        info = {"name": "house", "version": "1"}
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": info,
        }
    if method == "tools/list":
        return {"tools": [LIST, CONTROL]}
    if method == "tools/call":
        text, structured = called(params["name"], params.get("arguments", {}))
        return {"content": [{"type": "text", "text": text}], "structuredContent": structured}
    return {}


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = answer(request["method"], request.get("params", {}))
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
