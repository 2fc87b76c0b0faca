"""One call of a tool: its arguments checked, the right function called, always a result."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from zwave_mcp.care import UserNames, batteries, ping, rename, user_codes
from zwave_mcp.colour import set_colour
from zwave_mcp.control import Control, down
from zwave_mcp.devices import Viewer
from zwave_mcp.energy import Energy, MeterDays
from zwave_mcp.home import Home, HomeError
from zwave_mcp.queries import device_state, health, list_devices, sensors
from zwave_mcp.results import STARTING, Refused, Result, result
from zwave_mcp.scenes import Scenes
from zwave_mcp.schemas import ALL_TOOLS
from zwave_mcp.sounds import play
from zwave_mcp.states import Rows
from zwave_mcp.thermostat import set_thermostat

log = logging.getLogger(__name__)

Arguments = Mapping[str, Any]

# Parameters of tools whose names differ in the functions.
_NAMES: Final = {
    "deviceName": "asked", "sceneName": "asked", "newName": "name", "filter": "asked",
    "includeInactive": "inactive",
}  # fmt: skip
# In `requested`: parameters under other names, and those that are left out.
_SHOWN: Final = {"sceneName": "scene"}
_UNSHOWN: Final = ("deviceName", "confirmed")
_SPECS: Final = {spec.name: spec for spec in ALL_TOOLS}


class Tools:
    """All tools over one home. `energy_file`: where the meters' counts are kept; None: in memory."""

    def __init__(
        self,
        home: Home,
        *,
        allow_unlock: bool = False,
        energy_file: Path | None = None,
        clock: Callable[[], float] = time.time,
        names: UserNames | None = None,
    ) -> None:
        self._home = home
        self.viewer = viewer = Viewer(home)
        self.rows = Rows(allow_unlock=allow_unlock)
        self._days = MeterDays(energy_file)
        names = names or UserNames()
        energy = Energy(viewer, self._days, clock)
        control = Control(home, viewer, allow_unlock=allow_unlock)
        scenes = Scenes(home, viewer, allow_unlock=allow_unlock)
        self._calls: dict[str, Callable[..., Awaitable[Result]]] = {
            "list_zwave_devices": partial(list_devices, viewer, self.rows),
            "control_zwave_device": control.device,
            "get_device_sensor_data": partial(sensors, viewer),
            "get_zwave_device": partial(device_state, home, viewer),
            "control_zwave_lock": control.lock,
            "set_zwave_thermostat": partial(set_thermostat, home, viewer),
            "set_zwave_color": partial(set_colour, home, viewer),
            "play_zwave_sound": partial(play, home, viewer),
            "activate_zwave_scene": scenes.activate,
            "check_zwave_health": partial(health, home, viewer),
            "list_zwave_scenes": scenes.list,
            "get_zwave_batteries": partial(batteries, viewer),
            "get_zwave_energy": energy.used,
            "get_zwave_user_codes": partial(user_codes, home, viewer, names),
            "rename_zwave_device": partial(rename, home, viewer),
            "ping_zwave_device": partial(ping, home, viewer),
        }

    def close(self) -> None:
        self._days.close()

    async def call(self, name: str, arguments: Arguments | None) -> Result:
        # Models give an optional parameter as null.
        given = {key: value for key, value in (arguments or {}).items() if value is not None}
        started = perf_counter()
        try:
            problem = complaint(name, given)
            answer = result(problem, "invalid") if problem else await self._run(name, given)
        except HomeError as error:
            log.warning("home not reachable", extra={"tool": name, "error": str(error)})
            answer = down(error)
        facts: dict[str, Any] = {**answer.structured}
        if name == "list_zwave_devices" and answer.is_error:  # a failure has the promised shape, too
            facts = {"devices": [], "total": 0, "outcome": facts["outcome"]}
        elif "requested" in facts:
            shown = {_SHOWN.get(key, key): value for key, value in given.items() if key not in _UNSHOWN}
            facts["requested"] = {**shown, **facts["requested"]}
        seconds = round(perf_counter() - started, 3)
        outcome = facts.get("outcome")
        log.info("tool finished", extra={"tool": name, "seconds": seconds, "outcome": outcome})
        return replace(answer, structured=facts)

    async def _run(self, name: str, given: Arguments) -> Result:
        """Call the tool, again while the gateway is starting and nothing was done."""
        end = perf_counter() + self._home.timing.starting_seconds
        kinds = {key: rule["type"] for key, rule in _SPECS[name].parameters["properties"].items()}
        arguments = {
            _NAMES.get(key, key): int(value) if kinds[key] == "integer" else value  # 40.0 is an integer
            for key, value in given.items()
        }
        while True:
            try:
                answer = await self._calls[name](**arguments)
            except Refused as refused:
                answer = refused.answer
            if not answer.structured.get(STARTING) or perf_counter() > end:
                return answer
            await asyncio.sleep(self._home.timing.starting_poll_seconds)
            await self._home.snapshot(0)


def complaint(tool: str, arguments: Arguments) -> str:
    """What is wrong with the arguments, as one sentence; empty if nothing is."""
    problems = [
        f"{'.'.join(map(str, error.instance_path))}{error.message}"
        for error in _validator(tool).iter_errors(dict(arguments))
    ]
    problems += [
        f"{key} is blank" for key, value in arguments.items() if key != "filter" and str(value).isspace()
    ]
    return f"{'; '.join(problems)}." if problems else ""


@cache
def _validator(tool: str) -> Any:
    import jsonschema_rs  # 40 ms

    return jsonschema_rs.validator_for(_SPECS[tool].parameters, mask="")
