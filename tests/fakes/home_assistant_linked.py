"""A stand-in's tools as the gateway has them: taken over, wrapped, and called through the executor.

The link in between is left out; time goes by with every look at the home, so that nobody waits.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from tests.fakes.home_assistant_home import HomeAssistantHome
from tests.fakes.home_assistant_tools import HomeAssistantTools

from voice_gateway.integrations.home import Home, build_home
from voice_gateway.integrations.home_assistant.effects import Pace
from voice_gateway.integrations.home_assistant.source import HomeAssistant
from voice_gateway.integrations.source import Act, Call, Listing
from voice_gateway.mcp_client.convert import to_langchain_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolOutcome, new_id

LOOK_SECONDS = 0.25  # that go by in the home with every look
QUICK = Pace(seconds=0.05, by_domain={}, lock_moves_seconds=2.0, first_pause_seconds=0, pause_seconds=0)


class WrappedHomeAssistant:
    """`async with`: connected, and read once."""

    def __init__(self, home: HomeAssistantHome, *, without: tuple[str, ...] = (), pace: Pace = QUICK) -> None:
        self.home = home
        self.tools = HomeAssistantTools(home)
        self.now = 0.0
        home.clock = lambda: self.now
        self.without = without  # tools that an older version does not have
        self.manager = ToolManager()
        self.source = HomeAssistant("ha", ToolExecutor(self.manager), pace=pace)
        self.executor = ToolExecutor(self.manager)
        self.listing = Listing()

    async def __aenter__(self) -> "WrappedHomeAssistant":
        self.connect()
        await self.read()
        return self

    async def __aexit__(self, *_: object) -> None: ...

    def connect(self) -> None:
        offered = [one for one in self.tools.definitions() if one["name"] not in self.without]
        tools = to_langchain_tools(offered, server="ha", call=self._call)
        self.manager.add_mcp_tools("ha", self.source.wrap(tools))

    async def read(self) -> None:
        read = await self.source.read()
        assert isinstance(read, Listing), read
        self.listing = read

    async def _call(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        await asyncio.sleep(0)
        if name == "GetLiveContext":
            self.now += LOOK_SECONDS
        return await self.tools.call(name, arguments)

    def picture(self) -> Home:
        return build_home(self.listing.devices, self.listing.scenes, [self.source])

    def planned(self, device: str, wish: Act, room: str = "") -> Call | str:
        found = [one for one in self.listing.devices if one.name == device and (not room or one.room == room)]
        return self.source.act(found[0], wish, self.picture())

    async def act(self, device: str, action: str, room: str = "", **values: Any) -> ToolOutcome:
        call = self.planned(device, Act(action, **values), room)
        assert isinstance(call, Call), call
        return await self.call(call.tool, **call.args)

    async def call(self, tool: str, **args: Any) -> ToolOutcome:
        return await self.executor.execute(ToolCall(new_id(), tool, args))
