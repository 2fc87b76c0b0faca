"""What the command line and the environment decide, once, at start."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class MqttOptions:
    """How to reach Z-Wave JS UI. Checked by `cli.py` before a home is made."""

    url: str  # mqtt://host[:1883] or mqtts://host[:8883]
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    prefix: str = "zwave"
    gateway: str | None = None  # the MQTT name of the gateway; None: the only one there is


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    home_file: Path | None = None  # None: the home that comes with the server
    state_file: Path | None = None  # None: in the user's data folder


@dataclass(frozen=True, slots=True)
class Options:
    home: MqttOptions | SimulationOptions
    allow_unlock: bool = False
    log_level: str = "WARNING"
