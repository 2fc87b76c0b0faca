"""The connection to an MQTT broker, and its failures in words that people understand."""

import asyncio
import contextlib
import fcntl
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from voice_gateway import problems
from voice_gateway.channels.mqtt.topics import LONGEST_PACKET, last_will, status_message, topic
from voice_gateway.config import MqttSettings
from voice_gateway.conversation.store import gateway_id
from voice_gateway.errors import LinkError
from voice_gateway.turn import new_id

if TYPE_CHECKING:
    import aiomqtt

log = logging.getLogger(__name__)

PUBLISH_LIMIT_SECONDS = 10.0
KEEPALIVE_SECONDS = 15
SESSION_SECONDS = 300  # a broker keeps requests for a gateway that is away; older ones are not carried out
MOST_UNACKNOWLEDGED = 1_200  # more than the channel lets wait, so that it can answer `busy`
REFUSED_LOGIN = frozenset({4, 5, 134, 135})  # bad name or password, not authorised; MQTT 3 and MQTT 5


def where(settings: MqttSettings) -> str:
    parts = urlsplit(settings.broker_url or "")
    return f"at {parts.hostname}:{parts.port or (8883 if parts.scheme == 'mqtts' else 1883)}"


@contextlib.contextmanager
def session(settings: MqttSettings, identity: Path | None) -> Iterator[str | None]:
    """The client id whose requests the broker keeps; None where there is no file, or another process has it.

    Clients with the same id would disconnect each other for ever."""
    if identity is None:
        yield None
        return
    # The broker keeps subscriptions too: another prefix or group must be another session.
    place = f"{gateway_id(identity)}|{settings.prefix}|{settings.share_group}"
    with contextlib.ExitStack() as stack:
        try:
            lock = stack.enter_context(identity.open("rb"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            log.warning("the MQTT broker keeps no requests for this gateway", extra={"reason": str(error)})
            yield None
            return
        yield f"voice-gateway-{sha256(place.encode()).hexdigest()[:16]}"


@contextlib.asynccontextmanager
async def connected(
    settings: MqttSettings,
    *,
    announce: bool = True,
    client_id: str | None = None,
    take: Callable[[MQTTMessage], None] | None = None,
) -> "AsyncIterator[aiomqtt.Client]":
    """One connection, with a new client: a reused client would send old messages again. Raises LinkError.

    For a `client_id` the broker keeps requests while the gateway is away. `take` gets each message as it is
    read, and acknowledges it; without `take` they are in the client's `messages`.
    """
    import aiomqtt

    will = last_will(settings)
    options: dict[str, Any] = {"identifier": client_id, "clean_start": client_id is None}
    if announce:
        options["will"] = aiomqtt.Will(will.topic, will.payload, qos=1, retain=True)
    # A broker would go on to give an absent member of a group its share of the requests.
    kept = client_id is not None and not settings.share_group
    options["properties"] = _properties(
        "CONNECT",
        MaximumPacketSize=LONGEST_PACKET,
        ReceiveMaximum=MOST_UNACKNOWLEDGED,
        SessionExpiryInterval=SESSION_SECONDS if kept else 0,
    )
    client = aiomqtt.Client(**options, **_login(settings))
    client.pending_calls_threshold = MOST_UNACKNOWLEDGED  # above that it logs a warning
    if take is not None:
        _hand_over(client._client, take)
    try:
        async with client:
            try:
                yield client
            finally:
                if announce:  # a clean disconnect sends no last will
                    gone = status_message(settings, "offline")
                    with contextlib.suppress(aiomqtt.MqttError, TimeoutError):
                        await client.publish(gone.topic, gone.payload, qos=1, retain=True, timeout=1.0)
    except (aiomqtt.MqttError, OSError) as error:
        raise trouble(settings, error) from error


def _hand_over(client: Client, take: Callable[[MQTTMessage], None]) -> None:
    """aiomqtt would acknowledge each message at once, hide whether it is a repetition, and queue all."""

    def on_message(_client: Client, _userdata: Any, message: MQTTMessage) -> None:
        try:
            take(message)
        except Exception:  # the library would close the connection
            log.exception("MQTT message could not be taken", extra={"topic": message.topic})

    client.manual_ack_set(True)
    client.on_message = on_message


def trouble(settings: MqttSettings, error: Exception) -> LinkError:
    """The reason and what to check. The library raises one kind of error, with the cause as its context."""
    code = getattr(getattr(error, "rc", None), "value", getattr(error, "rc", None))
    cause, problem = error.__context__, problems.BROKER_UNREACHABLE
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    if code in REFUSED_LOGIN:
        problem = problems.BROKER_LOGIN
        reason = f"check mqtt.username, MQTT_PASSWORD and the broker's own list of users ({error})"
    elif isinstance(cause, ssl.SSLCertVerificationError):
        problem = problems.BROKER_UNTRUSTED
        reason = f"check mqtt.ca_file, and the name in mqtt.broker_url ({cause.verify_message})"
    elif isinstance(cause, ssl.SSLError):
        problem = problems.BROKER_NO_TLS
        reason = f"check mqtt.broker_url: with mqtts:// it needs the broker's port for TLS ({error})"
    return LinkError(reason, spoken=problem.format(where=where(settings)))


def _tls(settings: MqttSettings) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=settings.ca_file)
    except OSError as error:  # also of the TLS library, for a file without a certificate
        no_certificate = isinstance(error, ssl.SSLError)
        reason = "it holds no certificate" if no_certificate else error.strerror or str(error)
        problem = f"check mqtt.ca_file: {settings.ca_file}: {reason}"
        raise LinkError(problem, spoken=problems.BROKER_AUTHORITY) from error


def _properties(packet: str, **values: Any) -> Properties:
    """Properties of MQTT 5; a broker that speaks MQTT 3 ignores them."""
    properties: Any = Properties(getattr(PacketTypes, packet))  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(properties, name, value)
    return properties  # type: ignore[no-any-return]


def correlated(data: bytes | None) -> Properties | None:
    """The correlation data of a request, for its answer."""
    return None if data is None else _properties("PUBLISH", CorrelationData=data)


def _login(settings: MqttSettings) -> dict[str, Any]:
    import aiomqtt

    parts = urlsplit(settings.broker_url or "")
    secure = parts.scheme == "mqtts"
    password = settings.password.get_secret_value() if settings.password else None
    return {
        "hostname": parts.hostname or "localhost",
        "port": parts.port or (8883 if secure else 1883),
        "username": settings.username or (unquote(parts.username) if parts.username else None),
        "password": password or (unquote(parts.password) if parts.password else None),
        "protocol": aiomqtt.ProtocolVersion.V5,
        "tls_context": _tls(settings) if secure else None,
        "timeout": PUBLISH_LIMIT_SECONDS,
        "keepalive": KEEPALIVE_SECONDS,
        "socket_options": [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # else a message may wait 40 ms
    }


async def round_trip(settings: MqttSettings, limit_seconds: float = 5.0) -> None:
    """Logs in, publishes a message and receives it. Raises LinkError with what failed."""
    probe = topic(settings, f"doctor/{new_id()}")
    try:
        async with asyncio.timeout(limit_seconds), connected(settings, announce=False) as client:
            await client.subscribe(probe, qos=1)
            await client.publish(probe, "hello", qos=1)
            async for _message in client.messages:
                return
    except TimeoutError as error:
        spoken = problems.BROKER_MUTE.format(where=where(settings))
        raise LinkError(f"no message came back within {limit_seconds:g} s", spoken=spoken) from error
