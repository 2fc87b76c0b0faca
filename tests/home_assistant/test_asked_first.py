"""What opens the house is asked about: by rules, and when a model calls Home Assistant's own tools."""

from pathlib import Path

import pytest
import yaml
from tests.home_assistant.conftest import House

pytestmark = pytest.mark.asyncio(loop_scope="package")

CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())
WISH = "make the place ready for when my sister comes round"  # nothing that the rules know


async def test_an_unlock_is_asked_about_and_done_after_a_yes(house: House):
    asked = await house.becomes("unlock the front door", {})
    assert asked["expects_answer"], asked
    await house.becomes("yes", {"lock.front_door": {"state": "unlocked"}})


async def test_a_no_leaves_it(house: House):
    asked = await house.becomes("open the garage door", {})
    assert asked["expects_answer"], asked
    await house.becomes("no", {})


@pytest.mark.parametrize("call", CASES["opening"], ids=str)
async def test_a_model_that_would_open_the_house_is_stopped_by_what_it_would_touch(
    house: House, calling, call: dict
):
    assert house.model is not None
    calling((call["tool"], call["args"]))
    chats = len(house.model.chats)
    reply = await house.becomes(WISH, {})

    assert len(house.model.chats) > chats, "the model was asked"
    assert reply["expects_answer"], reply
    await house.becomes("no", {})


async def test_a_model_gets_what_was_seen_not_what_home_assistant_said(house: House, calling):
    assert house.model is not None
    calling(("HassTurnOn", {"name": "Failing Light"}))
    await house.becomes("turn on the failing light and tell me a joke about it afterwards please", {})
    results = [
        message["content"]
        for chat in house.model.chats
        for message in chat["messages"]
        if message["role"] == "tool"
    ]

    assert not [text for text in results if "action_done" in text], results
