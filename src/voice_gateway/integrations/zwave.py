"""Our own Z-Wave server, or any with the same tools, as a source of devices."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from home_words.kinds import HomeDevice
from home_words.names import fold, loose_words
from home_words.resolver import Names
from home_words.risk import is_loud
from voice_gateway.integrations.device import Device, same_but_for_state
from voice_gateway.integrations.listed import read_devices, read_scenes
from voice_gateway.integrations.source import Act, Call, Listing
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import tool_of
from voice_gateway.tools.permission.target import LOOK, WARMTH, Reach
from voice_gateway.turn import ToolCall, ToolOutcome, new_id

if TYPE_CHECKING:
    from voice_gateway.integrations.home import Home

log = logging.getLogger(__name__)

CONTROL, LOCK, THERMOSTAT, SCENE = (
    "control_zwave_device", "control_zwave_lock", "set_zwave_thermostat", "activate_zwave_scene",
)  # fmt: skip
COLOUR, SOUND = "set_zwave_color", "play_zwave_sound"
LIST, GET, READ, HEALTH = (
    "list_zwave_devices", "get_zwave_device", "get_device_sensor_data", "check_zwave_health",
)  # fmt: skip
# Maintenance.
SCENES, CODES, BATTERIES, ENERGY, PING, RENAME = (
    "list_zwave_scenes", "get_zwave_user_codes", "get_zwave_batteries", "get_zwave_energy",
    "ping_zwave_device", "rename_zwave_device",
)  # fmt: skip
_LOOKS: Final = frozenset({LIST, GET, READ, HEALTH, SCENES, CODES, BATTERIES, ENERGY, PING})
LIST_ARGS: Final = {"includeInactive": True, "limit": 100}
MANY = 200  # devices, whose names take a while to look at
MOST_PAGES = 50  # of 100 devices: more than a Z-Wave network can hold
_DEGREES: Final = {"": "degrees", "C": "degrees Celsius", "F": "degrees Fahrenheit"}


class ZwaveSource:
    """Devices are called by `deviceName`; a scene is looked into by the server itself."""

    polled = False

    def __init__(self, name: str = "", executor: ToolExecutor | None = None) -> None:
        self.name = name
        self.stranger = False  # of one that is not trusted nobody knows what is in its scenes
        self._executor = executor
        self._devices: tuple[Device, ...] = ()
        self.looked: tuple[ToolOutcome, ...] = ()  # what the server said of its devices last

    def offered(self, tool: str) -> str:
        """Two servers may have a tool of one name."""
        if self._executor is None:
            return tool
        return tool_of(self._executor.tools, self.name, tool) or tool

    # --- what there is

    async def read(self) -> Listing | str:
        assert self._executor is not None
        if tool_of(self._executor.tools, self.name, LIST) is None:
            return ""
        devices: list[Device] = []
        scenes: list[str] | None = None
        looked: list[ToolOutcome] = []
        for _ in range(MOST_PAGES):
            call = ToolCall(new_id(), self.offered(LIST), {**LIST_ARGS, "offset": len(devices)})
            outcome = await self._executor.execute(call)
            if not outcome.ok:
                log.warning(
                    "the devices could not be read", extra={"home": self.name, "reason": outcome.text}
                )
                return outcome.text.removeprefix("Error: ")
            looked.append(outcome)
            page = read_devices(outcome.structured, self.name)
            devices += page
            scenes = scenes or read_scenes(outcome.structured)
            total = outcome.facts.get("total")
            if not page or not isinstance(total, int) or len(devices) >= total:
                break
        else:
            log.warning(
                "the list of devices does not end", extra={"home": self.name, "devices": len(devices)}
            )
        self.looked = tuple(looked)
        self._known(tuple(devices))
        if len(devices) > MANY:
            await asyncio.to_thread(lambda: self._names)  # else the first call that is judged would wait
        return Listing(tuple(devices), None if scenes is None else tuple(scenes))

    def _known(self, devices: tuple[Device, ...]) -> None:
        before, self._devices = self._devices, devices
        names: Names[Device] | None = self.__dict__.pop("_names", None)
        if names is not None and same_but_for_state(before, devices):
            self.__dict__["_names"] = names.renewed(devices)

    @cached_property
    def _names(self) -> Names[Device]:
        """Made only when a call is judged."""
        return Names(self._devices)

    # --- calls

    def act(self, device: Device, wish: Act, home: "Home") -> Call | str:
        name = {"deviceName": home.address(device)}
        if wish.action == "set" or device.kind == "thermostat":
            return Call(self.offered(THERMOSTAT), {**name, **_warmth(wish)})
        if wish.action in ("colour", "kelvin"):
            return Call(self.offered(COLOUR), {**name, **_shown(wish)})
        if wish.action == "ring" or (wish.action == "stop" and device.can("ring")):
            return Call(self.offered(SOUND), {**name, **_sounded(wish)})
        tool = LOCK if wish.action in ("lock", "unlock") else CONTROL
        level = {} if wish.level is None else {"level": wish.level}
        if wish.action == "speed":
            blown = {"action": "on", **level} if wish.level else {"action": "off"}
            return Call(self.offered(CONTROL), {**name, **blown})
        return Call(self.offered(tool), {**name, "action": wish.action, **level})

    def look(self, device: Device | None, home: "Home", measure: str = "") -> Call:
        if device is None:
            return Call(self.offered(LIST), LIST_ARGS)
        return Call(self.offered(READ if measure else GET), {"deviceName": home.address(device)})

    def look_in(self, room: str) -> Call:
        return Call(self.offered(READ), {"deviceName": room})

    def scene(self, name: str) -> Call | None:
        return Call(self.offered(SCENE), {"sceneName": name})

    def list_calls(self, action: str, name: str, items: Sequence[str]) -> tuple[Call, ...] | str | None:
        return None

    # --- what a call would do

    def reach(self, tool: str, args: Mapping[str, Any]) -> Reach | None:
        return reach_of(tool, args, self._names.could_mean, stranger=self.stranger)


def reach_of(
    tool: str,
    args: Mapping[str, Any],
    could_mean: Callable[[str], Sequence[HomeDevice]],
    *,
    stranger: bool = False,
) -> Reach | None:
    if tool in _LOOKS:
        return Reach(action=LOOK)
    if tool == SCENE:
        # The server looks into its scenes: none is started that opens anything, and one of which not all is
        # known only when it is called again with `confirmed`.
        unseen = stranger or bool(args.get("confirmed"))
        return Reach(action="on", scene=str(args.get("sceneName") or "?"), unseen=unseen)
    if tool not in (CONTROL, LOCK, THERMOSTAT, RENAME, COLOUR, SOUND):
        return None
    said = str(args.get("deviceName", ""))
    devices = tuple(could_mean(said))
    return Reach(devices, *_told(tool, args, devices), said)


def _told(tool: str, args: Mapping[str, Any], devices: Sequence[HomeDevice]) -> tuple[str, str]:
    """The action, and its value as a person says it."""
    if tool == THERMOSTAT:
        return WARMTH, _warmth_told(args)
    if tool == RENAME:
        return "rename", _naming_told(args)
    if tool == COLOUR:
        return _shown_told(args)
    if tool == SOUND:
        return "stop" if args.get("action") == "stop" else "ring", _sounded_told(args, devices)
    level, action = args.get("level"), str(args.get("action", ""))
    if action == "on" and (rung := _sounded_told({}, devices)):  # a chime that is on rings
        return action, rung
    return action, "" if level is None else f"to {level} percent"


def _shown(wish: Act) -> dict[str, object]:
    given = {"color": wish.colour, "temperature": wish.kelvin, "brightness": wish.level}
    return {key: value for key, value in given.items() if value not in ("", None)}


def _shown_told(args: Mapping[str, Any]) -> tuple[str, str]:
    """The action, and to what: "to blue and 40 percent"."""
    white = args.get("temperature") is not None
    to = f"{args['temperature']} kelvin" if white else str(args.get("color") or "")
    bright = args.get("brightness")
    parts = [one for one in (to, "" if bright is None else f"{bright} percent") if one]
    return "kelvin" if white else "colour", f"to {' and '.join(parts)}" if parts else ""


def _sounded(wish: Act) -> dict[str, object]:
    given = {"tone": wish.tone, "volume": wish.level}
    more = {key: value for key, value in given.items() if value not in ("", None)}
    return {"action": "stop"} if wish.action == "stop" else {"action": "play", **more}


def _sounded_told(args: Mapping[str, Any], devices: Sequence[HomeDevice]) -> str:
    """ "with Westminster": as the device calls it, of part of a name or a number all that could be meant."""
    tone, volume = str(args.get("tone") or "").strip(), args.get("volume")
    known = [one for device in devices for one in getattr(device, "tones", ())]
    meant = known if tone.isdecimal() else [one for one in known if loose_words(tone) <= loose_words(one)]
    told = " or ".join(meant) if tone and meant else tone
    if fold(tone) in ("", "default"):  # its own, which is told where it is no mere ringing
        own = [one for device in devices if device.kind == "chime" for one in _own_tones(device)]
        told = " or ".join(filter(is_loud, own))
    return " ".join(filter(None, (told and f"with {told}", "" if volume is None else f"at {volume} percent")))


def _own_tones(device: HomeDevice) -> Sequence[str]:
    """What it may play when none is named: any, where nobody knows."""
    own: str = getattr(device, "own_tone", "")
    return (own,) if own else getattr(device, "tones", ())


def _warmth(wish: Act) -> dict[str, object]:
    """Mode or temperature; a heating that is turned on heats."""
    mode = {"on": "heat", "off": "off"}.get(wish.action, wish.mode)
    given = {"mode": mode, "temperature": wish.temperature, "unit": wish.unit, "setpoint": wish.setpoint}
    return {key: value for key, value in given.items() if value not in ("", None)}


def _naming_told(args: Mapping[str, Any]) -> str:
    parts = [f"to {args['newName']}"] if args.get("newName") else []
    parts += [f"in the room {args['room']}"] if args.get("room") else []
    return " ".join(parts)


def _warmth_told(args: Mapping[str, Any]) -> str:
    degrees = _DEGREES.get(str(args.get("unit") or ""), "degrees")
    kept = f" for {args['setpoint']}" if args.get("setpoint") else ""
    parts = [f"{args['temperature']} {degrees}{kept}"] if args.get("temperature") is not None else []
    parts += [str(args["mode"])] if args.get("mode") else []
    return f"to {' and '.join(parts)}" if parts else ""
