"""What a model proposes after doubtful words: asked about once, and done by a yes, in whole or in part."""

from dataclasses import dataclass

import pytest
from langchain_core.tools import StructuredTool
from tests.fakes.locked_house import Scripted
from tests.fakes.zwave_reach import zwave_reaches

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.languages import say
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.permission.target import Reach
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import Passed, Reply, ToolCall, ToolTraits, Utterance, Words
from voice_gateway.understanding.stage import UnderstandingStage

DOUBTFUL = Passed("local", "a statement", words=Words.DOUBTFUL)


@dataclass
class Device:
    name: str
    kind: str
    room: str
    node_id: int | None = None


DEVICES = [
    Device("Ceiling Light", "dimmer", "Living Room"),
    Device("Floor Lamp", "dimmer", "Living Room"),
    Device("Kitchen Light", "switch", "Kitchen"),
    Device("Garage Door", "garage_door", "Garage"),
]


def off(name: str) -> ToolCall:
    return ToolCall(name, "control_zwave_device", {"deviceName": name, "action": "off"})


LIGHTS = [off("Ceiling Light"), off("Floor Lamp"), off("Kitchen Light")]
OPEN = ToolCall("g", "control_zwave_device", {"deviceName": "Garage Door", "action": "open"})
SAID = "no need for the lights any more, nor the garage door being shut"


def named(name: str) -> list[Device]:
    return [device for device in DEVICES if device.name.lower() == name.lower()]


class House(UnderstandingStage):
    """Words that the understanding finds doubtful, and a model that makes these calls."""

    def __init__(self, *steps: list[ToolCall], permission: PermissionSettings | None = None) -> None:
        self.moved: list[str] = []

        async def control_zwave_device(deviceName: str, action: str) -> str:  # noqa: N803
            self.moved.append(deviceName)
            return f"The {deviceName} is {action}."

        tool = StructuredTool.from_function(coroutine=control_zwave_device, description="Switches.")
        manager = ToolManager()
        manager.add(with_traits(tool, ToolTraits(source="zwave", original_name="control_zwave_device")))
        executor = ToolExecutor(manager)
        super().__init__(executor, BrainSettings())
        stages = [Scripted(None, *([DOUBTFUL] * 9), name="local"), Scripted(executor, *steps)]
        self.conversation = Conversation(
            stages, executor, BrainSettings(), permission or PermissionSettings(), context=self
        )

    def reach(self, call: ToolCall, traits: ToolTraits) -> Reach | None:
        return zwave_reaches(named)(call, traits)

    async def hears(self, text: str, channel: str = "cli") -> Reply:
        return await self.conversation.answer(Utterance(text, channel=channel))


@pytest.mark.parametrize("door", ["cli", "mqtt", "voice"])
async def test_several_calls_make_one_question_and_a_yes_runs_exactly_these(door):
    house = House(LIGHTS)

    asked = await house.hears(SAID, door)
    assert asked.text == "Shall I turn off the ceiling light, the floor lamp and the kitchen light?"
    assert (asked.expects_answer, asked.outcomes, house.moved) == (True, (), [])

    done = await house.hears("yes please", door)
    assert done.ok
    assert house.moved == ["Ceiling Light", "Floor Lamp", "Kitchen Light"]


@pytest.mark.parametrize(
    ("answer", "moved"),
    [
        ("only the floor lamp", ["Floor Lamp"]),
        ("not the kitchen", ["Ceiling Light", "Floor Lamp"]),
        ("all but the floor lamp", ["Ceiling Light", "Kitchen Light"]),
        ("just the first two", ["Ceiling Light", "Floor Lamp"]),
        ("no", []),
        ("no thanks", []),
    ],
)
async def test_some_of_them_can_be_chosen(answer, moved):
    house = House(LIGHTS)
    await house.hears(SAID)

    reply = await house.hears(answer)

    assert (house.moved, reply.expects_answer) == (moved, False)


async def test_choosing_something_unknown_confirms_nothing():
    house = House(LIGHTS)
    await house.hears(SAID)

    await house.hears("only the aquarium")
    await house.hears("yes")

    assert house.moved == []


async def test_a_sensitive_call_in_a_choice_is_asked_about_again():
    house = House([*LIGHTS, OPEN])

    asked = await house.hears(SAID)
    assert asked.expects_answer
    narrower = await house.hears("only the garage door")
    assert (narrower.text, house.moved) == ("Shall I open the garage door?", [])
    await house.hears("yes")
    assert house.moved == ["Garage Door"]


async def test_a_pin_is_still_wanted_for_what_is_sensitive_and_for_nothing_else():
    house = House([*LIGHTS, OPEN], [*LIGHTS, OPEN], permission=PermissionSettings(pin="2468"))

    await house.hears(SAID)
    await house.hears("not the garage door")
    assert "Garage Door" not in house.moved
    assert len(house.moved) == 3

    await house.hears(SAID)
    await house.hears("only the garage door")
    await house.hears("yes")
    assert "Garage Door" not in house.moved


async def test_after_a_no_the_same_is_not_proposed_again():
    house = House(LIGHTS, LIGHTS, LIGHTS)

    await house.hears(SAID)
    await house.hears("no")
    again = await house.hears("one could turn off the lights")
    assert (again.text, again.expects_answer, house.moved) == (say("confirm.not_again"), False, [])

    later = await house.hears("no need for the lights now")
    assert later.expects_answer, "a turn has passed"


async def test_repeated_words_are_asked_about_again_and_other_words_are_not():
    house = House(LIGHTS, LIGHTS, LIGHTS)

    first = await house.hears(SAID)
    assert (await house.hears(SAID)).text == first.text
    assert (await house.hears("and turn off the lights by my bike, too")).text == say("confirm.not_again")
