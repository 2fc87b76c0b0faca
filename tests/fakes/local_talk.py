"""A conversation with the local brain in a scripted home."""

from typing import Any

from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.config import BrainSettings
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Gate, Passed, Reply, Utterance
from voice_gateway.turns.history import History
from voice_gateway.turns.stage import Turn
from voice_gateway.understanding.stage import UnderstandingStage


class Talk:
    """One conversation; `now` is its clock."""

    def __init__(
        self, home: ScriptedHome | None = None, *, tools: ToolManager | None = None, **settings: Any
    ) -> None:
        self.home = home or ScriptedHome.default()
        self.history = History()
        self.now = 1000.0
        self.tools = tools if tools is not None else manager_for(self.home)
        self.brain = UnderstandingStage(
            ToolExecutor(self.tools), BrainSettings(**settings), now=lambda: self.now
        )

    async def say(self, text: str, *, room: str | None = None, gate: Gate | None = None) -> Reply | Passed:
        self.home.calls.clear()
        return await self.brain.answer(Turn(Utterance(text, room=room), self.history, gate=gate))

    async def reply(self, text: str, **given: Any) -> Reply:
        answer = await self.say(text, **given)
        assert isinstance(answer, Reply), answer
        return answer

    async def passed(self, text: str, **given: Any) -> Passed:
        answer = await self.say(text, **given)
        assert isinstance(answer, Passed), answer
        return answer

    @property
    def acts(self) -> list[tuple[str, str]]:
        """(device, action) of every call of the last turn that changes something."""
        return [
            (args["deviceName"], str(args.get("action") or args.get("mode") or args.get("temperature")))
            for name, args in self.home.calls
            if name in ("control_zwave_device", "control_zwave_lock", "set_zwave_thermostat")
        ]
