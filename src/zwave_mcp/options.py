"""Options of the command line and the environment, read once at start."""

import argparse
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from zwave_mcp.care import NoUserNames, UserNames
from zwave_mcp.database import data_folder

LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR")
DEFAULT_HOME: Final = "default"
_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"", "0", "false", "no", "off"})


class Wrong(ValueError):
    """The command line or the environment cannot be used."""


@dataclass(frozen=True, slots=True)
class MqttOptions:
    """How to reach Z-Wave JS UI. Checked before a home is made."""

    url: str  # mqtt://host[:1883] or mqtts://host[:8883]
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    prefix: str = "zwave"
    gateway: str | None = None  # the MQTT name of the gateway; None: the only one there is

    @property
    def tls(self) -> bool:
        return urlsplit(self.url).scheme == "mqtts"

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or "localhost"

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or (8883 if self.tls else 1883)

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    home_file: Path | None = None  # None: the home that comes with the server
    state_file: Path | None = None  # None: in the user's data folder


@dataclass(frozen=True, slots=True)
class Options:
    home: MqttOptions | SimulationOptions
    allow_unlock: bool = False
    log_level: str = "WARNING"
    lock_users: UserNames = field(default_factory=UserNames)


def read_options(given: argparse.Namespace, environment: Mapping[str, str]) -> Options:
    """Command line over environment over default."""
    level = (given.log_level or environment.get("ZWAVE_LOG_LEVEL") or "WARNING").upper()
    if level not in LEVELS:
        raise Wrong(f"ZWAVE_LOG_LEVEL must be one of {', '.join(LEVELS)}")
    try:
        users = UserNames.read(environment.get("ZWAVE_LOCK_USERS", ""))
    except NoUserNames as wrong:
        raise Wrong(f"ZWAVE_LOCK_USERS must look like 'Front Door: 1=Anna, 2=Ben', not {wrong}") from None
    unlock = environment.get("ZWAVE_ALLOW_UNLOCK", "").strip().casefold()
    if unlock not in _TRUE | _FALSE:
        raise Wrong("ZWAVE_ALLOW_UNLOCK must be true or false")
    wanted = "" if given.broker else environment.get("ZWAVE_SIMULATE", "")
    simulate = given.simulate or (wanted if wanted.casefold() not in _FALSE else "")
    home: MqttOptions | SimulationOptions
    if simulate:
        if given.broker:
            raise Wrong("--simulate and --broker do not go together")
        default = simulate.casefold() in {DEFAULT_HOME, *_TRUE}
        home_file = None if default else Path(simulate).expanduser().resolve()
        kept = given.state_file or environment.get("ZWAVE_STATE_FILE")
        home = SimulationOptions(home_file, Path(kept).expanduser() if kept else _data_file(home_file))
    else:
        if given.state_file:
            raise Wrong("--state-file needs --simulate")
        home = _mqtt(given.broker or environment.get("MQTT_BROKER_URL", ""), environment)
    return Options(home, unlock in _TRUE, level, users)


def _data_file(home_file: Path | None) -> Path:
    """In the user's data folder; each home file has its own state."""
    of_home = f"simulated-{home_file.stem}-{_mark(str(home_file))}" if home_file else "simulated-home"
    return data_folder() / f"{of_home}.sqlite"


def energy_file(home: MqttOptions | SimulationOptions) -> Path:
    """The file of the meters' readings; each home has its own."""
    if isinstance(home, SimulationOptions):
        return (home.state_file or _data_file(home.home_file)).with_suffix(".energy")
    mark = _mark(f"{home.address} {home.prefix} {home.gateway or ''}")
    return data_folder() / f"zwave-{mark}.energy"


def _mark(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"


def _mqtt(url: str, environment: Mapping[str, str]) -> MqttOptions:
    if not url:
        raise Wrong("say where the MQTT broker is (--broker or MQTT_BROKER_URL), or use --simulate")
    _check_url(url)
    ca_file, password = environment.get("MQTT_CA_FILE"), environment.get("MQTT_PASSWORD")
    if ca_file and not Path(ca_file).is_file():
        raise Wrong(f"the CA file {ca_file} does not exist")
    prefix = environment.get("ZWAVE_MQTT_PREFIX") or "zwave"
    if any(sign in prefix for sign in "+#\0") or prefix.strip("/") != prefix:
        raise Wrong(f"{prefix!r} cannot be an MQTT prefix")
    if file := environment.get("MQTT_PASSWORD_FILE"):
        try:
            password = Path(file).read_text(encoding="utf-8").splitlines()[0]
        except (OSError, UnicodeDecodeError, IndexError) as error:
            raise Wrong(f"cannot read the password file {file}: {error}") from error
    return MqttOptions(
        url,
        environment.get("MQTT_USERNAME") or unquote(urlsplit(url).username or "") or None,
        password or None,
        Path(ca_file) if ca_file else None,
        prefix,
        environment.get("ZWAVE_GATEWAY") or None,
    )


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        bad_port = parts.port == 0
    except ValueError:
        raise Wrong("the broker's URL has no usable port") from None
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or bad_port:
        raise Wrong("the broker's URL must look like mqtt://host, mqtts://host or mqtt://host:1883")
    if parts.password is not None:
        raise Wrong("put the password in MQTT_PASSWORD or a file: everybody on this machine can read the URL")
