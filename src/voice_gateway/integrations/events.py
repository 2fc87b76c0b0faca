"""What happens in a home, as its server tells it: a button, a bell, a door, a lock, smoke, water."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RESOURCE = "zwave://events"
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
        facts = {"button": self.button, "user": self.user, "way": self.way or None}
        return {
            "at": self.at,
            "kind": self.kind,
            "state": self.state,
            "device": self.device,
            "room": self.room,
            "node": self.node,
            "text": self.text,
            "urgent": self.urgent,
            "server": self.server,
            **{key: value for key, value in facts.items() if value is not None},
        }


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
    """None: it is not what our server tells. What cannot be read of it is left out."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, Mapping) or not isinstance(told.get("events"), list):
        return None
    began = told.get("began")
    return EventPage(
        float(began) if isinstance(began, int | float) else 0.0,
        _events(told["events"], server),
        _events(told.get("alarms"), server),
        frozenset(_calm(told.get("watched"), server)),
    )


def _events(raw: Any, server: str) -> tuple[HomeEvent, ...]:
    found = (_event(one, server) for one in raw[-MOST:]) if isinstance(raw, list) else ()
    return tuple(event for event in found if event is not None)


def _event(raw: Any, server: str) -> HomeEvent | None:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("id"), int):
        return None
    at, endpoint = raw.get("at"), raw.get("endpoint")
    return HomeEvent(
        server,
        raw["id"],
        float(at) if isinstance(at, int | float) else 0.0,
        _line(raw.get("kind")),
        _line(raw.get("state")),
        _line(raw.get("device")),
        _line(raw.get("room")),
        node=_number(raw.get("nodeId")),
        endpoint=endpoint if isinstance(endpoint, int) else 0,
        text=_line(raw.get("text")),
        urgent=raw.get("urgent") is True,
        standing=raw.get("standing") is True,
        button=_number(raw.get("button")),
        user=_number(raw.get("user")),
        way=_line(raw.get("way")),
    )


def _calm(raw: Any, server: str) -> list[AlarmKey]:
    told = [one for one in raw if isinstance(one, Mapping)] if isinstance(raw, list) else []
    quiet = [one for one in told if one.get("state") == "off"]
    return [
        (server, _number(one.get("nodeId")) or 0, _number(one.get("endpoint")) or 0, _line(one.get("kind")))
        for one in quiet
    ]


def _number(raw: Any) -> int | None:
    return raw if isinstance(raw, int) and not isinstance(raw, bool) else None


def _line(raw: Any) -> str:
    """Of somebody else: one line, of no great length."""
    text = raw if isinstance(raw, str) else ""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:LONGEST]
