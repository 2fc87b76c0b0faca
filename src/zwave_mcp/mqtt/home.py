"""The real home: Z-Wave JS UI through an MQTT broker, addressed by node id; its answers as nodes, scenes and
users."""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypeGuard

from zwave_mcp.home import (
    CannotDo,
    GatewayError,
    Health,
    HomeDown,
    HomeError,
    LockUser,
    NoAnswer,
    Node,
    NotUnderstood,
    Report,
    Scene,
    SceneValue,
    Snapshot,
    Timing,
    Value,
    ValueId,
    WriteResult,
    is_number,
    is_secret,
    scalar,
)
from zwave_mcp.mqtt.connection import COMMANDS, NO_STICK, Api, Connection, GatewayApi, Read, one_line
from zwave_mcp.mqtt.reports import Reports, changes_nodes
from zwave_mcp.options import MqttOptions

log = logging.getLogger(__name__)

SCENES_TIMEOUT_SECONDS: Final = 3.0
_NAME_SECONDS: Final = 3.0
_USERS_SECONDS: Final = 12.0  # a lock is read user by user
REFRESH_SECONDS: Final = 30.0
STARTING_REFRESH_SECONDS: Final = 0.5
FOLLOW_SECONDS: Final = 0.05
FOLLOW_SHARE: Final = 2.0  # pause after a list, as a multiple of the time that it took
TAKE_BACK_SECONDS: Final = 120.0  # how long a command is still taken back after the connection was lost
SILENT: Final = "Z-Wave JS UI does not answer."
STARTING_SECONDS: Final = 15.0  # how long after its start a gateway may not know its nodes
STICK_HANGS: Final = "Z-Wave JS UI is there, but its Z-Wave stick does not answer."
_STICK: Final = (NO_STICK, STICK_HANGS)
_FROM_MEMORY: Final = frozenset({Api.GET_INFO, Api.GET_NODES, Api.GET_SCENES, Api.GET_GROUPS})
_HANGING: Final = ("Controller is unresponsive", "Controller is unable to transmit")
_UNSUPPORTED: Final = {
    "Unknown API": "This version of Z-Wave JS UI cannot do that, so nothing was done.",
    "Your hardware does not support": "The Z-Wave stick cannot do that, so nothing was done.",
}


@dataclass(eq=False, slots=True)
class Snapshots:
    """Shares one `getNodes` question among concurrent callers, with its answer or its failure. After a change
    the list is asked for again."""

    ask: Callable[[], Awaitable[tuple[Node, ...]]]
    latest: Snapshot | None = None
    changes: int = 0  # counts everything that may have changed a value
    listeners: list[Callable[[Snapshot], None]] = field(default_factory=list)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _changes_seen: int = 0
    _failure: tuple[float, HomeError] | None = None

    async def get(self, max_age_seconds: float) -> Snapshot:
        arrived = time.monotonic()
        if (latest := self._fresh(arrived, max_age_seconds)) is not None:
            return latest
        async with self._lock:
            if (latest := self._fresh(arrived, max_age_seconds)) is not None:
                return latest
            if self._failure is not None and self._failure[0] > arrived:
                raise self._failure[1]
            changes, started = self.changes, time.monotonic()
            try:
                nodes = await self.ask()
            except HomeError as error:
                self._failure = time.monotonic(), error
                raise
            self.latest, self._changes_seen = Snapshot(nodes, taken=started), changes
            for listener in self.listeners:
                listener(self.latest)
            return self.latest

    def _fresh(self, arrived: float, max_age_seconds: float) -> Snapshot | None:
        latest = self.latest
        if latest is None or self._changes_seen != self.changes:
            return None
        old = latest.taken < arrived and time.monotonic() - latest.taken > max_age_seconds
        return None if old else latest


@dataclass(eq=False, slots=True)
class KnownNodes:
    """Completes nodes that the gateway does not know yet with what was known of them before its restart.

    `ready` is the only sure sign (measured): before it, a node has some values or none, and a guessed status.
    """

    clock: Callable[[], float] = time.monotonic
    _ready: dict[int, Node] = field(default_factory=dict)  # each node as it was when last ready
    _since: dict[int, float] = field(default_factory=dict)  # since when a node has not been ready

    def complete(self, nodes: Iterable[Node]) -> tuple[Node, ...]:
        whole = tuple(node if node.ready else self._whole(node) for node in nodes)
        there = {node.id for node in whole}
        self._ready = {key: node for key, node in self._ready.items() if key in there}
        self._ready |= {node.id: node for node in whole if node.ready}
        self._since = {node.id: self._since[node.id] for node in whole if not node.ready}
        return whole

    def _whole(self, node: Node) -> Node:
        since = self._since.setdefault(node.id, self.clock())
        known = self._ready.get(node.id)
        if known is not None and known.product == node.product:
            status = known if node.status == "Unknown" else node
            return replace(node, values=known.values, status=status.status, available=status.available)
        if node.dead or self.clock() - since >= STARTING_SECONDS:
            return node
        return replace(node, values=(), starting=True)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long answers of the gateway are waited for, in seconds."""

    snapshot: float = 3.0
    info: float = 1.5
    there: float = 2.5  # longer than the limit for a hanging broker, so that the broker is named
    take_back: float = 2.0
    ping: float = 6.0  # longer than the radio looks for a node without power


class MqttHome:
    """Implements `Home`: every question goes to the gateway's API; a list of nodes is kept for a second."""

    simulated = False
    timing = Timing()

    def __init__(
        self, options: MqttOptions, *, refresh_seconds: float = REFRESH_SECONDS, **connection: float
    ) -> None:
        """`connection`: delays and limits of `Connection`."""
        self.limits = Limits()
        self._connection = Connection(options, self._value_changed, self._message, **connection)
        self._gateways = self._connection.gateways
        self._snapshots = Snapshots(self._ask_for_nodes)
        self._refresh_seconds = refresh_seconds
        self._news = asyncio.Event()
        self._known = KnownNodes()
        self._lists = NodeLists()
        self._groups: list[Any] = []  # as the gateway last listed them
        self._starting = False  # the gateway does not know all of its nodes yet
        self._asking = asyncio.Lock()
        self._owed: list[tuple[float, ValueId, Any]] = []  # to be written when the connection is back
        self._reports = Reports(options.prefix)
        self._report_listeners: list[Callable[[Report], None]] = []

    def on_snapshot(self, listener: Callable[[Snapshot], None]) -> None:
        self._snapshots.listeners.append(listener)

    def on_report(self, listener: Callable[[Report], None]) -> None:
        self._report_listeners.append(listener)

    def follow(self) -> None:
        self._connection.follow()

    def _message(self, topic: str, payload: bytes) -> None:
        if changes_nodes(topic, payload):
            self._value_changed()
        if self._snapshots.latest is not None:
            self._reports.learn(self._snapshots.latest)
        if (report := self._reports.read(topic, payload)) is not None:
            for listener in self._report_listeners:
                listener(report)

    def _value_changed(self) -> None:
        self._snapshots.changes += 1
        self._news.set()

    # --- staying up to date

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._refresh(), name="zwave.refresh")
            await self._connection.run()

    async def _refresh(self) -> None:
        """Take a new list after changes, and every half minute: a rename is not announced (measured)."""
        while True:
            pause = STARTING_REFRESH_SECONDS if self._starting else self._refresh_seconds
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._news.wait()
            self._news.clear()
            if self._connection.up:
                started = time.monotonic()
                await self._pay_back()
                try:
                    await self._snapshots.get(min(1.0, pause / 2))
                except HomeError as error:
                    log.info("no list of devices", extra={"problem": str(error)})
                # Values come in bursts, and the list of a large home takes a while: never without a pause.
                await asyncio.sleep(max(FOLLOW_SECONDS, FOLLOW_SHARE * (time.monotonic() - started)))

    async def snapshot(self, max_age_seconds: float = 1.0) -> Snapshot:
        await self._connection.ready()  # an old list would hide that nothing can be done
        return await self._snapshots.get(max_age_seconds)

    async def _ask_for_nodes(self) -> tuple[Node, ...]:
        # Read in a thread: the list of a large home has megabytes.
        listed = await self._remembered(
            Api.GET_NODES, self.limits.snapshot, lambda answer: asyncio.to_thread(self._lists.read, answer)
        )
        nodes = [entry.node for entry in listed if entry.node is not None]
        if numbers := {entry.number for entry in listed if entry.is_group}:
            with contextlib.suppress(HomeError):  # then the groups are as they were
                self._groups = await self._remembered(Api.GET_GROUPS, self.limits.snapshot)
            groups = [raw for raw in self._groups if isinstance(raw, Mapping) and raw.get("id") in numbers]
            nodes += groups_in(groups, nodes)
        whole = self._known.complete(nodes)
        self._starting = any(node.starting for node in whole)
        return whole

    # --- calls of the gateway

    async def _call(self, api: Api, *args: Any, timeout_seconds: float, read: Read | None = None) -> Any:
        gateway = await self._connection.ready()
        if api in COMMANDS or self._gateways.driver is False:
            await self._check_alive(gateway)
        try:
            return await gateway.call(api, args, timeout_seconds, read)
        finally:
            if api not in _FROM_MEMORY:  # it may have changed a value
                self._snapshots.changes += 1

    async def _check_alive(self, gateway: GatewayApi) -> None:
        """Raise HomeDown if the gateway or the broker hangs: it would carry out a command when it comes back
        to life (measured), long after the caller was told otherwise.

        A driver that is reported as away may be that of another gateway under this prefix, or an old message:
        a gateway that answers has its stick.
        """
        arrived = time.monotonic()
        async with self._asking:
            if gateway.heard >= arrived and self._gateways.driver is not False:
                return  # another caller has asked meanwhile
            try:
                await gateway.call(Api.GET_INFO, (), self.limits.there)
            except (GatewayError, NotUnderstood):
                return  # it answers
            except NoAnswer as error:
                raise HomeDown(SILENT) from error
            self._gateways.driver = True

    async def _remembered(self, api: Api, timeout_seconds: float, read: Read | None = None) -> list[Any]:
        """A list from the gateway's memory, without radio: silence means that the gateway hangs."""
        try:
            result = await self._call(api, timeout_seconds=timeout_seconds, read=read)
            if not isinstance(result, list):
                raise NotUnderstood  # better than a home that seems to be empty
        except NoAnswer as error:
            raise HomeDown(str(error)) from error
        return result

    async def write(
        self,
        value_id: ValueId,
        value: Any,
        timeout_seconds: float = 10.0,
        options: Mapping[str, Any] | None = None,
    ) -> WriteResult:
        args = (value_id.to_wire(), value, *((dict(options),) if options else ()))
        return parse_write(await self._call(Api.WRITE_VALUE, *args, timeout_seconds=timeout_seconds))

    async def take_back(self, value_id: ValueId, value: Any) -> bool:
        if await self._write_back(value_id, value):
            return True
        self._owed.append((time.monotonic() + TAKE_BACK_SECONDS, value_id, value))
        return False

    async def _write_back(self, value_id: ValueId, value: Any) -> bool:
        """Whether the write is queued behind the command that is to be taken back."""
        try:
            gateway = await self._connection.ready()
            await gateway.call(Api.WRITE_VALUE, (value_id.to_wire(), value), self.limits.take_back)
        except HomeError as error:
            return isinstance(error, NoAnswer)
        finally:
            self._snapshots.changes += 1
        return True

    async def _pay_back(self) -> None:
        owed, self._owed = self._owed, []
        for until, value_id, value in owed:
            if time.monotonic() < until and not await self._write_back(value_id, value):
                self._owed.append((until, value_id, value))

    async def poll(self, value_id: ValueId, timeout_seconds: float = 4.0) -> Any:
        return scalar(await self._call(Api.POLL_VALUE, value_id.to_wire(), timeout_seconds=timeout_seconds))

    async def ping(self, node_id: int, timeout_seconds: float = 4.0) -> bool:
        return await self._call(Api.PING_NODE, node_id, timeout_seconds=timeout_seconds) is True

    async def scenes(self) -> tuple[Scene, ...]:
        return parse_scenes(await self._remembered(Api.GET_SCENES, SCENES_TIMEOUT_SECONDS))

    async def activate_scene(self, scene_id: int) -> None:
        await self._call(Api.ACTIVATE_SCENE, scene_id, timeout_seconds=SCENES_TIMEOUT_SECONDS)

    async def lock_users(self, node_id: int) -> tuple[LockUser, ...]:
        users = await self._optional(Api.REFRESH_USERS, node_id, timeout_seconds=_USERS_SECONDS)
        if not isinstance(users, list):
            raise NotUnderstood
        return parse_users(users)

    async def rename(self, node_id: int, name: str | None, room: str | None) -> None:
        for api, text in ((Api.SET_NAME, name), (Api.SET_LOCATION, room)):
            answer = text is None or await self._optional(api, node_id, text)
            if answer is False:
                raise GatewayError("Z-Wave JS UI did not take the name.")
            if answer is not True:
                raise NotUnderstood

    async def _optional(self, api: Api, *args: Any, timeout_seconds: float = _NAME_SECONDS) -> Any:
        """A call that another version of the gateway, or another stick, may not have."""
        try:
            return await self._call(api, *args, timeout_seconds=timeout_seconds)
        except GatewayError as error:
            for beginning, sentence in _UNSUPPORTED.items():
                if str(error).startswith(beginning):
                    raise CannotDo(sentence) from error
            raise

    # --- health

    async def health(self) -> Health:
        problem, info = "", None
        try:
            info = await self._call(Api.GET_INFO, timeout_seconds=self.limits.info)
            problem = await self._stick_problem(info)
        except HomeError as error:
            problem = str(error)
        version = info.get("appVersion") if isinstance(info, Mapping) else None
        reached = not problem or problem in _STICK
        return Health(
            ok=not problem,
            problem=problem,
            broker=self._connection.broker,
            gateway=reached if self._connection.broker else None,
            driver=not problem if reached else None,
            gateway_name=self._gateways.name,
            version=version if isinstance(version, str) else "",
        )

    async def _stick_problem(self, info: object) -> str:
        """Ping a device: an idle driver does not notice that its stick hangs."""
        nodes = (await self._snapshots.get(REFRESH_SECONDS)).nodes
        node = next((node for node in nodes if node.status == "Alive" and node.ready), None)
        if node is not None:
            try:
                await self.ping(node.id, self.limits.ping)
            except NoAnswer:
                return STICK_HANGS
            except GatewayError:
                pass
            info = await self._call(Api.GET_INFO, timeout_seconds=self.limits.info)
        state = info.get("cntStatus") if isinstance(info, Mapping) else None
        return STICK_HANGS if state in _HANGING else ""


# --- answers of the gateway as our data; malformed parts are left out

_BROADCAST, _BROADCAST_LONG_RANGE = 0xFF, 0xFFF


class Listed(NamedTuple):
    """One entry of the list."""

    raw: object
    number: int | None = None
    node: Node | None = None  # None where the entry is no device
    is_group: bool = False


class NodeLists:
    """Parses `getNodes` answers. An entry that is the same as in the answer before keeps its Node object."""

    def __init__(self) -> None:
        self._before: dict[int | None, Listed] = {}

    def read(self, payload: bytes) -> Mapping[str, Any]:
        """The answer, with a `Listed` for each entry of its `result`. ValueError: it is no JSON object."""
        answer = json.loads(payload.decode("utf-8", "surrogatepass"))
        if not isinstance(answer, dict):
            raise ValueError("no JSON object")
        if isinstance(answer.get("result"), list):
            for place, raw in enumerate(answer["result"]):
                number = raw.get("id") if isinstance(raw, Mapping) else None
                known = self._before.get(number) if isinstance(number, int) else None
                answer["result"][place] = known if known is not None and known.raw == raw else _listed(raw)
            self._before = {entry.number: entry for entry in answer["result"]}
        return answer


def _listed(raw: object) -> Listed:
    if not isinstance(raw, Mapping):
        return Listed(raw)
    number = raw.get("id") if _is_int(raw.get("id")) else None
    return Listed(raw, number, _node(raw), raw.get("kind") == "multicast")


def groups_in(groups: object, nodes: Iterable[Node]) -> list[Node]:
    """Each multicast group whose members are all among the nodes."""
    there = {node.id for node in nodes}
    made = []
    for raw in _list(groups):
        match raw:
            case {"id": int(number), "name": str(name), "nodeIds": list(nodes_in)}:
                members = tuple(filter(_is_int, nodes_in))
                if name.strip() and members and set(members) <= there:
                    made.append(Node(number, name.strip(), members=members))
    return made


def _node(raw: Mapping[str, Any]) -> Node | None:
    """None for the controller and virtual nodes: a write to Broadcast reaches every device."""
    number = raw.get("id")
    if not _is_int(number) or raw.get("virtual") or raw.get("isControllerNode"):
        return None
    if number == _BROADCAST or number >= _BROADCAST_LONG_RANGE:
        return None
    listed = raw.get("values")
    items: Iterable[object] = listed.values() if isinstance(listed, Mapping) else _list(listed)
    values = (_value(number, item) for item in items if isinstance(item, Mapping))
    return Node(
        id=number,
        name=_text(raw.get("name")).strip(),
        room=_text(raw.get("loc")).strip(),
        status=_text(raw.get("status")) or "Unknown",
        available=raw.get("available") is not False,
        values=tuple(value for value in values if value is not None),
        product=" ".join(filter(None, (_text(raw.get("manufacturer")), _text(raw.get("productLabel"))))),
        ready=raw.get("ready") is not False,
        classes=_classes(raw),
    )


def _classes(raw: Mapping[str, Any]) -> dict[int, tuple[int, int]]:
    """The device class of the node (endpoint 0), and of each endpoint that has its own."""
    classes: dict[int, tuple[int, int]] = {}
    for part in ({**raw, "index": 0}, *_list(raw.get("endpoints"))):
        match part:
            case {"index": int(index), "deviceClass": {"generic": int(generic), "specific": int(specific)}}:
                classes[index] = generic, specific
    return classes


def _value(node_id: int, raw: Mapping[str, Any]) -> Value | None:
    value_id = _value_id(node_id, raw)
    if value_id is None:
        return None
    content = raw.get("value")
    if is_secret(value_id.command_class, value_id.property):
        content = None
    updated = _number(raw.get("lastUpdate"))
    return Value(
        id=value_id,
        value=duration_seconds(content) if value_id.property == "duration" else scalar(content),
        label=_text(raw.get("label")),
        unit=_text(raw.get("unit")),
        states=_states(raw.get("states")),
        minimum=_number(raw.get("min")),
        maximum=_number(raw.get("max")),
        writeable=raw.get("writeable") is True,
        target=_target(value_id, raw.get("targetValue")),
        updated=updated / 1000 if updated is not None else None,
    )


def _value_id(node_id: int, raw: Mapping[str, Any]) -> ValueId | None:
    command_class, prop, key = raw.get("commandClass"), raw.get("property"), raw.get("propertyKey")
    endpoint = raw.get("endpoint") or 0
    if not _is_int(command_class) or not _is_int(endpoint) or not (isinstance(prop, str) or _is_int(prop)):
        return None
    return ValueId(
        node_id, command_class, endpoint, prop, key if isinstance(key, str) or _is_int(key) else None
    )


def _target(current: ValueId, raw: object) -> ValueId | None:
    """`38-0-targetValue` names class, endpoint and property; the property key is that of the state."""
    parts = raw.split("-", 2) if isinstance(raw, str) else []
    if len(parts) != 3 or not parts[0].isdecimal() or not parts[1].isdecimal():
        return None
    key = current.property_key
    prop = parts[2] if key is None else parts[2].removesuffix(f"-{key}")
    return ValueId(current.node_id, int(parts[0]), int(parts[1]), prop, key)


def _states(raw: object) -> dict[int | bool | str, str]:
    items = (item for item in _list(raw) if isinstance(item, Mapping))
    known = ((item.get("value"), _text(item.get("text"))) for item in items)
    return {value: text for value, text in known if isinstance(value, bool | int | str) and text}


def parse_scenes(result: list[Any]) -> tuple[Scene, ...]:
    scenes = []
    for raw in result:
        match raw:
            case {"sceneid": int(number), "label": str(name)} if name.strip():
                listed = raw.get("values")
                values = tuple(filter(None, map(_scene_value, _list(listed))))
                complete = isinstance(listed, list) and len(values) == len(listed)
                scenes.append(Scene(number, name.strip(), values, complete))
    return tuple(scenes)


def _scene_value(item: object) -> SceneValue | None:
    if not isinstance(item, Mapping) or not _is_int(node_id := item.get("nodeId")):
        return None
    value_id, value = _value_id(node_id, item), item.get("value")
    if value_id is None:
        return None
    if value_id.property == "targetColor" and isinstance(value, Mapping):  # a colour may be written whole
        return SceneValue(value_id, {str(name): scalar(level) for name, level in value.items()})
    return SceneValue(value_id, scalar(value))


def parse_users(result: list[Any]) -> tuple[LockUser, ...]:
    return tuple(
        LockUser(raw["userId"], raw.get("active") is True, _text(raw.get("userName")).strip())
        for raw in result
        if isinstance(raw, Mapping) and _is_int(raw.get("userId"))
    )


def parse_write(result: object) -> WriteResult:
    status = result.get("status") if isinstance(result, Mapping) else None
    if not isinstance(result, Mapping) or not _is_int(status):
        raise NotUnderstood
    message, remaining = result.get("message"), result.get("remainingDuration")
    return WriteResult(
        status, duration_seconds(remaining) if remaining else None, one_line(message) if message else ""
    )


def duration_seconds(raw: object) -> float | None:
    """`{"value": 2, "unit": "seconds"}` in seconds; None where the device does not know."""
    match raw:
        case {"value": value, **more} if is_number(value):
            return float(value) * (60 if more.get("unit") == "minutes" else 1)
    return None


def _is_int(raw: object) -> TypeGuard[int]:
    return isinstance(raw, int) and not isinstance(raw, bool)


def _list(raw: object) -> list[Any]:
    return raw if isinstance(raw, list) else []


def _text(raw: object) -> str:
    return raw if isinstance(raw, str) else ""


def _number(raw: Any) -> float | None:
    return float(raw) if is_number(raw) else None
