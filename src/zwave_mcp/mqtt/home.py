"""The real home: Z-Wave JS UI through an MQTT broker, by node id alone."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from zwave_mcp.events import Report
from zwave_mcp.home import (
    PING_TIMEOUT_SECONDS,
    POLL_TIMEOUT_SECONDS,
    SNAPSHOT_MAX_AGE_SECONDS,
    SNAPSHOT_TIMEOUT_SECONDS,
    WRITE_TIMEOUT_SECONDS,
    Health,
    HomeDown,
    HomeError,
    NoAnswer,
    Node,
    NotUnderstood,
    Pace,
    Refused,
    Scene,
    Snapshot,
    ValueId,
    WriteResult,
    scalar,
)
from zwave_mcp.mqtt.api import COMMANDS, NO_STICK, Api, GatewayApi, NobodyListens, NoStick, Read, spoken_words
from zwave_mcp.mqtt.connection import DISCOVERY_SECONDS, Connection
from zwave_mcp.mqtt.known import KnownNodes, is_news_of_nodes
from zwave_mcp.mqtt.listing import Listed, NodeLists
from zwave_mcp.mqtt.network import MqttNetwork
from zwave_mcp.mqtt.nodes import duration_seconds, parse_scenes, with_groups
from zwave_mcp.mqtt.reports import Reports
from zwave_mcp.options import MqttOptions

log = logging.getLogger(__name__)

SCENES_TIMEOUT_SECONDS: Final = 3.0
REFRESH_SECONDS: Final = 30.0
STARTING_REFRESH_SECONDS: Final = 0.5
LISTS_AT_MOST: Final = 3  # one after the other: where values never rest, the last one must do
FOLLOW_SECONDS: Final = 0.05
FOLLOW_SHARE: Final = 2.0  # of the time that a list takes
TAKE_BACK_SECONDS: Final = 120.0  # how long a connection may be away, and what was opened is still put back
SILENT: Final = "Z-Wave JS UI does not answer."
NO_STICK_YET: Final = "Z-Wave JS UI is just starting, and has no connection to its Z-Wave stick yet."
STOPPED: Final = "Z-Wave JS UI was stopped."
SEEMS_STOPPED: Final = "Z-Wave JS UI does not answer; it seems to have been stopped."
STICK_HANGS: Final = "Z-Wave JS UI is there, but its Z-Wave stick does not answer."
_STICK: Final = (NO_STICK, NO_STICK_YET, STICK_HANGS)
_HANGING: Final = ("Controller is unresponsive", "Controller is unable to transmit")


class Snapshots:
    """Callers that come while a question is under way share its answer, or its failure.

    `ask` gives the nodes, and when the list came in: while it is read, something newer may be told.
    """

    def __init__(self, ask: Callable[[], Awaitable[tuple[tuple[Node, ...], float]]]) -> None:
        self._ask = ask
        self._lock = asyncio.Lock()
        self._latest: Snapshot | None = None
        self._changes = 0  # grows with everything that may have changed a value
        self._changes_seen = 0
        self._changed = float("-inf")  # when it last grew
        self._failure: tuple[float, HomeError] | None = None
        self._listeners: list[Callable[[Snapshot], None]] = []

    def watch(self, listener: Callable[[Snapshot], None]) -> None:
        self._listeners.append(listener)

    def outdate(self) -> None:
        self._changes += 1
        self._changed = time.monotonic()

    async def get(self, max_age_seconds: float) -> Snapshot:
        arrived = time.monotonic()
        latest = self._fresh(arrived, max_age_seconds)
        if latest is not None:
            return latest
        async with self._lock:
            latest = self._fresh(arrived, max_age_seconds)
            if latest is not None:
                return latest
            if self._failure is not None and self._failure[0] > arrived:
                raise self._failure[1]
            return await self._renew()

    def _fresh(self, arrived: float, max_age_seconds: float) -> Snapshot | None:
        latest = self._latest
        if latest is None or self._changes_seen != self._changes:
            return None
        return latest if latest.taken >= arrived or latest.age_seconds() <= max_age_seconds else None

    async def _renew(self) -> Snapshot:
        for _ in range(LISTS_AT_MOST):
            changes, started = self._changes, time.monotonic()
            try:
                nodes, received = await self._ask()
            except HomeError as error:
                self._failure = time.monotonic(), error
                raise
            if self._changed < received:
                break  # else it is older than what was told since, and nobody hears of it
        self._latest = Snapshot(nodes, taken=started)
        self._changes_seen = changes
        for listener in self._listeners:
            listener(self._latest)
        return self._latest


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an answer of the gateway is waited for, in seconds."""

    snapshot: float = SNAPSHOT_TIMEOUT_SECONDS
    info: float = 1.5
    there: float = 2.5  # longer than a broker that hangs is given, so that it is the broker that is blamed
    take_back: float = 2.0
    ping: float = 6.0  # longer than a node without power is looked for by radio


class MqttHome:
    """Every question goes to the gateway's API; a list of devices is kept for a second."""

    simulated = False
    pace = Pace()

    def __init__(
        self,
        options: MqttOptions,
        *,
        first_delay_seconds: float = 1.0,
        longest_delay_seconds: float = 30.0,
        refresh_seconds: float = REFRESH_SECONDS,
        discovery_seconds: float = DISCOVERY_SECONDS,
    ) -> None:
        self.limits = Limits()
        self._connection = Connection(
            options,
            first_delay_seconds,
            longest_delay_seconds,
            self._start_anew,
            discovery_seconds=discovery_seconds,
        )
        self._gateways = self._connection.gateways
        self._snapshots = Snapshots(self._ask_for_nodes)
        self.network = MqttNetwork(self._call, self._snapshots.outdate)
        self._refresh_seconds = refresh_seconds
        self._news = asyncio.Event()
        self._known = KnownNodes()
        self._lists = NodeLists()
        self._groups: list[Any] = []  # as the gateway last told them
        self._starting = False  # the gateway does not know all of its nodes yet
        self._asking = asyncio.Lock()
        self._owed: list[tuple[float, ValueId, Any]] = []  # to be put back when there is a connection
        self._reports = Reports(options.prefix)
        self._report_listeners: list[Callable[[Report], None]] = []
        self._snapshots.watch(self._name_reports)

    def follow(self) -> None:
        self._connection.follow_values(self._value_changed, self._message)

    def on_report(self, listener: Callable[[Report], None]) -> None:
        self._report_listeners.append(listener)

    def _message(self, topic: str, payload: bytes) -> None:
        if is_news_of_nodes(topic, payload):
            self._value_changed()
        report = self._reports.read(topic, payload, self._gateways.chosen or "")
        if report is not None:
            self._pass_on([report])

    def _name_reports(self, snapshot: Snapshot) -> None:
        self._pass_on(self._reports.look(snapshot))

    def _pass_on(self, reports: Iterable[Report]) -> None:
        for report in reports:
            for listener in self._report_listeners:
                listener(report)

    def _value_changed(self) -> None:
        self._snapshots.outdate()
        self._news.set()

    def _start_anew(self) -> None:
        self._snapshots.outdate()
        self._news.set()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep_watch(), name="zwave.watch")
            await self._connection.run()

    async def _keep_watch(self) -> None:
        """A renamed device is noticed although nobody asks: the gateway does not announce it (measured)."""
        while True:
            with contextlib.suppress(TimeoutError):
                pause = STARTING_REFRESH_SECONDS if self._starting else self._refresh_seconds
                async with asyncio.timeout(pause):
                    await self._news.wait()
            self._news.clear()
            if self._connection.up:
                started = time.monotonic()
                await self._pay_back()
                try:
                    await self._snapshots.get(min(SNAPSHOT_MAX_AGE_SECONDS, pause / 2))
                except HomeError as error:
                    log.info("no list of devices", extra={"problem": str(error)})
                # Values come in bursts, and the list of a large home takes a while: never without a pause.
                await asyncio.sleep(max(FOLLOW_SECONDS, FOLLOW_SHARE * (time.monotonic() - started)))

    async def _call(self, api: Api, *args: Any, timeout_seconds: float, read: Read | None = None) -> Any:
        gateway = await self._connection.ready()
        try:
            if api in COMMANDS or self._gateways.driver is False:
                await self._assure(gateway)
            return await gateway.call(api, args, timeout_seconds, read)
        except NoStick as error:
            raise HomeDown(NO_STICK_YET if self._gateways.just_started else str(error)) from error
        except NobodyListens as error:
            # Killed, or cut off, it is said by the broker to be away; stopped, only its driver is (measured).
            raise HomeDown(STOPPED if self._gateways.driver is False else str(error)) from error

    async def _assure(self, gateway: GatewayApi) -> None:
        """Nothing is sent to a gateway, or a broker, that hangs: it would do it when it comes back to life,
        long after the caller was told otherwise (measured), and nothing can call it back.

        A driver that is said to be away may be that of another gateway under this prefix, or an old word:
        a gateway that answers has its stick.
        """
        arrived = time.monotonic()
        async with self._asking:
            if gateway.heard >= arrived and self._gateways.driver is not False:
                return  # others have asked meanwhile
            try:
                await gateway.call(Api.GET_INFO, (), self.limits.there)
            except (Refused, NotUnderstood):
                return  # it is there, and says something else than we know
            except NoAnswer as error:
                # Without its stick it would have said so, at once.
                raise HomeDown(SEEMS_STOPPED if self._gateways.driver is False else SILENT) from error
            self._gateways.driver = True

    async def _remembered(self, api: Api, timeout_seconds: float, read: Read | None = None) -> list[Any]:
        """A list that the gateway has in memory, without radio: so silence means that it hangs."""
        try:
            result = await self._call(api, timeout_seconds=timeout_seconds, read=read)
            if not isinstance(result, list):
                raise NotUnderstood  # better than a home that seems to be empty
        except NoAnswer as error:
            if self._gateways.driver is False:  # it may have taken the question along
                with contextlib.suppress(NoAnswer):
                    await self._call(Api.GET_INFO, timeout_seconds=self.limits.info)
            raise HomeDown(str(error)) from error
        return result

    async def _ask_for_nodes(self) -> tuple[tuple[Node, ...], float]:
        listed: list[Listed] = await self._remembered(Api.GET_NODES, self.limits.snapshot, self._lists.read)
        received = self._lists.received
        there = {one.number for one in listed if one.is_group}
        if there:
            with contextlib.suppress(HomeError):  # then they are as they were, as far as they are listed
                self._groups = await self._remembered(Api.GET_GROUPS, self.limits.snapshot)
        groups = [one for one in self._groups if isinstance(one, Mapping) and one.get("id") in there]
        nodes = with_groups((node for one in listed for node in one.nodes), groups)
        whole = self._known.complete(nodes)
        self._starting = any(node.starting for node in whole)
        return whole, received

    def watch(self, listener: Callable[[Snapshot], None]) -> None:
        self._snapshots.watch(listener)

    async def snapshot(self, max_age_seconds: float = SNAPSHOT_MAX_AGE_SECONDS) -> Snapshot:
        await self._connection.ready()  # an old list would hide that nothing can be done
        return await self._snapshots.get(max_age_seconds)

    async def write(
        self,
        value_id: ValueId,
        value: Any,
        timeout_seconds: float = WRITE_TIMEOUT_SECONDS,
        options: Mapping[str, Any] | None = None,
    ) -> WriteResult:
        more = (dict(options),) if options else ()
        try:
            result = await self._call(
                Api.WRITE_VALUE, value_id.to_wire(), value, *more, timeout_seconds=timeout_seconds
            )
        finally:
            self._snapshots.outdate()
        return _write_result(result)

    async def take_back(self, value_id: ValueId, value: Any) -> bool:
        if await self._put_back(value_id, value):
            return True
        self._owed.append((time.monotonic() + TAKE_BACK_SECONDS, value_id, value))
        return False

    async def _put_back(self, value_id: ValueId, value: Any) -> bool:
        """Whether it stands behind the command, whoever has that now."""
        try:
            gateway = await self._connection.ready()
            await gateway.call(Api.WRITE_VALUE, (value_id.to_wire(), value), self.limits.take_back)
        except NoAnswer:
            return True
        except HomeError:
            return False
        finally:
            self._snapshots.outdate()
        return True

    async def _pay_back(self) -> None:
        owed, self._owed = self._owed, []
        for until, value_id, value in owed:
            if time.monotonic() < until and not await self._put_back(value_id, value):
                self._owed.append((until, value_id, value))

    async def poll(self, value_id: ValueId, timeout_seconds: float = POLL_TIMEOUT_SECONDS) -> Any:
        try:
            return scalar(
                await self._call(Api.POLL_VALUE, value_id.to_wire(), timeout_seconds=timeout_seconds)
            )
        finally:
            self._snapshots.outdate()

    async def ping(self, node_id: int, timeout_seconds: float = PING_TIMEOUT_SECONDS) -> bool:
        try:
            return await self._call(Api.PING_NODE, node_id, timeout_seconds=timeout_seconds) is True
        finally:
            self._snapshots.outdate()

    async def scenes(self) -> tuple[Scene, ...]:
        return parse_scenes(await self._remembered(Api.GET_SCENES, SCENES_TIMEOUT_SECONDS))

    async def activate_scene(self, scene_id: int) -> None:
        try:
            await self._call(Api.ACTIVATE_SCENE, scene_id, timeout_seconds=SCENES_TIMEOUT_SECONDS)
        finally:
            self._snapshots.outdate()

    async def health(self) -> Health:
        problem, info = "", None
        try:
            info = await self._call(Api.GET_INFO, timeout_seconds=self.limits.info)
            problem = await self._stick_problem(info)
        except HomeError as error:
            problem = str(error)
        version = info.get("appVersion") if isinstance(info, Mapping) else None
        return Health(
            ok=not problem,
            problem=problem,
            broker=self._connection.broker,
            gateway=self._gateway_state(problem) if self._connection.broker else None,
            driver=False if problem in _STICK else (None if problem else True),
            gateway_name=self._gateways.name,
            version=version if isinstance(version, str) else "",
        )

    def _gateway_state(self, problem: str) -> bool:
        return not problem or problem in _STICK

    async def _stick_problem(self, info: object) -> str:
        """A stick that hangs is not noticed by a driver that has nothing to send: so something is sent."""
        nodes = (await self._snapshots.get(REFRESH_SECONDS)).nodes
        node = next((one for one in nodes if one.status == "Alive" and one.ready), None)
        if node is not None:
            try:
                await self.ping(node.id, self.limits.ping)
            except NoAnswer:
                return STICK_HANGS
            except Refused:
                pass
            info = await self._call(Api.GET_INFO, timeout_seconds=self.limits.info)
        state = info.get("cntStatus") if isinstance(info, Mapping) else None
        return STICK_HANGS if state in _HANGING else ""


def _write_result(result: object) -> WriteResult:
    status = result.get("status") if isinstance(result, Mapping) else None
    if not isinstance(result, Mapping) or not isinstance(status, int) or isinstance(status, bool):
        raise NotUnderstood
    return WriteResult(
        status=status,
        remaining_seconds=duration_seconds(result.get("remainingDuration")),
        message=spoken_words(result.get("message")),
    )
