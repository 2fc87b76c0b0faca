"""All of keeping house behind its tools' names; what runs by itself, runs here."""

import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from zwave_mcp.home import Home
from zwave_mcp.maintenance.batteries import Batteries
from zwave_mcp.maintenance.codes import UserCodes
from zwave_mcp.maintenance.energy import Energy
from zwave_mcp.maintenance.meter_days import MeterDays
from zwave_mcp.maintenance.naming import Naming
from zwave_mcp.maintenance.repair import Repair
from zwave_mcp.maintenance.scene_list import SceneList
from zwave_mcp.results import Result
from zwave_mcp.user_names import UserNames
from zwave_mcp.view import Viewer

Call = Callable[[Mapping[str, Any]], Awaitable[Result]]


class House:
    """`energy_file`: where what the meters told is kept; None: nowhere."""

    def __init__(
        self,
        home: Home,
        viewer: Viewer,
        energy_file: Path | None = None,
        clock: Callable[[], float] = time.time,
        names: UserNames | None = None,
    ) -> None:
        self._codes = UserCodes(home, viewer, names)
        self._batteries = Batteries(viewer)
        self._days = MeterDays(energy_file)
        self._energy = Energy(home, viewer, self._days, clock)
        self._naming = Naming(home, viewer)
        self._repair = Repair(home, viewer)
        self._scenes = SceneList(home, viewer)

    def calls(self) -> dict[str, Call]:
        return {
            "list_zwave_scenes": lambda given: self._scenes.tell(given.get("sceneName", "")),
            "get_zwave_user_codes": lambda given: self._codes.tell(given.get("deviceName", "")),
            "get_zwave_batteries": lambda given: self._batteries.report(),
            "get_zwave_energy": lambda given: self._energy.used(
                given.get("deviceName", ""), given.get("day", "today")
            ),
            "ping_zwave_device": lambda given: self._repair.ping(given["deviceName"]),
            "rename_zwave_device": lambda given: self._naming.change(
                given["deviceName"], given.get("newName"), given.get("room")
            ),
        }

    def close(self) -> None:
        self._days.close()
