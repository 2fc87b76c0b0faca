"""Shopping and to-do lists: several things at once, long ones, damaged files, and who is told."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.some_tools import said_by
from tests.fakes.waiting import until

from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.tools.builtin.lists import Item, ListPublisher, ListStore, list_tools


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "lists.sqlite3"


@pytest.fixture
def store(path: Path) -> ListStore:
    return ListStore(path)


class Tool:
    def __init__(self, store: ListStore) -> None:
        self.tools = {tool.name: tool for tool in list_tools(store)}

    async def call(self, action: str, **more: str) -> tuple[str, dict[str, Any]]:
        name, args = ("read_list", more) if action == "read" else ("manage_list", {"action": action, **more})
        return await said_by(self.tools[name], **args)

    async def say(self, action: str, **more: str) -> str:
        return (await self.call(action, **more))[0]


@pytest.fixture
def lists(store: ListStore) -> Tool:
    return Tool(store)


async def test_a_list_is_filled_read_ticked_and_emptied(lists: Tool) -> None:
    assert await lists.say("read") == "The shopping list is empty."
    said = await lists.say("add", items="milk, eggs and bread")
    assert said == "Added milk, eggs and bread to the shopping list."
    said = await lists.say("add", items="Milk", list="grocery list")
    assert said == "Milk is already on the shopping list."
    assert await lists.say("add", items="call mum", list="to do") == "Added call mum to the to-do list."
    assert await lists.say("complete", items="egg") == "Ticked off eggs."
    assert await lists.say("remove", items="the milk") == "Removed milk from the shopping list."
    assert await lists.say("read") == "On the shopping list: bread."
    assert await lists.say("read", list="all") == "There are 1 on the shopping list and 1 on the to-do list."
    assert await lists.say("clear") == "Shopping list cleared."
    assert await lists.say("read", list="to-do") == "On the to-do list: call mum."


async def test_what_is_not_there_is_told_and_nothing_is_touched(lists: Tool) -> None:
    await lists.say("add", items="milk")

    with pytest.raises(ToolError, match="There's no cake on the shopping list"):
        await lists.say("remove", items="milk and cake")

    assert await lists.say("read") == "On the shopping list: milk."


async def test_every_act_can_be_taken_back(lists: Tool) -> None:
    await lists.say("add", items="milk")
    for action, items in (("add", "eggs"), ("remove", "milk"), ("complete", "milk"), ("clear", "")):
        _, facts = await lists.call(action, items=items)
        for call in facts["before"]:
            await lists.call(**call["args"])
        assert await lists.say("read") == "On the shopping list: milk.", action


async def test_what_cannot_be_added_is_refused(lists: Tool) -> None:
    with pytest.raises(BadArguments, match="What shall I put"):
        await lists.say("add")
    for items in ("x" * 101, ",".join(map(str, range(51)))):
        with pytest.raises(BadArguments, match="up to 50 things"):
            await lists.say("add", items=items)


async def test_every_change_of_a_list_is_published(store: ListStore, path: Path) -> None:
    published: list[tuple[str, list[str]]] = []

    def publish(name: str, items: Sequence[Item]) -> None:
        published.append((name, [item.text for item in items]))

    store.add("shopping", ["milk"])
    watcher = ListPublisher(store, publish, look_seconds=0.05)
    task = asyncio.create_task(watcher.run())
    try:
        await until(lambda: published == [("shopping", ["milk"])])
        await asyncio.to_thread(store.add, "shopping", ["eggs"])
        await until(lambda: published[1:] == [("shopping", ["milk", "eggs"])])
        other = ListStore(path)  # as another process has it
        await asyncio.to_thread(other.remove, [item.id for item in other.all()])
        await until(lambda: published[2:] == [("shopping", [])])
        watcher.again()
        assert published[3:] == [("shopping", [])]
    finally:
        task.cancel()
