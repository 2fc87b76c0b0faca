"""What the understanding only asks about goes to a model that is trusted, and comes back when that fails."""

import pytest
from tests.fakes.home_tools import ScriptedHome, manager_for
from tests.fakes.locked_house import Scripted

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.errors import BrainError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import Autonomy, Reply, ToolCall, Utterance
from voice_gateway.turns.stage import Stage, Trust
from voice_gateway.understanding.stage import UnderstandingStage

ON = ToolCall("1", "control_zwave_device", {"deviceName": "Bedside Lamp", "action": "on"})
SAID = "bedside lamp on?"


class Model(Scripted):
    autonomy = Autonomy.ACT

    def trust(self) -> Trust:
        return Trust(self.autonomy, "for the test")


class House:
    def __init__(self, step: object, autonomy: Autonomy = Autonomy.ACT) -> None:
        self.home = ScriptedHome.default()
        executor = ToolExecutor(manager_for(self.home))
        self.local = UnderstandingStage(executor, BrainSettings())
        self.model = Model(executor, step)
        self.model.autonomy = autonomy
        stages: list[Stage] = [self.local, self.model]
        self.conversation = Conversation(
            stages, executor, BrainSettings(), PermissionSettings(), context=self.local
        )

    async def hears(self, text: str) -> Reply:
        return await self.conversation.answer(Utterance(text))

    def acts(self) -> list[str]:
        return [args["deviceName"] for name, args in self.home.calls if name == ON.name]


async def test_a_trusted_model_decides_what_is_not_sure():
    house = House([ON])

    reply = await house.hears(SAID)

    assert (reply.stage, reply.expects_answer, house.acts()) == ("model", False, ["Bedside Lamp"])


@pytest.mark.parametrize("autonomy", [Autonomy.ASK, Autonomy.LOOK])
async def test_a_model_that_is_not_trusted_is_not_asked(autonomy):
    house = House([ON], autonomy)

    reply = await house.hears(SAID)

    assert (reply.stage, reply.expects_answer, house.acts()) == ("local", True, [])
    assert house.model.seen == []


async def test_when_the_model_is_not_there_the_local_brain_asks_after_all():
    house = House(BrainError("gone", spoken="My model is gone."))

    asked = await house.hears(SAID)
    assert (asked.stage, asked.expects_answer, house.acts()) == ("local", True, [])

    await house.hears("yes")
    assert house.acts() == ["Bedside Lamp"]
