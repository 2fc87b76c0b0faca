"""A conversation with the understanding in a simulated home: the server's own tools, without its process."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from tests.fakes.locked_house import Scripted
from tests.fakes.scripted_home import QUICK

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.errors import ToolError
from voice_gateway.events import EventBus
from voice_gateway.tools.builtin.volume import PlaybackVolume, volume_tool
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, ToolTraits, Utterance
from voice_gateway.turns.acts import Acts
from voice_gateway.understanding.stage import UnderstandingStage
from zwave_mcp.schemas import ALL_TOOLS, ToolSpec
from zwave_mcp.simulated.file import parse_home
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.tools import Tools

NOT_UNIT = "a simulated home at its own pace"

# What a device is set to; what it measures goes its own way.
STATES = ("currentValue", "currentState", "currentMode", "mode", "setpoint")


def simulated(text: str) -> SimulatedHome:
    home = SimulatedHome(parse_home(text))
    home.timing = replace(QUICK, lock_window_seconds=1.0)  # its bolt moves in real time
    return home


async def states(home: SimulatedHome) -> dict[str, Any]:
    snapshot = await home.snapshot(0)
    values = (value for node in snapshot.nodes for value in node.values)
    return {str(value.id): value.value for value in values if value.id.property in STATES}


class HomeTalk:
    """`hears` is what a person says; `home` is what came of it."""

    def __init__(
        self, text: str, *, acts: Acts | None = None, more: Iterable[BaseTool] = (), language: str = "en"
    ) -> None:
        self.home = simulated(text)
        self.time = 1_000_000.0
        self.volume = PlaybackVolume(40)
        self.told: list[Any] = []
        watch = EventBus()
        watch.subscribe(self.told.append)
        server, manager = Tools(self.home, allow_unlock=True), ToolManager()
        for tool in (*(_tool(server, spec) for spec in ALL_TOOLS), volume_tool(self.volume), *more):
            manager.add(tool)
        self.executor = ToolExecutor(manager)
        self.brain = UnderstandingStage(
            self.executor, BrainSettings(languages=(language,)), now=lambda: self.time
        )
        self.model = Scripted(self.executor)  # behind the understanding, where it is told what to do
        self.conversation = Conversation(
            [self.brain, self.model] if more else [self.brain],
            self.executor,
            BrainSettings(),
            PermissionSettings(),
            acts=acts,
            events=watch,
            context=self.brain,
            now=lambda: self.time,
        )

    async def hears(self, *texts: str, **where: Any) -> Reply:
        for text in texts:
            reply = await self.conversation.answer(Utterance(text, **where))
        return reply

    async def states(self) -> dict[str, Any]:
        return await states(self.home)


def _tool(server: Tools, spec: ToolSpec) -> BaseTool:
    async def run(**args: Any) -> tuple[str, dict[str, Any]]:
        answer = await server.call(spec.name, args)
        if answer.is_error:
            raise ToolError(answer.sentence, structured=dict(answer.structured))
        return answer.sentence, {"structured": dict(answer.structured)}

    traits = ToolTraits("zwave", spec.name, spec.title, spec.read_only, spec.destructive, spec.idempotent)
    return StructuredTool(
        name=spec.name,
        description=spec.description,
        args_schema=spec.parameters,
        coroutine=run,
        response_format="content_and_artifact",
        metadata={"traits": traits},
    )
