"""The connection to broker and gateway, with endless retries, and the gateway's API over it.

The API is an allow-list of calls; each answer is matched by an id of our own. Only the choice of the gateway
outlives a connection.
"""

import asyncio
import contextlib
import itertools
import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from zwave_mcp.home import GatewayError, HomeDown, NoAnswer, NotUnderstood
from zwave_mcp.options import MqttOptions

if TYPE_CHECKING:  # the MQTT library is imported with the first connection
    from zwave_mcp.mqtt.link import Link

log = logging.getLogger(__name__)

Publish = Callable[[str, bytes], Awaitable[None]]
Read = Callable[[bytes], Awaitable[Mapping[str, Any]]]  # payload -> answer

_WITHOUT_STICK = "Z-Wave client not connected"  # the gateway's answer to every call while its stick is away
_LONGEST_MESSAGE = 200
ASK_AGAIN_SECONDS = 0.5
_MOST_ANSWERS = 20  # kept for one call; the rest of a flood is dropped
NO_STICK = "Z-Wave JS UI has no connection to its Z-Wave stick."
NOT_CONNECTED = "Z-Wave JS UI is not connected to the MQTT broker."


class Api(StrEnum):
    """All calls that can ever be sent. The gateway offers more: `hardReset`, `driverFunction` (runs code)."""

    GET_INFO = "getInfo"
    GET_NODES = "getNodes"
    WRITE_VALUE = "writeValue"
    POLL_VALUE = "pollValue"
    PING_NODE = "pingNode"
    GET_SCENES = "_getScenes"
    ACTIVATE_SCENE = "_activateScene"
    GET_GROUPS = "_getGroups"
    SET_NAME = "setNodeName"
    SET_LOCATION = "setNodeLocation"
    REFRESH_USERS = "accessControlRefreshUsers"


COMMANDS = frozenset({Api.WRITE_VALUE, Api.ACTIVATE_SCENE, Api.SET_NAME, Api.SET_LOCATION})

_Arrival = tuple[float, bytes | HomeDown]  # when, and what


class GatewayApi:
    """The calls in flight to one gateway over one connection."""

    def __init__(self, base: str, publish: Publish) -> None:
        self._base = f"{base}/api"
        self.reply_topic = f"{self._base}/+"
        self._publish = publish
        self._waiting: dict[str, asyncio.Queue[_Arrival]] = {}
        self.heard = float("-inf")  # when the gateway last answered
        # Random, because answers to other clients arrive on the same topics.
        self._ids = (f"{secrets.token_hex(6)}-{number}" for number in itertools.count(1))

    async def call(
        self, api: Api, args: Sequence[Any], timeout_seconds: float, read: Read | None = None
    ) -> Any:
        """The `result` of the answer. The limit covers sending, waiting and reading."""
        request_id = next(self._ids)
        payload = json.dumps({"args": list(args), "id": request_id}).encode()
        topic = f"{self._base}/{api}/set"
        self._waiting[request_id] = asyncio.Queue()
        try:
            async with asyncio.timeout(timeout_seconds) as limit:
                await self._publish(topic, payload)
                # A gateway that stops drops a question while its status stays true (measured). Asking again
                # tells: the broker then reports that nothing subscribes. The id is the same, so a late answer
                # counts.
                again = (lambda: self._publish(topic, payload)) if api is Api.GET_INFO else None
                return _result(await self._answer(request_id, read, again))
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise NoAnswer(f"Z-Wave JS UI did not answer within {timeout_seconds:g} seconds.") from error
        except HomeDown as error:
            error.sent = error.sent and api in COMMANDS
            raise
        finally:
            del self._waiting[request_id]

    async def _answer(
        self, request_id: str, read: Read | None, again: Callable[[], Awaitable[None]] | None
    ) -> Mapping[str, Any]:
        """The first well-formed answer whose origin has our id; anything else on the topic is skipped."""
        while True:
            try:
                async with asyncio.timeout(ASK_AGAIN_SECONDS if again else None):
                    received, payload = await self._waiting[request_id].get()
            except TimeoutError:
                if again is not None:
                    await again()
                continue
            if isinstance(payload, HomeDown):
                raise payload
            try:
                answer = await read(payload) if read else json.loads(payload)
            except (ValueError, RecursionError):
                log.warning("an answer of Z-Wave JS UI is not JSON", extra={"bytes": len(payload)})
                continue
            origin = answer.get("origin") if isinstance(answer, Mapping) else None
            if isinstance(origin, Mapping) and origin.get("id") == request_id:
                self.heard = max(self.heard, received)
                return answer

    def receive(self, payload: bytes) -> None:
        """Hand an answer to the call whose id it contains; searching bytes is cheaper than parsing all of
        them."""
        for request_id, waiting in self._waiting.items():
            if request_id.encode() in payload and waiting.qsize() < _MOST_ANSWERS:
                waiting.put_nowait((time.monotonic(), payload))

    def fail(self, sentence: str) -> None:
        """End every pending call: the connection is gone."""
        for waiting in self._waiting.values():
            waiting.put_nowait((time.monotonic(), HomeDown(sentence, sent=True)))


def _result(answer: Mapping[str, Any]) -> Any:
    if answer.get("success") is True:
        return answer.get("result")
    message = answer.get("message")
    if answer.get("success") is not False or not isinstance(message, str):
        raise NotUnderstood
    if message == _WITHOUT_STICK:
        raise HomeDown(NO_STICK)
    raise GatewayError(one_line(message))


def one_line(message: object) -> str:
    """A message of the gateway as one short line: the driver's messages may be whole traces."""
    words = " ".join(message.split()) if isinstance(message, str) else ""
    return words if len(words) <= _LONGEST_MESSAGE else f"{words[: _LONGEST_MESSAGE - 1]}…"


# --- the connection

ATTEMPT_SECONDS: Final = 1.0  # how long a call waits for a connection attempt under way
DISCOVERY_SECONDS: Final = 0.2  # time for a second gateway to show up before the first is taken
PREFIX_OF_NAMES: Final = "ZWAVE_GATEWAY-"


class Gateways:
    """The gateways on the broker, by their retained status topics. A choice stays when another one
    appears."""

    def __init__(self, prefix: str, wanted: str | None) -> None:
        self._prefix = prefix
        self.topics = [f"{prefix}/_CLIENTS/+/status", f"{prefix}/driver/status"]
        self._online: dict[str, bool] = {}
        self.chosen: str | None = client_name(wanted) if wanted else None
        self.driver: bool | None = None  # None: unknown, for example after a restart of the broker

    @property
    def seen(self) -> bool:
        return bool(self._online)

    @property
    def name(self) -> str:
        return (self.chosen or "").removeprefix(PREFIX_OF_NAMES)

    def forget(self) -> None:
        self._online.clear()
        self.driver = None

    def receive(self, topic: str, payload: bytes) -> bool:
        """Take in a status message; returns whether it was one."""
        match topic.removeprefix(f"{self._prefix}/").split("/"):
            case ["driver", "status"]:
                state = _parsed(payload)
                self.driver = state if isinstance(state, bool) else None
            case ["_CLIENTS", name, "status"]:
                status = _parsed(payload)
                value = status.get("value") if isinstance(status, Mapping) else None
                if name.startswith(PREFIX_OF_NAMES) and isinstance(value, bool):
                    self._online[name] = value
                else:
                    self._online.pop(name, None)  # an emptied topic: the gateway was removed
            case _:
                return False
        return True

    def choose(self) -> None:
        """Choose the only gateway; of several, the only one that is online."""
        if self.chosen is None:
            names = [name for name, online in self._online.items() if online] or list(self._online)
            self.chosen = names[0] if len(names) == 1 else None

    def problem(self) -> str | None:
        """Why no gateway can be asked. A status of `true` may be old: it stays after a clean stop
        (measured)."""
        if self.chosen is None and not self._online:
            return f"No Z-Wave JS UI is on the MQTT broker under the prefix {self._prefix}."
        if self.chosen is None:
            names = ", ".join(sorted(name.removeprefix(PREFIX_OF_NAMES) for name in self._online))
            return (
                f"The MQTT broker knows more than one Z-Wave JS UI: {names}. The settings must say which one."
            )
        return NOT_CONNECTED if self._online.get(self.chosen) is False else None


def client_name(name: str) -> str:
    """From `Home Gateway`, as in the settings of Z-Wave JS UI, to its name in topics."""
    return PREFIX_OF_NAMES + "_".join(name.removeprefix(PREFIX_OF_NAMES).split())


def _parsed(payload: bytes) -> object:
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return None


class Connection:
    """Uses a new MQTT client for each attempt; every call in flight ends with its connection.

    Calls `on_change` when gateway, driver or stick come or go.
    """

    def __init__(
        self,
        options: MqttOptions,
        on_change: Callable[[], None],
        on_message: Callable[[str, bytes], None],
        *,
        first_delay_seconds: float = 1.0,
        longest_delay_seconds: float = 30.0,
        discovery_seconds: float = DISCOVERY_SECONDS,
    ) -> None:
        self._options = options
        self._discovery_seconds = discovery_seconds
        self._first_delay = self._delay = first_delay_seconds
        self._longest_delay = longest_delay_seconds
        self.gateways = Gateways(options.prefix, options.gateway)
        self.broker = False
        self._on_change, self._on_message = on_change, on_message
        self._api: GatewayApi | None = None  # set while the broker is connected and the gateway is known
        self._silence = f"The MQTT broker at {options.address} has not answered yet."
        self._problem = self._silence  # why there is no gateway to ask, in this attempt
        self._settled = asyncio.Event()  # the attempt under way has come to a result
        self._wanted = asyncio.Event()  # a call came while there was no connection
        self._following = asyncio.Event()
        self._status = asyncio.Event()  # a gateway or the driver came or went

    @property
    def up(self) -> bool:
        return self._api is not None

    async def ready(self) -> GatewayApi:
        """The gateway to ask, or HomeDown. Starts an attempt if none is under way, and waits a moment for
        it."""
        if self._api is None:
            self._wanted.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ATTEMPT_SECONDS):
                    await self._settled.wait()
        # While the search goes on, no gateway may be chosen yet.
        searched = self.broker and self._settled.is_set()
        problem = self.gateways.problem() if searched else self._problem
        if self._api is None or problem:
            raise HomeDown(problem or self._problem)
        return self._api

    def follow(self) -> None:
        """Call `on_change` when some device has another value, too, and `on_message` with every message that
        may be an event; from now on and after every reconnection."""
        self._following.set()

    async def run(self) -> None:
        while True:
            try:
                await self._connect_once()
            except* HomeDown as group:
                self._problem = str(group.exceptions[0])
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # an error while stopping replaced the cancellation
                raise asyncio.CancelledError
            self._settled.set()
            log.warning(
                "no connection to the MQTT broker",
                extra={"problem": self._problem, "retry_seconds": self._delay},
            )
            await self._pause(self._delay)
            self._delay = min(self._delay * 2, self._longest_delay)

    async def _pause(self, seconds: float) -> None:
        """Wait for the next attempt. A call brings it forward, but not below the first delay."""
        soonest = min(self._first_delay, seconds)
        await asyncio.sleep(soonest)
        self._settled.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds - soonest):
                await self._wanted.wait()

    async def _connect_once(self) -> None:
        """One connection, until it fails."""
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
                    tasks.create_task(self._subscribe_values(link), name="zwave.values")
                    await self._follow_gateway(link)
            except* HomeDown as group:
                self._problem = str(group.exceptions[0])  # at once: a hung broker delays the disconnect
                raise
            finally:
                self.broker = False

    async def _listen(self, link: "Link") -> None:
        try:
            async for topic, payload, retained in link.messages():
                rest = topic.removeprefix(f"{self._options.prefix}/")
                if self.gateways.receive(topic, payload):
                    self._status.set()
                elif rest.startswith("_EVENTS/"):
                    self._on_message(topic, payload)
                elif self._following.is_set() and rest[:1] != "_" and not rest.endswith("/lastActive"):
                    if not retained:  # a retained value is no event
                        self._on_message(topic, payload)
                    self._on_change()
                elif self._api is not None:
                    self._api.receive(payload)
        finally:
            self._problem = "The connection to the MQTT broker was lost."
            api, self._api = self._api, None
            if api is not None:
                api.fail(self._problem)

    async def _subscribe_values(self, link: "Link") -> None:
        await self._following.wait()
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
                api = GatewayApi(f"{self._options.prefix}/_CLIENTS/{self.gateways.chosen}", link.publish)
                await link.subscribe([api.reply_topic])
                self._api = api
                log.info("found Z-Wave JS UI", extra={"gateway": self.gateways.name})
            gone = self.gateways.problem()
            if gone and self._api is not None:  # the broker's last will for it: no answer will come
                self._api.fail(gone)
            before, there = there, (gone is None, self.gateways.driver is not False)
            if there != before:
                self._on_change()
            self._settled.set()
            await self._status.wait()

    async def _discover(self) -> None:
        """Wait for a gateway to show up, and a moment longer for others."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ATTEMPT_SECONDS - DISCOVERY_SECONDS):
                while not self.gateways.seen:
                    self._status.clear()
                    await self._status.wait()
        await asyncio.sleep(self._discovery_seconds if self.gateways.seen else 0)
