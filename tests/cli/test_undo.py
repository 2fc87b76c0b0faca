"""`voice-gateway undo`: across processes, with and without a running gateway."""

import asyncio
import json

import pytest
from tests.fakes.gateway_process import Commands, Running


@pytest.mark.slow
async def test_what_one_process_did_another_takes_back(commands: Commands):
    acts = ["dim the bedside lamp to 80", {"text": "turn on the desk lamp", "conversation_id": "other"}]
    await commands.run(
        "chat",
        "--json",
        text="".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in acts),
    )
    await commands.run("ask", "--room", "Kitchen", "turn on the floor lamp")

    own = await commands.run("undo", "--conversation", "other")
    last = await commands.run("undo", "--json")
    before = await commands.run("undo")

    assert (own.code, own.out) == (0, "The Desk Lamp is now off.\n")
    assert (last.code, last.json["text"]) == (0, "The Floor Lamp is now off.")
    assert (last.json["stage"], last.json["conversation_id"]) == ("local", "cli")
    assert [one["args"] for one in last.json["outcomes"]] == [{"deviceName": "Floor Lamp", "action": "off"}]
    assert (before.code, before.out) == (0, "The Bedside Lamp is now on at 35 percent.\n")


@pytest.mark.slow
async def test_a_running_gateway_takes_back_what_was_done_before_it_came(commands: Commands):
    await commands.run("ask", "turn on the desk lamp")
    async with Running.opened(commands):
        await commands.run("ask", "turn on the floor lamp")
        said = await commands.run("ask", "undo")
        undone = await commands.run("undo")
        await commands.run("ask", "turn on the kitchen light")
    after = await commands.run("undo")

    assert said.out == "The Floor Lamp is now off.\n"
    assert undone.out == "The Desk Lamp is now off.\n"
    assert after.out == "The Kitchen Light is now off.\n"


@pytest.mark.slow
async def test_an_undo_that_opens_the_house_asks_across_processes(commands: Commands):
    await commands.run("chat", text="unlock the front door\nyes\nlock the front door\n")

    asked = await commands.run("undo", "--json")
    done = await commands.run("ask", "yes")

    assert asked.json["text"] == "Unlock the front door? Say yes to confirm."
    assert (asked.code, asked.json["expects_answer"], asked.json["outcomes"]) == (0, True, [])
    assert done.out == "The Front Door is now unlocked.\n"


@pytest.mark.slow
async def test_two_at_once_take_back_one_each(commands: Commands):
    await commands.run("ask", "turn on the desk lamp")
    await commands.run("ask", "turn on the floor lamp")

    ended = await asyncio.gather(commands.run("undo"), commands.run("undo"))

    assert {one.out for one in ended} == {"The Floor Lamp is now off.\n", "The Desk Lamp is now off.\n"}
