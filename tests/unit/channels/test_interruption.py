"""An interruption ends the text of a model at once; its tool calls are completed."""

import asyncio

from langchain_core.tools import StructuredTool
from tests.fakes.model import Calls, FakeModel
from tests.fakes.voice import LIMIT, room

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.interruption import Interruption
from voice_gateway.llm.loop import run_loop
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, Utterance
from voice_gateway.understanding.stage import UnderstandingStage

STORY = "Once upon a time. There was a lamp. It never"


class EndlessModel(FakeModel):
    """From its `endless`th reply on it never comes to an end, until the test lets it."""

    endless = 1
    streaming: asyncio.Event

    async def reply(self, messages, on_text):
        self.hold_on = self.streaming if len(self.asked) + 1 >= self.endless else None
        return await super().reply(messages, on_text)


class House:
    """A conversation with a model and a lamp that takes its time."""

    def __init__(self, *script, endless: int = 1, stage: str = "ollama", max_parallel: int = 8) -> None:
        self.name = stage
        self.model = EndlessModel(list(script), several_steps=True)
        self.model.endless, self.model.streaming = endless, asyncio.Event()
        self.switched: list[str] = []
        self.switching, self.go = asyncio.Event(), asyncio.Event()
        manager = ToolManager()
        manager.add(StructuredTool.from_function(coroutine=self.lamp, name="lamp", description="Switches."))
        self.executor = ToolExecutor(manager, max_parallel=max_parallel)
        may = PermissionSettings(permit={"lamp": "always"})
        brain = BrainSettings(autonomy="act")
        local = UnderstandingStage(self.executor, brain)
        self.conversation = Conversation([self], self.executor, brain, may, context=local)
        self.interruption = Interruption()
        self.histories: list[list[str]] = []

    async def lamp(self, name: str) -> str:
        self.switching.set()
        await self.go.wait()
        self.switched.append(name)
        return f"The {name} lamp is on."

    async def answer(self, turn) -> Reply:
        self.histories.append([message.type for message in turn.history.messages])
        return await run_loop(self.model, turn, self.executor, user_text=turn.utterance.text)

    async def hears(self, text: str) -> Reply:
        return await self.conversation.answer(
            Utterance(text, "voice"), say=lambda _text: None, interruption=self.interruption
        )

    async def interrupted_at(self, moment: str) -> "asyncio.Task[Reply]":
        turn = asyncio.ensure_future(self.hears("tell me a story"))
        async with asyncio.timeout(LIMIT):
            await getattr(self.model if moment == "streaming" else self, moment).wait()
        self.interruption.now()
        return turn


async def test_an_interrupted_text_ends_and_is_remembered():
    house = House(STORY, "Fine.")

    reply = await asyncio.wait_for(await house.interrupted_at("streaming"), LIMIT)

    assert reply.text == "Once upon a time. There was a lamp."
    assert (reply.ok, reply.stage, reply.outcomes) == (True, "ollama", ())
    house.model.endless, house.interruption = 9, Interruption()
    assert (await house.hears("thanks")).text == "Fine."
    assert house.histories == [[], ["human", "ai"]]


async def test_running_and_queued_calls_are_completed_and_kept():
    calls = Calls(*(("lamp", {"name": name}) for name in ("red", "green")), text="One moment. ")
    house = House(calls, "They are", "Fine.", endless=2, max_parallel=1)

    turn = await house.interrupted_at("switching")
    await asyncio.sleep(0)
    assert not turn.done()
    house.go.set()
    reply = await asyncio.wait_for(turn, LIMIT)

    assert house.switched == ["red", "green"]
    assert [outcome.text for outcome in reply.outcomes] == ["The red lamp is on.", "The green lamp is on."]
    assert reply.text.startswith("One moment. The red lamp is on.")
    house.model.endless, house.interruption = 9, Interruption()
    await house.hears("thanks")
    assert house.histories[-1] == ["human", "ai", "tool", "tool", "ai"]


async def test_a_wake_word_does_not_wait_for_a_streaming_model():
    house = House(STORY, "You are welcome.")
    async with room(answer=house.conversation.answer) as here:
        here.speaker.slow = True
        await here.microphone.command("tell me a story")
        assert await here.speaker.plays() == "Once upon a time."
        here.speaker.slow = False
        house.model.endless = 9  # the story still streams, and never ends
        await here.microphone.wake(0.1)
        await here.microphone.speak("thank you")
        await here.settled()

        assert here.speaker.played[-1] == "You are welcome."
        assert [turn.spoken_over for turn in here.turns] == [True, False]
        assert here.turns[0].reply.text == "Once upon a time. There was a lamp."
