"""Twelve devices that behave as recorded: what the gateway believes, and what the device really does."""

import asyncio
import copy
import time
from dataclasses import dataclass, field
from typing import Any

from tests.fakes import zwave_recordings as recordings

RADIO_SECONDS = 0.09  # one exchange, as recorded
DEAD_SECONDS = 3.1
DEAD_POLL_SECONDS = 1.05
BOLT_SECONDS = 1.5

_LOCK, _SETPOINT = 98, 67
_LOCK_STATE = "113-0-Access Control-Lock state"
_JAMMED = 11


@dataclass
class House:
    """`pace` shortens every recorded time; 1.0 is as slow as it was."""

    pace: float = 0.02
    optimistic: bool = True
    nodes: list[dict[str, Any]] = field(default_factory=recordings.nodes)
    dead: set[int] = field(default_factory=set)  # without power, noticed or not
    jammed: set[int] = field(default_factory=set)
    ignoring: set[int] = field(default_factory=set)  # acknowledge the radio frame and do nothing
    real: dict[tuple[int, str], Any] = field(default_factory=dict)  # where it differs from what is believed
    writes: list[tuple[int, str, Any]] = field(default_factory=list)  # what reached a device
    moments: list[float] = field(default_factory=list)  # and when

    def __post_init__(self) -> None:
        self.radio = asyncio.Lock()  # whoever holds it blocks every device
        self._moving: set[asyncio.Task[None]] = set()
        self._confirms = {node: self._recorded_status(node) for node in range(2, 14)}

    def node(self, node_id: int) -> dict[str, Any] | None:
        return next((node for node in self.nodes if node["id"] == node_id), None)

    def rename(self, node_id: int, name: str, room: str) -> None:
        node = self.node(node_id)
        assert node is not None
        node["name"], node["loc"] = name, room

    def believed(self, node_id: int, key: str) -> Any:
        node = self.node(node_id)
        return node["values"][key].get("value") if node else None

    def really(self, node_id: int, key: str) -> Any:
        return self.real.get((node_id, key), self.believed(node_id, key))

    def forget(self) -> None:
        """The gateway starts from its cache: of nodes that do not sleep it knows nothing yet."""
        for node in self.nodes:
            if node.get("status") == "Alive" and not node.get("isControllerNode"):
                node.update(ready=False, inited=False, status="Unknown", values={})

    def remember(self, node_id: int) -> None:
        """It has answered the gateway's ping."""
        node, known = self.node(node_id), next(item for item in recordings.nodes() if item["id"] == node_id)
        assert node is not None
        node.update(ready=True, inited=True, status=known["status"], values=known["values"])

    async def write(self, wire: dict[str, Any], value: Any) -> dict[str, Any]:
        """The `result` of `writeValue`."""
        node_id, key = wire["nodeId"], _key(wire)
        async with self.radio:
            node = self.node(node_id)
            if node is None or key not in node["values"]:
                return {"status": 2}
            if node_id in self.dead:
                await self._time(DEAD_SECONDS)
                self._set_status(node_id, "Dead")
                return {"status": 2}
            await self._time(RADIO_SECONDS)
            self._set_status(node_id, "Alive")
            self.writes.append((node_id, key, value))
            self.moments.append(time.monotonic())
            return self._carry_out(node, key, value)

    async def poll(self, wire: dict[str, Any]) -> tuple[bool, Any]:
        node_id, key = wire["nodeId"], _key(wire)
        async with self.radio:
            if node_id in self.dead:
                await self._time(DEAD_POLL_SECONDS)
                self._set_status(node_id, "Dead")
                return False, "The node did not acknowledge the command (ZW0204)"
            await self._time(RADIO_SECONDS)
            value = self.really(node_id, key)
            self._believe(node_id, key, value)
            return True, value

    async def ping(self, node_id: int) -> bool:
        async with self.radio:
            await self._time(DEAD_POLL_SECONDS if node_id in self.dead else RADIO_SECONDS)
            self._set_status(node_id, "Dead" if node_id in self.dead else "Alive")
            return node_id not in self.dead

    async def _time(self, seconds: float) -> None:
        await asyncio.sleep(seconds * self.pace)

    def _carry_out(self, node: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
        node_id = node["id"]
        state = next((k for k, v in node["values"].items() if v.get("targetValue") == key), key)
        before = self.really(node_id, state)
        wished = 99 if key.startswith("38-") and value == 255 else value
        self._believe(node_id, key, wished)
        result = copy.deepcopy(self._confirms[node_id])
        if result["status"] == 255:
            self._believe(node_id, state, wished)
        elif result["status"] == 1:
            self._later(result["remainingDuration"]["value"], node_id, state, wished)
        else:
            self._unsupervised(node, state, before, wished)
        return result

    def _unsupervised(self, node: dict[str, Any], state: str, before: Any, wished: Any) -> None:
        node_id = node["id"]
        if self.optimistic:
            self._believe(node_id, state, wished)
        self.real[node_id, state] = before
        if node_id in self.jammed:
            self._later(BOLT_SECONDS, node_id, state, before, jam=True)
        elif state.startswith(f"{_LOCK}-"):
            self._later(BOLT_SECONDS, node_id, state, wished)
        elif node_id not in self.ignoring and not _out_of_range(node["values"][state], wished):
            self.real[node_id, state] = wished

    def _later(self, seconds: float, node_id: int, key: str, value: Any, *, jam: bool = False) -> None:
        async def finish() -> None:
            await self._time(seconds)
            self._believe(node_id, key, value)
            self.real[node_id, key] = value
            if jam:
                self._believe(node_id, _LOCK_STATE, _JAMMED)

        task = asyncio.get_running_loop().create_task(finish())
        self._moving.add(task)
        task.add_done_callback(self._moving.discard)

    async def rest(self) -> None:
        """Until nothing moves any more."""
        await asyncio.gather(*self._moving)

    def _believe(self, node_id: int, key: str, value: Any) -> None:
        node = self.node(node_id)
        assert node is not None
        node["values"][key]["value"] = value

    def _set_status(self, node_id: int, status: str) -> None:
        node = self.node(node_id)
        if node is not None:
            node["status"], node["available"] = status, status != "Dead"

    def _recorded_status(self, node_id: int) -> dict[str, Any]:
        """How this device answers a write while it is well: what was recorded of it."""
        results = (
            exchange.answer["result"]
            for exchange in recordings.exchanges()
            if exchange.api == "writeValue" and exchange.args[0]["nodeId"] == node_id
        )
        return next((result for result in results if result["status"] in {1, 254, 255}), {"status": 254})


def _key(wire: dict[str, Any]) -> str:
    parts = [wire["commandClass"], wire.get("endpoint", 0), wire["property"]]
    if "propertyKey" in wire:
        parts.append(wire["propertyKey"])
    return "-".join(str(part) for part in parts)


def _out_of_range(value: dict[str, Any], wished: Any) -> bool:
    low, high = value.get("min"), value.get("max")
    checked = value["commandClass"] == _SETPOINT and low is not None and high is not None
    return checked and not low <= wished <= high
