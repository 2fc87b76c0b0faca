"""The prompt's prefix is read once: what warm-up reads, no later question needs to."""

from collections.abc import Callable

import pytest
from ollama import AsyncClient
from tests.live.asking import Counts, MakeClient, ask
from tests.live.house import House

from voice_gateway.integrations.device import Device
from voice_gateway.turns.history import History

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

# Measured: a thirtieth for another question, an eighth for a call with its result.
OTHER_QUESTION, CALL_AND_RESULT = 1 / 5, 1 / 3
NAMES_ONLY = 1 / 3  # of a prefix with three tools; of one with all default tools it is much less


async def unload(base_url: str, model: str) -> None:
    """Make the server forget the model, and with it all that it has read."""
    async with AsyncClient(base_url, trust_env=False) as client:
        await client.generate(model, keep_alive=0)


async def test_what_the_warm_up_has_read_is_not_read_again(
    tool_model: str,
    house: House,
    make_client: MakeClient,
    counts: Counts,
    reading: Callable[[], list[float]],
    base_url: str,
) -> None:
    await unload(base_url, tool_model)
    client = make_client(tool_model, house.executor)

    assert await client.warm_up()
    reply = await ask(client, "turn on the kitchen light", history=History())
    of_the_next_conversation = len(counts.requests)
    await ask(client, "turn off the heater", history=History())

    read = reading()
    assert len(read) == len(counts.requests)
    cold, first, with_result, other = *read[:3], read[of_the_next_conversation]
    assert reply.outcomes
    assert first < cold * OTHER_QUESTION
    assert with_result < cold * CALL_AND_RESULT
    assert other < cold * OTHER_QUESTION
    # The prompts were whole all the same: reading less must not mean sending less.
    sent = [request["prompt_eval_count"] for request in counts.requests]
    assert min(sent) == sent[0]
    # The same options in every request: the model stays loaded.
    loading = [request["load_duration"] for request in counts.requests]
    assert max(loading[1:]) < loading[0] / 2


async def test_a_renamed_device_costs_the_reading_of_names_alone(
    tool_model: str,
    house: House,
    make_client: MakeClient,
    reading: Callable[[], list[float]],
    base_url: str,
) -> None:
    await unload(base_url, tool_model)
    home = [Device(name, "Kitchen", "switch") for name in ("Kitchen Light", "Heater", "Kettle")]
    client = make_client(tool_model, house.executor, devices=lambda: tuple(home))

    assert await client.warm_up()
    home[0] = Device("Worktop Light", "Kitchen", "switch")
    assert await client.warm_up()
    await ask(client, "turn on the worktop light", history=History())

    cold, renamed, question = reading()[:3]
    assert renamed < cold * NAMES_ONLY
    assert question < cold * OTHER_QUESTION
