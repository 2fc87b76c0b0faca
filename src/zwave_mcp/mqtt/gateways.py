"""Which Z-Wave JS UI gateways a broker knows, and which one is ours."""

import json
from collections.abc import Mapping

PREFIX_OF_NAMES = "ZWAVE_GATEWAY-"


class Gateways:
    """Filled from the retained status topics; a choice is kept, also when another gateway appears later."""

    def __init__(self, prefix: str, wanted: str | None) -> None:
        self._prefix = prefix
        self._wanted = client_name(wanted) if wanted else None
        self._online: dict[str, bool] = {}
        self.chosen: str | None = self._wanted
        self.driver: bool | None = None  # None: not known, for example after a restart of the broker

    @property
    def topics(self) -> list[str]:
        return [f"{self._prefix}/_CLIENTS/+/status", f"{self._prefix}/driver/status"]

    @property
    def base(self) -> str:
        return f"{self._prefix}/_CLIENTS/{self.chosen}"

    @property
    def seen(self) -> bool:
        return bool(self._online)

    @property
    def name(self) -> str:
        return (self.chosen or "").removeprefix(PREFIX_OF_NAMES)

    @property
    def online(self) -> bool | None:
        """Whether the chosen gateway is there. `True` may be old: it stays after a clean stop (measured)."""
        return self._online.get(self.chosen or "")

    def forget(self) -> None:
        """A new connection starts with what the broker then says."""
        self._online.clear()
        self.driver = None

    def receive(self, topic: str, payload: bytes) -> bool:
        """Take a status in; whether the topic was one."""
        parts = topic.removeprefix(f"{self._prefix}/").split("/")
        if parts == ["driver", "status"]:
            state = _parse(payload)
            self.driver = state if isinstance(state, bool) else None
            return True
        if len(parts) == 3 and parts[0] == "_CLIENTS" and parts[2] == "status":
            self._take_status(parts[1], _parse(payload))
            return True
        return False

    def _take_status(self, name: str, status: object) -> None:
        value = status.get("value") if isinstance(status, Mapping) else None
        if not name.startswith(PREFIX_OF_NAMES):
            return
        if isinstance(value, bool):
            self._online[name] = value
        else:
            self._online.pop(name, None)  # an emptied topic: somebody removed an old gateway

    def choose(self) -> None:
        """The only one there is; of several, the only one that is online."""
        if self.chosen is None:
            names = [name for name, online in self._online.items() if online] or list(self._online)
            self.chosen = names[0] if len(names) == 1 else None

    def problem(self) -> str | None:
        """Why no gateway can be asked, in one sentence."""
        if self.chosen is None and not self._online:
            return f"No Z-Wave JS UI is on the MQTT broker under the prefix {self._prefix}."
        if self.chosen is None:
            names = ", ".join(sorted(name.removeprefix(PREFIX_OF_NAMES) for name in self._online))
            return (
                f"The MQTT broker knows more than one Z-Wave JS UI: {names}. The settings must say which one."
            )
        if self.online is False:
            return "Z-Wave JS UI is not connected to the MQTT broker."
        return None


def client_name(name: str) -> str:
    """From `Home Gateway`, as it stands in the settings of Z-Wave JS UI, to its name in topics."""
    return PREFIX_OF_NAMES + "_".join(name.removeprefix(PREFIX_OF_NAMES).split())


def _parse(payload: bytes) -> object:
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return None
