"""Staying connected: broker, then gateway, again and again; only the choice of the gateway is kept."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from zwave_mcp.home import HomeDown
from zwave_mcp.mqtt.address import address_of
from zwave_mcp.mqtt.api import GatewayApi
from zwave_mcp.mqtt.gateways import Gateways
from zwave_mcp.options import MqttOptions

if TYPE_CHECKING:  # the library behind it is loaded when the first connection is made
    from zwave_mcp.mqtt.link import Link

log = logging.getLogger(__name__)

ATTEMPT_SECONDS: Final = 1.0  # how long a call waits for a connection attempt under way
DISCOVERY_SECONDS: Final = 0.2  # time for a second gateway to show up before the first is taken


class Connection:
    """Every attempt uses a new client of the library; every call in flight ends with its connection."""

    def __init__(
        self,
        options: MqttOptions,
        first_delay_seconds: float,
        longest_delay_seconds: float,
        on_change: Callable[[], None],
    ) -> None:
        self._options = options
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
                    await self._follow_gateway(link)
            except* HomeDown as group:
                self._problem = str(group.exceptions[0])  # at once: a hung broker delays the goodbye
                raise
            finally:
                self.broker = False

    async def _listen(self, link: "Link") -> None:
        try:
            async for topic, payload in link.messages():
                if self.gateways.receive(topic, payload):
                    self._status.set()
                elif self._api is not None:
                    self._api.receive(payload)
        finally:
            self._problem = "The connection to the MQTT broker was lost."
            api, self._api = self._api, None
            if api is not None:
                api.fail(self._problem)

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
        await asyncio.sleep(DISCOVERY_SECONDS if self.gateways.seen else 0)
