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
import socket
import ssl
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from zwave_mcp.home import GatewayError, HomeDown, NoAnswer, NotUnderstood
from zwave_mcp.options import MqttOptions

log = logging.getLogger(__name__)

Publish = Callable[[str, bytes], Awaitable[None]]
Read = Callable[[bytes], Awaitable[Mapping[str, Any]]]  # payload -> answer

NO_STICK: Final = "Z-Wave JS UI has no connection to its Z-Wave stick."
NOT_CONNECTED: Final = "Z-Wave JS UI is not connected to the MQTT broker."

# --- one connection to the broker, used once, and the sentence that says why it failed

CONNECT_SECONDS: Final = 2.0
KEEPALIVE_SECONDS: Final = 15
EXPIRY_SECONDS: Final = 5  # the broker drops a command that the gateway did not fetch by then
LARGEST_PACKET: Final = 32 * 1024 * 1024  # `getNodes` of the largest network is a tenth of it
_THROW_AWAY: Final = struct.pack("ii", 1, 0)  # linger on, zero seconds
ACKNOWLEDGE_SECONDS: Final = 2.0  # a broker that takes longer for one message is as good as gone
MAX_IN_FLIGHT: Final = 20  # Mosquitto's own default; more would wait inside the library, out of our reach

_NO_SUBSCRIBERS: Final = 0x10
_NOT_AUTHORIZED: Final = 0x87
_REFUSED_LOGIN: Final = {0x86, _NOT_AUTHORIZED}
_FIRST_FAILURE: Final = 0x80


class _Tls(ssl.SSLContext):
    """Keeps the socket, because the library leaves it open when the certificate check fails."""

    opened: ssl.SSLSocket | None = None

    def wrap_socket(self, *args: Any, **settings: Any) -> ssl.SSLSocket:
        self.opened = super().wrap_socket(*args, **settings)
        return self.opened


class Link(aiomqtt.Client):
    """One connection. Sends at most once: a message is on its way or refused, and nothing is queued for a
    later connection.

    It is never reused: the library would deliver an unacknowledged message after a reconnect (measured).
    """

    def __init__(self, options: MqttOptions) -> None:
        limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        limits.MaximumPacketSize = LARGEST_PACKET
        self._tls = _tls(options) if options.tls else None
        super().__init__(
            options.host,
            options.port,
            identifier=f"zwave-mcp-{secrets.token_hex(4)}",  # new each time, and readable in the broker's log
            username=options.username,
            password=options.password,
            protocol=aiomqtt.ProtocolVersion.V5,
            clean_start=True,
            timeout=CONNECT_SECONDS,
            keepalive=KEEPALIVE_SECONDS,
            properties=limits,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # saves 40 ms a call (measured)
            tls_context=self._tls,
        )
        self._client.connect_timeout = CONNECT_SECONDS
        self._address = options.address
        self._slots = asyncio.Semaphore(MAX_IN_FLIGHT)
        self._verdicts: dict[int, asyncio.Future[int]] = {}
        self._down: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def give_up(self, sentence: str) -> None:
        """End every sender and listener with this sentence."""
        if not self._down.done():
            self._down.set_exception(HomeDown(sentence, sent=True))
            self._down.exception()  # mark it as retrieved

    async def lost(self) -> None:
        """Raise when this end has given the connection up."""
        await asyncio.shield(self._down)

    async def hear(self, *topics: str) -> None:
        try:
            codes = await self.subscribe([(topic, 1) for topic in topics])
        except aiomqtt.MqttError as error:
            raise HomeDown(_lost(self._address)) from error
        except ValueError as error:  # a wildcard in a configured name
            raise HomeDown(f"{topics[0]} cannot be an MQTT topic.") from error
        for topic, code in zip(topics, codes, strict=False):
            if _value(code) >= _FIRST_FAILURE:
                raise HomeDown(f"The MQTT broker does not let this account read {topic}.")

    async def send(self, topic: str, payload: bytes) -> None:
        """Return when the broker took the message and its topic has a subscriber."""
        expiry = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        expiry.MessageExpiryInterval = EXPIRY_SECONDS
        async with self._slots:
            if self._down.done():
                raise HomeDown(str(self._down.exception()))
            info = self._client.publish(topic, payload, qos=1, retain=False, properties=expiry)
            if info.rc != 0:
                raise HomeDown(_lost(self._address))
            arrived = self._verdicts[info.mid] = asyncio.get_running_loop().create_future()
            try:
                either: set[asyncio.Future[Any]] = {arrived, self._down}
                await asyncio.wait(either, timeout=ACKNOWLEDGE_SECONDS, return_when="FIRST_COMPLETED")
                if not arrived.done():
                    self._throw_away()  # or it would leave when the broker comes back to life
                    self.give_up(f"The MQTT broker at {self._address} does not answer.")
                    raise HomeDown(str(self._down.exception()), sent=True)
                verdict = arrived.result()
            finally:
                del self._verdicts[info.mid]
        if verdict == _NO_SUBSCRIBERS:
            raise HomeDown(NOT_CONNECTED)
        if verdict == _NOT_AUTHORIZED:
            raise HomeDown(f"The MQTT broker does not let this account write {topic}.")
        if verdict >= _FIRST_FAILURE:
            raise HomeDown(f"The MQTT broker refused the request with code {verdict}.")

    def _on_publish(
        self, client: Any, userdata: Any, mid: int, reason_code: ReasonCode, properties: Any
    ) -> None:
        """Keep the broker's reason code, which the library drops: no subscriber, or not authorised."""
        verdict = self._verdicts.get(mid)
        if verdict is not None and not verdict.done():
            verdict.set_result(reason_code.value)

    def _throw_away(self) -> None:
        """Make closing throw away what the network has not delivered yet."""
        connection = self._client.socket()
        if isinstance(connection, socket.socket):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _THROW_AWAY)

    def close_now(self) -> None:
        """Close what a failed attempt left open, and consume its error: the library does neither."""
        self._client.disconnect()
        if self._tls is not None and self._tls.opened is not None:
            self._tls.opened.close()
        if self._disconnected.done() and not self._disconnected.cancelled():
            self._disconnected.exception()


def _tls(options: MqttOptions) -> _Tls:
    context = _Tls(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if options.ca_file is None:
            context.load_default_certs()
        else:
            context.load_verify_locations(options.ca_file)
        return context
    except OSError as error:
        raise HomeDown(f"The CA file {options.ca_file} cannot be read: {error}.") from error


@contextlib.asynccontextmanager
async def _connected(options: MqttOptions) -> AsyncIterator[Link]:
    """A new connection with a clean start; leaving closes it. HomeDown says why there is none."""
    link = Link(options)
    try:
        await link.__aenter__()
    except aiomqtt.MqttError as error:
        link.close_now()
        raise HomeDown(_why(error, options)) from error
    except (OSError, ValueError) as error:
        raise HomeDown(f"The MQTT broker at {options.address} cannot be used: {error}.") from error
    except BaseException:
        link.close_now()
        raise
    try:
        yield link
    finally:
        link.give_up(_lost(options.address))
        with contextlib.suppress(aiomqtt.MqttError):  # it may be gone already
            await link.__aexit__(None, None, None)
        link.close_now()


def _why(error: aiomqtt.MqttError, options: MqttOptions) -> str:
    address = options.address
    if isinstance(error, aiomqtt.exceptions.MqttConnectError):
        if _value(error.rc) in _REFUSED_LOGIN:
            return f"The MQTT broker at {address} refused the user name or password."
        return f"The MQTT broker at {address} refused the connection: {error.rc}."
    cause = error.__context__  # aiomqtt keeps only its text, but Python knows what was being handled
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"The certificate of the MQTT broker at {address} is not trusted; check the CA file."
    if isinstance(cause, ssl.SSLError) or (options.tls and isinstance(cause, ConnectionResetError)):
        return f"The MQTT broker at {address} does not speak TLS."
    if isinstance(cause, TimeoutError):
        return f"The MQTT broker at {address} does not answer."
    reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(error)
    return f"The MQTT broker at {address} cannot be reached: {reason.lower()}."


def _lost(address: str) -> str:
    return f"The connection to the MQTT broker at {address} is lost."


def _value(code: object) -> int:
    return int(getattr(code, "value", code))  # type: ignore[call-overload, no-any-return]


# --- the gateway's API

ASK_AGAIN_SECONDS: Final = 0.5
_WITHOUT_STICK: Final = "Z-Wave client not connected"  # the answer to every call while the stick is away
_LONGEST_MESSAGE: Final = 200
_MOST_ANSWERS: Final = 20  # kept for one call; the rest of a flood is dropped


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
                answer = await self._answer(request_id, read, again)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise NoAnswer(f"Z-Wave JS UI did not answer within {timeout_seconds:g} seconds.") from error
        except HomeDown as error:
            error.sent = error.sent and api in COMMANDS
            raise
        finally:
            del self._waiting[request_id]
        message = answer.get("message")
        if answer.get("success") is True:
            return answer.get("result")
        if answer.get("success") is not False or not isinstance(message, str):
            raise NotUnderstood
        raise HomeDown(NO_STICK) if message == _WITHOUT_STICK else GatewayError(one_line(message))

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
        self._settled.clear()
        self._wanted.clear()
        self.gateways.forget()
        self._problem = self._silence
        async with _connected(self._options) as link:
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

    async def _listen(self, link: Link) -> None:
        try:
            async for message in link.messages:
                topic, payload = str(message.topic), message.payload
                payload = payload if isinstance(payload, bytes) else b""
                rest = topic.removeprefix(f"{self._options.prefix}/")
                if self.gateways.receive(topic, payload):
                    self._status.set()
                elif rest.startswith("_EVENTS/"):
                    self._on_message(topic, payload)
                elif self._following.is_set() and rest[:1] != "_" and not rest.endswith("/lastActive"):
                    if not message.retain:  # a retained value is no event
                        self._on_message(topic, payload)
                    self._on_change()
                elif self._api is not None:
                    self._api.receive(payload)
        except aiomqtt.MqttError as error:
            raise HomeDown(_lost(self._options.address)) from error
        finally:
            self._problem = "The connection to the MQTT broker was lost."
            api, self._api = self._api, None
            if api is not None:
                api.fail(self._problem)

    async def _subscribe_values(self, link: Link) -> None:
        await self._following.wait()
        await link.hear(f"{self._options.prefix}/#")
        await asyncio.Event().wait()

    async def _follow_gateway(self, link: Link) -> None:
        await link.hear(*self.gateways.topics)
        if self.gateways.chosen is None:
            await self._discover()
        there: tuple[bool, bool] | None = None
        while True:
            self._status.clear()
            self.gateways.choose()
            if self.gateways.chosen and self._api is None:
                api = GatewayApi(f"{self._options.prefix}/_CLIENTS/{self.gateways.chosen}", link.send)
                await link.hear(api.reply_topic)
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
