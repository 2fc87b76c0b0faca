"""Our own Z-Wave server, or any with the same tools, as a source of devices."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from home_names.kinds import HomeDevice
from home_names.names import fold, loose_words
from home_names.phrases import capital
from home_names.resolver import Names
from home_names.risk import is_loud
from home_names.wording import the
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.listed import read_devices
from voice_gateway.integrations.source import Act, Call, HomeSource, Listing, degrees_in
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
MOST_PAGES = 50  # of 100 devices: more than a Z-Wave network can hold
_DEGREES: Final = {"": "degrees", "C": "degrees Celsius", "F": "degrees Fahrenheit"}


class ZwaveSource(HomeSource):
    """Devices are called by `deviceName`; a scene is looked into by the server itself."""

    def __init__(self, name: str = "", executor: ToolExecutor | None = None) -> None:
        super().__init__(name, executor)
        self._names = Names[Device](())
        self._scenes: tuple[str, ...] = ()
        self.looked: tuple[ToolOutcome, ...] = ()  # the last answers with devices and scenes

    # --- what there is

    async def read(self) -> Listing | str:
        assert self._executor is not None
        if tool_of(self._executor.tools, self.name, LIST) is None:
            return ""
        devices: list[Device] = []
        looked: list[ToolOutcome] = []
        for _ in range(MOST_PAGES):
            call = ToolCall(new_id(), self.offered(LIST), {**LIST_ARGS, "offset": len(devices)})
            outcome = await self._executor.execute(call)
            if not outcome.ok:
                facts = {"home": self.name, "reason": outcome.text}
                log.warning("the devices could not be read", extra=facts)
                return outcome.text.removeprefix("Error: ")
            looked.append(outcome)
            page = read_devices(outcome.structured, self.name)
            devices += page
            total = outcome.facts.get("total")
            if not page or not isinstance(total, int) or len(devices) >= total:
                break
        else:
            log.warning("the list of devices does not end", extra={"home": self.name, "read": len(devices)})
        if tool_of(self._executor.tools, self.name, SCENES) is not None:
            outcome = await self._executor.execute(ToolCall(new_id(), self.offered(SCENES)))
            looked.append(outcome)
            if isinstance(listed := outcome.facts.get("scenes"), list):
                scenes = (scene.get("name") for scene in listed if isinstance(scene, Mapping))
                self._scenes = tuple(name for name in scenes if isinstance(name, str))
        self.looked = tuple(looked)
        self._names = await asyncio.to_thread(Names, tuple(devices))  # a judged call would wait
        return Listing(tuple(devices), self._scenes)

    # --- calls

    def act(self, device: Device, wish: Act, home: "Home") -> Call | str:
        if wish.action == "unlock" and not device.unlocks:
            return "Unlocking is switched off in the settings of the Z-Wave server."
        if wish.temperature is not None and device.range is not None:
            low, high, unit = device.range
            if not low <= degrees_in(unit, wish.temperature, wish.unit) <= high:
                return f"{capital(the(device))} can only be set to {low:g} to {high:g} degrees."
        tool, args = _tool_and_args(device, wish)
        given = {key: value for key, value in args.items() if value not in ("", None)}
        return Call(self.offered(tool), {"deviceName": home.address(device), **given})

    def look(self, device: Device | None, home: "Home", measure: str = "") -> Call:
        if device is None:
            return Call(self.offered(LIST), LIST_ARGS)
        return Call(self.offered(READ if measure else GET), {"deviceName": home.address(device)})

    def look_in(self, room: str) -> Call:
        return Call(self.offered(READ), {"deviceName": room})

    def scene(self, name: str) -> Call | None:
        return Call(self.offered(SCENE), {"sceneName": name})

    # --- what a call would do

    def reach(self, tool: str, args: Mapping[str, Any]) -> Reach | None:
        return reach_of(tool, args, self._names.could_mean, stranger=self.stranger)


def _tool_and_args(device: Device, wish: Act) -> tuple[str, dict[str, object]]:
    """Arguments without a value are left out by the caller."""
    if wish.action == "set" or device.kind == "thermostat":
        # A heating that is turned on heats.
        mode = {"on": "heat", "off": "off"}.get(wish.action, wish.mode)
        warmth = {"temperature": wish.temperature, "unit": wish.unit, "setpoint": wish.setpoint}
        return THERMOSTAT, {"mode": mode, **warmth}
    if wish.action in ("colour", "kelvin"):
        return COLOUR, {"color": wish.colour, "temperature": wish.kelvin, "brightness": wish.level}
    if wish.action == "stop" and device.can("ring"):
        return SOUND, {"action": "stop"}
    if wish.action == "ring":
        return SOUND, {"action": "play", "tone": wish.tone, "volume": wish.level}
    if wish.action == "speed":
        return CONTROL, {"action": "on", "level": wish.level} if wish.level else {"action": "off"}
    tool = LOCK if wish.action in ("lock", "unlock") else CONTROL
    return tool, {"action": wish.action, "level": wish.level}


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
        # The server looks into its scenes: none is started that opens anything, and one that is not known in
        # full only when it is called again with `confirmed`.
        unseen = stranger or bool(args.get("confirmed"))
        return Reach(action="on", scene=str(args.get("sceneName") or "?"), unseen=unseen)
    if tool not in (CONTROL, LOCK, THERMOSTAT, RENAME, COLOUR, SOUND):
        return None
    name = str(args.get("deviceName", ""))
    devices = tuple(could_mean(name))
    return Reach(devices, *_action_and_value(tool, args, devices), name)


def _action_and_value(tool: str, args: Mapping[str, Any], devices: Sequence[HomeDevice]) -> tuple[str, str]:
    """The action, and its value as a person says it."""
    given = {key: value for key, value in args.items() if value not in ("", None)}
    if tool == THERMOSTAT:
        degrees = _DEGREES.get(str(args.get("unit") or ""), "degrees")
        kept = f" for {given['setpoint']}" if "setpoint" in given else ""
        warmth = f"{given['temperature']} {degrees}{kept}" if "temperature" in given else ""
        return WARMTH, _joined("to", warmth, given.get("mode"))
    if tool == RENAME:
        parts = {"to": given.get("newName"), "in the room": given.get("room")}
        return "rename", " ".join(f"{word} {value}" for word, value in parts.items() if value)
    if tool == COLOUR:
        white, bright = given.get("temperature"), given.get("brightness")
        colour = given.get("color") if white is None else f"{white} kelvin"
        value = _joined("to", colour, None if bright is None else f"{bright} percent")
        return "colour" if white is None else "kelvin", value
    if tool == SOUND:
        return "stop" if args.get("action") == "stop" else "ring", _sound(args, devices)
    level, action = args.get("level"), str(args.get("action", ""))
    if action == "on" and (sound := _sound({}, devices)):  # a chime that is on rings
        return action, sound
    return action, "" if level is None else f"to {level} percent"


def _joined(word: str, *parts: object) -> str:
    given = " and ".join(str(part) for part in parts if part)
    return f"{word} {given}" if given else ""


def _sound(args: Mapping[str, Any], devices: Sequence[HomeDevice]) -> str:
    """ "with Westminster": the device's name of a tone; for part of a name or a number, all that could be
    meant."""
    tone, volume = str(args.get("tone") or "").strip(), args.get("volume")
    tones = [known for device in devices for known in getattr(device, "tones", ())]
    meant = tones if tone.isdecimal() else [each for each in tones if loose_words(tone) <= loose_words(each)]
    named = " or ".join(meant) if tone and meant else tone
    if fold(tone) in ("", "default"):  # its own tone, which is named if it is loud
        own = [known for device in devices if device.kind == "chime" for known in _own_tones(device)]
        named = " or ".join(filter(is_loud, own))
    loudness = "" if volume is None else f"at {volume} percent"
    return " ".join(filter(None, (named and f"with {named}", loudness)))


def _own_tones(device: HomeDevice) -> Sequence[str]:
    """The tone that it plays when none is named; any, if that is unknown."""
    own: str = getattr(device, "own_tone", "")
    return (own,) if own else getattr(device, "tones", ())
