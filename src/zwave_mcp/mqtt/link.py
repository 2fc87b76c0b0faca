"""One connection to an MQTT broker, used once, and the sentence that says why it failed."""

import asyncio
import contextlib
import secrets
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from zwave_mcp.home import HomeDown
from zwave_mcp.mqtt.connection import NOT_CONNECTED
from zwave_mcp.options import MqttOptions

CONNECT_SECONDS: Final = 2.0
KEEPALIVE_SECONDS: Final = 15
EXPIRY_SECONDS: Final = 5  # the broker drops a command that the gateway did not fetch by then
LARGEST_PACKET: Final = 32 * 1024 * 1024  # `getNodes` of the largest network is a tenth of it
_THROW_AWAY: Final = struct.pack("ii", 1, 0)  # linger on, zero seconds


class _Tls(ssl.SSLContext):
    """Keeps the socket, because the library leaves it open when the certificate check fails."""

    opened: ssl.SSLSocket | None = None

    def wrap_socket(self, *args: Any, **settings: Any) -> ssl.SSLSocket:
        self.opened = super().wrap_socket(*args, **settings)
        return self.opened


class Client(aiomqtt.Client):
    """Keeps the broker's reason code for a message, which aiomqtt drops: no subscriber, or not authorised."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._client.connect_timeout = CONNECT_SECONDS
        self._tls: _Tls | None = settings.get("tls_context")
        self.verdicts: dict[int, asyncio.Future[int]] = {}

    def _on_publish(
        self, client: Any, userdata: Any, mid: int, reason_code: ReasonCode, properties: Any
    ) -> None:
        verdict = self.verdicts.get(mid)
        if verdict is not None and not verdict.done():
            verdict.set_result(reason_code.value)

    def send(self, topic: str, payload: bytes) -> int:
        expiry = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        expiry.MessageExpiryInterval = EXPIRY_SECONDS
        info = self._client.publish(topic, payload, qos=1, retain=False, properties=expiry)
        if info.rc != 0:
            raise aiomqtt.MqttError("the connection is closed")
        return int(info.mid)

    def cut(self) -> None:
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


def new_client(options: MqttOptions) -> Client:
    limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    limits.MaximumPacketSize = LARGEST_PACKET
    return Client(
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
        tls_context=_tls(options) if options.tls else None,
    )


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


ACKNOWLEDGE_SECONDS: Final = 2.0  # a broker that takes longer for one message is as good as gone
MAX_IN_FLIGHT: Final = 20  # Mosquitto's own default; more would wait inside the library, out of our reach

_NO_SUBSCRIBERS: Final = 0x10
_NOT_AUTHORIZED: Final = 0x87
_REFUSED_LOGIN: Final = {0x86, _NOT_AUTHORIZED}
_FIRST_FAILURE: Final = 0x80


class Link:
    """Sends at most once: a message is on its way or refused, and nothing is queued for a later connection.

    A client is never reused: it would deliver an unacknowledged message after a reconnect (measured).
    """

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address
        self._slots = asyncio.Semaphore(MAX_IN_FLIGHT)
        self._down: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def give_up(self, sentence: str) -> None:
        """End every sender and listener with this sentence."""
        if not self._down.done():
            self._down.set_exception(HomeDown(sentence, sent=True))
            self._down.exception()  # mark it as retrieved

    async def subscribe(self, topics: Sequence[str]) -> None:
        try:
            codes = await self._client.subscribe([(topic, 1) for topic in topics])
        except aiomqtt.MqttError as error:
            raise HomeDown(_lost(self._address)) from error
        except ValueError as error:  # a wildcard in a configured name
            raise HomeDown(f"{topics[0]} cannot be an MQTT topic.") from error
        for topic, code in zip(topics, codes, strict=False):
            if _value(code) >= _FIRST_FAILURE:
                raise HomeDown(f"The MQTT broker does not let this account read {topic}.")

    async def publish(self, topic: str, payload: bytes) -> None:
        """Return when the broker took the message and its topic has a subscriber."""
        async with self._slots:
            if self._down.done():
                raise HomeDown(str(self._down.exception()))
            try:
                mid = self._client.send(topic, payload)
            except aiomqtt.MqttError as error:
                raise HomeDown(_lost(self._address)) from error
            verdict = await self._verdict(mid)
        if verdict == _NO_SUBSCRIBERS:
            raise HomeDown(NOT_CONNECTED)
        if verdict == _NOT_AUTHORIZED:
            raise HomeDown(f"The MQTT broker does not let this account write {topic}.")
        if verdict >= _FIRST_FAILURE:
            raise HomeDown(f"The MQTT broker refused the request with code {verdict}.")

    async def _verdict(self, mid: int) -> int:
        verdict: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._client.verdicts[mid] = verdict
        try:
            either: set[asyncio.Future[Any]] = {verdict, self._down}
            await asyncio.wait(either, timeout=ACKNOWLEDGE_SECONDS, return_when="FIRST_COMPLETED")
            if not verdict.done():
                # Nothing may leave on this connection when the broker comes back to life.
                self._client.cut()
                self.give_up(f"The MQTT broker at {self._address} does not answer.")
                raise HomeDown(str(self._down.exception()), sent=True)
            return await verdict
        finally:
            del self._client.verdicts[mid]
            verdict.cancel()

    async def messages(self) -> AsyncIterator[tuple[str, bytes, bool]]:
        """Topic, payload, and whether it was retained, until the connection is lost: then HomeDown."""
        try:
            async for message in self._client.messages:
                payload = message.payload
                yield str(message.topic), payload if isinstance(payload, bytes) else b"", message.retain
        except aiomqtt.MqttError as error:
            raise HomeDown(_lost(self._address)) from error

    async def lost(self) -> None:
        """Raise when this end has given the connection up."""
        await asyncio.shield(self._down)


@contextlib.asynccontextmanager
async def connected(options: MqttOptions) -> AsyncIterator[Link]:
    """A new connection with a clean start; leaving closes it. HomeDown says why there is none."""
    address = options.address
    client = new_client(options)
    try:
        await client.__aenter__()
    except aiomqtt.MqttError as error:
        client.close_now()
        raise HomeDown(why(error, options)) from error
    except (OSError, ValueError) as error:
        raise HomeDown(f"The MQTT broker at {address} cannot be used: {error}.") from error
    except BaseException:
        client.close_now()
        raise
    link = Link(client, address)
    try:
        yield link
    finally:
        link.give_up(_lost(address))
        with contextlib.suppress(aiomqtt.MqttError):  # it may be gone already
            await client.__aexit__(None, None, None)
        client.close_now()


def why(error: aiomqtt.MqttError, options: MqttOptions) -> str:
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
