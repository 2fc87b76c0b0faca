"""A home whose radio does what the test says, and which remembers what was sent."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from zwave_mcp.devices import Device, Viewer
from zwave_mcp.home import (
    Health,
    LockUser,
    Node,
    Report,
    Scene,
    Snapshot,
    Timing,
    Value,
    ValueId,
    WriteResult,
)
from zwave_mcp.mqtt.home import _node, groups_in


def parse_nodes(result: Iterable[object], groups: object = None) -> tuple[Node, ...]:
    """The devices of a `getNodes` result."""
    made = (_node(raw) for raw in result if isinstance(raw, Mapping))
    nodes = [node for node in made if node is not None]
    return (*nodes, *groups_in(groups, nodes))


def devices_of(snapshot: Snapshot) -> tuple[Device, ...]:
    return Viewer(ScriptedHome())._view_of(snapshot).devices


# Commands are judged in hundredths of a second; the order of things stays the same.
QUICK = Timing(
    after_ramp_seconds=0.05,
    window_seconds=0.05,
    lock_window_seconds=0.05,
    first_poll_seconds=0.005,
    poll_every_seconds=0.01,
    stop_check_seconds=0.005,
    scene_window_seconds=0.05,
    scene_poll_seconds=0.01,
    starting_seconds=0.05,
    starting_poll_seconds=0.01,
)


class ScriptedHome:
    """`written` answers a write, `told` the polls of a value by its id, `polled` all others one by one
    (the last one again and again)."""

    simulated = False
    timing = QUICK

    def __init__(self, *nodes: Node) -> None:
        self.nodes = nodes
        self.written: WriteResult | Exception = WriteResult(255)
        self.polled: list[Any] = []
        self.told: dict[str, Any] = {}
        self.alive = False
        self.sent: list[tuple[str, Any]] = []
        self.options: list[Mapping[str, Any] | None] = []  # what went along with each
        self.pings = 0
        self.after_write: tuple[Node, ...] | None = None
        self.known_scenes: tuple[Scene, ...] = ()
        self.state = Health(ok=True)
        self.down: Exception | None = None

    async def run(self) -> None:
        raise AssertionError("nobody runs this one")

    def on_snapshot(self, listener: Callable[[Snapshot], None]) -> None:
        return

    def on_report(self, listener: Callable[[Report], None]) -> None:
        return

    def follow(self) -> None:
        return

    async def lock_users(self, node_id: int) -> tuple[LockUser, ...]:
        raise AssertionError("no test asks")

    async def rename(self, node_id: int, name: str | None, room: str | None) -> None:
        raise AssertionError("no test asks")

    async def snapshot(self, max_age_seconds: float = 2.0) -> Snapshot:
        if self.down is not None:
            raise self.down
        return Snapshot(self.after_write if self.sent and self.after_write else self.nodes)

    async def write(
        self,
        value_id: ValueId,
        value: Any,
        timeout_seconds: float = 10.0,
        options: Mapping[str, Any] | None = None,
    ) -> WriteResult:
        self.sent.append((str(value_id), value))
        self.options.append(options)
        if isinstance(self.written, Exception):
            raise self.written
        return self.written

    async def take_back(self, value_id: ValueId, value: Any) -> bool:
        self.sent.append((str(value_id), value))
        return True

    async def poll(self, value_id: ValueId, timeout_seconds: float = 4.0) -> Any:
        if str(value_id) in self.told:
            answer = self.told[str(value_id)]
        else:
            answer = self.polled.pop(0) if len(self.polled) > 1 else self.polled[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def ping(self, node_id: int, timeout_seconds: float = 4.0) -> bool:
        self.pings += 1
        return self.alive

    async def scenes(self) -> tuple[Scene, ...]:
        if self.down is not None:
            raise self.down
        return self.known_scenes

    async def activate_scene(self, scene_id: int) -> None:
        self.sent.append(("scene", scene_id))

    async def health(self) -> Health:
        return self.state


def switch(node: int, name: str, room: str = "", *, on: bool | None = False, **more: Any) -> Node:
    current, target = ValueId(node, 37, 0, "currentValue"), ValueId(node, 37, 0, "targetValue")
    values = (Value(current, on, target=target), Value(target, on, writeable=True))
    return Node(node, name, room, values=values, **{"status": "Alive", **more})


def listed(node: int, name: str, room: str = "", **more: Any) -> Node:
    """A node of which nothing else is known."""
    return Node(node, name, room, **more)


def siren(node: int, name: str, room: str = "") -> Node:
    """A relay with one sound: only its device class says what it is."""
    return replace(switch(node, name, room), classes={0: (16, 5)})


def dimmer(node: int, name: str, room: str = "", *, level: int | None = 0, **more: Any) -> Node:
    return _multilevel(node, name, room, level, ("On", "Off"), more)


def blind(node: int, name: str, room: str = "", *, level: int | None = 99, **more: Any) -> Node:
    return _multilevel(node, name, room, level, ("Up", "Down"), more)


def _multilevel(
    node: int, name: str, room: str, level: int | None, ways: tuple[str, str], more: dict[str, Any]
) -> Node:
    """`ramp`: where to, and the seconds that are left, as listed after a poll in the middle (recorded)."""
    goal, *left = more.pop("ramp", (level,))
    current, target = ValueId(node, 38, 0, "currentValue"), ValueId(node, 38, 0, "targetValue")
    values = (
        Value(current, level, target=target),
        Value(target, goal, writeable=True),
        *(Value(ValueId(node, 38, 0, "duration"), seconds) for seconds in left),
        *(Value(ValueId(node, 38, 0, way), writeable=True) for way in ways),
    )
    return Node(node, name, room, values=values, **{"status": "Alive", **more})


def barrier(node: int, name: str, room: str = "", *, state: int = 0) -> Node:
    current, target = ValueId(node, 102, 0, "currentState"), ValueId(node, 102, 0, "targetState")
    return Node(node, name, room, values=(Value(current, state), Value(target)))


def group(node: int, name: str, *, members: Iterable[int]) -> Node:
    return Node(node, name, members=tuple(members))


def lock(node: int, name: str, room: str = "", *, mode: int = 255, jammed: bool = False, **more: Any) -> Node:
    current, target = ValueId(node, 98, 0, "currentMode"), ValueId(node, 98, 0, "targetMode")
    values = (
        Value(current, mode, target=target),
        Value(target, mode, writeable=True),
        Value(ValueId(node, 113, 0, "Access Control", "Lock state"), 11 if jammed else 0, "Lock state"),
    )
    return Node(node, name, room, values=values, **{"status": "Alive", **more})


def thermostat(
    node: int,
    name: str,
    room: str = "",
    *,
    unit: str = "°C",
    mode: int = 1,
    limits: tuple[float | None, float | None] | None = None,
    **more: Any,
) -> Node:
    """`limits` are those of both setpoints."""
    low, high = limits or ((41.0, 86.0) if "F" in unit else (5.0, 30.0))
    least, most = limits or (18, 32)
    heating, cooling = ValueId(node, 67, 0, "setpoint", 1), ValueId(node, 67, 0, "setpoint", 2)
    values = (
        Value(ValueId(node, 64, 0, "mode"), mode, states={0: "Off", 1: "Heat", 2: "Cool"}, writeable=True),
        Value(heating, 20, "Setpoint (Heating)", unit, minimum=low, maximum=high, writeable=True),
        Value(cooling, 25, "Setpoint (Cooling)", unit, minimum=least, maximum=most, writeable=True),
        Value(ValueId(node, 49, 0, "Air temperature"), 20.5, "Air temperature", unit),
    )
    return Node(node, name, room, values=values, **{"status": "Alive", **more})


def sensor(node: int, name: str, room: str = "", **more: Any) -> Node:
    values = (
        Value(ValueId(node, 49, 0, "Air temperature"), 21.4, "Air temperature", "°C"),
        Value(ValueId(node, 128, 0, "level"), 9, "Battery level", "%"),
    )
    return Node(node, name, room, values=values, **{"status": "Asleep", **more})


def bulb(
    node: int,
    name: str,
    parts: Mapping[int, int | None],
    room: str = "",
    *,
    level: int | None = 60,
    **more: Any,
) -> Node:
    """`parts`: its components, 0 warm white, 1 cold white, 2 red, 3 green, 4 blue."""
    plain = dimmer(node, name, room, level=level, **more)
    shown = (
        *(Value(ValueId(node, 51, 0, "currentColor", key), part) for key, part in parts.items()),
        Value(ValueId(node, 51, 0, "targetColor"), writeable=True),
        Value(ValueId(node, 51, 0, "hexColor"), writeable=True),
    )
    return replace(plain, values=(*plain.values, *shown))


def chime(
    node: int,
    name: str,
    tones: dict[int | bool | str, str],
    room: str = "",
    *,
    tone: int | None = 0,
    **more: Any,
) -> Node:
    states: dict[int | bool | str, str] = {0: "off", **tones, 255: "default"}
    values = (
        Value(ValueId(node, 121, 0, "toneId"), tone, "Play Tone", states=states, writeable=True),
        Value(ValueId(node, 121, 0, "volume"), 40, "Volume", "%", writeable=True),
    )
    return Node(node, name, room, values=values, **{"status": "Alive", **more})
