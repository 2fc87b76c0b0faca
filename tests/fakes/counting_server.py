"""A stdio MCP server with some lamps that writes down every switching it really did. Standard library only.

Usage: counting_server.py FILE SECONDS [NAMES]: each switching takes SECONDS, and then adds the lamp's name to
FILE. A file `begun` beside it says that one has begun. NAMES is a file with other names of lamps, one a line.
"""

import os
import sys
import time
from pathlib import Path

from stdio_rpc import serve, text, tool

LAMPS = [f"{colour} Lamp" for colour in "Red Blue Green Yellow White Black Orange Silver".split()]
if len(sys.argv) > 3:
    LAMPS = Path(sys.argv[3]).read_text(encoding="utf-8").splitlines()
TEXT = {"type": "string"}
NUMBER, FLAG = {"type": "integer"}, {"type": "boolean"}
PAGE = {"includeInactive": FLAG, "limit": NUMBER, "offset": NUMBER}
LIST = tool("list_zwave_devices", "Lists the lamps.", PAGE, looks=True)
LIST["inputSchema"]["required"] = []
TOOLS = [LIST, tool("control_zwave_device", "Switches a lamp.", {"deviceName": TEXT, "action": TEXT})]


def devices():
    facts = {"room": "Hall", "kind": "switch", "endpoint": 0, "state": "off", "available": True}
    return [{"name": name, "nodeId": number, **facts} for number, name in enumerate(LAMPS, 2)]


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
    action = arguments["action"]
    facts = {"device": lamp, "requested": action, "state": action, "outcome": "confirmed"}
    return f"The {lamp} is now {action}.", facts


def answer(method, params):
    if method == "tools/call":
        words, structured = called(params["name"], params.get("arguments", {}))
        return {**text(words), "structuredContent": structured}
    return {"tools": TOOLS} if method == "tools/list" else {}


serve("counting", answer, threads=True)
