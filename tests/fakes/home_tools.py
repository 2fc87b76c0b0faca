# ruff: noqa: N803 (the parameters have the names that the server declares)
"""A scripted home behind LangChain tools with the schemas of the real ones: no process, no radio."""

import re
from dataclasses import dataclass, field
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from home_names.states import spoken_state
from voice_gateway.errors import ToolError
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolTraits
from zwave_mcp.schemas import ALL_TOOLS

# (name, room, kind, state, available)
DEFAULT_HOME = (
    ("Ceiling Light", "Living Room", "dimmer", "off", True),
    ("Floor Lamp", "Living Room", "dimmer", "on, 40 %", True),
    ("Kitchen Light", "Kitchen", "switch", "on", True),
    ("Coffee Maker", "Kitchen", "plug", "off", True),
    ("Back Door", "Kitchen", "sensor", "closed", True),
    ("Bedside Lamp", "Bedroom", "dimmer", "off", True),
    ("Window Blind", "Bedroom", "blind", "open", True),
    ("Desk Lamp", "Office", "switch", "on", True),
    ("Climate Sensor", "Office", "sensor", "21.5 °C, 45 % humidity", True),
    ("Study Blinds", "Study", "blind", "closed", True),
    ("Front Door", "Hallway", "lock", "locked", True),
    ("Thermostat", "Hallway", "thermostat", "heat, 20 °C", True),
    ("Motion Sensor", "Hallway", "sensor", "no motion", True),
    ("Garage Door", "Garage", "garage_door", "closed", True),
    ("Space Heater", "Garage", "switch", "off", False),
    ("Node 17", "", "other", "unknown", True),
)

_AFTER = {
    "on": "on", "off": "off", "open": "open", "close": "closed", "stop": "50 % open", "lock": "locked",
    "unlock": "unlocked",
}  # fmt: skip


# Those that change a device's state, and nothing else.
DEVICE_TOOLS = frozenset({"control_zwave_device", "control_zwave_lock", "set_zwave_thermostat"})
_MEASURING = ("sensor", "thermostat", "plug")


def _readings(device: dict[str, Any]) -> list[dict[str, Any]]:
    """What a device measures, by what its state says."""
    labels = {"°C": "Air temperature", "%": "Humidity", "W": "Power", "motion": "Motion"}
    parts = device["state"].split(", ")
    return [
        {"label": label, "text": part, "device": device["name"]}
        for part in parts
        for unit, label in labels.items()
        if unit in part
    ]


def _after(device: dict[str, Any], action: str, level: int | None) -> str:
    if action == "dim":
        return f"{level} % open" if device["kind"] == "blind" else f"on, {level} %" if level else "off"
    is_on = device["state"].startswith("on")
    if action == "toggle":
        action = "off" if is_on else "on"
    if action == "on" and device["kind"] == "dimmer":  # as bright as it was
        return device["state"] if is_on else "on, 100 %"
    return _AFTER[action]


def call_to(device: dict[str, Any], state: str) -> tuple[str, dict[str, Any]]:
    """The call that brings a device into this state."""
    name, kind = {"deviceName": device["name"]}, device["kind"]
    if kind == "thermostat":
        mode, degrees = state.removesuffix(" °C").split(", ")
        return "set_zwave_thermostat", {**name, "temperature": float(degrees), "mode": mode}
    if kind == "lock":
        return "control_zwave_lock", {**name, "action": state.removesuffix("ed")}
    if percent := re.search(r"(\d+) %", state):
        return "control_zwave_device", {**name, "action": "dim", "level": int(percent[1])}
    return "control_zwave_device", {**name, "action": "close" if state == "closed" else state}


@dataclass
class ScriptedHome:
    """Every call is written down in `calls`; a device that is not there fails as the real server says it."""

    devices: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    page_size: int = 100
    scenes: tuple[str, ...] = ()
    news: str = ""  # what somebody has put into a look's answer

    @classmethod
    def default(cls) -> "ScriptedHome":
        home = cls.of(DEFAULT_HOME)
        home.scenes = ("Movie Night", "Good Night")
        return home

    @classmethod
    def of(cls, rows: Any) -> "ScriptedHome":
        keys = ("name", "room", "kind", "state", "available")
        return cls(
            [
                {**dict(zip(keys, row, strict=False)), "nodeId": number, "endpoint": 0}
                for number, row in enumerate(rows, start=2)
            ]
        )

    def find(self, asked: str) -> dict[str, Any]:
        wanted = asked.casefold().removeprefix("the ")
        hits = [
            d for d in self.devices if wanted in (d["name"].casefold(), f"{d['room']} {d['name']}".casefold())
        ]
        if len(hits) != 1:
            outcome = "ambiguous" if hits else "not_found"
            raise ToolError(f'There is no device called "{asked}".', structured={"outcome": outcome})
        return hits[0]

    def told(self, device: dict[str, Any], requested: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        facts = {
            "device": device["name"], "room": device["room"], "nodeId": device["nodeId"], "endpoint": 0,
            "kind": device["kind"], "requested": requested, "state": device["state"], "outcome": "confirmed",
        }  # fmt: skip
        if not device.get("available", True):
            sentence = f"The {device['name']} in the {device['room']} does not answer."
            raise ToolError(sentence, structured={**facts, "outcome": "unreachable"})
        return f"The {device['name']} is {spoken_state(device['state'].removesuffix(', 100 %'))}.", {
            "structured": facts
        }

    # --- the tools

    async def list_zwave_devices(
        self, filter: str = "", includeInactive: bool = False, limit: int = 100, offset: int = 0
    ) -> tuple[str, dict[str, Any]]:
        shown = [d for d in self.devices if includeInactive or d.get("available", True)]
        page = shown[offset : offset + min(limit, self.page_size)]
        listed = {"devices": page, "total": len(shown)}
        return f"There are {len(shown)} devices.", {"structured": listed}

    async def list_zwave_scenes(self) -> tuple[str, dict[str, Any]]:
        scenes = [{"name": name, "members": [], "complete": True} for name in self.scenes]
        return f"There are {len(scenes)} scenes.", {"structured": {"outcome": "confirmed", "scenes": scenes}}

    async def get_zwave_device(self, deviceName: str) -> tuple[str, dict[str, Any]]:
        return self.told(self.find(deviceName), {})

    async def get_device_sensor_data(self, deviceName: str) -> tuple[str, dict[str, Any]]:
        wanted = deviceName.casefold()
        inside = [d for d in self.devices if d["room"].casefold() == wanted and d["kind"] in _MEASURING]
        readings = [one for device in inside or [self.find(deviceName)] for one in _readings(device)]
        room = inside[0]["room"] if inside else self.find(deviceName)["room"]
        sentence = f"{deviceName}: {', '.join(one['text'] for one in readings)}."
        return sentence, {"structured": {"room": room, "outcome": "confirmed", "readings": readings}}

    async def control_zwave_device(
        self, deviceName: str, action: str, level: int | None = None
    ) -> tuple[str, dict[str, Any]]:
        return self._controlled("control_zwave_device", deviceName, action=action, level=level)

    async def control_zwave_lock(self, deviceName: str, action: str) -> tuple[str, dict[str, Any]]:
        return self._controlled("control_zwave_lock", deviceName, action=action)

    async def set_zwave_thermostat(
        self,
        deviceName: str,
        temperature: float | None = None,
        unit: str | None = None,
        mode: str | None = None,
        setpoint: str | None = None,
    ) -> tuple[str, dict[str, Any]]:
        return self._controlled("set_zwave_thermostat", deviceName, temperature=temperature, mode=mode)

    def _controlled(self, tool: str, name: str, **given: Any) -> tuple[str, dict[str, Any]]:
        device = self.find(name)
        before, was = call_to(device, device["state"]), device["state"]
        if device.get("available", True):
            self.change(tool, deviceName=name, **given)
        text, artifact = self.told(device, given)
        name, args = before
        facts = {**artifact["structured"], "was": was, "before": [{"name": name, "args": args}]}
        return text, {"structured": facts}

    def change(self, tool: str, *, deviceName: str, **given: Any) -> None:
        """What one of DEVICE_TOOLS does to its device."""
        device = self.find(deviceName)
        if tool == "set_zwave_thermostat":
            mode, degrees = device["state"].removesuffix(" °C").split(", ")
            mode, degrees = given.get("mode") or mode, given.get("temperature") or degrees
            device["state"] = f"{mode}, {float(degrees):g} °C"
        else:
            device["state"] = _after(device, given["action"], given.get("level"))

    async def activate_zwave_scene(
        self, sceneName: str, confirmed: bool | None = None
    ) -> tuple[str, dict[str, Any]]:
        if sceneName.casefold() not in map(str.casefold, self.scenes):
            sentence = f'There is no scene called "{sceneName}".'
            raise ToolError(sentence, structured={"outcome": "not_found", "scenes": list(self.scenes)})
        return f"The scene {sceneName} is active.", {"structured": {"outcome": "confirmed"}}

    async def check_zwave_health(self) -> tuple[str, dict[str, Any]]:
        text = f"The Z-Wave system is up with {len(self.devices)} devices. {self.news}".strip()
        return text, {"structured": {"outcome": "confirmed"}}


# The schema of each, and whether it only looks: as the real server declares it.
_SCHEMAS = {
    spec.name: (spec.parameters, spec.read_only) for spec in ALL_TOOLS if hasattr(ScriptedHome, spec.name)
}


def _texts(names: str, required: str = "") -> dict[str, Any]:
    """A schema of parameters that are texts."""
    properties = {name: {"type": "string"} for name in names.split()}
    shape = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**shape, "required": required.split()}


_VOLUME = _texts("action level", "action")
_VOLUME["properties"]["level"] = {"type": "number"}
_BUILTINS: dict[str, tuple[dict[str, Any], bool]] = {
    "get_current_datetime": (_texts("timezone offset"), True),
    "control_speaker_volume": (_VOLUME, False),
    "calculate": (_texts("expression", "expression"), True),
    "manage_list": (_texts("action items list", "action"), False),
    "read_list": (_texts("list"), True),
    "get_weather": (_texts("day place about"), True),
    "broadcast": (_texts("message", "message"), False),
    "search_web": (_texts("query", "query"), True),
    "set_timer": (_texts("duration at name message kind"), False),
    "list_timers": (_texts("name kind"), True),
    "cancel_timer": (_texts("name kind"), False),
    "pause_timer": (_texts("name kind action"), False),
    "extend_timer": (_texts("duration name kind"), False),
}


def home_tools(home: ScriptedHome) -> list[BaseTool]:
    """As the link hands them over."""
    return [_tool(home, name, getattr(home, name), *_SCHEMAS[name], source="zwave") for name in _SCHEMAS]


def builtin_tools(home: ScriptedHome) -> list[BaseTool]:
    def answering(name: str) -> Any:
        async def run(**args: Any) -> tuple[str, dict[str, Any]]:
            known_by = ("name", "message", "duration", "at")
            facts = {"id": next((args[key] for key in known_by if args.get(key)), "")}
            return f"{name} did {args}.", {"structured": {"outcome": "confirmed", **facts}}

        return run

    return [_tool(home, name, answering(name), *_BUILTINS[name], source="builtin") for name in _BUILTINS]


def _tool(
    home: ScriptedHome, name: str, run: Any, schema: dict[str, Any], read_only: bool, *, source: str
) -> BaseTool:
    async def recorded(**args: Any) -> tuple[str, dict[str, Any]]:
        home.calls.append((name, args))
        return await run(**args)

    return StructuredTool(
        name=name,
        description=f"MUST be used for {name.replace('_', ' ')}.",
        args_schema=schema,
        coroutine=recorded,
        response_format="content_and_artifact",
        metadata={"traits": ToolTraits(source=source, original_name=name, read_only=read_only)},
    )


def manager_for(home: ScriptedHome) -> ToolManager:
    tools = ToolManager()
    for tool in builtin_tools(home):
        tools.add(tool)
    tools.add_mcp_tools("zwave", home_tools(home))
    return tools
