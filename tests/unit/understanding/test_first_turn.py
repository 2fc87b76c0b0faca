"""The first words of a gateway whose home becomes known while they are read."""

import asyncio

import pytest
from tests.fakes.home_talk import HomeTalk
from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway import languages
from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.integrations.sources import Sources
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Utterance
from voice_gateway.understanding.stage import UnderstandingStage


class SlowToRead(UnderstandingStage):
    """The long task that follows the home gets ahead of the first reading."""

    loop: asyncio.AbstractEventLoop

    def read(self, *args, **kwargs):
        understood = super().read(*args, **kwargs)
        if not self.cache.settled:  # in a thread: the language is being loaded
            asyncio.run_coroutine_threadsafe(self.cache.refresh(), self.loop).result(5)
        return understood


async def test_a_home_that_becomes_known_while_the_words_are_read_is_used():
    home = ScriptedHome.default()
    executor = ToolExecutor(manager_for(home))
    stage = SlowToRead(executor, BrainSettings())
    stage.loop = asyncio.get_running_loop()
    conversation = Conversation([stage], executor, BrainSettings(), PermissionSettings(), context=stage)

    reply = await conversation.answer(Utterance("turn on the kitchen light"))

    assert [outcome.args.get("deviceName") for outcome in reply.outcomes] == ["Kitchen Light"], reply.text


async def test_what_no_tool_takes_is_told_and_calls_nothing():
    talk = HomeTalk('[[device]]\nname = "Lamp"\nkind = "switch"\n')
    for said, words in (
        ("search the web for cats", "search the web"),
        ("volume 200", "0 to 100 percent"),
    ):
        reply = await talk.hears(said)
        assert words in reply.text
        assert reply.outcomes == ()


@pytest.mark.parametrize("trouble", ["", "The zwave server takes long to start."])
async def test_a_question_about_a_home_whose_server_is_not_there_names_no_tool(trouble):
    executor = ToolExecutor(ToolManager())
    stage = UnderstandingStage(executor, BrainSettings(), sources=Sources(executor, lambda: trouble))
    conversation = Conversation([stage], executor, BrainSettings(), PermissionSettings(), context=stage)

    reply = await conversation.answer(Utterance("which devices are there"))

    assert (reply.ok, reply.outcomes) == (False, ())
    assert reply.text == (trouble or languages.say("no_home"))
