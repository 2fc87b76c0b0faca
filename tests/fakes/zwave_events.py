"""Recorded messages of Z-Wave JS UI, played to the part that makes events of them, with their own clock."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.fakes.scripted_home import devices_of, parse_nodes

from home_names.resolver import Names
from zwave_mcp.care import UserNames
from zwave_mcp.devices import View
from zwave_mcp.events import Event, EventLog
from zwave_mcp.home import Snapshot, Value, ValueId
from zwave_mcp.mqtt.reports import Reports

FOLDER = Path(__file__).parents[1] / "zwave_data" / "events"
GATEWAY = "ZWAVE_GATEWAY-Home_Gateway"
SMOKE = ValueId(7, 113, 0, "Smoke Alarm", "Sensor status")
TWO_HOURS = 7200.0


def recorded(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


@dataclass
class _Timer:
    at: float
    work: Callable[[], None]
    over: bool = False

    def cancel(self) -> None:
        self.over = True


@dataclass
class Player:
    """The recorded home, and what is made of its messages."""

    told: list[Event] = field(default_factory=list)
    moment: float = 1000.0
    timers: list[_Timer] = field(default_factory=list)
    names: UserNames = field(default_factory=UserNames)

    def __post_init__(self) -> None:
        self.snapshot = Snapshot(
            parse_nodes(json.loads((FOLDER / "nodes.json").read_text("utf-8"))), taken=self.moment
        )
        self.reports = Reports("zwave")
        self.log = EventLog(
            self.told.append,
            now=lambda: self.moment,
            monotonic=lambda: self.moment,
            later=self._later,
            names=self.names,
        )

    def _later(self, seconds: float, work: Callable[[], None]) -> Any:
        self.timers.append(_Timer(self.moment + seconds, work))
        return self.timers[-1]

    def look(self, **taken: float) -> None:
        self.snapshot = replace(self.snapshot, taken=taken.get("taken", self.moment))
        devices = devices_of(self.snapshot)
        self.log.look(View(self.snapshot, devices, (), Names(devices)))
        self.reports.learn(self.snapshot)

    def with_value(self, value_id: ValueId, raw: Any, **more: Any) -> None:
        """The next list has it."""

        def changed(value: Value) -> Value:
            return replace(value, value=raw, **more) if value.id == value_id else value

        nodes = tuple(replace(node, values=tuple(map(changed, node.values))) for node in self.snapshot.nodes)
        self.snapshot = replace(self.snapshot, nodes=nodes)

    def message(self, topic: str, payload: Any) -> None:
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        report = self.reports.read(f"zwave/{topic}", raw)
        if report is not None:
            self.log.heard(report)

    def wait(self, seconds: float) -> None:
        self.moment += seconds
        for timer in [item for item in self.timers if item.at <= self.moment and not item.over]:
            timer.over = True
            timer.work()

    def play(self, name: str, wanted: Callable[[str], bool] = lambda _topic: True) -> None:
        """All of a recording, in its own time."""
        started, at = recorded(name)[0]["t"], self.moment
        for line in recorded(name):
            self.wait(max(0.0, at + (line["t"] - started) / 1000 - self.moment))
            if "topic" in line and wanted(line["topic"]):
                self.message(line["topic"].removeprefix("zwave/"), line["payload"].encode())
        self.wait(5)

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.told]
