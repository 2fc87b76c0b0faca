"""A home of 200 nodes with 6,000 values, as Z-Wave JS UI lists it, one of them a door that can be opened."""

import json
from typing import Any, Final

NODES: Final = 200
VALUES: Final = 30  # of each
DOOR: Final = 201  # the last one
DOOR_TOPIC: Final = "Hall/Window/notification/endpoint_0/Access_Control/Door_state_simple"
OPEN, CLOSED = 22, 23
_ROOMS: Final = "Kitchen Bedroom Office Study Hallway Garage Attic Cellar Bathroom Nursery".split()


def _value(node: int, command_class: int, prop: Any, value: Any, **more: Any) -> dict[str, Any]:
    key = f"{command_class}-0-{prop}"
    return {
        "id": f"{node}-{key}", "nodeId": node, "commandClass": command_class, "endpoint": 0, "property": prop,
        "propertyName": str(prop), "type": "number", "readable": True, "writeable": command_class == 112,
        "label": f"Value {prop}", "stateless": False, "list": False, "value": value,
        "lastUpdate": 1_794_762_690_855, "commandClassName": "Something", "ccSpecific": {}, "toUpdate": False,
        **more,
    }  # fmt: skip


def _door(node: int) -> dict[str, Any]:
    texts = [
        {"text": "Window/door is open", "value": OPEN},
        {"text": "Window/door is closed", "value": CLOSED},
    ]
    key = {"propertyKey": "Door state (simple)", "propertyKeyName": "Door state (simple)"}
    named = {"commandClassName": "Notification", "label": "Door state (simple)"}
    return _value(node, 113, "Access Control", CLOSED, states=texts, **key, **named)


def _node(number: int) -> dict[str, Any]:
    choices = [{"text": f"Choice {at}", "value": at} for at in range(4)]
    first = (
        _door(number)
        if number == DOOR
        else _value(number, 38, "currentValue", 40, isCurrentValue=True, targetValue="38-0-targetValue")
    )
    values = [
        first,
        _value(number, 128, "level", 80, unit="%"),
        *(_value(number, 49, f"Reading {at}", 20.5, unit="°C") for at in range(6)),
        *(_value(number, 112, at, 1, min=0, max=9, states=choices) for at in range(1, VALUES - 7)),
    ]
    name, room = ("Window", "Hall") if number == DOOR else (f"Lamp {number}", _ROOMS[number % 10])
    return {
        "id": number, "name": name, "loc": room, "status": "Alive", "available": True, "ready": True,
        "inited": True, "interviewStage": "Complete", "manufacturer": "Maker", "productLabel": "ZX",
        "values": {one["id"].partition("-")[2]: one for one in values},
        "eventsQueue": [{"event": "value updated", "args": [{"newValue": at}]} for at in range(40)],
    }  # fmt: skip


def nodes() -> list[dict[str, Any]]:
    return [_node(number) for number in range(2, NODES + 2)]


def listing() -> bytes:
    """The gateway's answer to `getNodes`."""
    return json.dumps({"success": True, "result": nodes()}).encode()
