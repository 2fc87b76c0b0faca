"""A house with one lock and a brain that does what it is told, behind the real conversation."""

from langchain_core.tools import StructuredTool
from pydantic import BaseModel

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.events import EventBus
from voice_gateway.integrations.zwave import ZwaveSource
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.permission.target import Reach
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import Passed, Reply, ToolCall, ToolTraits, Utterance
from voice_gateway.turns.stage import Turn
from voice_gateway.understanding.stage import UnderstandingStage


class NoHome(UnderstandingStage):
    """No device is known; what a call reaches is read from its name and arguments."""

    def reach(self, call: ToolCall, traits: ToolTraits) -> Reach | None:
        return ZwaveSource().reach(traits.original_name or call.name, call.arguments)


class LockCall(BaseModel):
    """Said once: to find it out from the function takes longer than most tests with a lock."""

    deviceName: str  # noqa: N815
    action: str


class Lock:
    """A lock that counts how often it was really moved."""

    def __init__(self) -> None:
        self.actions: list[str] = []

    def tool(self) -> StructuredTool:
        async def control_zwave_lock(deviceName: str, action: str) -> str:  # noqa: N803
            self.actions.append(action)
            return f"{deviceName} is {action}ed."

        tool = StructuredTool.from_function(
            coroutine=control_zwave_lock, description="Moves a lock.", args_schema=LockCall
        )
        with_traits(tool, ToolTraits(source="zwave", original_name="control_zwave_lock"))
        return tool


class Scripted:
    """A stage that makes the calls it is told to make, as a model would."""

    def __init__(self, executor, *steps, name="model"):
        self.name = name
        self.executor = executor
        self.steps = list(steps)
        self.seen: list[Turn] = []

    async def answer(self, turn):
        self.seen.append(turn)
        step = self.steps.pop(0) if self.steps else "nothing more"
        if isinstance(step, Exception):
            raise step
        if isinstance(step, Passed):
            return step
        if callable(step):
            return await step(turn)
        if isinstance(step, str):
            return Reply(step, stage=self.name)
        turn.history.add_user(turn.utterance.text)
        turn.history.add_ai("", step)
        outcomes = await turn.run(self.executor, step)
        turn.history.add_outcomes(outcomes)
        turn.history.add_ai("I did it all.")
        ok = all(outcome.ok for outcome in outcomes)
        return Reply("I did it all.", tuple(outcomes), stage=self.name, ok=ok)


UNLOCK = ToolCall(id="1", name="control_zwave_lock", args={"deviceName": "Front Door", "action": "unlock"})
LOCK = ToolCall(id="2", name="control_zwave_lock", args={"deviceName": "Back Door", "action": "lock"})


class House:
    def __init__(self, *steps, store=None, permission=None, brain=None, before=(), **parts):
        self.lock = Lock()
        manager = ToolManager()
        manager.add(self.lock.tool())
        executor = ToolExecutor(manager)
        self.now = 1000.0
        self.stage = Scripted(executor, *steps)
        self.told = []
        watch = EventBus()
        watch.subscribe(self.told.append)
        self.conversation = Conversation(
            [*before, self.stage],
            executor,
            brain or BrainSettings(),
            permission or PermissionSettings(),
            context=NoHome(executor, BrainSettings()),
            store=store,
            events=watch,
            now=lambda: self.now,
            **parts,
        )

    async def hears(self, text, **facts):
        return await self.conversation.answer(Utterance(text, **facts))
