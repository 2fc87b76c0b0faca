"""One call of a tool: arguments checked, the right part asked, always a result."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from zwave_mcp.colour import Colours, ColourWish
from zwave_mcp.control import Control, down
from zwave_mcp.groups import Groups
from zwave_mcp.home import Home, HomeError, is_number
from zwave_mcp.maintenance.house import House
from zwave_mcp.maintenance.schemas import HOUSE_TOOLS
from zwave_mcp.queries import Queries
from zwave_mcp.results import Facts, Result, result
from zwave_mcp.scenes import Scenes
from zwave_mcp.schema_parts import Schema
from zwave_mcp.schemas import TOOLS
from zwave_mcp.sounds import Sound, Sounds
from zwave_mcp.thermostat import Setting, Thermostats
from zwave_mcp.user_names import UserNames
from zwave_mcp.view import STARTING, Viewer

log = logging.getLogger(__name__)

Arguments = Mapping[str, Any]

_NEEDED: Final = {
    "string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
}  # fmt: skip
_FIRST: Final = ("additionalProperties", "required", "type", "enum")  # of several mistakes this one is told


ALL_TOOLS: Final = (*TOOLS, *HOUSE_TOOLS)


class Tools:
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
        viewer = Viewer(home)
        self._queries = Queries(home, viewer)
        self._control = Control(home, viewer, allow_unlock=allow_unlock)
        self._groups = Groups(home, viewer, self._control)
        self._thermostats = Thermostats(home, viewer)
        self._colours = Colours(home, viewer)
        self._sounds = Sounds(home, viewer)
        self._scenes = Scenes(home, viewer, allow_unlock=allow_unlock)
        self.house = House(home, viewer, energy_file, clock, names)
        self._specs = {spec.name: spec for spec in ALL_TOOLS}
        self._calls: dict[str, Callable[[Arguments], Awaitable[Result]]] = {
            "list_zwave_devices": self._list,
            "control_zwave_device": self._control_device,
            "get_device_sensor_data": lambda given: self._queries.sensors(given["deviceName"]),
            "get_zwave_device": lambda given: self._queries.device(given["deviceName"]),
            "control_zwave_lock": lambda given: self._control.lock(given["deviceName"], given["action"]),
            "set_zwave_thermostat": self._set_thermostat,
            "set_zwave_color": self._set_colour,
            "play_zwave_sound": self._play_sound,
            "activate_zwave_scene": lambda given: self._scenes.activate(
                given["sceneName"], confirmed=given.get("confirmed", False)
            ),
            "check_zwave_health": lambda given: self._queries.health(),
            **self.house.calls(),
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
            return await self._started(name, given)
        except HomeError as error:
            log.warning("home not reachable", extra={"tool": name, "error": str(error)})
            return self._fit(name, down(error, _requested(given)))

    async def _started(self, name: str, given: Arguments) -> Result:
        """A gateway that is just starting knows its nodes in a moment; nothing was done until then."""
        end = perf_counter() + self._home.pace.starting_seconds
        while True:
            answer = await self._calls[name](given)
            if not answer.structured.get(STARTING) or perf_counter() > end:
                return answer
            await asyncio.sleep(self._home.pace.starting_poll_seconds)
            await self._home.snapshot(0)

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
        return self._groups.device(
            given["deviceName"], given["action"], None if level is None else int(level)
        )

    def _set_thermostat(self, given: Arguments) -> Awaitable[Result]:
        asked = (given.get(key) for key in ("temperature", "unit", "mode", "setpoint"))
        setting = Setting(*asked)
        return self._thermostats.set(given["deviceName"], setting)

    def _set_colour(self, given: Arguments) -> Awaitable[Result]:
        wish = ColourWish(given.get("color"), given.get("temperature"), _whole(given.get("brightness")))
        return self._colours.set(given["deviceName"], wish)

    def _play_sound(self, given: Arguments) -> Awaitable[Result]:
        sound = Sound(given["action"], given.get("tone"), _whole(given.get("volume")))
        return self._sounds.play(given["deviceName"], sound)


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)


def _requested(given: Arguments) -> dict[str, Any]:
    """What was wanted, without the name: that stands in `device` once it is known."""
    return {key: value for key, value in given.items() if key != "deviceName"}


def complaint(schema: Schema, arguments: Arguments) -> str | None:
    """What is wrong with the arguments, in one sentence that can be spoken; None when nothing is."""
    properties: Schema = schema["properties"]
    errors = argument_validator()(schema).iter_errors(dict(arguments))
    order = {word: place for place, word in enumerate(_FIRST)}
    error = min(errors, key=lambda one: order.get(one.validator, len(order)), default=None)
    if error is not None:
        return _sentence(error, properties, arguments)
    blank = (
        key for key, value in arguments.items() if properties[key].get("minLength") and not value.strip()
    )
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

    # JSON also brings NaN, infinity, and whole numbers of hundreds of digits; 40.0 is whole.
    finite = Draft.TYPE_CHECKER.redefine_many(
        {
            "number": lambda _checker, raw: is_number(raw),
            "integer": lambda _checker, raw: is_number(raw) and float(raw).is_integer(),
        }
    )
    return extend(Draft, type_checker=finite)  # type: ignore[no-untyped-call]
