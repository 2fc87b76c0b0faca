"""The owner's permits while the gateway runs: a change holds at once and is kept in the settings file."""

from pathlib import Path
from typing import Final, cast

from home_names.names import name_key
from voice_gateway.config.edit import PERMIT, set_value
from voice_gateway.config.folders import user_file
from voice_gateway.config.tree import PERMITS, PermissionSettings, Permit
from voice_gateway.errors import ConfigError

DEFAULT: Final = "default"  # the gateway decides, by the risk of the call


class Permits:
    def __init__(self, settings: PermissionSettings, file: Path | None) -> None:
        self._settings, self._file = settings, file or user_file()

    def all(self) -> dict[str, str]:
        return dict(self._settings.permit)

    def set(self, name: str, permit: str) -> None:
        """Raises ConfigError, and changes nothing, for an unknown permit or a file that cannot be written."""
        name = " ".join(name.split())
        if not (key := name_key(name)):
            raise ConfigError("a permit needs the name of a tool or a device")
        # A second spelling of the same name would stand beside the first, and only one of them would hold.
        name = next((known for known in self._settings.permit if name_key(known) == key), name)
        if permit not in (*PERMITS, DEFAULT):
            raise ConfigError(f"permit {name}: one of {', '.join((*PERMITS, DEFAULT))} is missing")
        set_value(self._file, f"{PERMIT}{name}", "" if permit == DEFAULT else permit)
        held = {**self._settings.permit, name: cast(Permit, permit)}
        if permit == DEFAULT:
            del held[name]
        # The settings are frozen for everybody else.
        object.__setattr__(self._settings, "permit", held)
