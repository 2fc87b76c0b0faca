"""Options of the command line and the environment, read once at start."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from zwave_mcp.care import NoUserNames, UserNames

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
    lock_users: str = ""  # names of users: "Front Door: 1=Anna, 2=Ben"


def read_options(given: argparse.Namespace, environment: Mapping[str, str]) -> Options:
    """Command line over environment over default."""
    level = given.log_level or environment.get("ZWAVE_LOG_LEVEL", "WARNING").upper()
    if level not in LEVELS:
        raise Wrong(f"ZWAVE_LOG_LEVEL must be one of {', '.join(LEVELS)}")
    users = given.lock_users or environment.get("ZWAVE_LOCK_USERS", "")
    try:
        UserNames.read(users)
    except NoUserNames as wrong:
        raise Wrong(f"the users of locks must look like 'Front Door: 1=Anna, 2=Ben', not {wrong}") from None
    unlock = given.allow_unlock or _flag(environment, "ZWAVE_ALLOW_UNLOCK")
    wanted = "" if given.broker else environment.get("ZWAVE_SIMULATE", "")
    simulate = given.simulate or (wanted if wanted.casefold() not in _FALSE else None)
    if simulate is not None:
        if given.broker:
            raise Wrong("--simulate and --broker do not go together")
        return Options(_simulation(simulate, given.state_file, environment), unlock, level, users)
    if given.show_state or given.reset_state or given.fault or given.state_file:
        raise Wrong("--show-state, --reset-state, --state-file and --fault need --simulate")
    return Options(_mqtt(given, environment), unlock, level, users)


def _simulation(simulate: str, state_file: str | None, environment: Mapping[str, str]) -> SimulationOptions:
    default = simulate.casefold() in {DEFAULT_HOME, *_TRUE}
    home_file = None if default else Path(simulate).expanduser().resolve()
    kept = state_file or environment.get("ZWAVE_STATE_FILE")
    return SimulationOptions(home_file, Path(kept).expanduser() if kept else _data_file(home_file))


def _data_file(home_file: Path | None) -> Path:
    """In the user's data folder; each home file has its own state."""
    import zlib

    folder = data_folder()
    if home_file is None:
        return folder / "simulated-home.sqlite"
    mark = f"{zlib.crc32(str(home_file).encode()):08x}"
    return folder / f"simulated-{home_file.stem}-{mark}.sqlite"


def energy_file(home: MqttOptions | SimulationOptions) -> Path:
    """The file of the meters' readings; each home has its own."""
    import zlib

    if isinstance(home, SimulationOptions):
        beside = home.state_file or _data_file(home.home_file)
        return beside.with_suffix(".energy")
    mark = zlib.crc32(f"{home.address} {home.prefix} {home.gateway or ''}".encode())
    return data_folder() / f"zwave-{mark:08x}.energy"


def data_folder() -> Path:
    import platformdirs

    return platformdirs.user_data_path("voice-gateway", appauthor=False)


def _mqtt(given: argparse.Namespace, environment: Mapping[str, str]) -> MqttOptions:
    url = given.broker or environment.get("MQTT_BROKER_URL", "")
    if not url:
        raise Wrong("say where the MQTT broker is (--broker or MQTT_BROKER_URL), or use --simulate")
    _check_url(url)
    ca_file = given.ca_file or environment.get("MQTT_CA_FILE")
    if ca_file and not Path(ca_file).is_file():
        raise Wrong(f"the CA file {ca_file} does not exist")
    prefix = given.prefix or environment.get("ZWAVE_MQTT_PREFIX") or "zwave"
    if any(sign in prefix for sign in "+#\0") or prefix.strip("/") != prefix:
        raise Wrong(f"{prefix!r} cannot be an MQTT prefix")
    return MqttOptions(
        url,
        given.username or environment.get("MQTT_USERNAME") or unquote(urlsplit(url).username or "") or None,
        _password(given.password_file or environment.get("MQTT_PASSWORD_FILE"), environment),
        Path(ca_file) if ca_file else None,
        prefix,
        given.gateway or environment.get("ZWAVE_GATEWAY") or None,
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


def _password(file: str | None, environment: Mapping[str, str]) -> str | None:
    if not file:
        return environment.get("MQTT_PASSWORD") or None
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()[0]
    except (OSError, UnicodeDecodeError, IndexError) as error:
        raise Wrong(f"cannot read the password file {file}: {error}") from error


def _flag(environment: Mapping[str, str], name: str) -> bool:
    value = environment.get(name, "").strip().casefold()
    if value not in _TRUE | _FALSE:
        raise Wrong(f"{name} must be true or false")
    return value in _TRUE
