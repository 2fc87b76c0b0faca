"""The local brain in a home that is a Home Assistant: the same sentences, and words for its other kinds."""

import asyncio
from typing import Any

import pytest
from tests.fakes.home_assistant_home import Entity, HomeAssistantHome
from tests.fakes.home_assistant_tools import HomeAssistantTools

from voice_gateway.brain.local.device_cache import Change
from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.config import BrainSettings, HomeSettings, PermissionSettings
from voice_gateway.integrations.sources import Sources
from voice_gateway.mcp_client.convert import to_langchain_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.permission.gate import TurnGate
from voice_gateway.tools.permission.question import question
from voice_gateway.tools.permission.risk import Tier, tier
from voice_gateway.tools.traits import traits
from voice_gateway.turn import Reply, ToolCall, Utterance
from voice_gateway.turns.history import History
from voice_gateway.turns.stage import Turn


def entities() -> list[Entity]:
    lit = {"brightness": None, "rgb_color": None, "color_temp_kelvin": None}
    return [
        Entity("light.bed", "Bed Light", "Bedroom", attributes=dict(lit), aliases=("Reading Lamp",)),
        Entity("light.plain", "Closet Light", "Bedroom"),
        Entity("switch.kettle", "Kettle", "Kitchen"),
        Entity("cover.blind", "Kitchen Blind", "Kitchen", "open", {"current_position": 100}),
        Entity("lock.front", "Front Door", "Hall", "locked"),
        Entity("cover.garage", "Garage Door", "Garage", "closed", {"device_class": "garage"}),
        Entity("fan.ceiling", "Ceiling Fan", "Bedroom", attributes={"percentage": 0}),
        Entity("media_player.radio", "Radio", "Kitchen", "playing", {"volume_level": 0.5}),
        Entity("vacuum.robi", "Robi", state="docked"),
        Entity("scene.movie", "Movie Night"),
        Entity(
            "sensor.outside", "Outside", "Garden", "21.4",
            {"device_class": "temperature", "unit_of_measurement": "°C"},
        ),
    ]  # fmt: skip


class House:
    def __init__(self, *more: Entity) -> None:
        self.home = HomeAssistantHome([*entities(), *more])
        self.raw = HomeAssistantTools(self.home)
        self.tools = ToolManager()
        self.executor = ToolExecutor(self.tools)
        sources = Sources(self.executor)
        offered = to_langchain_tools(self.raw.definitions(), server="home", call=self.raw.call)
        self.tools.add_mcp_tools("home", sources.taken("home", offered))
        self.brain = LocalBrain(
            self.executor, BrainSettings(), sources=sources, home=HomeSettings(poll_seconds=1)
        )
        self.history = History()

    async def say(self, text: str) -> str:
        gate = TurnGate("cli", PermissionSettings(), self.brain.reach)
        reply = await self.brain.answer(Turn(Utterance(text), self.history, gate=gate))
        return reply.text if isinstance(reply, Reply) else f"passed: {reply.spoken}"

    def judged(self, tool: str, **args: Any) -> Tier:
        call = ToolCall("1", tool, args)
        found = self.tools.find(tool)
        assert found is not None
        return tier(call, traits(found), PermissionSettings(), self.brain.reach(call, traits(found)))

    def state(self, entity: str) -> tuple[str, dict[str, Any]]:
        one = self.home[entity]
        return one.state, one.attributes


@pytest.fixture
async def house() -> House:
    return await house_read()


async def house_read(*more: Entity) -> House:
    made = House(*more)
    await made.brain.refresh()
    return made


@pytest.mark.parametrize(
    ("said", "entity", "state", "attributes"),
    [
        ("turn on the bed light", "light.bed", "on", {}),
        ("turn on the reading lamp", "light.bed", "on", {}),
        ("dim the bed light to 40 percent", "light.bed", "on", {"brightness": 102}),
        ("turn on the kettle", "switch.kettle", "on", {}),
        ("turn on the fan", "fan.ceiling", "on", {}),
        ("set the fan to high", "fan.ceiling", "on", {"percentage": 100}),
        ("pause the radio", "media_player.radio", "paused", {}),
        ("pause the music in the kitchen", "media_player.radio", "paused", {}),
        ("set the volume of the radio to 30 percent", "media_player.radio", "playing", {"volume_level": 0.3}),
        ("make the radio louder", "media_player.radio", "playing", {"volume_level": 0.6}),
        ("start the vacuum", "vacuum.robi", "cleaning", {}),
    ],
)
async def test_it_does_what_is_said(house, said, entity, state, attributes):
    await house.say(said)

    now, known = house.state(entity)
    assert now == state
    assert {name: known.get(name) for name in attributes} == attributes


async def test_a_look_is_answered_from_a_fresh_list(house):
    assert await house.say("is the front door locked") == "Yes, the Front Door is locked."
    house.home["lock.front"].state = "unlocked"

    assert await house.say("is the front door locked") == "No, the Front Door is unlocked."
    assert await house.say("what is the temperature in the garden") == (
        "The temperature in the Garden is 21.4 degrees Celsius."
    )
    assert "Radio" in await house.say("what devices are in the kitchen")


async def test_what_a_device_cannot_do_is_said_and_not_tried(house):
    said = await house.say("make the closet light red")

    assert said == "I can't change the colour of that: the Closet Light can only be turned on and off."
    assert house.state("light.plain")[0] == "off"


@pytest.mark.parametrize(
    ("tool", "args", "expected"),
    [
        ("HassTurnOn", {"name": "Bed Light"}, Tier.ACT),
        ("HassTurnOff", {"name": "Front Door"}, Tier.SENSITIVE),
        ("HassTurnOn", {"name": "Front Door"}, Tier.ACT),
        ("HassTurnOff", {"area": "Hall"}, Tier.SENSITIVE),
        ("HassTurnOff", {"domain": ["lock"]}, Tier.SENSITIVE),
        ("HassTurnOff", {"floor": "Upstairs"}, Tier.SENSITIVE),
        ("HassTurnOff", {"area": "Bedroom", "domain": ["light"]}, Tier.ACT),
        ("HassTurnOn", {"name": "Garage Door"}, Tier.SENSITIVE),
        ("HassTurnOff", {"name": "Garage Door"}, Tier.ACT),
        ("HassTurnOn", {"name": "Movie Night"}, Tier.SENSITIVE),
        ("HassTurnOn", {"name": "Something New"}, Tier.SENSITIVE),
        ("GetLiveContext", {}, Tier.READ),
    ],
)
async def test_whoever_calls_is_judged_by_what_would_be_hit(house, tool, args, expected):
    assert house.judged(tool, **args) is expected


async def test_an_unlock_waits_for_a_yes_and_is_asked_about_by_its_name(house):
    await house.say("unlock the front door")
    assert house.state("lock.front")[0] == "locked"

    call = ToolCall("1", "HassTurnOff", {"name": "Front Door"})
    asked = question([call], lambda name: traits(house.tools.find(name)), house.brain.reach, pin=False)
    assert asked == "Unlock the front door? Say yes to confirm."


async def test_a_home_without_events_is_polled(house):
    heard = asyncio.Event()
    changes: list[Change] = []
    house.brain.subscribe(lambda change: (changes.append(change), heard.set()))

    async with asyncio.TaskGroup() as tasks, asyncio.timeout(40):
        fresh = tasks.create_task(house.brain.keep_fresh())
        await asyncio.sleep(0)
        house.home["switch.kettle"].state = "on"
        await heard.wait()
        fresh.cancel()

    assert [(one.device.name, one.before, one.after) for one in changes] == [("Kettle", "off", "on")]


async def test_a_homes_own_tools_are_no_sentences(house):
    """A script is a scene, and is asked about; "todo get items" is nothing that people say."""
    assert (await house.say("todo get items")).startswith("passed")
    assert house.raw.calls == [] or all(name == "GetLiveContext" for name, _ in house.raw.calls)


async def test_louder_after_a_player_is_the_player():
    house = await house_read()
    await house.say("set the radio to 25 percent")
    assert await house.say("louder") == "The Radio is now playing, volume 35 percent."
    assert await house.say("make it a bit quieter") == "The Radio is now playing, volume 25 percent."


async def test_a_player_called_like_a_room_and_in_none_is_paused():
    player = Entity("media_player.bedroom", "Bedroom", state="playing", attributes={"volume_level": 0.5})
    house = await house_read(player)
    assert await house.say("pause the bedroom") == "The Bedroom is now paused, volume 50 percent."
    assert house.home["media_player.radio"].state == "playing"


async def test_to_stop_a_fan_turns_it_off():
    house = await house_read()
    await house.say("turn on the ceiling fan")
    assert await house.say("stop the ceiling fan") == "The Ceiling Fan is now off."


async def test_a_scene_may_have_the_word_for_it_in_its_name():
    house = await house_read(Entity("scene.rainy", "Rainy Scene"))
    assert await house.say("start the rainy scene") == "This needs your yes first."
