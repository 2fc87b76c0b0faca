"""Value topics of Z-Wave JS UI, of every naming and payload type, as reports."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from zwave_mcp.devices import CC
from zwave_mcp.home import Report, Snapshot
from zwave_mcp.notifications import EVENT_CLASSES

_NAMED: Final = {
    "central_scene": CC.CENTRAL_SCENE,
    "notification": CC.NOTIFICATION,
    "battery": CC.BATTERY,
    "door_lock": CC.DOOR_LOCK,
    "barrier_operator": CC.BARRIER,
    "sensor_binary": CC.BINARY_SENSOR,
    "binary_sensor": CC.BINARY_SENSOR,
}
_NUMBERS: Final = "|".join(map(str, sorted(EVENT_CLASSES)))
_TOPIC: Final = re.compile(
    rf"(?P<node>.*)/(?:(?P<name>{'|'.join(_NAMED)})/endpoint_(?P<endpoint>\d+)|(?P<number>{_NUMBERS})/(?P<at>\d+))/"
    r"(?P<prop>[^/]+)(?:/(?P<key>[^/]+))?"
)
_NODE_EVENTS: Final = ("ready", "added", "removed", "dead", "alive", "interview_completed")
_NAMING: Final = b'"commandClass":119'  # a name or a room
_KEPT: Final = 50  # messages remembered, to drop repeated deliveries


class Reports:
    """Finds the node of a topic by the list of nodes: names in topics have lost some of their letters."""

    def __init__(self, prefix: str) -> None:
        self._prefix = f"{prefix}/"
        self._nodes: dict[str, tuple[int, ...]] = {}  # by topic
        self._named: dict[tuple[str, str], tuple[int, ...]] = {}
        self._single: frozenset[int] = frozenset()  # all nodes that are no group
        self._learned: Snapshot | None = None
        self._called: list[tuple[object, ...]] = []  # number, name and room of each node of it
        self._recent: dict[tuple[str, bytes], None] = {}

    def learn(self, snapshot: Snapshot) -> None:
        """Index the names of a new list."""
        if snapshot is self._learned:
            return
        before, self._learned = self._called, snapshot
        self._called = [(node.id, node.name, node.room) for node in snapshot.nodes]
        if self._called == before:
            return
        by_topic, roomless, named = (defaultdict[Any, tuple[int, ...]](tuple) for _ in range(3))
        for node in snapshot.nodes:
            if node.members:  # a group repeats what its members report
                by_topic.setdefault(sanitised(node.name), ())
                continue
            place = f"{sanitised(node.room)}/" if node.room else ""
            own, unnamed = sanitised(node.name) if node.name else str(node.id), f"nodeID_{node.id}"
            for topic in {f"{place}{own}", f"{place}{unnamed}", f"{place}{node.id}", unnamed}:
                by_topic[topic] += (node.id,)
            for topic in {own, str(node.id)}:  # where the gateway leaves the rooms out
                roomless[topic] += (node.id,)
            named[node.name, node.room] += (node.id,)
        self._nodes, self._named = {**roomless, **by_topic}, dict(named)
        self._single = frozenset(node.id for node in snapshot.nodes if not node.members)

    def read(self, topic: str, payload: bytes) -> Report | None:
        """None: the message tells of no event, or of a node that is on no list yet."""
        rest = topic.removeprefix(self._prefix)
        match = _TOPIC.fullmatch(rest)
        if rest[:1] == "_" or rest.endswith("/set") or (not match and b'"commandClass"' not in payload):
            return None
        content = _parsed(payload)
        if not isinstance(content, Mapping):
            content = {"value": content}
        elif "time" in content and self._is_repeated(topic, payload):
            return None
        report = _addressed(content) or (_of_topic(match, content) if match else None)
        nodes = self._nodes_of(match["node"] if match else "", content)
        return replace(report, nodes=nodes) if report is not None and nodes else None

    def _nodes_of(self, topic: str, content: Mapping[str, Any]) -> tuple[int, ...]:
        """A name may lose all of its letters in a topic; some payloads have it whole, or the number."""
        if type(number := content.get("nodeId")) is int:
            return (number,) if number in self._single else ()
        known = self._nodes.get(topic)
        named: tuple[int, ...] = ()
        if "nodeName" in content:
            named = self._named.get((str(content["nodeName"]), str(content.get("nodeLocation", ""))), ())
        if known is None:
            return named
        return tuple(node for node in known if node in named) or known

    def _is_repeated(self, topic: str, payload: bytes) -> bool:
        """Whether a message with its own time was delivered before."""
        known = (topic, payload) in self._recent
        self._recent[topic, payload] = None
        if len(self._recent) > _KEPT:
            del self._recent[next(iter(self._recent))]
        return known


def changes_nodes(topic: str, payload: bytes) -> bool:
    """Whether an event of the gateway says that a node has another name or status."""
    if "/_EVENTS/" not in topic:
        return False
    event = topic.rsplit("/", 1)[-1].removeprefix("node_")
    return event in _NODE_EVENTS or (event.startswith("value") and _NAMING in payload.replace(b" ", b""))


def sanitised(name: str) -> str:
    """A name as the gateway writes it into a topic (measured)."""
    return re.sub(r"[^A-Za-z0-9\-_/\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]", "", re.sub(r"\s", "_", name))


def _of_topic(match: re.Match[str], content: Mapping[str, Any]) -> Report:
    number = _NAMED[match["name"]] if match["name"] else int(match["number"])
    # A notification's parameters may be the whole payload.
    value = content.get("value") if {"time", "value"} & content.keys() else content
    return Report((), number, int(match["endpoint"] or match["at"]), match["prop"], match["key"], value)


def _addressed(content: Mapping[str, Any]) -> Report | None:
    """A payload of the type that has the value's whole address."""
    number, endpoint = content.get("commandClass"), content.get("endpoint") or 0
    prop, key = content.get("property"), content.get("propertyKey")
    known = number in EVENT_CLASSES and type(endpoint) is int and type(content.get("nodeId")) is int
    if not known or not isinstance(prop, str | int) or not isinstance(key, str | int | None):
        return None
    return Report((), int(str(number)), int(endpoint), prop, key, content.get("value"))


def _parsed(payload: bytes) -> Any:
    try:
        return json.loads(payload) if payload else None
    except (ValueError, RecursionError):
        text = payload.decode("utf-8", "replace")
        return text if len(text) < 100 else None
