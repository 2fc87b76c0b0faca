"""A program's call waits for a person: one answer counts, and it belongs to one question."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.locked_house import UNLOCK, House
from tests.fakes.waiting import until

from voice_gateway.config import PermissionSettings
from voice_gateway.conversation.owner import OwnerDesk
from voice_gateway.events import EventBus, OwnerAsked
from voice_gateway.turn import Utterance

PIN = PermissionSettings(pin="2468")


class Asked:
    """A house in which programs wait for an answer."""

    def __init__(self, permission=None, seconds: float = 60.0) -> None:
        events = EventBus()
        self.told: list[OwnerAsked] = []
        events.subscribe(self.told.append, OwnerAsked)
        self.house = House(permission=permission, owner=OwnerDesk(events, seconds))
        self.hears, self.lock = self.house.hears, self.house.lock

    async def program(self, tasks: asyncio.TaskGroup, name: str = "one", **args: str):
        count = len(self.told)
        said = Utterance("use the tool", "mcp", name)
        calls = [replace(UNLOCK, id=name, args=args or UNLOCK.args)]
        waiting = tasks.create_task(self.house.conversation.make_calls(said, calls))
        await until(lambda: len(self.told) > count)
        return waiting


def slowly(house: House) -> asyncio.Event:
    """The lock moves once this is set."""
    goes_on = asyncio.Event()
    tool: Any = house.conversation._executor.tools.find(UNLOCK.name)
    move = tool.coroutine

    async def late(deviceName: str, action: str) -> str:  # noqa: N803
        result = await move(deviceName, action)
        await goes_on.wait()
        return result

    tool.coroutine = late
    return goes_on


async def test_two_people_who_say_yes_at_once_make_the_call_once():
    asked = Asked()
    goes_on = slowly(asked.house)
    async with asyncio.TaskGroup() as tasks:
        program = await asked.program(tasks)
        people = [tasks.create_task(asked.hears("yes", conversation_id=name)) for name in ("anna", "ben")]
        await until(lambda: people[1].done() or len(asked.lock.actions) > 1)
        goes_on.set()
    assert asked.lock.actions == ["unlock"]
    assert program.result().ok
    assert [bool(person.result().outcomes) for person in people] == [True, False]


async def test_a_yes_just_in_time_is_not_told_as_no_answer():
    asked = Asked(seconds=0.2)
    goes_on = slowly(asked.house)
    async with asyncio.TaskGroup() as tasks:
        program = await asked.program(tasks)
        person = tasks.create_task(asked.hears("yes"))
        await until(lambda: asked.lock.actions)
        await asyncio.wait([program], timeout=0.3)
        goes_on.set()
    assert person.result().ok
    assert program.result().text == person.result().text


async def test_words_in_a_programs_arguments_make_no_wish_a_yes():
    asked = Asked()
    async with asyncio.TaskGroup() as tasks:
        program = await asked.program(tasks, deviceName="turn on the kitchen lamp", action="unlock")
        await asked.hears("okay, turn on the kitchen lamp")
        assert asked.lock.actions == []
        assert (await asked.hears("no")).ok
        assert not (await program).ok


async def test_with_two_questions_open_a_yes_must_name_its_question():
    asked = Asked()
    async with asyncio.TaskGroup() as tasks:
        first, second = await asked.program(tasks, "one"), await asked.program(tasks, "two")
        await asked.hears("yes")
        assert asked.lock.actions == []
        assert (await asked.hears("yes", answers=asked.told[0].id)).ok
        assert (await first).ok
        assert (await asked.hears("no")).ok
        assert not (await second).ok
    assert asked.lock.actions == ["unlock"]


@pytest.mark.parametrize("pin", ["2468", "yes two four six eight", "twenty-four sixty-eight"])
async def test_a_pin_behind_the_answer_of_another_is_kept_nowhere(pin):
    asked = Asked(PIN, seconds=0.05)
    async with asyncio.TaskGroup() as tasks:
        await asked.program(tasks)
    reply = await asked.hears(pin)
    assert "hidden" in reply.heard
    assert asked.house.stage.seen == []
    assert "hidden" not in (await asked.hears("set the lamp to thirty")).heard


async def test_a_request_that_may_only_look_agrees_to_nothing():
    asked = Asked(PermissionSettings(sensitive_channels=("mqtt",)))
    async with asyncio.TaskGroup() as tasks:
        program = await asked.program(tasks)
        again = await asked.house.conversation.answer(Utterance("yes", "mqtt"), read_only_reason="Begun.")
        assert (again.text, asked.lock.actions) == ("Begun.", [])
        assert (await asked.hears("no", channel="mqtt")).ok
        assert not (await program).ok
