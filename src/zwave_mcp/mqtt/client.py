"""A client of the MQTT library as we need it: it tells the broker's verdicts, and leaves nothing open."""

import asyncio
import secrets
import socket
import ssl
import struct
from typing import Any, Final

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from zwave_mcp.home import HomeDown
from zwave_mcp.mqtt.address import Address
from zwave_mcp.options import MqttOptions

CONNECT_SECONDS: Final = 2.0
KEEPALIVE_SECONDS: Final = 15
EXPIRY_SECONDS: Final = 5  # a command that a gateway did not fetch by then is not wanted any more
LARGEST_PACKET: Final = 32 * 1024 * 1024  # `getNodes` of the largest network is a tenth of it
_THROW_AWAY: Final = struct.pack("ii", 1, 0)  # linger on, for no time at all


class _Tls(ssl.SSLContext):
    """Checks certificate and name, and keeps the socket: the library leaves it open when the check fails."""

    opened: ssl.SSLSocket | None = None

    def wrap_socket(self, *args: Any, **settings: Any) -> ssl.SSLSocket:
        self.opened = super().wrap_socket(*args, **settings)
        return self.opened


class Client(aiomqtt.Client):
    """aiomqtt drops the broker's verdict on a message, which says that nobody listens, or that we may not."""

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
        """Closing will throw away what the network has not delivered yet."""
        connection = self._client.socket()
        if isinstance(connection, socket.socket):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _THROW_AWAY)

    def close_now(self) -> None:
        """Closes what a failed attempt left open, and takes note of a loss: the library does neither."""
        self._client.disconnect()
        if self._tls is not None and self._tls.opened is not None:
            self._tls.opened.close()
        if self._disconnected.done() and not self._disconnected.cancelled():
            self._disconnected.exception()


def new_client(address: Address, options: MqttOptions) -> Client:
    limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    limits.MaximumPacketSize = LARGEST_PACKET
    return Client(
        address.host,
        address.port,
        identifier=f"zwave-mcp-{secrets.token_hex(4)}",  # new each time, and readable in the broker's log
        username=address.username,
        password=address.password,
        protocol=aiomqtt.ProtocolVersion.V5,
        clean_start=True,
        timeout=CONNECT_SECONDS,
        keepalive=KEEPALIVE_SECONDS,
        properties=limits,
        socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # saves 40 ms a call (measured)
        tls_context=_tls(options) if address.tls else None,
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
