"""Events of a home as its server reports them: buttons, bells, doors, locks, smoke, water."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

RESOURCE = "zwave://events"
DEVICES = "zwave://devices"  # any change of a device updates this
LONGEST = 300  # characters of a text that is passed on
MOST = 200  # events of one answer

AlarmKey = tuple[str, int, int, str]  # server, node, endpoint, kind


def _line(text: str) -> str:
    """One line of limited length."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:LONGEST]


Line = Annotated[str, AfterValidator(_line)]


class HomeEvent(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, populate_by_name=True)

    kind: Line
    state: Line
    server: str = ""
    id: int = 0
    at: float = 0.0
    device: Line = ""
    room: Line = ""
    node: int | None = Field(None, validation_alias="nodeId")
    endpoint: int = 0
    text: Line = ""
    urgent: bool = False
    standing: bool = False
    button: int | None = None
    user: int | None = None
    way: Line = ""

    @property
    def resource(self) -> str:
        return event_resource(self.node, self.endpoint)

    @property
    def key(self) -> AlarmKey:
        return self.server, self.node or 0, self.endpoint, self.kind

    @property
    def words(self) -> tuple[str, ...]:
        """The triggers of routines that this event matches, the most exact first."""
        number = f" {self.button}" if self.button is not None else ""
        exact = f"button{number} {self.state}" if self.button is not None else f"{self.kind} {self.state}"
        by = [f"{self.state} by user {self.user}"] if self.user is not None else []
        return tuple(dict.fromkeys([exact, *by, f"{self.kind} {self.state}", self.kind]))

    def to_json(self) -> dict[str, Any]:
        facts = self.model_dump(exclude={"id", "endpoint", "standing"})
        absent = {key for key in ("button", "user", "way") if facts[key] in (None, "")}
        return {key: facts[key] for key in facts if key not in absent}


@dataclass(frozen=True, slots=True)
class EventPage:
    """`began` tells one run of the server from another; `calm`: sensors that report no alarm."""

    began: float
    events: tuple[HomeEvent, ...]
    alarms: tuple[HomeEvent, ...]
    calm: frozenset[AlarmKey]


def event_resource(node: int | None, endpoint: int) -> str:
    return f"{RESOURCE}/{node}/{endpoint}"


def read_page(text: str, server: str) -> EventPage | None:
    """The parsed page without unreadable entries; None if it is not an answer of our server."""
    try:
        page = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(page, Mapping) or not isinstance(page.get("events"), list):
        return None
    began = page.get("began")
    watched = _events(page.get("watched"), server)
    return EventPage(
        float(began) if isinstance(began, int | float) else 0.0,
        _events(page["events"], server),
        _events(page.get("alarms"), server),
        frozenset(sensor.key for sensor in watched if sensor.state == "off"),
    )


def _events(raw: Any, server: str) -> tuple[HomeEvent, ...]:
    events: list[HomeEvent] = []
    for entry in raw[-MOST:] if isinstance(raw, list) else ():
        with suppress(ValidationError):
            events.append(HomeEvent.model_validate(entry).model_copy(update={"server": server}))
    return tuple(events)
