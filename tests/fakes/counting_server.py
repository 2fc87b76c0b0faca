"""A stdio MCP server with some lamps that writes down every switching it really did. Standard library only.

Usage: counting_server.py FILE SECONDS [NAMES]: each switching takes SECONDS, and then adds the lamp's name to
FILE. A file `begun` beside it says that one has begun. NAMES is a file with other names of lamps, one a line.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

LAMPS: tuple[str, ...] = (
    "Red Lamp",
    "Blue Lamp",
    "Green Lamp",
    "Yellow Lamp",
    "White Lamp",
    "Black Lamp",
    "Orange Lamp",
    "Silver Lamp",
)
if len(sys.argv) > 3:
    LAMPS = tuple(Path(sys.argv[3]).read_text(encoding="utf-8").splitlines())
TEXT = {"type": "string"}
TOOLS = [
    {
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
    },
    {
        "name": "control_zwave_device",
        "description": "Switches a lamp.",
        "inputSchema": {
            "type": "object",
            "properties": {"deviceName": TEXT, "action": TEXT},
            "required": ["deviceName", "action"],
        },
    },
]
writing = threading.Lock()


def send(message):
    with writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def devices():
    return [
        {
            "name": name,
            "room": "Hall",
            "kind": "switch",
            "nodeId": number,
            "endpoint": 0,
            "state": "off",
            "available": True,
        }
        for number, name in enumerate(LAMPS, 2)
    ]


def called(name, arguments):
    if name == "list_zwave_devices":
        first = arguments.get("offset", 0)
        page = devices()[first : first + arguments.get("limit", 100)]
        return "The lamps.", {"devices": page, "total": len(LAMPS)}
    (Path(sys.argv[1]).parent / "begun").touch()
    time.sleep(float(sys.argv[2]))
    lamp = arguments["deviceName"]
    file = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{lamp}\n".encode())  # one write, so that two processes never mix their lines
    os.close(file)
    facts = {
        "device": lamp,
        "requested": arguments["action"],
        "state": arguments["action"],
        "outcome": "confirmed",
    }
    return f"The {lamp} is now {arguments['action']}.", facts


def answer(request):
    text, structured = called(request["params"]["name"], request["params"].get("arguments", {}))
    content = [{"type": "text", "text": text}]
    send({"id": request["id"], "result": {"content": content, "structuredContent": structured}})


for line in sys.stdin:
    request = json.loads(line)
    if request.get("method") == "initialize":
        version = request["params"]["protocolVersion"]
        info = {"name": "counting", "version": "1"}
        send(
            {
                "id": request["id"],
                "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info},
            }
        )
    elif request.get("method") == "tools/list":
        send({"id": request["id"], "result": {"tools": TOOLS}})
    elif request.get("method") == "tools/call":
        threading.Thread(target=answer, args=(request,), daemon=True).start()
    elif "id" in request:
        send({"id": request["id"], "result": {}})
