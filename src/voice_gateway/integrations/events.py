"""Events of a home as its server reports them: a button, a bell, a door, a lock, smoke, water."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RESOURCE = "zwave://events"
DEVICES = "zwave://devices"  # any change of a device updates this
LONGEST = 300  # characters of a text that is passed on
MOST = 200  # events of one answer

AlarmKey = tuple[str, int, int, str]  # server, node, endpoint, kind


@dataclass(frozen=True, slots=True)
class HomeEvent:
    server: str
    id: int
    at: float
    kind: str
    state: str
    device: str
    room: str
    node: int | None
    endpoint: int
    text: str
    urgent: bool = False
    standing: bool = False
    button: int | None = None
    user: int | None = None
    way: str = ""

    @property
    def resource(self) -> str:
        return event_resource(self.node, self.endpoint)

    @property
    def key(self) -> AlarmKey:
        return self.server, self.node or 0, self.endpoint, self.kind

    @property
    def words(self) -> tuple[str, ...]:
        """By which a routine may wait for it, the most exact first."""
        number = f" {self.button}" if self.button is not None else ""
        exact = f"button{number} {self.state}" if self.button is not None else f"{self.kind} {self.state}"
        by = [f"{self.state} by user {self.user}"] if self.user is not None else []
        return tuple(dict.fromkeys([exact, *by, f"{self.kind} {self.state}", self.kind]))

    def to_json(self) -> dict[str, Any]:
        keys = ("at", "kind", "state", "device", "room", "node", "text", "urgent", "server")
        more = {"button": self.button, "user": self.user, "way": self.way or None}
        known = {key: value for key, value in more.items() if value is not None}
        return {**{key: getattr(self, key) for key in keys}, **known}


@dataclass(frozen=True, slots=True)
class EventPage:
    """`began` tells one run of the server from another; `calm` is what surely is no alarm now."""

    began: float
    events: tuple[HomeEvent, ...]
    alarms: tuple[HomeEvent, ...]
    calm: frozenset[AlarmKey]


def event_resource(node: int | None, endpoint: int) -> str:
    return f"{RESOURCE}/{node}/{endpoint}"


def read_page(text: str, server: str) -> EventPage | None:
    """None: it is not an answer of our server. Unreadable entries are left out."""
    try:
        page = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(page, Mapping) or not isinstance(page.get("events"), list):
        return None
    calm = (
        (server, _number(entry, "nodeId") or 0, _number(entry, "endpoint") or 0, _line(entry, "kind"))
        for entry in _entries(page.get("watched"))
        if entry.get("state") == "off"
    )
    return EventPage(
        _time(page.get("began")),
        _events(page["events"], server),
        _events(page.get("alarms"), server),
        frozenset(calm),
    )


def _events(raw: Any, server: str) -> tuple[HomeEvent, ...]:
    return tuple(
        HomeEvent(
            server,
            entry["id"],
            _time(entry.get("at")),
            **{key: _line(entry, key) for key in ("kind", "state", "device", "room", "text", "way")},
            node=_number(entry, "nodeId"),
            endpoint=_number(entry, "endpoint") or 0,
            urgent=entry.get("urgent") is True,
            standing=entry.get("standing") is True,
            button=_number(entry, "button"),
            user=_number(entry, "user"),
        )
        for entry in _entries(raw)[-MOST:]
        if isinstance(entry.get("id"), int)
    )


def _entries(raw: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in raw if isinstance(entry, Mapping)] if isinstance(raw, list) else []


def _time(raw: Any) -> float:
    return float(raw) if isinstance(raw, int | float) else 0.0


def _number(entry: Mapping[str, Any], key: str) -> int | None:
    raw = entry.get(key)
    return raw if isinstance(raw, int) and not isinstance(raw, bool) else None


def _line(entry: Mapping[str, Any], key: str) -> str:
    """One line of limited length."""
    raw = entry.get(key)
    text = raw if isinstance(raw, str) else ""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:LONGEST]
