"""A stdio MCP server with a thousand sensors that report all the time, and lamps. Standard library only.

Usage: reporting_house.py FILE SENSORS LAMPS REPORTS: with so many reports a second it says that its devices
are not as they were; every switching adds the lamp's name and the time to FILE.
"""

import json
import sys
import threading
import time
from pathlib import Path

FILE, SENSORS, LAMPS, REPORTS = Path(sys.argv[1]), *(int(word) for word in sys.argv[2:5])
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
TOOLS = [
    {
        "name": "list_zwave_devices",
        "description": "Lists the devices.",
        "inputSchema": {
            "type": "object",
            "properties": {"includeInactive": {"type": "boolean"}, "limit": NUMBER, "offset": NUMBER},
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
told = [0] * SENSORS  # how often each has reported
subscribed = threading.Event()


def send(message):
    with writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def device(number):
    sensor = number < SENSORS
    name, kind = (f"Sensor {number}", "sensor") if sensor else (f"Lamp {number - SENSORS}", "switch")
    state = f"{15 + told[number] % 10}.{number % 10} °C" if sensor else "off"
    facts = {"nodeId": number + 2, "endpoint": 0, "state": state, "available": True}
    return {"name": name, "room": f"Room {number % 40}", "kind": kind, **facts}


def report():
    subscribed.wait()
    number = 0
    while True:
        time.sleep(1 / REPORTS)
        number = (number + 1) % SENSORS
        told[number] += 1
        send({"method": "notifications/resources/updated", "params": {"uri": "zwave://devices"}})


def called(name, arguments):
    if name == "list_zwave_devices":
        first, total = arguments.get("offset", 0), SENSORS + LAMPS
        last = min(first + arguments.get("limit", 100), total)
        return "The devices.", {"devices": [device(one) for one in range(first, last)], "total": total}
    with FILE.open("a", encoding="utf-8") as file:
        file.write(f"{arguments['deviceName']}|{time.time()}\n")
    action = arguments["action"]
    facts = {"device": arguments["deviceName"], "requested": action, "state": action, "outcome": "confirmed"}
    return "Done.", facts


def answer(method, params):
    if method == "initialize":
        offers = {"tools": {}, "resources": {"subscribe": True}}
        about = {"name": "zwave", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": offers, "serverInfo": about}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        text, facts = called(params["name"], params.get("arguments", {}))
        return {"content": [{"type": "text", "text": text}], "structuredContent": facts}
    if method == "resources/subscribe":
        subscribed.set()
    return {}


threading.Thread(target=report, daemon=True).start()
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        send({"id": request["id"], "result": answer(request["method"], request.get("params") or {})})
