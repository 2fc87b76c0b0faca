"""Several homes at once: one picture, a question where a name is in two, and each may fail alone."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.home_tools import ScriptedHome, home_tools

from voice_gateway.brain.local.device_cache import Change, DeviceCache
from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.config import BrainSettings, HomeSettings
from voice_gateway.errors import ToolError
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import build_home
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import of_server, traits, with_traits
from voice_gateway.turn import Reply, Utterance
from voice_gateway.turns.history import History
from voice_gateway.turns.stage import Turn

HOUSE = [
    ("Lamp", "Office", "dimmer", "off", True),
    ("Floor Lamp", "Living Room", "dimmer", "on, 40 %", True),
]
CABIN = [("Lamp", "Office", "dimmer", "off", True), ("Stove", "Cabin", "switch", "on", True)]


class TwoHomes:
    """The house and the cabin, each behind the same tools on a server of its own."""

    def __init__(self, prefer: str | None = None) -> None:
        self.homes = {"house": ScriptedHome.of(HOUSE), "cabin": ScriptedHome.of(CABIN)}
        self.tools = ToolManager()
        for name in self.homes:
            self.link(name)
        self.executor = ToolExecutor(self.tools)
        self.brain = LocalBrain(self.executor, BrainSettings(), home=HomeSettings(prefer=prefer))
        self.history = History()

    def link(self, name: str) -> None:
        tools = [
            with_traits(tool, replace(traits(tool), source=name)) for tool in home_tools(self.homes[name])
        ]
        self.tools.add_mcp_tools(name, [of_server(tool, name) for tool in tools])

    async def say(self, text: str) -> str:
        reply = await self.brain.answer(Turn(Utterance(text), self.history))
        return reply.text if isinstance(reply, Reply) else f"passed: {reply.spoken}"

    def state(self, home: str, name: str) -> str:
        return next(one["state"] for one in self.homes[home].devices if one["name"] == name)


async def test_each_home_is_reached_by_its_own_tools():
    homes = TwoHomes()

    await homes.say("turn off the floor lamp")
    await homes.say("turn off the stove")

    assert homes.state("house", "Floor Lamp") == "off"
    assert homes.state("cabin", "Stove") == "off"


@pytest.mark.parametrize("answer", ["cabin", "the cabin one", "the one of the cabin", "the second one"])
async def test_a_name_in_two_homes_is_asked_about(answer):
    homes = TwoHomes()

    asked = await homes.say("turn on the lamp in the office")
    assert "of house" in asked
    assert "of cabin" in asked
    assert "can't tell" not in asked
    answer = (
        "the first one"
        if answer == "the second one" and asked.index("of cabin") < asked.index("of house")
        else answer
    )
    await homes.say(answer)

    assert homes.state("cabin", "Lamp") == "on, 100 %"
    assert homes.state("house", "Lamp") == "off"


async def test_it_is_settled_by_the_preferred_home():
    homes = TwoHomes(prefer="cabin")

    await homes.say("turn on the lamp in the office")
    assert (homes.state("cabin", "Lamp"), homes.state("house", "Lamp")) == ("on, 100 %", "off")

    await homes.say("turn off all the lights")
    assert homes.state("house", "Floor Lamp") == "off", "what only the other has is still there"


async def test_a_list_covers_all_homes_and_says_which_could_not_be_asked():
    homes = TwoHomes()
    assert "Stove" in await homes.say("which devices are on")
    assert "Floor Lamp" in await homes.say("which devices are on")

    async def gone(**_args: Any) -> Any:
        raise ToolError("The cabin's controller does not answer.")

    setattr(homes.homes["cabin"], "list_zwave_devices", gone)  # noqa: B010 (a method is replaced)
    homes.link("cabin")
    told = await homes.say("which devices are on")

    assert "Floor Lamp" in told
    assert "The cabin's controller does not answer." in told


async def ready() -> None:
    """Nothing to wait for."""


async def test_a_home_that_fails_keeps_its_devices_and_the_others_go_on():
    homes = TwoHomes()
    cache = DeviceCache(homes.executor, ready, 60.0)
    await cache.refresh()

    async def gone(**_args: Any) -> Any:
        raise ToolError("The controller does not answer.")

    setattr(homes.homes["cabin"], "list_zwave_devices", gone)  # noqa: B010 (a method is replaced)
    homes.link("cabin")
    homes.homes["house"].devices[0]["state"] = "on, 10 %"
    await cache.refresh()

    assert {device.name for device in cache.home.devices} == {"Lamp", "Floor Lamp", "Stove"}
    assert list(cache.problems) == ["cabin"]
    homes.tools.add_mcp_tools("cabin", [])
    await cache.refresh()
    assert {device.source for device in cache.home.devices} == {"house"}


async def test_who_listens_is_told_of_every_change_and_of_nothing_else():
    homes = TwoHomes()
    cache = DeviceCache(homes.executor, ready, 60.0)
    heard: list[Change] = []
    cache.subscribe(heard.append)
    await cache.refresh()
    await cache.refresh()
    assert heard == []

    homes.homes["cabin"].devices[1]["state"] = "off"
    await cache.refresh()

    assert [(one.device.name, one.device.source, one.before, one.after) for one in heard] == [
        ("Stove", "cabin", "on", "off")
    ]


def test_devices_and_rooms_are_found_by_every_name_that_they_have():
    lamp = Device(
        "Bed Light", "Bedroom", "dimmer", aliases=("Reading Lamp", "Nachtlicht"), room_aliases=("Chamber",)
    )
    other = Device("Desk Light", "Office", "dimmer")
    home = build_home([lamp, other])

    for asked in ("bed light", "the reading lamp", "nachtlicht", "chamber bed light", "bedroom reading lamp"):
        assert home.names.only(asked) is lamp, asked
    assert home.in_room("chamber") == (lamp,)
    assert home.rooms["chamber"] == "Bedroom"
    assert home.names.only("bed lamp nachtlicht") is None, "half of one name and half of another is none"


async def test_who_needs_the_home_waits_for_a_reading_that_has_begun():
    """Else the lamp of the home that is read already is taken for that of the other."""
    homes = TwoHomes()
    homes.tools.add_mcp_tools("cabin", [])
    cache = DeviceCache(homes.executor, ready, 60.0)
    await cache.refresh()
    begun, may_end, listed = asyncio.Event(), asyncio.Event(), homes.homes["cabin"].list_zwave_devices

    async def slow(**args: Any) -> Any:
        begun.set()
        await may_end.wait()
        return await listed(**args)

    setattr(homes.homes["cabin"], "list_zwave_devices", slow)  # noqa: B010 (a method is replaced)
    homes.link("cabin")
    async with asyncio.TaskGroup() as tasks, asyncio.timeout(30):
        tasks.create_task(cache.refresh())
        await begun.wait()
        known = tasks.create_task(cache.known())
        await asyncio.sleep(0)
        assert not known.done()
        may_end.set()
        await known
        assert "Stove" in {device.name for device in cache.home.devices}
