"""One turn with a model that behaves well, badly, or not at all."""

import logging
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from tests.fakes.model import Calls, FakeModel

from voice_gateway.errors import BrainError
from voice_gateway.languages import say
from voice_gateway.llm.loop import run_loop
from voice_gateway.llm.model import UnreadableCall
from voice_gateway.llm.prompt import SYSTEM_PROMPT
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.permission.gate import WAITING
from voice_gateway.turn import Part, Reply, ToolTraits, Utterance
from voice_gateway.turns.history import History
from voice_gateway.turns.stage import HomeFacts, Turn

TALK = HomeFacts(talk=True)
GARBAGE = '{"name": "function_name", "arguments": {"parameter": "value"}}'


class House:
    """Three tools that count how often they ran."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, Any]] = []
        self.tools = ToolManager()
        for tool in (self._lamp(), self._clock(), self._broken()):
            self.tools.add(tool)
        self.executor = ToolExecutor(self.tools, timeout_seconds=5)
        self.said: list[str] = []
        self.history = History()

    def _lamp(self) -> BaseTool:
        async def lamp(device_name: str, level: int = 100) -> str:
            self.ran.append((device_name, level))
            return f"The {device_name} is at {level}."

        return StructuredTool.from_function(coroutine=lamp, description="REQUIRED to dim lamps.")

    def _clock(self) -> BaseTool:
        async def clock() -> str:
            self.ran.append(("clock", None))
            return "It is ten."

        return StructuredTool.from_function(
            coroutine=clock, description="Tells the time.", metadata={"traits": ToolTraits(read_only=True)}
        )

    def _broken(self) -> BaseTool:
        async def broken() -> str:
            self.ran.append(("broken", None))
            raise ToolException("the fuse is blown")

        return StructuredTool.from_function(coroutine=broken, description="Always fails.")

    async def ask(
        self, *script: Any, text: str = "do it", model: FakeModel | None = None, **options: Any
    ) -> Reply:
        self.model = model or FakeModel(list(script), tools=self.tools.all())
        gate = options.pop("gate", None)
        home = options.pop("home", HomeFacts())
        turn = Turn(
            Utterance(text),
            history=self.history,
            say=lambda part: self.said.append(part.text),
            gate=gate,
            home=home,
        )
        return await run_loop(self.model, turn, self.executor, user_text=text, **options)


@pytest.fixture
def house() -> House:
    return House()


LAMP = ("lamp", {"device_name": "floor lamp", "level": 30})


async def test_a_plain_answer_is_streamed_and_is_the_reply(house: House) -> None:
    reply = await house.ask("Hello. How are you?", text="hi", home=TALK)

    assert house.said[0] == "Hello. "
    assert "".join(house.said) == reply.text == "Hello. How are you?"
    assert (reply.ok, reply.stage, reply.model, reply.outcomes) == (True, "fake", "scripted", ())
    assert reply.expects_answer
    assert [m.text for m in house.history.messages] == ["hi", "Hello. How are you?"]


async def test_an_ordinary_action_costs_one_round_and_its_outcome_closes_the_turn(house: House) -> None:
    reply = await house.ask(Calls(LAMP, text="I have dimmed it already."), "never asked")

    assert len(house.model.asked) == 1
    assert house.said == ["The floor lamp is at 30."]
    assert (reply.text, reply.ok) == ("The floor lamp is at 30.", True)
    assert [(m.type, m.text) for m in house.history.messages[-2:]] == [
        ("tool", "The floor lamp is at 30."),
        ("ai", "The floor lamp is at 30."),
    ]


async def test_what_became_of_a_call_is_said_before_the_model_is_asked_again(house: House) -> None:
    model = FakeModel([Calls(LAMP), "Shall I dim it more?"], tools=house.tools.all(), several_steps=True)
    heard_before: list[list[str]] = []
    reply_of = model.reply

    async def reply(messages: Any, on_text: Any) -> Any:
        heard_before.append(list(house.said))
        return await reply_of(messages, on_text)

    model.reply = reply  # type: ignore[method-assign]
    answer = await house.ask(model=model)

    assert heard_before == [[], ["The floor lamp is at 30."]]
    assert answer.text == "The floor lamp is at 30."


async def test_a_call_that_failed_is_told_and_the_model_is_asked_again(house: House) -> None:
    reply = await house.ask(Calls(("broken", {})), Calls(LAMP), "never asked", text="dim the floor lamp")

    assert len(house.model.asked) == 2
    assert reply.text == "That didn't work: the fuse is blown. The floor lamp is at 30."
    assert not reply.ok


async def test_a_slip_of_the_model_that_it_makes_good_is_not_told(house: House) -> None:
    wrong = ("lamp", {"level": 30})
    reply = await house.ask(Calls(wrong), Calls(LAMP), text="dim the floor lamp")

    assert reply.text == "The floor lamp is at 30."
    assert house.ran == [("floor lamp", 30)]


async def test_a_round_that_only_looked_is_asked_again(house: House) -> None:
    reply = await house.ask(Calls(("clock", {})), "It is ten.", text="what time is it")

    assert len(house.model.asked) == 2
    assert reply.text == "It is ten."
    assert [part.source for part in reply.parts] == ["model"]


async def test_garbage_after_an_action_changes_nothing(house: House) -> None:
    model = FakeModel([Calls(LAMP), GARBAGE, "never asked"], tools=house.tools.all(), several_steps=True)
    reply = await house.ask(model=model)

    assert reply.text == "The floor lamp is at 30."
    assert "".join(house.said) == reply.text
    assert reply.ok
    assert len(model.asked) == 2
    assert not any(GARBAGE in m.text for m in house.history.messages)


@pytest.mark.parametrize(
    "garbage", [GARBAGE, "", "<tools></tools>", SYSTEM_PROMPT, "[Monday 15 November 2026] do it"]
)
async def test_what_is_not_an_answer_is_asked_for_once_more(house: House, garbage: str) -> None:
    reply = await house.ask(garbage, "Hello there.", text="hello")
    assert reply.text == "Hello there."
    assert "".join(house.said) == reply.text
    assert len(house.model.asked) == 2

    reply = await house.ask(garbage, garbage, "never asked", text="hello")
    assert reply.text == say("not_understood")
    assert not reply.ok
    assert len(house.model.asked) == 2


async def test_a_call_in_the_text_runs_is_logged_and_is_never_said(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    text = '```json\n{"name": "lamp", "arguments": {"device_name": "floor lamp", "level": 30}}\n```'
    with caplog.at_level(logging.INFO):
        reply = await house.ask(text)

    assert house.ran == [("floor lamp", 30)]
    assert house.said == ["The floor lamp is at 30."]
    assert reply.text == "The floor lamp is at 30."
    assert any(record.getMessage() == "call in the text taken as a call" for record in caplog.records)
    assert [m.text for m in house.history.messages][1] == ""


async def test_a_repeated_action_runs_once_however_it_is_spelled(house: House) -> None:
    again = ("lamp", {"deviceName": "Floor Lamp ", "level": "30"})
    script: list[Any] = [Calls(LAMP, LAMP), Calls(again), Calls(("clock", {}), ("clock", {})), "Fine."]
    reply = await house.ask(model=FakeModel(script, tools=house.tools.all(), several_steps=True))

    assert house.ran.count(("floor lamp", 30)) == 1
    assert house.ran.count(("clock", None)) == 2  # reading again is harmless, and may be wanted
    assert [outcome.name for outcome in reply.outcomes] == ["lamp", "clock", "clock"]
    repeated = house.model.asked[1][-1].text
    assert "Not run again" in repeated
    assert "The floor lamp is at 30." in repeated
    assert "Not run again" in house.model.asked[2][-1].text


async def test_another_turn_may_repeat_an_action(house: House) -> None:
    await house.ask(Calls(LAMP), "Done.")
    await house.ask(Calls(LAMP), "Done again.")

    assert house.ran == [("floor lamp", 30)] * 2


async def test_a_model_that_never_ends_is_stopped_and_the_truth_is_told(house: House) -> None:
    script: list[Any] = [Calls(("lamp", {"device_name": "lamp", "level": n})) for n in range(9)]
    model = FakeModel(script, tools=house.tools.all(), several_steps=True)
    reply = await house.ask(model=model, max_rounds=3)

    assert len(house.model.asked) == 3
    assert reply.text.startswith("The lamp is at 0. The lamp is at 1. The lamp is at 2.")
    assert "too many steps" in reply.text
    assert house.history.paired() == house.history.messages


async def test_an_unreadable_call_is_asked_for_once_more(house: House) -> None:
    reply = await house.ask(UnreadableCall("string arguments"), Calls(LAMP))
    assert reply.text == "The floor lamp is at 30."
    assert "JSON object" in house.model.asked[1][-1].text

    with pytest.raises(BrainError):
        await house.ask(UnreadableCall("string arguments"), UnreadableCall("again"))


async def test_a_fault_of_our_own_is_not_blamed_on_the_model(house: House) -> None:
    def broken(_part: Part) -> None:
        raise ZeroDivisionError

    turn = Turn(Utterance("hello"), history=house.history, say=broken, home=TALK)
    with pytest.raises(ZeroDivisionError):
        await run_loop(FakeModel(["Hello."]), turn, house.executor, user_text="hello")

    assert house.history.messages == []


async def test_a_model_that_fails_at_once_leaves_no_trace(house: House) -> None:
    with pytest.raises(BrainError, match="gone"):
        await house.ask(BrainError("gone"))

    assert house.history.messages == []


async def test_a_model_that_fails_after_an_action_does_not_hide_it(house: House) -> None:
    script: list[Any] = [Calls(LAMP), BrainError("gone")]
    reply = await house.ask(model=FakeModel(script, tools=house.tools.all(), several_steps=True))

    assert reply.text == "The floor lamp is at 30."
    assert reply.ok
    assert house.history.paired() == house.history.messages


async def test_a_model_that_fails_after_only_looking_is_an_error_and_the_history_is_valid(
    house: House,
) -> None:
    with pytest.raises(BrainError):
        await house.ask(Calls(("clock", {})), BrainError("gone"))

    assert [m.type for m in house.history.messages] == ["human", "ai", "tool"]


async def test_a_call_that_waits_for_the_users_yes_ends_the_turn(house: House) -> None:
    reply = await house.ask(Calls(LAMP), "I have done it!", gate=lambda call, traits: WAITING)

    assert house.ran == []
    assert house.said == []
    assert len(house.model.asked) == 1
    assert reply.text == ""
    assert not reply.ok


async def test_older_turns_are_forgotten_when_the_conversation_is_too_long(house: House) -> None:
    for number in range(12):
        await house.ask("Answer. " * 20, text=f"question {number}", history_budget=300)

    assert len(house.model.asked[0]) < 12
    assert house.model.asked[0][-1].text == "question 11"
    assert house.model.asked[0][0].type == "human"
