"""Words come while they are made, and a listener who leaves ends the work."""

import asyncio

import pytest
from tests.live.asking import STORY, MakeClient, ask, begins, no_tools
from tests.live.ollama_server import OllamaServer

from voice_gateway.turns.history import History

pytestmark = [pytest.mark.live, pytest.mark.timeout(120)]


async def test_sentences_arrive_one_by_one(small_model: str, make_client: MakeClient) -> None:
    client = make_client(small_model, no_tools(), num_predict=400)
    pieces: list[str] = []

    reply = await ask(
        client, "Describe the sea in four short sentences.", say=lambda part: pieces.append(part.text)
    )

    assert len(pieces) > 1
    assert "".join(pieces).strip() == reply.text


async def test_a_cancelled_answer_stops_the_generation(
    small_model: str, make_client: MakeClient, server: OllamaServer
) -> None:
    client = make_client(small_model, no_tools(), num_predict=1900)
    speaking, history = asyncio.Event(), History()

    answer = asyncio.create_task(ask(client, STORY, history=history, say=lambda _: speaking.set()))
    async with asyncio.timeout(60):
        await speaking.wait()
    answer.cancel()

    with pytest.raises(asyncio.CancelledError):
        await answer
    # The rest of it would take a minute of two cores.
    assert await asyncio.to_thread(server.work_until_silent, limit_seconds=60) < 3
    assert not history.messages  # nothing was done and nothing complete was said
    await begins(client, "Say hello.")
