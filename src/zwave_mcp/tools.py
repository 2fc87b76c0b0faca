"""One call of a tool: arguments checked, the function called, always a result; the tools that only look."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from home_names import wording
from home_names.kinds import device_class
from home_names.names import loose, loose_words, words
from home_names.phrases import capital, listed
from home_names.states import UNKNOWN
from zwave_mcp import sentences
from zwave_mcp.care import Energy, MeterDays, UserNames, batteries, ping, rename, user_codes
from zwave_mcp.colour import set_colour
from zwave_mcp.confirm import verified, verified_group
from zwave_mcp.control import Control, down, play, set_thermostat
from zwave_mcp.devices import Device, Viewer
from zwave_mcp.home import Home, HomeError
from zwave_mcp.notifications import alarms_of
from zwave_mcp.results import STARTING, Refused, Result, resolve_device, result
from zwave_mcp.scenes import Scenes
from zwave_mcp.schemas import SPECS
from zwave_mcp.states import (
    Row,
    Rows,
    details,
    main_readings,
    reading,
    remembered,
    spoken_readings,
    state_text,
)

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
        viewer.listeners.append(energy.look)
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
        kinds = {key: rule["type"] for key, rule in SPECS[name].parameters["properties"].items()}
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

    return jsonschema_rs.validator_for(SPECS[tool].parameters, mask="")


# --- the tools that look: which devices there are, what they report, and whether all is well


async def list_devices(
    viewer: Viewer, rows: Rows, asked: str = "", *, inactive: bool = False, limit: int = 100, offset: int = 0
) -> Result:
    chosen = _filtered(rows.of((await viewer.now()).devices), asked)
    offline = [row.device.name for row in chosen if not row.device.available]
    everything = inactive or "offline" in words(asked)
    shown = [row for row in chosen if everything or row.device.available]
    page = shown[offset : offset + limit]
    rooms: dict[str, list[str]] = {}
    for row in page:
        rooms.setdefault(row.device.room or "no room", []).append(row.text)
    some = f", {len(page)} of them here" if len(page) < len(shown) else ""
    parts = [f"{len(shown)} {'device' if len(shown) == 1 else 'devices'}{some}"]
    parts += [f"{room}: {', '.join(names)}" for room, names in rooms.items()]
    parts += [f"offline: {listed(offline)}"] if offline else []
    facts = {"devices": [row.entry for row in page], "total": len(shown)}
    return Result(f"{'; '.join(parts)}.", facts)


def _filtered(rows: Sequence[Row], wanted: str) -> Sequence[Row]:
    """Rows where every word of the filter is in name, room, kind or state, or names the kind."""
    asked_words = words(wanted) - {"all", "every", ""}

    def fits(device: Device) -> bool:
        state = state_text(device) if device.available else "offline"
        has = loose_words(f"{device.room} {device.name} {device.kind.replace('_', ' ')} {state}")
        sorts = ((word, device_class(word)) for word in asked_words)
        return all(loose(word) in has or (sort is not None and sort.has(device)) for word, sort in sorts)

    return [row for row in rows if fits(row.device)] if asked_words else rows


async def device_state(home: Home, viewer: Viewer, asked: str) -> Result:
    """The state of one device, polled from the device where it can answer."""
    device = resolve_device(await viewer.now(), asked)
    behind: list[str] = []
    if device.members:
        device, outcome, behind = await verified_group(home, device)
    else:
        device, outcome = await verified(home, device)
    state = state_text(device) if outcome == "confirmed" else UNKNOWN
    if outcome == "confirmed":
        sentence = sentences.alarm_report(device) or wording.is_state(device, state)
    elif outcome == "unreachable":
        sentence = wording.unreachable(device)
    elif behind:
        names = listed(list(dict.fromkeys(behind)))
        sentence = f"The state of {wording.the(device)} is not confirmed: {names}."
    else:
        sentence = wording.was_state(device, remembered(device))
    more = details(device) | ({"notConfirmed": behind} if device.members else {})
    return result(sentence, outcome, device, state=state, more=more)


async def sensors(viewer: Viewer, asked: str) -> Result:
    """The readings of one device or room."""
    view = await viewer.now()
    if in_room := view.names.in_room(asked):
        return _room_readings(in_room)
    device = resolve_device(view, asked, lambda hit: bool(hit.readings))
    state, more = state_text(device), {"readings": [reading(value) for value in device.readings]}
    if device.node.dead:
        return result(wording.unreachable(device), "unreachable", device, state=state, more=more)
    if not device.readings:
        sentence = capital(f"{wording.the(device)} measures nothing.")
        return result(sentence, "unsupported", device, state=state, more=more)
    sentence = f"{capital(wording.the(device, room=True))}: {spoken_readings(device)}."
    return result(sentence, "confirmed", device, state=state, more=more)


def _room_readings(devices: tuple[Device, ...]) -> Result:
    measuring = [device for device in devices if main_readings(device) and device.available]
    room = devices[0].room
    readings = [
        {"device": device.name, **reading(value)} for device in measuring for value in device.readings
    ]
    if not measuring:
        sentence = f"Nothing measures anything {wording.in_room(room)}."
        return result(sentence, "unsupported", more={"readings": readings})
    each = "; ".join(f"{wording.the(device)}: {spoken_readings(device)}" for device in measuring)
    more = {"readings": readings, "room": room}
    return result(f"{capital(wording.in_room(room))}: {each}.", "confirmed", more=more)


async def health(home: Home, viewer: Viewer) -> Result:
    now = await home.health()
    keys = ("broker", "gateway", "driver", "version", "simulated")
    more: dict[str, Any] = {"gatewayName": now.gateway_name, **{key: getattr(now, key) for key in keys}}
    if not now.ok:
        return result(now.problem or "The Z-Wave system is down.", "system_down", more=more)
    try:
        devices = (await viewer.now()).devices
    except HomeError as error:
        return result(str(error), "system_down", more=more)
    names = sentences.distinct_names(devices)
    offline = [device for device in devices if not device.available]
    low = [device for device in devices if device.battery_low]
    alarmed = [device for device in devices if any(item.state != "off" for item in alarms_of(device))]
    alarms = list(dict.fromkeys(map(sentences.alarm_report, alarmed)))  # two in one room may say the same
    more |= {
        "devices": len(devices),
        "alarms": alarms,
        "offline": [device.name for device in offline],
        "batteryLow": [device.name for device in low],
    }
    system = "The simulated Z-Wave home" if now.simulated else "The Z-Wave system"
    parts = [f"{system} is up with {len(devices)} devices"]
    parts += [f"offline: {listed([names[item.place] for item in offline])}"] if offline else []
    parts += [f"battery low: {listed([names[item.place] for item in low])}"] if low else []
    return result(" ".join([*alarms, f"{'; '.join(parts)}."]), "confirmed", more=more)
