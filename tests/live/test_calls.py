"""A model served by a real Ollama names and calls our tools, through our client and executor (FMT-7)."""

import pytest
from langchain_core.messages import HumanMessage
from tests.live.asking import NOON, MakeClient, ask
from tests.live.house import CLOCK, CONTROL, DEVICES, House

from voice_gateway.config import OllamaSettings
from voice_gateway.errors import BrainError
from voice_gateway.llm.ollama.chat import OllamaChat
from voice_gateway.llm.ollama.qwen_format import to_qwen_tools
from voice_gateway.llm.prompt import stamped
from voice_gateway.turn import Utterance
from voice_gateway.turns.history import History

# The first question loads 1.1 GB and reads the prompt.
pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]


@pytest.mark.scenario("FMT-7")
async def test_the_model_switches_the_devices_it_is_asked_for(
    tool_model: str, house: House, make_client: MakeClient
) -> None:
    client = make_client(tool_model, house.executor)
    asked = {
        "turn on the kitchen light": ("kitchen light", "on"),
        "switch the heater off please": ("heater", "off"),
        "turn off the floor lamp": ("floor lamp", "off"),
        "turn on the bedroom lamp": ("bedroom lamp", "on"),
    }

    right = 0
    for words, wanted in asked.items():
        house.calls.clear()
        reply = await ask(client, words)
        right += house.devices_of_calls() == [wanted]
        # Whatever the model did, the reply is words, and it tells of exactly the calls that ran.
        assert reply.text
        assert not set("{}<>") & set(reply.text)
        assert len([outcome for outcome in reply.outcomes if outcome.ok]) == len(house.calls)

    # A model of this size errs now and then, and differently on another processor; it must not err mostly.
    assert right >= 3


@pytest.mark.scenario("FMT-8")
async def test_an_outcome_comes_back_and_is_told(
    tool_model: str, house: House, make_client: MakeClient
) -> None:
    client = make_client(tool_model, house.executor)

    for words in ("turn on the kitchen light", "switch the kitchen light on please"):
        history = History()
        reply = await ask(client, words, history=history)
        if reply.outcomes:  # a model of this size needs a second wording now and then
            break

    assert [(outcome.name, outcome.ok) for outcome in reply.outcomes] == [(CONTROL, True)]
    assert (reply.stage, reply.model) == ("ollama", tool_model)
    assert "kitchen light" in reply.text.casefold()
    assert [message.type for message in history.messages] == ["human", "ai", "tool", "ai"]


@pytest.mark.scenario("FMT-7")
async def test_a_tool_without_parameters_is_called(
    tool_model: str, house: House, make_client: MakeClient
) -> None:
    client = make_client(tool_model, house.executor)

    for words in ("which devices are in the house?", "list my devices"):
        reply = await ask(client, words)
        if house.calls:
            break

    assert (DEVICES, {}) in house.calls
    assert "heater" in reply.text.casefold()


@pytest.mark.scenario("FMT-7")
async def test_the_model_can_name_all_the_tools(tool_model: str, house: House, base_url: str) -> None:
    """In its own words, as they come from the server: what of them may be spoken is another question."""
    settings = OllamaSettings(
        base_url=base_url, model=tool_model, num_ctx=2048, num_predict=160, timeout_seconds=240
    )
    chat, said = OllamaChat(settings), ""
    for words in (
        "which functions can you call? say their names",
        "say the names of all your tools",
        "what is the name of the function that switches a device?",
    ):
        question = HumanMessage(content=stamped(Utterance(words), NOON))
        message = await chat.send([question], to_qwen_tools(house.tools.all()), lambda _: None)
        said += str(message.text) + " ".join(call["name"] for call in message.tool_calls)
    await chat.aclose()

    assert {name for name in (CONTROL, DEVICES, CLOCK) if name in said} == {CONTROL, DEVICES, CLOCK}


async def test_half_a_call_is_never_run(tool_model: str, make_client: MakeClient, house: House) -> None:
    client = make_client(tool_model, house.executor, num_predict=5)

    with pytest.raises(BrainError, match="num_predict"):
        await ask(client, "turn on the kitchen light")

    assert house.calls == []
