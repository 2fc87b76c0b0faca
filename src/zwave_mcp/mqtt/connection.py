"""Staying connected: broker, then gateway, again and again; only the choice of the gateway is kept."""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from zwave_mcp.home import HomeDown
from zwave_mcp.mqtt.api import NOT_CONNECTED, GatewayApi
from zwave_mcp.mqtt.known import STARTING_SECONDS
from zwave_mcp.options import MqttOptions, address_of

if TYPE_CHECKING:  # the library behind it is loaded when the first connection is made
    from zwave_mcp.mqtt.link import Link

log = logging.getLogger(__name__)

ATTEMPT_SECONDS: Final = 1.0  # how long a call waits for a connection attempt under way
DISCOVERY_SECONDS: Final = 0.2  # time for a second gateway to show up before the first is taken
PREFIX_OF_NAMES: Final = "ZWAVE_GATEWAY-"


class Gateways:
    """Filled from the retained status topics; a choice is kept, also when another gateway appears later."""

    def __init__(self, prefix: str, wanted: str | None) -> None:
        self._prefix = prefix
        self._wanted = client_name(wanted) if wanted else None
        self._online: dict[str, bool] = {}
        self.chosen: str | None = self._wanted
        self.driver: bool | None = None  # None: not known, for example after a restart of the broker
        self._began: dict[str, float] = {}  # when each was seen to come

    @property
    def topics(self) -> list[str]:
        return [f"{self._prefix}/_CLIENTS/+/status", f"{self._prefix}/driver/status"]

    @property
    def base(self) -> str:
        return f"{self._prefix}/_CLIENTS/{self.chosen}"

    @property
    def seen(self) -> bool:
        return bool(self._online)

    @property
    def name(self) -> str:
        return (self.chosen or "").removeprefix(PREFIX_OF_NAMES)

    @property
    def online(self) -> bool | None:
        """Whether the chosen gateway is there. `True` may be old: it stays after a clean stop (measured)."""
        return self._online.get(self.chosen or "")

    @property
    def just_started(self) -> bool:
        """The chosen one came a moment ago; it may also have lost the broker for a while."""
        began = self._began.get(self.chosen or "")
        return began is not None and time.monotonic() - began < STARTING_SECONDS

    def forget(self) -> None:
        """A new connection starts with what the broker then says."""
        self._online.clear()
        self.driver = None

    def receive(self, topic: str, payload: bytes, *, live: bool = False) -> bool:
        """Take a status in; whether the topic was one. `live`: it is told now, and not kept by the broker."""
        parts = topic.removeprefix(f"{self._prefix}/").split("/")
        if parts == ["driver", "status"]:
            state = _parse(payload)
            self.driver = state if isinstance(state, bool) else None
            return True
        if len(parts) == 3 and parts[0] == "_CLIENTS" and parts[2] == "status":
            self._take_status(parts[1], _parse(payload))
            if live and self._online.get(parts[1]):
                self._began[parts[1]] = time.monotonic()
            return True
        return False

    def _take_status(self, name: str, status: object) -> None:
        value = status.get("value") if isinstance(status, Mapping) else None
        if not name.startswith(PREFIX_OF_NAMES):
            return
        if isinstance(value, bool):
            self._online[name] = value
        else:
            self._online.pop(name, None)  # an emptied topic: somebody removed an old gateway

    def choose(self) -> None:
        """The only one there is; of several, the only one that is online."""
        if self.chosen is None:
            names = [name for name, online in self._online.items() if online] or list(self._online)
            self.chosen = names[0] if len(names) == 1 else None

    def problem(self) -> str | None:
        """Why no gateway can be asked, in one sentence."""
        if self.chosen is None and not self._online:
            return f"No Z-Wave JS UI is on the MQTT broker under the prefix {self._prefix}."
        if self.chosen is None:
            names = ", ".join(sorted(name.removeprefix(PREFIX_OF_NAMES) for name in self._online))
            return (
                f"The MQTT broker knows more than one Z-Wave JS UI: {names}. The settings must say which one."
            )
        if self.online is False:
            return NOT_CONNECTED
        return None


def client_name(name: str) -> str:
    """From `Home Gateway`, as it stands in the settings of Z-Wave JS UI, to its name in topics."""
    return PREFIX_OF_NAMES + "_".join(name.removeprefix(PREFIX_OF_NAMES).split())


def _parse(payload: bytes) -> object:
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return None


class Connection:
    """Every attempt uses a new client of the library; every call in flight ends with its connection."""

    def __init__(
        self,
        options: MqttOptions,
        first_delay_seconds: float,
        longest_delay_seconds: float,
        on_change: Callable[[], None],
        *,
        discovery_seconds: float = DISCOVERY_SECONDS,
    ) -> None:
        self._options = options
        self._discovery_seconds = discovery_seconds
        self._first_delay = first_delay_seconds
        self._longest_delay = longest_delay_seconds
        self.gateways = Gateways(options.prefix, options.gateway)
        self.broker = False
        self._on_change = on_change
        self._api: GatewayApi | None = None  # there while the broker is connected and the gateway is known
        self._delay = first_delay_seconds  # before the next attempt
        self._silence = f"The MQTT broker at {address_of(options)} has not answered yet."
        self._problem = (
            self._silence
        )  # why there is no gateway to ask: of this attempt, never of an earlier one
        self._settled = asyncio.Event()  # the attempt under way has come to a result
        self._wanted = asyncio.Event()  # a call came while there was no connection
        self._values_wanted = asyncio.Event()  # somebody wants to hear of changes at once
        self._on_value: Callable[[], None] = lambda: None
        self._on_message: Callable[[str, bytes], None] = lambda _topic, _payload: None
        self._status = asyncio.Event()  # a gateway or the driver came or went

    @property
    def up(self) -> bool:
        return self._api is not None

    async def ready(self) -> GatewayApi:
        """The gateway to ask, or HomeDown. Waits only for an attempt that is under way, and starts one."""
        if self._api is None:
            self._wanted.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ATTEMPT_SECONDS):
                    await self._settled.wait()
        # Before the search is over, one gateway may not be chosen yet, and none may be on its way.
        searched = self.broker and self._settled.is_set()
        problem = self.gateways.problem() if searched else self._problem
        if self._api is None or problem:
            raise HomeDown(problem or self._problem)
        return self._api

    async def run(self) -> None:
        while True:
            try:
                await self._one_connection()
            except* HomeDown as group:
                self._problem = str(group.exceptions[0])
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # an error that came up while stopping took its place
                raise asyncio.CancelledError
            self._settled.set()
            log.warning(
                "no connection to the MQTT broker",
                extra={"problem": self._problem, "retry_seconds": self._delay},
            )
            await self._pause(self._delay)
            self._delay = min(self._delay * 2, self._longest_delay)

    async def _pause(self, seconds: float) -> None:
        """Until the next attempt. A call is a reason to try earlier, but not sooner than the first delay."""
        soonest = min(self._first_delay, seconds)
        await asyncio.sleep(soonest)
        self._settled.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds - soonest):
                await self._wanted.wait()

    async def _one_connection(self) -> None:
        """Ends only by an error: the library's client and every call in flight end with it."""
        from zwave_mcp.mqtt.link import connected

        self._settled.clear()
        self._wanted.clear()
        self.gateways.forget()
        self._problem = self._silence
        async with connected(self._options) as link:
            self.broker, self._delay = True, self._first_delay
            self._problem = "Z-Wave JS UI has not answered yet."
            log.info("connected to the MQTT broker")
            try:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._listen(link), name="zwave.listen")
                    tasks.create_task(link.lost(), name="zwave.lost")
                    tasks.create_task(self._follow_values(link), name="zwave.values")
                    await self._follow_gateway(link)
            except* HomeDown as group:
                self._problem = str(group.exceptions[0])  # at once: a hung broker delays the goodbye
                raise
            finally:
                self.broker = False

    async def _listen(self, link: "Link") -> None:
        try:
            async for topic, payload, kept in link.messages():
                if self.gateways.receive(topic, payload, live=not kept):
                    self._status.set()
                elif self._is_event(topic):
                    self._on_message(topic, payload)
                elif self._is_value(topic):
                    if not kept:  # what happened before is no event
                        self._on_message(topic, payload)
                    self._on_value()
                elif self._api is not None:
                    self._api.receive(payload)
        finally:
            self._problem = "The connection to the MQTT broker was lost."
            api, self._api = self._api, None
            if api is not None:
                api.fail(self._problem)

    def follow_values(self, on_value: Callable[[], None], on_message: Callable[[str, bytes], None]) -> None:
        """`on_value` is told that some device has another value, from now on and after every connection, and
        `on_message` every message by which a device may tell that something has happened."""
        self._on_value, self._on_message = on_value, on_message
        if not self._values_wanted.is_set():
            self._values_wanted.set()

    def _is_event(self, topic: str) -> bool:
        return topic.startswith(f"{self._options.prefix}/_EVENTS/")

    def _is_value(self, topic: str) -> bool:
        """Not what the gateway tells of itself; when a node was last heard is no news."""
        own = topic.removeprefix(f"{self._options.prefix}/").startswith("_")
        return self._values_wanted.is_set() and not own and not topic.endswith("/lastActive")

    async def _follow_values(self, link: "Link") -> None:
        await self._values_wanted.wait()
        await link.subscribe([f"{self._options.prefix}/#"])
        await asyncio.Event().wait()

    async def _follow_gateway(self, link: "Link") -> None:
        await link.subscribe(self.gateways.topics)
        if self.gateways.chosen is None:
            await self._discover()
        there: tuple[bool, bool] | None = None
        while True:
            self._status.clear()
            self.gateways.choose()
            if self.gateways.chosen and self._api is None:
                api = GatewayApi(self.gateways.base, link.publish)
                await link.subscribe(api.reply_topics)
                await link.subscribe(api.other_topics, needed=False)
                self._api = api
                log.info("found Z-Wave JS UI", extra={"gateway": self.gateways.name})
            before, there = there, (self.gateways.problem() is None, self.gateways.driver is not False)
            if there != before:
                self._on_change()
            self._settled.set()
            await self._status.wait()

    async def _discover(self) -> None:
        """Until a gateway has shown up, and a moment longer for the others."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ATTEMPT_SECONDS - DISCOVERY_SECONDS):
                while not self.gateways.seen:
                    self._status.clear()
                    await self._status.wait()
        await asyncio.sleep(self._discovery_seconds if self.gateways.seen else 0)
