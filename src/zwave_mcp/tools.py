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
from zwave_mcp.colour import Colours
from zwave_mcp.control import Control, down
from zwave_mcp.energy import Energy, MeterDays
from zwave_mcp.home import Home, HomeError, is_number
from zwave_mcp.queries import Queries
from zwave_mcp.results import Refused, Result, result
from zwave_mcp.scenes import Scenes
from zwave_mcp.schemas import ALL_TOOLS, Schema
from zwave_mcp.sounds import Sounds
from zwave_mcp.thermostat import Thermostats
from zwave_mcp.view import STARTING, Viewer

log = logging.getLogger(__name__)

Arguments = Mapping[str, Any]

_NEEDED: Final = {
    "string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
}  # fmt: skip
_FIRST: Final = ("additionalProperties", "required", "type", "enum")  # of several mistakes the first is told
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
        self._days = MeterDays(energy_file)
        names = names or UserNames()
        queries, energy = Queries(home, viewer), Energy(viewer, self._days, clock)
        control = Control(home, viewer, allow_unlock=allow_unlock)
        thermostats, colours = Thermostats(home, viewer), Colours(home, viewer)
        sounds, scenes = Sounds(home, viewer), Scenes(home, viewer, allow_unlock=allow_unlock)
        self._calls: dict[str, Callable[..., Awaitable[Result]]] = {
            "list_zwave_devices": queries.list,
            "control_zwave_device": control.device,
            "get_device_sensor_data": queries.sensors,
            "get_zwave_device": queries.device,
            "control_zwave_lock": control.lock,
            "set_zwave_thermostat": thermostats.set,
            "set_zwave_color": colours.set,
            "play_zwave_sound": sounds.play,
            "activate_zwave_scene": scenes.activate,
            "check_zwave_health": queries.health,
            "list_zwave_scenes": scenes.list,
            "get_zwave_batteries": partial(batteries, viewer),
            "get_zwave_energy": energy.used,
            "get_zwave_user_codes": partial(user_codes, home, viewer, names),
            "rename_zwave_device": partial(rename, home, viewer),
            "ping_zwave_device": partial(ping, home, viewer),
        }

    def close(self) -> None:
        self._days.close()

    def knows(self, name: str) -> bool:
        return name in self._calls

    async def call(self, name: str, arguments: Arguments | None) -> Result:
        # Models give an optional parameter as null.
        given = {key: value for key, value in (arguments or {}).items() if value is not None}
        started = perf_counter()
        try:
            problem = complaint(_SPECS[name].parameters, given)
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
        answer = replace(answer, structured=facts)
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


def complaint(schema: Schema, arguments: Arguments) -> str | None:
    """What is wrong with the arguments, as one sentence; None if nothing is."""
    properties: Schema = schema["properties"]
    errors = argument_validator()(schema).iter_errors(dict(arguments))
    order = {word: place for place, word in enumerate(_FIRST)}
    error = min(errors, key=lambda item: order.get(item.validator, len(order)), default=None)
    if error is not None:
        return _sentence(error, properties, arguments)
    blank = (key for key, value in arguments.items() if "minLength" in properties[key] and not value.strip())
    return next((f"{key} must not be empty." for key in blank), None)


def _sentence(error: Any, properties: Schema, arguments: Arguments) -> str:
    rule, key = error.schema, error.path[0] if error.path else ""
    if error.validator == "additionalProperties":
        unknown = next(str(key) for key in arguments if key not in properties)
        return f'There is no parameter "{unknown[:40]}"; known are: {", ".join(properties) or "none"}.'
    if error.validator == "required":
        return f"Missing: {', '.join(name for name in rule['required'] if name not in arguments)}."
    limits = f"between {rule.get('minimum')} and {rule['maximum']}" if "maximum" in rule else ""
    return {
        "type": f"{key} must be {_NEEDED[rule['type']]}.",
        "enum": f"{key} must be one of: {', '.join(rule.get('enum', ()))}.",
        "minLength": f"{key} must not be empty.",
        "maxLength": f"{key} must have at most {rule.get('maxLength')} characters.",
    }.get(error.validator, f"{key} must be {limits or 'at least ' + str(rule.get('minimum'))}.")


@cache
def argument_validator() -> Any:
    from jsonschema import Draft202012Validator as Draft
    from jsonschema.validators import extend

    # JSON also brings NaN, infinity, and integers of hundreds of digits; 40.0 is whole.
    finite = Draft.TYPE_CHECKER.redefine_many(
        {
            "number": lambda _checker, raw: is_number(raw),
            "integer": lambda _checker, raw: is_number(raw) and float(raw).is_integer(),
        }
    )
    return extend(Draft, type_checker=finite)  # type: ignore[no-untyped-call]
