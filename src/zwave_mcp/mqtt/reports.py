"""Messages of Z-Wave JS UI to reports: value topics of every naming and payload type, and gateway events."""

import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from zwave_mcp.devices import CC
from zwave_mcp.events import LATE_SECONDS, STALE_SECONDS
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
_EVENTS: Final = ("node_value_updated", "node_value_added", "node_notification")
_NODE_EVENTS: Final = ("ready", "added", "removed", "dead", "alive", "interview_completed")
_NAMING: Final = b'"commandClass":119'  # a name or a room
_KEPT: Final = 50  # messages remembered, to drop repeated deliveries


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A report whose node no list has named yet."""

    moment: float
    topic: str
    payload: object
    report: Report


class Reports:
    """Finds the node of a topic by the list of nodes: names in topics have lost some of their letters."""

    def __init__(self, prefix: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._prefix, self._monotonic = f"{prefix}/", monotonic
        self._nodes: dict[str, tuple[int, ...]] = {}
        self._roomless: dict[str, tuple[int, ...]] = {}  # where the gateway leaves the rooms out
        self._named: dict[tuple[str, str], tuple[int, ...]] = {}
        self._indexed: list[tuple[object, ...]] = []
        self._recent: dict[tuple[str, bytes], None] = {}
        self._waiting: list[_Waiting] = []

    def look(self, snapshot: Snapshot) -> list[Report]:
        """Index the names of a new list; returns waiting reports whose node is known now."""
        names = [(node.id, node.name, node.room, bool(node.members)) for node in snapshot.nodes]
        if names != self._indexed:
            self._indexed = list(names)
            self._index(snapshot)
        fresh = self._monotonic() - STALE_SECONDS
        waiting, self._waiting = [item for item in self._waiting if item.moment > fresh], []
        due: list[Report] = []
        for late in waiting:
            if nodes := self._nodes_of(late.topic, late.payload):
                due.append(replace(late.report, nodes=nodes))
            elif late.moment > snapshot.taken - LATE_SECONDS:
                self._waiting.append(late)
        return due

    def _index(self, snapshot: Snapshot) -> None:
        by_topic, roomless, named = (defaultdict[Any, tuple[int, ...]](tuple) for _ in range(3))
        for node in snapshot.nodes:
            if node.members:  # a group repeats what its members report
                by_topic.setdefault(sanitised(node.name), ())
                continue
            place = f"{sanitised(node.room)}/" if node.room else ""
            own, unnamed = sanitised(node.name) if node.name else str(node.id), f"nodeID_{node.id}"
            for topic in {f"{place}{own}", f"{place}{unnamed}", f"{place}{node.id}", unnamed}:
                by_topic[topic] += (node.id,)
            for topic in {own, str(node.id)}:
                roomless[topic] += (node.id,)
            named[node.name, node.room] += (node.id,)
        self._nodes, self._roomless, self._named = dict(by_topic), dict(roomless), dict(named)

    def read(self, topic: str, payload: bytes, gateway: str) -> Report | None:
        """None: the message tells of no event."""
        rest = topic.removeprefix(self._prefix)
        if rest.startswith("_"):
            return _event(rest, payload) if rest.startswith(f"_EVENTS/{gateway}/node/") else None
        match = _TOPIC.fullmatch(rest)
        if rest.endswith("/set") or (match is None and b'"commandClass"' not in payload):
            return None
        content = _parsed(payload)
        if self._is_repeated(topic, payload, content):
            return None
        if isinstance(content, Mapping) and "commandClass" in content:
            return _whole(content)
        return self._of_topic(match, content) if match is not None else None

    def _of_topic(self, match: re.Match[str], content: object) -> Report | None:
        number = _NAMED[match["name"]] if match["name"] else int(match["number"])
        nodes = self._nodes_of(match["node"], content)
        timed = isinstance(content, Mapping) and {"time", "value"} & content.keys()
        value = content.get("value") if timed and isinstance(content, Mapping) else content
        endpoint = int(match["endpoint"] or match["at"] or 0)
        report = Report(nodes, number, endpoint, match["prop"], match["key"], value)
        if nodes:
            return report
        self._waiting = [*self._waiting, _Waiting(self._monotonic(), match["node"], content, report)][-_KEPT:]
        return None

    def _nodes_of(self, topic: str, content: object) -> tuple[int, ...]:
        """A name may lose all of its letters in a topic; some payloads have it whole."""
        known = self._nodes[topic] if topic in self._nodes else self._roomless.get(topic, ())
        named: tuple[int, ...] = ()
        if isinstance(content, Mapping) and "nodeName" in content:
            named = self._named.get((str(content["nodeName"]), str(content.get("nodeLocation", ""))), ())
        if topic not in self._nodes and named:
            return named
        return tuple(node for node in known if node in named) or known

    def _is_repeated(self, topic: str, payload: bytes, content: object) -> bool:
        """Whether a message with its own time was delivered before; without a time nothing tells."""
        if not isinstance(content, Mapping) or "time" not in content:
            return False
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


def _event(topic: str, payload: bytes) -> Report | None:
    """An event has the node's number; the gateway sends events only if its settings say so."""
    kind = topic.rpartition("/")[2]
    content = _parsed(payload) if kind in _EVENTS else None
    items = content.get("data") if isinstance(content, Mapping) else None
    if not isinstance(items, list) or len(items) < 2 or not isinstance(items[0], Mapping):
        return None
    node = items[0].get("id")
    if not isinstance(node, int) or isinstance(node, bool):
        return None
    if kind != "node_notification":
        return _whole({"nodeId": node, **items[1]}) if isinstance(items[1], Mapping) else None
    number, facts = items[1], items[2] if len(items) > 2 and isinstance(items[2], Mapping) else {}
    if number == CC.NOTIFICATION and isinstance(facts.get("eventLabel"), str):
        parameters = facts.get("parameters")
        value = parameters if isinstance(parameters, dict) else None
        return Report(
            (node,), CC.NOTIFICATION, 0, str(facts.get("label")), facts["eventLabel"], value, "event"
        )
    if number == CC.BATTERY and facts.get("eventType") == "battery low":
        return Report((node,), CC.BATTERY, 0, "battery_low", None, "Soon", "event")
    return None


def _whole(content: Mapping[str, Any]) -> Report | None:
    """A value with its address: a payload of that type, or an event."""
    node, number, endpoint = content.get("nodeId"), content.get("commandClass"), content.get("endpoint") or 0
    prop, key = content.get("property"), content.get("propertyKey")
    if number not in EVENT_CLASSES or type(node) is not int or type(endpoint) is not int:
        return None
    if not isinstance(prop, str | int) or not isinstance(key, str | int | None):
        return None
    by_event = "newValue" in content
    value = content.get("newValue" if by_event else "value")
    return Report((node,), int(number), endpoint, prop, key, value, "event" if by_event else "value")


def _parsed(payload: bytes) -> Any:
    try:
        return json.loads(payload) if payload else None
    except (ValueError, RecursionError):
        text = payload.decode("utf-8", "replace")
        return text if len(text) < 100 else None
