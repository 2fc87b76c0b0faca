"""What a real server and real models do wrong, and what the gateway makes of it."""

import asyncio

import pytest
from tests.live.asking import STORY, MakeClient, ask, begins, no_tools
from tests.live.house import House
from tests.live.ollama_server import OllamaServer

from voice_gateway.errors import BrainError
from voice_gateway.turns.history import History

pytestmark = [pytest.mark.live, pytest.mark.timeout(120)]


@pytest.mark.parametrize("dies", ["runner", "server"])
async def test_what_dies_is_an_error_and_the_next_answer_comes(
    small_model: str, make_client: MakeClient, server: OllamaServer, dies: str
) -> None:
    client, speaking = make_client(small_model, no_tools(), num_predict=1900), asyncio.Event()

    answer = asyncio.create_task(ask(client, STORY, say=lambda _: speaking.set()))
    async with asyncio.timeout(60):
        await speaking.wait()
    (server.kill if dies == "server" else server.kill_runner)()

    with pytest.raises(BrainError) as in_mid_answer:
        await answer
    assert in_mid_answer.value.spoken == "My language model stopped in the middle of its answer."
    if dies == "server":
        with pytest.raises(BrainError, match="ollama serve") as while_down:
            await ask(client, "Say hello.")
        assert while_down.value.spoken == "My language model does not answer."
        assert not await client.warm_up()
        server.start()
    await begins(client, "Say hello.")


async def test_an_unknown_model_tells_how_to_get_it(make_client: MakeClient, house: House) -> None:
    client = make_client("no-such-model:1b", house.executor)

    with pytest.raises(BrainError, match="ollama pull no-such-model:1b") as caught:
        await ask(client, "turn on the kitchen light")

    assert caught.value.spoken == "My language model is not installed."


async def test_a_model_without_tools_is_named_as_such(
    small_model: str, make_client: MakeClient, house: House, server: OllamaServer
) -> None:
    client = make_client(small_model, house.executor)

    with pytest.raises(BrainError, match="does not support tools") as caught:
        await ask(client, "turn on the kitchen light")

    assert caught.value.spoken == "My language model cannot use tools."
    assert house.calls == []


async def test_a_prompt_that_ollama_cut_is_no_answer(small_model: str, make_client: MakeClient) -> None:
    client, history = make_client(small_model, no_tools(), num_ctx=512, num_predict=64), History()
    said: list[str] = []

    with pytest.raises(BrainError, match="num_ctx") as caught:
        await ask(client, "Say hello. " * 400, history=history, say=lambda part: said.append(part.text))

    assert caught.value.spoken == "That was too much for my language model."
    assert said == []
    assert not history.messages
