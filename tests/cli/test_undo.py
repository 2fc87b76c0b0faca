"""`voice-gateway undo`: across processes, with and without a running gateway."""

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

    assert [each.code for each in (own, last, before)] == [0, 0, 0]
    assert ("desk lamp" in own.out.lower(), "bedside lamp" in before.out.lower()) == (True, True)
    assert (last.json["stage"], last.json["conversation_id"]) == ("local", "cli")
    assert [one["args"] for one in last.json["outcomes"]] == [{"deviceName": "Floor Lamp", "action": "off"}]


@pytest.mark.slow
async def test_a_running_gateway_takes_back_what_was_done_before_it_came(commands: Commands):
    await commands.run("ask", "turn on the desk lamp")
    async with Running.opened(commands):
        await commands.run("ask", "turn on the floor lamp")
        said = await commands.run("ask", "undo")
        undone = await commands.run("undo")
        await commands.run("ask", "turn on the kitchen light")
    after = await commands.run("undo")

    for ended, lamp in ((said, "floor lamp"), (undone, "desk lamp"), (after, "kitchen light")):
        assert lamp in ended.out.lower()
        assert "off" in ended.out
