"""The check within a turn: nothing claims what has no receipt, while it streams and at the end."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from tests.fakes.model import Calls, FakeModel

from voice_gateway.brain.history import History
from voice_gateway.brain.llm.loop import run_loop
from voice_gateway.brain.render_outcomes import NOT_DONE, NOT_LOOKED
from voice_gateway.brain.stage import Turn
from voice_gateway.errors import ToolError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, ToolTraits, Utterance


class House:
    """A lamp that obeys, a heater that does not answer, a blind that takes its time, and a look at them."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.tools = ToolManager()
        self.tools.add(self._control())
        self.tools.add(self._look())
        self.executor = ToolExecutor(self.tools, timeout_seconds=5)
        self.said: list[str] = []
        self.history = History()

    def _control(self) -> BaseTool:
        async def control_device(device: str, action: str) -> tuple[str, dict[str, Any]]:
            self.ran.append(f"{device} {action}")
            facts = {"device": device, "state": action, "outcome": "confirmed"}
            if device == "heater":
                failed = {"device": device, "state": None, "outcome": "unreachable"}
                raise ToolError("The heater does not answer.", structured=failed)
            if device == "blind":
                return "The blind is closing.", {
                    "structured": {**facts, "state": "closing", "outcome": "working"}
                }
            return f"The {device} is now {action}.", {"structured": facts}

        return StructuredTool.from_function(
            coroutine=control_device,
            description="REQUIRED to switch a device.",
            response_format="content_and_artifact",
        )

    def _look(self) -> BaseTool:
        async def get_device(device: str) -> tuple[str, dict[str, Any]]:
            facts = {"device": device, "state": "off", "outcome": "confirmed"}
            return f"The {device} is off.", {"structured": facts}

        return StructuredTool.from_function(
            coroutine=get_device,
            description="REQUIRED to know the state of a device.",
            response_format="content_and_artifact",
            metadata={"traits": ToolTraits(read_only=True)},
        )

    async def ask(self, text: str, *script: Any) -> Reply:
        self.model = FakeModel(list(script), tools=self.tools.all())
        turn = Turn(Utterance(text), history=self.history, say=self.said.append)
        reply = await run_loop(self.model, turn, self.executor, user_text=text)
        assert "".join(self.said).strip() == reply.text
        return reply


@pytest.fixture
def house() -> House:
    return House()


def on(device: str) -> tuple[str, dict[str, str]]:
    return "control_device", {"device": device, "action": "on"}


async def test_a_claim_before_its_call_is_not_said(house: House) -> None:
    claims = "I've turned on the lamp. It is on now. "
    reply = await house.ask("turn on the lamp", Calls(on("lamp"), text=claims), "The lamp is on.")

    assert house.said == ["The lamp is on."]
    assert reply.ok


async def test_what_comes_before_the_claim_is_said_at_once_and_the_truth_follows(house: House) -> None:
    reply = await house.ask("turn on the lamp", "Of course, with pleasure! I've turned on the lamp. Enjoy. ")

    assert house.said[0] == "Of course, with pleasure! "
    assert "turned" not in reply.text


async def test_the_model_gets_one_chance_and_uses_it(house: House) -> None:
    reply = await house.ask("turn on the lamp", "Done!", Calls(on("lamp")), "Done, the lamp is on.")

    assert house.ran == ["lamp on"]
    assert reply.text == "Done, the lamp is on."
    assert reply.ok
    assert "call the tool" in house.model.asked[1][-1].text


async def test_then_the_gateway_says_it_itself(house: House) -> None:
    reply = await house.ask("turn on the lamp", "Done!", "I've turned it on.", "never asked")

    assert reply.text == NOT_DONE
    assert not reply.ok
    assert len(house.model.asked) == 2
    assert not any("turned it on" in message.text for message in house.history.messages)


async def test_a_look_is_no_receipt(house: House) -> None:
    looked = Calls(("get_device", {"device": "lamp"}))
    reply = await house.ask("turn on the lamp", looked, "The lamp has been turned on.", "It is on now.")

    assert reply.text == f"{NOT_DONE} The lamp is off."


async def test_a_state_is_looked_at_and_not_remembered(house: House) -> None:
    await house.ask("turn on the lamp", Calls(on("lamp")), "The lamp is on.")
    house.said.clear()
    looked = Calls(("get_device", {"device": "lamp"}))

    reply = await house.ask("is the lamp on?", "Yes, the lamp is on.", looked, "No, the lamp is off.")
    assert reply.text == "No, the lamp is off."
    assert "Call the tool" in house.model.asked[1][-1].text

    house.said.clear()
    reply = await house.ask("is the lamp on?", "Yes, the lamp is on.", "Yes, it is on now.")
    assert reply.text == NOT_LOOKED


async def test_a_failure_that_the_model_hides_is_told(house: House) -> None:
    both = Calls(on("lamp"), on("heater"))

    reply = await house.ask("turn on the lamp and the heater", both, "The lamp is on.")
    assert reply.text == "The lamp is on. That did not work: The heater does not answer."
    assert not reply.ok
    assert len(house.model.asked) == 2

    house.said.clear()
    reply = await house.ask("turn on the lamp and the heater", both, "Both are on.", "All done!")
    assert reply.text == "The lamp is now on. That did not work: The heater does not answer."


async def test_what_is_on_its_way_is_not_said_to_be_there(house: House) -> None:
    close = Calls(("control_device", {"device": "blind", "action": "close"}))

    reply = await house.ask("close the blind", close, "The blind is closed.", "I have closed the blind.")
    assert reply.text == "The blind is closing."

    house.said.clear()
    reply = await house.ask("close the blind", close, "The blind is closing now.")
    assert reply.text == "The blind is closing now."


async def test_words_about_something_else_are_replaced_at_once(house: House) -> None:
    reply = await house.ask("turn on the lamp", Calls(on("lamp")), "Hello! How can I help you today?")

    assert reply.text == "The lamp is now on."
    assert reply.ok
    assert len(house.model.asked) == 2


async def test_small_talk_streams_untouched(house: House) -> None:
    text = "Hello! I can turn on lamps. Would you like me to turn on the lamp? Just say so."
    reply = await house.ask("hi", text)

    assert reply.text == text
    assert len(house.said) == 4
    assert len(house.model.asked) == 1
