"""What is said when nobody has an answer, and that nothing leaves the house before a yes."""

import pytest
from tests.eval.first_cases import SHORT_SECONDS, spoken_seconds
from tests.fakes.home_tools import ScriptedHome, builtin_tools, home_tools
from tests.fakes.local_talk import Talk

from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, Utterance

SEARCH = "I don't know that. Shall I search the web?"
NEEDS_MODEL = "That needs a language model. Ask how to add one."
SORRY = "Sorry, I did not understand that."


class Newcomer:
    def __init__(self, *, search: bool = True) -> None:
        self.home = ScriptedHome.default()
        tools = ToolManager()
        for tool in builtin_tools(self.home):
            if search or tool.name != "search_web":
                tools.add(tool)
        tools.add_mcp_tools("zwave", home_tools(self.home))
        executor, settings = ToolExecutor(tools), BrainSettings()
        brain = LocalBrain(executor, settings)
        self.conversation = Conversation((brain,), executor, settings, PermissionSettings())

    async def says(self, *texts: str) -> Reply:
        for text in texts:
            reply = await self.conversation.answer(Utterance(text))
        return reply

    @property
    def searched(self) -> list[str]:
        return [args["query"] for name, args in self.home.calls if name == "search_web"]


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("how high is mount everest", SEARCH),
        ("tell me a joke", NEEDS_MODEL),
        ("book me a flight", "I have no tool to book you a flight."),
        ("when is my dentist appointment", "I have no tool that knows that."),
        ("florble the gnarf", SORRY),
        ("the cat is asleep", "I see."),
        ("I'm back home", "Welcome home!"),
        ("my name is Anna", "Nice to meet you, Anna."),
        ("my head hurts", "I'm sorry to hear that."),
        ("you are an idiot", "I'm sorry. Please say it another way."),
        ("what a nice thing you are, this is great", "Thank you!"),
        ("do you like pizza", "I'm only a program, but thank you."),
        ("can you", "I think there was more to come. What shall I do?"),
    ],
)
async def test_each_reason_has_its_own_short_words(said: str, reply: str) -> None:
    newcomer = Newcomer()
    answer = await newcomer.says(said)

    assert answer.text == reply
    assert spoken_seconds(answer.text) <= SHORT_SECONDS
    assert answer.outcomes == ()
    assert newcomer.searched == []


async def test_a_yes_searches_for_what_was_asked() -> None:
    newcomer = Newcomer()
    offered = await newcomer.says("ok google, how high is Mount Everest?")
    assert offered.expects_answer
    assert newcomer.searched == []

    await newcomer.says("yes please")
    assert newcomer.searched == ["how high is Mount Everest"]


@pytest.mark.parametrize("answer", ["no", "never mind", "turn on the desk lamp", "how are you"])
async def test_nothing_is_sent_without_a_yes(answer: str) -> None:
    newcomer = Newcomer()
    await newcomer.says("how high is mount everest", answer, "yes")
    assert newcomer.searched == []


async def test_without_a_search_it_is_not_offered() -> None:
    assert (await Newcomer(search=False).says("how high is mount everest")).text == NEEDS_MODEL


@pytest.mark.parametrize(
    "said", ["alexa turn off the desk lamp", "hey siri desk lamp off", "ok google, switch the desk lamp off"]
)
async def test_who_calls_another_assistant_is_answered_all_the_same(said: str) -> None:
    talk = Talk()
    await talk.reply(said)
    assert len(talk.acts) == 1
    assert "Desk Lamp" in str(talk.acts)


async def test_an_unlock_behind_another_name_is_as_sensitive_as_ever() -> None:
    newcomer = Newcomer()
    reply = await newcomer.says("alexa, unlock the front door")
    assert reply.expects_answer
    assert [name for name, _ in newcomer.home.calls if name == "control_zwave_lock"] == []
