"""Replies of the gateway as nodes, scenes, groups and lock users; malformed parts are left out."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeGuard

from zwave_mcp.home import (
    LockUser,
    Node,
    NotUnderstood,
    Scene,
    SceneValue,
    Value,
    ValueId,
    WriteResult,
    is_number,
    is_secret,
    scalar,
)
from zwave_mcp.mqtt.connection import one_line

_BROADCAST, _BROADCAST_LONG_RANGE = 0xFF, 0xFFF


# --- the answer of `getNodes`


class Listed(NamedTuple):
    """One entry of the list."""

    raw: object
    number: int | None = None
    node: Node | None = None  # None where the entry is no device
    is_group: bool = False


class NodeLists:
    """Parses `getNodes` answers in a thread: a large home's has megabytes.

    An entry that is the same as in the answer before keeps its Node object.
    """

    def __init__(self) -> None:
        self._before: dict[int | None, Listed] = {}

    async def read(self, payload: bytes) -> Mapping[str, Any]:
        """The answer, with a `Listed` for each entry of its `result`. ValueError: it is no JSON object."""
        return await asyncio.to_thread(self._parsed, payload)

    def _parsed(self, payload: bytes) -> Mapping[str, Any]:
        answer = json.loads(payload.decode("utf-8", "surrogatepass"))
        if not isinstance(answer, dict):
            raise ValueError("no JSON object")
        if isinstance(answer.get("result"), list):
            answer["result"] = listed = [self._listed(raw) for raw in answer["result"]]
            self._before = {entry.number: entry for entry in listed}
        return answer

    def _listed(self, raw: object) -> Listed:
        if not isinstance(raw, Mapping):
            return Listed(raw)
        number = raw.get("id") if _is_int(raw.get("id")) else None
        known = self._before.get(number)
        if known is not None and known.raw == raw:
            return known
        return Listed(raw, number, _node(raw), raw.get("kind") == "multicast")


def with_groups(nodes: Iterable[Node], groups: object) -> tuple[Node, ...]:
    """The nodes, and each multicast group whose members are all known."""
    known = tuple(nodes)
    there = {node.id for node in known}
    made = []
    for raw in _list(groups):
        match raw:
            case {"id": int(number), "name": str(name), "nodeIds": list(nodes_in)}:
                members = tuple(filter(_is_int, nodes_in))
                if name.strip() and members and set(members) <= there:
                    made.append(Node(number, name.strip(), members=members))
    return (*known, *made)


def _node(raw: Mapping[str, Any]) -> Node | None:
    """None for the controller and virtual nodes: a write to Broadcast reaches every device."""
    number = raw.get("id")
    if not _is_int(number) or raw.get("virtual") or raw.get("isControllerNode"):
        return None
    if number == _BROADCAST or number >= _BROADCAST_LONG_RANGE:
        return None
    listed = raw.get("values")
    items: Iterable[object] = listed.values() if isinstance(listed, Mapping) else _list(listed)
    values = (_value(number, item) for item in items if isinstance(item, Mapping))
    return Node(
        id=number,
        name=_text(raw.get("name")).strip(),
        room=_text(raw.get("loc")).strip(),
        status=_text(raw.get("status")) or "Unknown",
        available=raw.get("available") is not False,
        values=tuple(value for value in values if value is not None),
        product=" ".join(filter(None, (_text(raw.get("manufacturer")), _text(raw.get("productLabel"))))),
        ready=raw.get("ready") is not False,
        classes=_classes(raw),
    )


def _classes(raw: Mapping[str, Any]) -> dict[int, tuple[int, int]]:
    """The device class of the node (endpoint 0), and of each endpoint that has its own."""
    classes: dict[int, tuple[int, int]] = {}
    for part in ({**raw, "index": 0}, *_list(raw.get("endpoints"))):
        match part:
            case {"index": int(index), "deviceClass": {"generic": int(generic), "specific": int(specific)}}:
                classes[index] = generic, specific
    return classes


def _value(node_id: int, raw: Mapping[str, Any]) -> Value | None:
    value_id = _value_id(node_id, raw)
    if value_id is None:
        return None
    content = raw.get("value")
    if is_secret(value_id.command_class, value_id.property):
        content = None
    updated = _number(raw.get("lastUpdate"))
    return Value(
        id=value_id,
        value=duration_seconds(content) if value_id.property == "duration" else scalar(content),
        label=_text(raw.get("label")),
        unit=_text(raw.get("unit")),
        states=_states(raw.get("states")),
        minimum=_number(raw.get("min")),
        maximum=_number(raw.get("max")),
        writeable=raw.get("writeable") is True,
        target=_target(value_id, raw.get("targetValue")),
        updated=updated / 1000 if updated is not None else None,
    )


def _value_id(node_id: int, raw: Mapping[str, Any]) -> ValueId | None:
    command_class, prop, key = raw.get("commandClass"), raw.get("property"), raw.get("propertyKey")
    endpoint = raw.get("endpoint") or 0
    if not _is_int(command_class) or not _is_int(endpoint) or not (isinstance(prop, str) or _is_int(prop)):
        return None
    return ValueId(
        node_id, command_class, endpoint, prop, key if isinstance(key, str) or _is_int(key) else None
    )


def _target(current: ValueId, raw: object) -> ValueId | None:
    """`38-0-targetValue` names class, endpoint and property; the property key is that of the state."""
    parts = raw.split("-", 2) if isinstance(raw, str) else []
    if len(parts) != 3 or not parts[0].isdecimal() or not parts[1].isdecimal():
        return None
    key = current.property_key
    prop = parts[2] if key is None else parts[2].removesuffix(f"-{key}")
    return ValueId(current.node_id, int(parts[0]), int(parts[1]), prop, key)


def _states(raw: object) -> dict[int | bool | str, str]:
    items = (item for item in _list(raw) if isinstance(item, Mapping))
    known = ((item.get("value"), _text(item.get("text"))) for item in items)
    return {value: text for value, text in known if isinstance(value, bool | int | str) and text}


# --- other answers


def parse_scenes(result: list[Any]) -> tuple[Scene, ...]:
    scenes = []
    for raw in result:
        match raw:
            case {"sceneid": int(number), "label": str(name)} if name.strip():
                listed = raw.get("values")
                values = tuple(filter(None, map(_scene_value, _list(listed))))
                complete = isinstance(listed, list) and len(values) == len(listed)
                scenes.append(Scene(number, name.strip(), values, complete))
    return tuple(scenes)


def _scene_value(item: object) -> SceneValue | None:
    if not isinstance(item, Mapping) or not _is_int(node_id := item.get("nodeId")):
        return None
    value_id, value = _value_id(node_id, item), item.get("value")
    if value_id is None:
        return None
    if value_id.property == "targetColor" and isinstance(value, Mapping):  # a colour may be written whole
        return SceneValue(value_id, {str(name): scalar(level) for name, level in value.items()})
    return SceneValue(value_id, scalar(value))


def parse_users(result: list[Any]) -> tuple[LockUser, ...]:
    return tuple(
        LockUser(raw["userId"], raw.get("active") is True, _text(raw.get("userName")).strip())
        for raw in result
        if isinstance(raw, Mapping) and _is_int(raw.get("userId"))
    )


def parse_write(result: object) -> WriteResult:
    status = result.get("status") if isinstance(result, Mapping) else None
    if not isinstance(result, Mapping) or not _is_int(status):
        raise NotUnderstood
    remaining = duration_seconds(result.get("remainingDuration"))
    return WriteResult(status, remaining, one_line(result.get("message")))


def duration_seconds(raw: object) -> float | None:
    """`{"value": 2, "unit": "seconds"}` in seconds; None where the device does not know."""
    match raw:
        case {"value": value, **more} if is_number(value):
            return float(value) * (60 if more.get("unit") == "minutes" else 1)
    return None


def _is_int(raw: object) -> TypeGuard[int]:
    return isinstance(raw, int) and not isinstance(raw, bool)


def _list(raw: object) -> list[Any]:
    return raw if isinstance(raw, list) else []


def _text(raw: object) -> str:
    return raw if isinstance(raw, str) else ""


def _number(raw: Any) -> float | None:
    return float(raw) if is_number(raw) else None
