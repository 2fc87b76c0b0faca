"""A Home Assistant as a source of devices, recognised by its tools, whatever its server is called."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from home_names.names import name_key
from voice_gateway.errors import ToolError
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home_assistant import acts as wrapped
from voice_gateway.integrations.home_assistant import effects as ha
from voice_gateway.integrations.home_assistant.acts import change_list, find_list, read_list
from voice_gateway.integrations.home_assistant.calls import make_call, reach
from voice_gateway.integrations.home_assistant.effects import Pace
from voice_gateway.integrations.home_assistant.entities import SCENE, address, devices_of, name_of
from voice_gateway.integrations.home_assistant.live_context import Entity, LiveList
from voice_gateway.integrations.home_assistant.wording import EXPOSE, not_offered
from voice_gateway.integrations.source import Act, Call, HomeSource, Listing
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.permission.target import Reach
from voice_gateway.tools.traits import lc_name, schema_of, traits, with_traits

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from voice_gateway.integrations.home import Home

_READ_SECONDS: Final = 10.0  # for a list; a large one comes in a tenth of one
_NAMESPACE: Final = "__"  # before a tool's name, where Home Assistant serves several sets of tools
_NOTHING_SHARED: Final = f"Home Assistant shares no devices with voice assistants; that is set {EXPOSE}."


def recognise(tools: "Sequence[BaseTool]") -> bool:
    """Its list, or with nothing shared yet the timers that it always has, beside what turns things on."""
    names = {_bare(_name(tool)) for tool in tools}
    return ha.TURN_ON in names and bool({ha.LIVE_CONTEXT, ha.CANCEL_TIMERS} & names)


def _name(tool: "BaseTool") -> str:
    return traits(tool).original_name or lc_name(tool)


def _bare(name: str) -> str:
    return name.rpartition(_NAMESPACE)[2]


class HomeAssistant(HomeSource):
    """One server; it lives as long as the server is set up, over every reconnect."""

    polled = True

    def __init__(self, name: str, executor: ToolExecutor, *, pace: Pace | None = None) -> None:
        super().__init__(name, executor)
        self.stranger = True  # until its tools are known
        self.pace = pace or Pace()
        self.seen = LiveList()
        self._own_names: dict[str, str] = {}  # a tool's name without its namespace → with it
        self._parameters: dict[str, frozenset[str]] = {}  # … → its arguments
        self.scripts: dict[str, str] = {}  # … of a script → how people call it
        self.items: wrapped.Raw | None = None  # the tool that reads a list

    # --- its tools

    def wrap(self, tools: "Sequence[BaseTool]") -> "list[BaseTool]":
        """The same tools with honest outcomes."""
        self.stranger = not all(traits(tool).trusted for tool in tools)
        named = {_bare(_name(tool)): tool for tool in tools}
        self._own_names = {name: _name(tool) for name, tool in named.items()}
        self._parameters = {
            name: frozenset(schema_of(tool).get("properties") or ()) for name, tool in named.items()
        }
        scripts = [name for name in named if not name.startswith("Hass") and name not in ha.LOOKS]
        self.scripts = {name: name.strip("_").replace("_", " ") for name in scripts}
        items = named.get(ha.READ_ITEMS)
        self.items = None if items is None else wrapped.Raw(ha.READ_ITEMS, getattr(items, "coroutine", None))
        self.seen.ask = None
        return [self._wrapped(tool) for tool in tools]

    def takes(self, tool: str) -> frozenset[str]:
        return self._parameters.get(tool, frozenset())

    def _wrapped(self, tool: "BaseTool") -> "BaseTool":
        run = getattr(tool, "coroutine", None)
        if run is None:
            return tool
        name = _bare(_name(tool))
        raw = wrapped.Raw(name, run)
        if name == ha.LIVE_CONTEXT:
            self.seen.ask = partial(_text, raw)
        do = _WAYS.get(name) or (wrapped.start_script if name in self.scripts else wrapped.act)

        async def call(**arguments: Any) -> wrapped.Answer:
            return await do(self, raw, arguments)

        changed = tool.model_copy(update={"coroutine": call, "metadata": dict(tool.metadata or {})})
        return with_traits(changed, replace(traits(tool), read_only=name in ha.LOOKS, home=True))

    def offered(self, tool: str) -> str:
        return super().offered(self._own_names.get(tool, tool))

    # --- what there is

    async def read(self) -> Listing | str:
        if not self._own_names:
            return ""
        if self.seen.ask is None:
            return _NOTHING_SHARED
        try:
            async with asyncio.timeout(_READ_SECONDS) as limit:
                entities = await self.seen.look()
        except ToolError as error:
            return str(error)
        except TimeoutError:
            if not limit.expired():
                raise
            return "Home Assistant does not answer."
        return await asyncio.to_thread(self._listing, entities)

    def _listing(self, entities: Sequence[Entity]) -> Listing:
        scenes = [name_of(entity) for entity in entities if entity.domain == SCENE]
        scenes += [name for tool, name in self.scripts.items() if not self._parameters[tool]]
        return Listing(tuple(devices_of(entities, self.name, self.seen.degrees)), tuple(scenes))

    # --- calls

    def act(self, device: Device, wish: Act, home: "Home") -> Call | str:
        seen, state = self.seen, home.state_of(device)
        made = make_call(device, wish, seen.entities, self.takes, degrees=seen.degrees, state=state)
        return made if isinstance(made, str) else Call(self.offered(made[0]), made[1])

    def look(self, device: Device | None, home: "Home", measure: str = "") -> Call:
        return Call(self.offered(ha.LIVE_CONTEXT))

    def look_in(self, room: str) -> Call:
        return Call(self.offered(ha.LIVE_CONTEXT))

    def on_floor(self, floor: str, action: str, kind: str) -> Call | None:
        """No list tells what is on a floor, but Home Assistant itself finds it."""
        tool = {"on": ha.TURN_ON, "off": ha.TURN_OFF}.get(action, "")
        if kind not in ("light", "fan") or "floor" not in self.takes(tool):
            return None
        return Call(self.offered(tool), {"floor": floor, "domain": [kind]})

    def scene(self, name: str) -> Call | None:
        """A scene by its name, else the script's own tool."""
        wanted, entities = name_key(name), self.seen.entities
        for entity in entities:
            if entity.domain == SCENE and name_key(name_of(entity)) == wanted:
                where = address(entity, entities)
                return Call(self.offered(ha.TURN_ON), where) if where else None
        tool = next((tool for tool, script in self.scripts.items() if name_key(script) == wanted), None)
        return Call(self.offered(tool)) if tool else None

    def list_calls(self, action: str, name: str, items: Sequence[str]) -> tuple[Call, ...] | str | None:
        """Entries can be added and ticked off; a list of a name that is like it is none."""
        entity = find_list(self.seen.entities, name)
        if entity is None:
            return None
        called = name_of(entity)
        if action == "read":
            if not self.takes(ha.READ_ITEMS):
                return not_offered(ha.READ_ITEMS)
            return (Call(self.offered(ha.READ_ITEMS), {"todo_list": called}),)
        tool = {"add": ha.ADD_ITEM, "complete": ha.COMPLETE_ITEM, "remove": ha.COMPLETE_ITEM}.get(action)
        if tool is None:
            return f"I can only add to {called} and tick things off."
        return tuple(Call(self.offered(tool), {"item": item, "name": called}) for item in items)

    def reach(self, tool: str, args: Mapping[str, Any]) -> Reach | None:
        return reach(_bare(tool), args, self.seen.entities, self.name, self.scripts)


_WAYS: Final = {
    ha.LIVE_CONTEXT: wrapped.look,
    ha.READ_ITEMS: read_list,
    ha.ADD_ITEM: change_list,
    ha.COMPLETE_ITEM: change_list,
    # These answer for themselves.
    **dict.fromkeys(
        ("GetDateTime", "calendar_get_events", ha.CANCEL_TIMERS), lambda _home, raw, args: raw.call(args)
    ),
}


async def _text(raw: wrapped.Raw) -> str:
    return (await raw.call({}))[0]
