"""One call of a tool: arguments checked, the right part asked, always a result."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import Any

from zwave_mcp.arguments import complaint
from zwave_mcp.control import Control, down
from zwave_mcp.home import Home, HomeError
from zwave_mcp.queries import Queries
from zwave_mcp.results import Facts, Result, result
from zwave_mcp.scenes import Scenes
from zwave_mcp.schemas import TOOLS
from zwave_mcp.thermostat import Setting, Thermostats
from zwave_mcp.view import Viewer

log = logging.getLogger(__name__)

Arguments = Mapping[str, Any]


class Tools:
    def __init__(self, home: Home, *, allow_unlock: bool = False) -> None:
        viewer = Viewer(home)
        self._queries = Queries(home, viewer)
        self._control = Control(home, viewer, allow_unlock=allow_unlock)
        self._thermostats = Thermostats(home, viewer)
        self._scenes = Scenes(home, viewer)
        self._specs = {spec.name: spec for spec in TOOLS}
        self._calls: dict[str, Callable[[Arguments], Awaitable[Result]]] = {
            "list_zwave_devices": self._list,
            "control_zwave_device": self._control_device,
            "get_device_sensor_data": lambda given: self._queries.sensors(given["deviceName"]),
            "get_zwave_device": lambda given: self._queries.device(given["deviceName"]),
            "control_zwave_lock": lambda given: self._control.lock(given["deviceName"], given["action"]),
            "set_zwave_thermostat": self._set_thermostat,
            "activate_zwave_scene": lambda given: self._scenes.activate(given["sceneName"]),
            "check_zwave_health": lambda given: self._queries.health(),
        }

    def knows(self, name: str) -> bool:
        return name in self._calls

    async def call(self, name: str, arguments: Arguments | None) -> Result:
        # An optional parameter may be given as null: models do that.
        given = {key: value for key, value in (arguments or {}).items() if value is not None}
        started = perf_counter()
        answer = await self._answer(name, given)
        log.info(
            "tool finished",
            extra={
                "tool": name,
                "arguments": given,
                "seconds": round(perf_counter() - started, 3),
                "outcome": answer.structured.get("outcome"),
            },
        )
        return answer

    async def _answer(self, name: str, given: Arguments) -> Result:
        wrong = complaint(self._specs[name].parameters, given)
        if wrong is not None:
            return self._fit(name, result(wrong, "invalid", Facts(_requested(given))))
        try:
            return await self._calls[name](given)
        except HomeError as error:
            log.warning("home not reachable", extra={"tool": name, "error": str(error)})
            return self._fit(name, down(error, _requested(given)))

    def _fit(self, name: str, failed: Result) -> Result:
        """A failure too has the shape that the tool promises."""
        if name != "list_zwave_devices":
            return failed
        outcome = failed.structured["outcome"]
        return Result(failed.sentence, {"devices": [], "total": 0, "outcome": outcome}, is_error=True)

    def _list(self, given: Arguments) -> Awaitable[Result]:
        return self._queries.list(
            given.get("filter", ""),
            given.get("includeInactive", False),
            int(given.get("limit", 100)),
            int(given.get("offset", 0)),
        )

    def _control_device(self, given: Arguments) -> Awaitable[Result]:
        level = given.get("level")
        return self._control.device(
            given["deviceName"], given["action"], None if level is None else int(level)
        )

    def _set_thermostat(self, given: Arguments) -> Awaitable[Result]:
        setting = Setting(given.get("temperature"), given.get("unit"), given.get("mode"))
        return self._thermostats.set(given["deviceName"], setting)


def _requested(given: Arguments) -> dict[str, Any]:
    """What was wanted, without the name: that stands in `device` once it is known."""
    return {key: value for key, value in given.items() if key != "deviceName"}
