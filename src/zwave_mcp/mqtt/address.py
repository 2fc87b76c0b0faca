"""Where the broker is, as the settings say it."""

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from zwave_mcp.options import MqttOptions


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int
    tls: bool
    username: str | None
    password: str | None = field(repr=False)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def address_of(options: MqttOptions) -> Address:
    parts = urlsplit(options.url)
    tls = parts.scheme == "mqtts"
    return Address(
        host=parts.hostname or "localhost",
        port=parts.port or (8883 if tls else 1883),
        tls=tls,
        username=options.username or (unquote(parts.username) if parts.username else None),
        password=options.password or (unquote(parts.password) if parts.password else None),
    )
