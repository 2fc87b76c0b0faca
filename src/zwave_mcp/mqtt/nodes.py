"""From replies of `getNodes` and `_getScenes` to nodes and scenes; what is malformed is left out."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from zwave_mcp.home import Node, Scene, SceneValue, Value, ValueId, is_number, scalar
from zwave_mcp.secrets import is_secret

_BROADCAST, _BROADCAST_LONG_RANGE = 0xFF, 0xFFF


def parse_nodes(result: list[Any], groups: object = None) -> tuple[Node, ...]:
    """The real devices of a `getNodes` result, and the `groups` of the gateway. The controller and other
    virtual nodes (a write to Broadcast reaches every device) are left out."""
    nodes = (_node(raw) for raw in result if isinstance(raw, Mapping))
    return with_groups((node for node in nodes if node is not None), groups)


def with_groups(nodes: Iterable[Node], groups: object) -> tuple[Node, ...]:
    known = tuple(nodes)
    there = {node.id for node in known}
    made = (_group(raw, there) for raw in (groups if isinstance(groups, list) else ()))
    return (*known, *(group for group in made if group is not None))


def has_groups(result: list[Any]) -> bool:
    return any(isinstance(raw, Mapping) and raw.get("kind") == "multicast" for raw in result)


def _group(raw: object, there: set[int]) -> Node | None:
    """One of which a member is not known is none: nobody could say what it does."""
    if not isinstance(raw, Mapping) or not _is_int(raw.get("id")) or not isinstance(raw.get("nodeIds"), list):
        return None
    members = tuple(one for one in raw["nodeIds"] if _is_int(one))
    name = _text(raw.get("name")).strip()
    return Node(raw["id"], name, members=members) if name and members and set(members) <= there else None


def parse_scenes(result: list[Any]) -> tuple[Scene, ...]:
    scenes = (_scene(raw) for raw in result if isinstance(raw, Mapping))
    return tuple(scene for scene in scenes if scene is not None)


def duration_seconds(raw: object) -> float | None:
    """`{"value": 2, "unit": "seconds"}` in seconds; None when the device does not know."""
    if not isinstance(raw, Mapping):
        return None
    amount = _number(raw.get("value"))
    if amount is None:
        return None
    return amount * 60 if raw.get("unit") == "minutes" else amount


def _node(raw: Mapping[str, Any]) -> Node | None:
    node_id = raw.get("id")
    if not _is_int(node_id) or raw.get("virtual") or raw.get("isControllerNode") or _is_cast(node_id):
        return None
    status = _text(raw.get("status")) or "Unknown"
    return Node(
        id=node_id,
        name=_text(raw.get("name")).strip(),
        room=_text(raw.get("loc")).strip(),
        status=status,
        available=raw.get("available") is not False,
        values=tuple(_values(node_id, raw.get("values"))),
        product=" ".join(filter(None, (_text(raw.get("manufacturer")), _text(raw.get("productLabel"))))),
        ready=raw.get("ready") is not False,
        classes=dict(_classes(raw)),
    )


def _classes(raw: Mapping[str, Any]) -> Iterable[tuple[int, tuple[int, int]]]:
    """The node's own device class, and those of its endpoints where they are told."""
    endpoints = raw.get("endpoints")
    told = [one for one in endpoints if isinstance(one, Mapping)] if isinstance(endpoints, list) else []
    for one in ({"index": 0, "deviceClass": raw.get("deviceClass")}, *told):
        index, device_class = one.get("index"), one.get("deviceClass")
        if _is_int(index) and isinstance(device_class, Mapping):
            generic, specific = device_class.get("generic"), device_class.get("specific")
            if _is_int(generic) and _is_int(specific):
                yield index, (generic, specific)


def _values(node_id: int, raw: object) -> Iterable[Value]:
    items: Iterable[object] = ()
    if isinstance(raw, Mapping):
        items = raw.values()
    elif isinstance(raw, list):
        items = raw
    for item in items:
        if isinstance(item, Mapping):
            value = _value(node_id, item)
            if value is not None:
                yield value


def _value(node_id: int, raw: Mapping[str, Any]) -> Value | None:
    value_id = _value_id(node_id, raw)
    if value_id is None:
        return None
    updated = _number(raw.get("lastUpdate"))
    return Value(
        id=value_id,
        value=_plain(value_id, raw.get("value")),
        label=_text(raw.get("label")),
        unit=_text(raw.get("unit")),
        states=_states(raw.get("states")),
        minimum=_number(raw.get("min")),
        maximum=_number(raw.get("max")),
        writeable=raw.get("writeable") is True,
        target=_target(value_id, raw.get("targetValue")),
        updated=updated / 1000 if updated is not None else None,
    )


def _plain(value_id: ValueId, raw: object) -> bool | float | str | None:
    """What is left of a ramp is told in seconds; a code is told to nobody."""
    if is_secret(value_id.command_class, value_id.property):
        return None
    return duration_seconds(raw) if value_id.property == "duration" else scalar(raw)


def _value_id(node_id: int, raw: Mapping[str, Any]) -> ValueId | None:
    command_class, prop, key = raw.get("commandClass"), raw.get("property"), raw.get("propertyKey")
    endpoint = raw.get("endpoint") or 0
    if not _is_int(command_class) or not _is_int(endpoint) or not _is_name(prop):
        return None
    return ValueId(node_id, command_class, endpoint, prop, key if _is_name(key) else None)


def _target(current: ValueId, raw: object) -> ValueId | None:
    """`38-0-targetValue` names class, endpoint and property; a property key is that of the state itself."""
    parts = raw.split("-", 2) if isinstance(raw, str) else []
    if len(parts) != 3 or not parts[0].isdecimal() or not parts[1].isdecimal():
        return None
    prop = parts[2]
    if current.property_key is not None:
        prop = prop.removesuffix(f"-{current.property_key}")
    return ValueId(current.node_id, int(parts[0]), int(parts[1]), prop, current.property_key)


def _states(raw: object) -> dict[int | bool | str, str]:
    if not isinstance(raw, list):
        return {}
    return {
        item["value"]: _text(item.get("text"))
        for item in raw
        if isinstance(item, Mapping)
        and isinstance(item.get("value"), bool | int | str)
        and _text(item.get("text"))
    }


def _scene(raw: Mapping[str, Any]) -> Scene | None:
    scene_id, name = raw.get("sceneid"), _text(raw.get("label")).strip()
    if not _is_int(scene_id) or not name:
        return None
    items = raw.get("values")
    values = []
    for item in items if isinstance(items, list) else ():
        node_id = item.get("nodeId") if isinstance(item, Mapping) else None
        value_id = _value_id(node_id, item) if _is_int(node_id) else None
        if value_id is not None:
            values.append(SceneValue(value_id, _scene_value(value_id, item.get("value"))))
    complete = isinstance(items, list) and len(values) == len(items)
    return Scene(scene_id, name, tuple(values), complete)


def _scene_value(value_id: ValueId, raw: object) -> Any:
    """A colour may be written whole, `{"red": 255, "green": 0}`; all else is one value."""
    if value_id.property == "targetColor" and isinstance(raw, Mapping):
        return {str(name): scalar(level) for name, level in raw.items()}
    return scalar(raw)


def _is_cast(node_id: int) -> bool:
    """Everybody, or a group, also where the list does not say so: no node has these numbers."""
    return node_id == _BROADCAST or node_id >= _BROADCAST_LONG_RANGE


def _is_int(raw: object) -> TypeGuard[int]:
    return isinstance(raw, int) and not isinstance(raw, bool)


def _is_name(raw: object) -> TypeGuard[str | int]:
    return isinstance(raw, str) or _is_int(raw)


def _text(raw: object) -> str:
    return raw if isinstance(raw, str) else ""


def _number(raw: Any) -> float | None:
    return float(raw) if is_number(raw) else None
