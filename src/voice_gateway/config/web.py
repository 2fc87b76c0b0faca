"""The settings of the web console and of the API."""

import ipaddress
import re
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from voice_gateway.config.kinds import Section

_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it; false for names that are not known here."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


def _name_alone(host: str) -> str:
    """The host without its port. Raises ValueError if no browser would send it."""
    if _is_address(host):  # one of IPv6 is full of colons
        return host.casefold()
    try:
        parts = urlsplit(f"//{host}")
        name = (parts.hostname or "").rstrip(".")
        whole = parts.netloc == host and "@" not in host and parts.port != 0
    except ValueError:
        whole, name = False, ""
    if not whole or not (_NAME.fullmatch(name) or _is_address(name)):
        raise ValueError(f"{host!r} is no host name, as home.example is")
    return name


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class WebSettings(Section):
    """The console in the browser, and the API."""

    enabled: bool = Field(True, description="serve the console and the API (docs/web.md)")
    host: str = Field(
        "127.0.0.1",
        min_length=1,
        description="address to listen on; any but loopback needs a token (`voice-gateway web token`)",
    )
    port: int = Field(8770, ge=0, le=65_535, description="port to listen on; 0 takes any that is free")
    open_on_loopback: bool = Field(
        True,
        description="on loopback no login is needed; false: `run` prints a link that logs in once",
    )
    tls_cert: Path | None = Field(None, description="certificate (PEM), for https; needs tls_key")
    tls_key: Path | None = Field(None, description="its private key (PEM)")
    hosts: tuple[str, ...] = Field(
        (), description="more names by which browsers reach it, as home.example; others are refused"
    )

    @field_validator("hosts")
    @classmethod
    def _names_alone(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(_name_alone, hosts))

    @model_validator(mode="after")
    def _a_certificate_has_a_key(self) -> "WebSettings":
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key need each other")
        return self

    @property
    def needs_token(self) -> bool:
        return not (self.open_on_loopback and is_loopback(self.host))

    @property
    def login_by_link(self) -> bool:
        """Whether people of this machine log in by the link that `run` prints."""
        return self.needs_token and is_loopback(self.host)
