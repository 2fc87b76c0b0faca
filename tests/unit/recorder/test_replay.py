"""A recorded turn is run again without the home: its tools answer with what was recorded."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool
from tests.fakes.home_talk import HomeTalk
from tests.fakes.ollama_server import FakeOllama, Scripted
from tests.fakes.recording import HOME, recording

from voice_gateway.cli.replay import NOT_RECORDED, Replay, differences, result_of
from voice_gateway.config import BrainSettings, OllamaSettings, Settings
from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.recorder.record import Surroundings
from voice_gateway.recorder.story import can_replay
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import Permission, ToolTraits


class Recorded(HomeTalk):
    def __init__(self, tmp_path, *more: BaseTool) -> None:
        super().__init__(HOME, more=more)
        self.recorder = recording(tmp_path, self.conversation.events)
        self.recorder._around = self._seen

    def _seen(self) -> Surroundings:
        tools = self.executor.tools
        return Surroundings(tools.version, tools.all(), self.brain.cache._all.looked())

    async def turns(self) -> list[dict[str, Any]]:
        """Oldest first."""
        listed = await self.recorder.read(lambda store: store.turns())
        return [self.recorder.store.find(one["id"])[0] for one in reversed(listed)]

    async def again(self, settings: Settings | None = None, **changed: Any) -> list[str]:
        *before, turn = await self.turns()
        store = self.recorder.store
        replay = Replay(settings or Settings(), store.shared(turn["tools"]), store.shared(turn["home"]) or [])
        return differences(result_of(turn["events"]), await replay.run({**turn, **changed}, before))


@pytest.fixture
async def talk(tmp_path):
    talk = Recorded(tmp_path)
    yield talk
    await talk.recorder.close()


@pytest.mark.parametrize(
    "said",
    [
        ["turn on the floor lamp", "turn it off"],
        ["unlock the front door", "yes"],
        ["is the floor lamp on"],
        ["open the pod bay doors"],
    ],
)
async def test_what_nobody_changed_comes_to_the_same_and_touches_nothing(talk, said):
    await talk.hears(*said)
    before, loud = await talk.states(), talk.volume.gain()

    assert await talk.again() == []

    assert await talk.states() == before
    assert talk.volume.gain() == loud


@tool
def feel_soil(room: str, days: int = 1) -> str:
    """How wet the soil of the plants in a room was."""
    FELT.append(room)
    return f"The soil in the {room} was dry for {days} days."


FELT: list[str] = []


@pytest.fixture
async def model_talk(tmp_path):
    """A tool of the user's own, and a model behind the understanding that makes calls of it."""
    own = with_traits(
        feel_soil, ToolTraits(source="mine", original_name=feel_soil.name, read_only=True, origin="a file")
    )
    talk = Recorded(tmp_path, own)
    FELT.clear()
    yield talk
    await talk.recorder.close()


async def test_a_turn_of_a_model_is_asked_for_real_and_only_its_tools_are_played(model_talk):
    call = ("feel_soil", {"room": "kitchen", "days": 3})
    async with FakeOllama() as server:
        once = (Scripted(calls=[call]), Scripted("The soil in the kitchen was dry for 3 days."))
        server.script(*once, *once)
        settings = Settings(
            brain=BrainSettings(provider="ollama"), ollama=OllamaSettings(base_url=server.url, warm_up=False)
        )
        client = OllamaClient(settings.ollama, settings.brain, model_talk.executor)
        model_talk.conversation._stages._stages = (model_talk.brain, client)
        await model_talk.hears("do my flowers look thirsty to you")
        await client.aclose()
        asked = len(server.chats)
        assert (FELT, asked) == (["kitchen"], 2)

        assert await model_talk.again(settings) == []

        assert len(server.chats) == 2 * asked
        assert FELT == ["kitchen"]
        server.script(Scripted(calls=[("feel_soil", {"room": "attic"})]), "Done.")
        told = await model_talk.again(settings)
    assert any("attic" in one for one in told)
    assert FELT == ["kitchen"]


async def test_a_call_that_was_not_recorded_fails_and_is_a_difference(talk):
    await talk.hears("turn on the floor lamp")
    before = await talk.states()

    told = await talk.again(text="turn off the floor lamp")

    assert any(NOT_RECORDED in one.lower() for one in told)
    assert any(one.startswith("calls: ") for one in told)
    assert await talk.states() == before


def events(order: str, reply: str) -> list[dict[str, Any]]:
    """ "aA": a call is judged, and made."""
    told = [
        {"type": "acted", "tool": one.lower(), "args": {}, "call_id": one.lower()}
        if one.isupper()
        else {"type": "judged", "call_id": one, "decision": "allowed"}
        for one in order
    ]
    return [*told, {"type": "answered", "stage": "local", "text": reply, "ok": True}]


def test_calls_that_are_made_together_end_in_any_order():
    together, otherwise = events("abAB", "A is on. B is off."), events("abBA", "B is off. A is on.")
    assert differences(result_of(together), result_of(otherwise)) == []
    many, later = events("abcAdBCD", "A. B. C. D."), events("abcCdDAB", "C. D. A. B.")
    assert differences(result_of(many), result_of(later)) == [], "three at once"

    once = result_of(events("aA", "A is on."))
    lines = differences(result_of(together), once)
    assert [line.partition(":")[0] for line in lines] == ["calls", "reply"]
    assert differences(once, {**once, "ok": False}) == ["ok: True → False"]


async def test_what_cannot_be_said_again_is_left_out(talk):
    await talk.hears("turn on the floor lamp")
    [turn] = await talk.turns()

    assert can_replay(turn)
    assert not can_replay({**turn, "text": "the code is ***"})
    assert not can_replay(turn, [{**turn, "text": "***"}])
    unheard = [event for event in turn["events"] if event["type"] != "heard"]
    assert not can_replay({**turn, "events": unheard})
    asked = {"type": "answered", "expects_answer": True}
    assert not can_replay(turn, [{**turn, "events": [asked]}])
    assert not can_replay({**turn, "tools": ""})
    planned = {"type": "judged", "tool": "make_routine", "decision": "ask"}
    sensitive = {**planned, "reason": Permission.SENSITIVE.value}
    assert not can_replay({**turn, "events": [*turn["events"], sensitive]})
    ordinary = {**planned, "reason": Permission.ORDINARY.value}
    assert can_replay({**turn, "events": [*turn["events"], ordinary]})
