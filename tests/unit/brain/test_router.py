"""The embedding router looks things up when a question is clear, never acts, and hands on the rest."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from voice_gateway.brain.client import Turn
from voice_gateway.brain.router import LEAST, NOTHING, Router, read_exemplars
from voice_gateway.brain.router_minilm import MiniLM, installed
from voice_gateway.brain.router_wordpiece import encode, vocabulary
from voice_gateway.config import BrainSettings
from voice_gateway.errors import BrainError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Passed, Reply, ToolCall, ToolTraits, Utterance


class WordsInCommon:
    """Sentences are near when they share words: enough to prove what the router makes of nearness."""

    def __init__(self) -> None:
        self.place: dict[str, int] = {}
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += len(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        words = set(text.lower().replace("?", "").replace("'", "").split())
        vector = [0.0] * 600
        for word in words:
            vector[self.place.setdefault(word, len(self.place)) % 600] = 1 / len(words) ** 0.5
        return vector


class Broken:
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise BrainError("no model")


class House:
    def __init__(self, embedder: Any = None) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []
        self.tools = ToolManager()
        self.embedder = embedder or WordsInCommon()
        self.add("get_current_datetime", "Tells the time.", read_only=True)
        self.add("search_web", "Searches the web.", read_only=True, query=str)
        self.add("control_speaker_volume", "Loudness.", read_only=False, action=str)
        self.router = Router(ToolExecutor(self.tools), BrainSettings(), self.embedder)

    def add(self, name: str, description: str, *, read_only: bool, **parameters: type) -> None:
        async def run(**args: Any) -> str:
            self.ran.append((name, args))
            return f"The answer of {name}."

        types = {str: "string", int: "integer"}
        schema = {
            "type": "object",
            "properties": {key: {"type": types[kind]} for key, kind in parameters.items()},
            "required": list(parameters),
        }
        tool: BaseTool = StructuredTool(
            name=name,
            description=description,
            args_schema=schema,
            coroutine=run,
            metadata={"traits": ToolTraits(read_only=read_only)},
        )
        self.tools.add(tool)

    async def ask(self, text: str, **options: Any) -> Reply | Passed:
        self.said: list[str] = []
        self.turn = Turn(Utterance(text), say=self.said.append, **options)
        return await self.router.answer(self.turn)


async def test_a_clear_question_is_answered_by_the_tool_in_its_own_words() -> None:
    house = House()
    reply = await house.ask("what time is it")

    assert isinstance(reply, Reply)
    assert (reply.text, reply.stage, reply.ok) == ("The answer of get_current_datetime.", "router", True)
    assert house.ran == [("get_current_datetime", {})]
    assert house.said == [reply.text]
    assert [message.type for message in house.turn.history.messages] == ["human", "ai", "tool", "ai"]
    assert house.turn.history.paired() == house.turn.history.messages


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("turn it up", "not a question"),
        ("could you be louder", "control_speaker_volume"),
        ("is the lamp on", "more than a look"),
        ("who won the world cup final", "search_web"),
        ("are all devices working", "not connected"),
        ("tell me a joke", "no tool means that"),
        ("what quixotic zephyrs jinx vexed gnomes", "no tool"),
        ("how " * 40, "not a question"),
        ("", "not a question"),
    ],
)
async def test_everything_else_goes_on_and_leaves_no_trace(text: str, reason: str) -> None:
    house = House()
    passed = await house.ask(text)

    assert isinstance(passed, Passed)
    assert reason in passed.reason
    assert passed.stage == "router"
    assert not passed.forbid_side_effects
    assert house.ran == house.said == house.turn.history.messages == []


async def test_where_nothing_may_be_changed_it_may_still_look() -> None:
    house = House()
    guarded = (Passed("local", "a question", forbid_side_effects=True),)

    assert isinstance(await house.ask("how loud are you", passed=guarded), Reply)
    assert house.ran == [("control_speaker_volume", {"action": "get"})]


async def test_the_gate_is_asked() -> None:
    house = House()
    asked: list[ToolCall] = []

    def gate(call: ToolCall, traits: ToolTraits) -> str | None:
        asked.append(call)
        return "not now"

    reply = await house.ask("what time is it", gate=gate)
    assert isinstance(reply, Reply)
    assert (reply.ok, reply.text, house.ran) == (False, "That did not work: not now.", [])
    assert [call.name for call in asked] == ["get_current_datetime"]


async def test_a_servers_own_look_is_found_by_its_description_as_soon_as_it_is_there() -> None:
    house = House()
    question = "what is the pollen forecast"
    assert isinstance(await house.ask(question), Passed)

    house.add("pollen_forecast", "Gets what is the pollen forecast", read_only=True)
    assert isinstance(await house.ask(question), Reply)
    house.add("burn_pollen", "Burns what is the pollen forecast", read_only=False)
    assert isinstance(await house.ask(question), Reply)
    assert house.ran == [("pollen_forecast", {}), ("pollen_forecast", {})]


async def test_another_language_goes_on() -> None:
    house = House()
    house.router = Router(ToolExecutor(house.tools), BrainSettings(language="de"), house.embedder)

    assert await house.ask("what time is it") == Passed("router", "only English is understood here")


async def test_exemplars_are_embedded_once() -> None:
    house = House()
    await house.router.warm_up()
    before = house.embedder.embedded
    await house.ask("what time is it")

    assert house.embedder.embedded == before + 1


async def test_a_model_that_cannot_be_loaded_is_said_once_and_passes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    house = House(Broken())
    with caplog.at_level(logging.WARNING):
        assert isinstance(await house.ask("what time is it"), Passed)
        assert isinstance(await house.ask("what time is it"), Passed)

    assert [record.getMessage() for record in caplog.records] == ["embedding router is not usable"]


def test_without_the_extra_there_is_no_router_and_a_debug_line_says_so(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voice_gateway.brain.router_minilm.find_spec", lambda name: None)
    with caplog.at_level(logging.DEBUG):
        assert not Router.available()
    assert caplog.records[-1].getMessage() == "embedding router is not installed"


def test_the_exemplars_are_well_formed() -> None:
    exemplars = read_exemplars()
    sentences = [sentence for sentence, _ in exemplars]

    assert len(set(sentences)) == len(sentences) > 100
    assert any(meaning == NOTHING for _, meaning in exemplars)
    for _, meaning in exemplars:
        assert set(meaning.args) <= {"action"}
        assert meaning.args.get("action", "get") == "get"


def test_words_become_the_pieces_that_the_model_knows() -> None:
    names = {number: word for word, number in vocabulary().items()}

    assert [names[n] for n in encode("Unlock the Café!")] == ["[CLS]", "unlock", "the", "cafe", "!", "[SEP]"]
    assert [names[n] for n in encode("thermostat")] == ["[CLS]", "the", "##rm", "##osta", "##t", "[SEP]"]
    assert [names[n] for n in encode("x" * 150 + " \U0001f600")] == ["[CLS]", "[UNK]", "[UNK]", "[SEP]"]
    assert len(encode("word " * 1000)) == 128
    assert encode("") == encode("\x00 \ufffd") == [101, 102]


@pytest.mark.skipif(not installed(), reason="needs the optional extra `router`")
class TestWithTheRealModel:
    async def test_questions_that_no_sentence_lists(self) -> None:
        house = House(MiniLM())
        right = {
            "do you happen to know what time it is": "get_current_datetime",
            "which weekday do we have today": "get_current_datetime",
            "what is the current volume level": "control_speaker_volume",
        }
        for text, tool in right.items():
            assert isinstance(await house.ask(text), Reply), text
            assert house.ran[-1][0] == tool

    async def test_small_talk_and_wishes_go_on(self) -> None:
        house = House(MiniLM())
        for text in [
            "how do you feel today",
            "what is love",
            "can you turn the music off",
            "would you open the window please",
            "do you like jazz",
            "why are cats so funny",
            "is there a god",
            "who won the world cup in 2022",
        ]:
            assert isinstance(await house.ask(text), Passed), text
        assert house.ran == []

    def test_vectors_have_length_one_and_alike_is_near(self) -> None:
        one, two, other = MiniLM().embed(["what time is it", "tell me the time", "my dog is sick"])

        assert sum(x * x for x in one) == pytest.approx(1, abs=1e-3)
        near = sum(a * b for a, b in zip(one, two, strict=True))
        far = sum(a * b for a, b in zip(one, other, strict=True))
        assert near > 0.6 > LEAST > far
        assert MiniLM().embed([]) == []
