"""A scene of which not all is known is sensitive: asked about where that is allowed, and started by a yes."""

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from tests.fakes.locked_house import NoHome, Scripted
from tests.fakes.scripted_home import ScriptedHome, switch

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.config.permits import Permits
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.errors import ToolError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.permission.gate import Fit
from voice_gateway.tools.permission.target import Reach
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import Reply, ToolCall, ToolTraits, Utterance
from voice_gateway.understanding.stage import UnderstandingStage
from zwave_mcp.home import Scene
from zwave_mcp.tools import Tools

CALL = ToolCall("1", "activate_zwave_scene", {"sceneName": "Leaving"})
CLAIMED = ToolCall("1", "activate_zwave_scene", {"sceneName": "Leaving", "confirmed": True})


class House:
    def __init__(self, *steps: ToolCall, known: bool = False, **permission: Any) -> None:
        self.home = ScriptedHome(switch(2, "Desk Lamp", "Office"))
        self.home.known_scenes = (Scene(4, "Leaving", (), complete=known),)
        server, manager = Tools(self.home), ToolManager()

        async def activate_zwave_scene(sceneName: str, confirmed: bool | None = None) -> str:  # noqa: N803
            answer = await server.call(
                "activate_zwave_scene", {"sceneName": sceneName, "confirmed": confirmed}
            )
            if answer.is_error:
                raise ToolError(answer.sentence, structured=answer.structured)
            return answer.sentence

        tool = StructuredTool.from_function(coroutine=activate_zwave_scene, description="Starts a scene.")
        traits = ToolTraits(source="zwave", original_name="activate_zwave_scene")
        manager.add(with_traits(tool, traits))
        self.executor = ToolExecutor(manager)
        self.stage = Scripted(self.executor, *([step] for step in steps))
        self.talk = Conversation(
            [self.stage],
            self.executor,
            BrainSettings(),
            PermissionSettings(**permission),
            context=NoHome(self.executor, BrainSettings()),
        )

    async def hears(self, text: str, channel: str = "cli") -> Reply:
        return await self.talk.answer(Utterance(text, channel=channel))


@pytest.mark.parametrize("call", [CALL, CLAIMED], ids=["plain", "a model claims a yes"])
async def test_it_is_asked_about_and_a_yes_starts_it(call):
    house = House(call)

    asked = await house.hears("start the scene leaving")

    assert asked.text == "Shall I start Leaving, though I can't see all that it changes?"
    assert (asked.expects_answer, asked.outcomes, house.home.sent) == (True, (), [])
    assert (await house.hears("yes")).ok
    assert house.home.sent == [("scene", 4)]


async def test_a_known_scene_is_not_asked_about():
    house = House(CLAIMED, known=True)
    assert not (await house.hears("start the scene leaving")).expects_answer
    assert house.home.sent == [("scene", 4)]


async def test_a_yes_for_another_reason_does_not_start_an_unknown_scene():
    """It was asked about for another reason, and without the PIN."""

    async def doubtful(turn):
        by_model = replace(turn, gate=replace(turn.gate, by_model=True, fits=lambda *_: Fit.NEAR))
        outcomes = await by_model.run(house.executor, [CALL])
        return Reply("", tuple(outcomes), stage="model")

    house = House(pin="2468")
    house.stage.steps = [doubtful]

    assert "start Leaving?" in (await house.hears("maybe the scene leaving")).text
    again = await house.hears("yes")

    assert (
        again.text == "Shall I start Leaving, though I can't see all that it changes? Say yes and your PIN."
    )
    assert (again.expects_answer, house.home.sent) == (True, [])
    assert (await house.hears("yes 2468")).ok
    assert house.home.sent == [("scene", 4)]


class Unseen(UnderstandingStage):
    """A home whose scenes cannot be looked into."""

    def reach(self, call: ToolCall, traits: ToolTraits) -> Reach:
        return Reach((), "on", scene=call.arguments["name"], unseen=True)


@pytest.mark.parametrize(
    ("scene", "answers", "asks", "permits"),
    [
        ("Movie night", ("yes", "yes"), [True, True, False, False], {"Movie night": "always"}),
        ("Movie night", ("yes", "no"), [True, True, False, True], {}),
        ("Open the gate", ("yes", "yes"), [True, False, False, True], {}),
    ],
)
async def test_the_first_yes_offers_to_permit_a_scene_that_opens_nothing(
    tmp_path, scene, answers, asks, permits
):
    async def turn_on(name: str) -> str:
        return "Done."

    manager, settings = ToolManager(), PermissionSettings()
    tool = StructuredTool.from_function(coroutine=turn_on, name="HassTurnOn", description="Starts.")
    manager.add(with_traits(tool, ToolTraits(source="ha", original_name="HassTurnOn")))
    executor, kept = ToolExecutor(manager), Permits(settings, tmp_path / "voice-gateway.toml")
    call = ToolCall("1", "HassTurnOn", {"name": scene})
    stage = Scripted(executor, [call], *([] if asks[1] else ["Pardon?"]), [call])
    talk = Conversation(
        [stage],
        executor,
        BrainSettings(),
        settings,
        context=Unseen(executor, BrainSettings()),
        permit=kept.set,
    )
    replies = [await talk.answer(Utterance(text)) for text in ("start it", *answers, "start it")]

    assert [reply.expects_answer for reply in replies] == asks
    assert kept.all() == permits


@pytest.mark.parametrize("call", [CALL, CLAIMED])
async def test_a_channel_without_permission_cannot_start_an_unknown_scene(call):
    house = House(call)

    refused = await house.hears("start the scene leaving", channel="mqtt")

    assert not refused.expects_answer
    await house.hears("yes", channel="mqtt")
    assert house.home.sent == []
