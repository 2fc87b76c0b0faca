"""The homes that sentences are said in, as Home Assistant has them; and how they are then, in our words."""

import re
from collections.abc import Mapping
from typing import Any, Protocol

from tests.eval.cases import Right
from tests.eval.homes import HOMES
from tests.fakes.home_assistant_home import Entity, HomeAssistantHome
from tests.fakes.home_assistant_homes import entities_of, scene, set_state
from tests.fakes.home_assistant_tools import HomeAssistantTools
from tests.fakes.home_tools import ScriptedHome, builtin_tools

from voice_gateway.config import BrainSettings
from voice_gateway.integrations.sources import Sources
from voice_gateway.mcp_client.convert import to_langchain_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.understanding.stage import UnderstandingStage

_OF_ZWAVE = re.compile(r"z-?wave|\bhow many\b|\bcount\b|\b(?:first|second|third|last) one\b", re.IGNORECASE)


class Spoken(Protocol):
    @property
    def turns(self) -> tuple[str, ...]: ...
    @property
    def rights(self) -> tuple[Right, ...]: ...


def is_possible(said: Spoken) -> bool:
    """Its MCP server has no tool for a thermostat's mode; its devices are listed in another order, and a
    sensor that measures two things is two of them."""
    modes = any("mode" in dict(args) for way in said.rights for _, args in way.calls)
    return not modes and not _OF_ZWAVE.search(said.turns[-1])


Call = tuple[str, dict[str, Any]]
SERVER = "ha"
_READ_ONLY = ("sensor", "other")
_TURN = {
    "on": "HassTurnOn", "open": "HassTurnOn", "lock": "HassTurnOn",
    "off": "HassTurnOff", "close": "HassTurnOff", "unlock": "HassTurnOff",
}  # fmt: skip


class HomeAssistantHouse:
    """`mirror` is the same home as judges and stand-in models know it: what is done here is seen there."""

    def __init__(self, name: str) -> None:
        self.mirror = HOMES[name]()
        self._entities = [
            entities_of(d["name"], d["room"], d["kind"], d["state"], d["available"])
            for d in self.mirror.devices
        ]
        scenes = [scene(name) for name in self.mirror.scenes]
        self.tools = HomeAssistantTools(
            HomeAssistantHome([one for some in self._entities for one in some] + scenes)
        )
        self._read = 0  # calls that the mirror has
        manager = ToolManager()
        for tool in builtin_tools(self.mirror):
            manager.add(tool)
        self.executor = ToolExecutor(manager)
        self.sources = Sources(self.executor)
        tools = to_langchain_tools(self.tools.definitions(), server=SERVER, call=self.tools.call)
        manager.add_mcp_tools(SERVER, self.sources.taken(SERVER, tools))

    def brain(self, settings: BrainSettings) -> UnderstandingStage:
        return UnderstandingStage(self.executor, settings, sources=self.sources)

    def put(self, home: ScriptedHome) -> None:
        """As this one is."""
        for device, mine, entities in zip(home.devices, self.mirror.devices, self._entities, strict=True):
            mine["state"] = device["state"]
            if device["kind"] not in _READ_ONLY and device["available"]:
                set_state(entities[0], device["kind"], device["state"])
        self.forget_calls()

    def forget_calls(self) -> None:
        self.tools.calls.clear()
        self.mirror.calls.clear()
        self._read = 0

    def tell(self, news: str) -> None:
        """What somebody has put into a look's answer: here a sensor says it."""
        for device, entities in zip(self.mirror.devices, self._entities, strict=True):
            if device["kind"] in _READ_ONLY:
                entities[0].state = news
                return

    def seen(self) -> ScriptedHome:
        """The mirror, with all that has happened since."""
        self.tools.home.settle()
        for device, entities in zip(self.mirror.devices, self._entities, strict=True):
            if device["kind"] not in _READ_ONLY and device["available"]:
                device["state"] = in_our_words(device["kind"], entities[0])
        for name, args in self.tools.calls[self._read :]:
            if name == "HassTurnOn" and args.get("name") in self.mirror.scenes:
                self.mirror.calls.append(("activate_zwave_scene", {"sceneName": args["name"]}))
        self._read = len(self.tools.calls)
        return self.mirror

    def translated(self, call: Call) -> Call:
        """A call of our Z-Wave tools, as a model would make it of Home Assistant's."""
        name, args = call
        if name == "check_zwave_health":
            return "GetLiveContext", {}
        device = next((d for d in self.mirror.devices if d["name"] == args.get("deviceName")), None)
        if device is None:
            return call
        where = {"name": device["name"], **({"area": device["room"]} if device["room"] else {})}
        return _translated(name, args, where, device["kind"])


def _translated(name: str, args: Mapping[str, Any], where: dict[str, Any], kind: str) -> Call:
    if name == "set_zwave_thermostat":
        if args.get("mode") == "off":
            return "HassTurnOff", where
        return "HassClimateSetTemperature", {**where, "temperature": args.get("temperature", 20)}
    if args["action"] == "dim" and kind == "blind":
        return "HassSetPosition", {**where, "position": int(args["level"])}
    if args["action"] == "dim":
        return "HassLightSet", {**where, "brightness": int(args["level"])}
    return _TURN.get(args["action"], args["action"]), where


def in_our_words(kind: str, entity: Entity) -> str:
    attributes = entity.attributes
    if kind == "dimmer":
        return f"on, {round(attributes['brightness'] / 2.55)} %" if entity.state == "on" else "off"
    if kind == "blind":
        position = attributes["current_position"]
        return {0: "closed", 100: "open"}.get(position, f"{position} % open")
    if kind == "thermostat":
        return f"{entity.state}, {attributes['temperature']:g} °C"
    return entity.state
