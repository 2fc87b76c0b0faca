"""From a message of Z-Wave JS UI to what a device told: by any kind of topic and payload, or as an event."""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeGuard

from zwave_mcp.devices import BARRIER, BATTERY, BINARY_SENSOR, DOOR_LOCK, NOTIFICATION
from zwave_mcp.events import LATE_SECONDS, STALE_SECONDS, Report
from zwave_mcp.home import Snapshot
from zwave_mcp.notifications import CENTRAL_SCENE, EVENT_CLASSES

_NAMED: Final = {
    "central_scene": CENTRAL_SCENE,
    "notification": NOTIFICATION,
    "battery": BATTERY,
    "door_lock": DOOR_LOCK,
    "barrier_operator": BARRIER,
    "sensor_binary": BINARY_SENSOR,
    "binary_sensor": BINARY_SENSOR,
}
_NUMBERS: Final = "|".join(str(number) for number in sorted(EVENT_CLASSES))
_TOPIC: Final = re.compile(
    rf"(?P<node>.*)/(?:(?P<name>{'|'.join(_NAMED)})/endpoint_(?P<endpoint>\d+)|(?P<number>{_NUMBERS})/(?P<at>\d+))/"
    r"(?P<prop>[^/]+)(?:/(?P<key>[^/]+))?"
)
_EVENTS: Final = ("node_value_updated", "node_value_added", "node_notification")
_MANY: Final = 50  # messages whose like is known, so that one that comes twice is taken once


@dataclass(frozen=True, slots=True)
class _Lost:
    """Told of a node that no list has named yet."""

    moment: float
    topic: str
    told: object
    report: Report


_Name = tuple[int, str, str, bool]  # number, name, room, and whether it is a group


class Reports:
    """Whose a topic is stands in the list of nodes: names in topics have lost some of their letters."""

    def __init__(self, prefix: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._prefix, self._monotonic = f"{prefix}/", monotonic
        self._nodes: dict[str, tuple[int, ...]] = {}
        self._roomless: dict[str, tuple[int, ...]] = {}  # where the gateway leaves the rooms out
        self._named: dict[tuple[str, str], tuple[int, ...]] = {}
        self._of: tuple[_Name, ...] = ()
        self._lately: dict[tuple[str, bytes], None] = {}
        self._lost: list[_Lost] = []

    def look(self, snapshot: Snapshot) -> list[Report]:
        """What was told before its node was known, or while it had another name."""
        now = tuple((node.id, node.name, node.room, bool(node.members)) for node in snapshot.nodes)
        if now != self._of:
            self._name(now)
        fresh = self._monotonic() - STALE_SECONDS
        late, self._lost = [one for one in self._lost if one.moment > fresh], []
        found: list[Report] = []
        for one in late:
            if nodes := self._whose(one.topic, one.told):
                found.append(replace(one.report, nodes=nodes))
            elif one.moment > snapshot.taken - LATE_SECONDS:
                self._lost.append(one)
        return found

    def _name(self, now: tuple[_Name, ...]) -> None:
        self._of, self._nodes, self._roomless, self._named = now, {}, {}, {}
        for number, name, room, is_group in now:
            if is_group:  # it repeats what its members tell themselves
                self._nodes.setdefault(sanitised(name), ())
                continue
            place = f"{sanitised(room)}/" if room else ""
            own, unnamed = sanitised(name) if name else str(number), f"nodeID_{number}"
            for topic in {f"{place}{own}", f"{place}{unnamed}", f"{place}{number}", unnamed}:
                self._nodes[topic] = (*self._nodes.get(topic, ()), number)
            for topic in {own, str(number)}:
                self._roomless[topic] = (*self._roomless.get(topic, ()), number)
            self._named[name, room] = (*self._named.get((name, room), ()), number)

    def read(self, topic: str, payload: bytes, gateway: str) -> Report | None:
        """None: it is nothing that a device tells of what happens."""
        rest = topic.removeprefix(self._prefix)
        if rest.startswith("_"):
            return self._event(rest, payload) if rest.startswith(f"_EVENTS/{gateway}/node/") else None
        found = _TOPIC.fullmatch(rest)
        if rest.endswith("/set") or (found is None and b'"commandClass"' not in payload):
            return None
        told = _parsed(payload)
        if self._came_twice(topic, payload, told):
            return None
        if isinstance(told, Mapping) and "commandClass" in told:
            return _whole(told)
        return self._of_topic(found, told) if found is not None else None

    def _of_topic(self, found: re.Match[str], told: object) -> Report | None:
        number = _NAMED[found["name"]] if found["name"] else int(found["number"])
        nodes = self._whose(found["node"], told)
        value = told.get("value") if isinstance(told, Mapping) and {"time", "value"} & told.keys() else told
        endpoint = int(found["endpoint"] or found["at"] or 0)
        report = Report(nodes, number, endpoint, found["prop"], found["key"], value)
        if nodes:
            return report
        self._lost = [*self._lost, _Lost(self._monotonic(), found["node"], told, report)][-_MANY:]
        return None

    def _whose(self, topic: str, told: object) -> tuple[int, ...]:
        """Names may lose all of their letters in a topic; some payloads have them whole."""
        known = self._nodes[topic] if topic in self._nodes else self._roomless.get(topic, ())
        named: tuple[int, ...] = ()
        if isinstance(told, Mapping) and "nodeName" in told:
            named = self._named.get((str(told["nodeName"]), str(told.get("nodeLocation", ""))), ())
        if topic not in self._nodes and named:
            return named
        return tuple(node for node in known if node in named) or known

    def _came_twice(self, topic: str, payload: bytes, told: object) -> bool:
        """A message with its own time that was delivered again; without a time nobody can tell."""
        if not isinstance(told, Mapping) or "time" not in told:
            return False
        known = (topic, payload) in self._lately
        self._lately[topic, payload] = None
        if len(self._lately) > _MANY:
            del self._lately[next(iter(self._lately))]
        return known

    def _event(self, topic: str, payload: bytes) -> Report | None:
        """Only where the gateway's settings send events; it has the node's number."""
        kind = topic.rpartition("/")[2]
        told = _parsed(payload) if kind in _EVENTS else None
        items = told.get("data") if isinstance(told, Mapping) else None
        if not isinstance(items, list) or len(items) < 2 or not isinstance(items[0], Mapping):
            return None
        node = items[0].get("id")
        if not _is_int(node):
            return None
        if kind == "node_notification":
            return _notification(node, items[1], items[2] if len(items) > 2 else None)
        return _whole({"nodeId": node, **items[1]}) if isinstance(items[1], Mapping) else None


def sanitised(name: str) -> str:
    """As the gateway writes a name into a topic (measured)."""
    return re.sub(r"[^A-Za-z0-9\-_/\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]", "", re.sub(r"\s", "_", name))


def _whole(told: Mapping[str, Any]) -> Report | None:
    """A value with all that belongs to it: a payload of that kind, or an event."""
    node, number, endpoint = told.get("nodeId"), told.get("commandClass"), told.get("endpoint") or 0
    prop, key = told.get("property"), told.get("propertyKey")
    if not _is_int(node) or number not in EVENT_CLASSES or not _is_int(endpoint):
        return None
    if not isinstance(prop, str | int) or not isinstance(key, str | int | None):
        return None
    by_event = "newValue" in told
    value = told.get("newValue") if by_event else told.get("value")
    return Report((node,), int(number), endpoint, prop, key, value, "event" if by_event else "value")


def _notification(node: int, number: object, told: object) -> Report | None:
    if not isinstance(told, Mapping):
        return None
    if number == NOTIFICATION and isinstance(told.get("eventLabel"), str):
        facts = told.get("parameters")
        value = facts if isinstance(facts, dict) else None
        return Report((node,), NOTIFICATION, 0, str(told.get("label")), told["eventLabel"], value, "event")
    if number == BATTERY and told.get("eventType") == "battery low":
        return Report((node,), BATTERY, 0, "battery_low", None, "Soon", "event")
    return None


def _parsed(payload: bytes) -> Any:
    try:
        return json.loads(payload) if payload else None
    except (ValueError, RecursionError):
        text = payload.decode("utf-8", "replace")
        return text if len(text) < 100 else None


def _is_int(raw: object) -> TypeGuard[int]:
    return isinstance(raw, int) and not isinstance(raw, bool)
