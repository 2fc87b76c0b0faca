"""What is wanted of a device as a call: by name, area and domain, or a sentence why there is none."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.home_assistant_home import Entity, HomeAssistantHome
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_linked import WrappedHomeAssistant

from voice_gateway.integrations.home_assistant.source import recognise
from voice_gateway.integrations.source import Act, Call

OLD_TOOLS = json.loads((Path(__file__).parents[3] / "home_assistant_data/tools-2025.4.4.json").read_text())
BED = {"name": "Bed Light", "area": "Bedroom", "domain": ["light"]}


@pytest.mark.parametrize(
    ("device", "wish", "tool", "args"),
    [
        ("Bed Light", Act("on"), "HassTurnOn", BED),
        ("Bed Light", Act("off"), "HassTurnOff", BED),
        ("Bed Light", Act("toggle"), "HassTurnOn", BED),
        ("Ceiling Lights", Act("toggle"), "HassTurnOff",
         {"name": "Ceiling Lights", "area": "Living Room", "domain": ["light"]}),
        ("Bed Light", Act("dim", 40), "HassLightSet", {**BED, "brightness": 40}),
        ("Bed Light", Act("on", 40), "HassLightSet", {**BED, "brightness": 40}),
        ("Bed Light", Act("colour", colour="red"), "HassLightSet", {**BED, "color": "red"}),
        ("Bed Light", Act("kelvin", kelvin=2700), "HassLightSet", {**BED, "temperature": 2700}),
        ("Front Door", Act("lock"), "HassTurnOn", {"name": "Front Door", "domain": ["lock"]}),
        ("Front Door", Act("unlock"), "HassTurnOff", {"name": "Front Door", "domain": ["lock"]}),
        ("Garage Door", Act("open"), "HassTurnOn",
         {"name": "Garage Door", "area": "Garage", "domain": ["cover"]}),
        ("Living Room Window", Act("dim", 30), "HassSetPosition",
         {"name": "Living Room Window", "area": "Living Room", "domain": ["cover"], "position": 30}),
        ("Living Room Window", Act("stop"), "HassStopMoving",
         {"name": "Living Room Window", "area": "Living Room", "domain": ["cover"]}),
        ("HeatPump", Act("set", temperature=21.5), "HassClimateSetTemperature",
         {"name": "HeatPump", "area": "Living Room", "temperature": 21.5}),
        ("HeatPump", Act("set", temperature=70, unit="F"), "HassClimateSetTemperature",
         {"name": "HeatPump", "area": "Living Room", "temperature": 21.1}),
        ("HeatPump", Act("set", mode="off"), "HassTurnOff",
         {"name": "HeatPump", "area": "Living Room", "domain": ["climate"]}),
        ("Ceiling Fan", Act("speed", 50), "HassFanSetSpeed",
         {"name": "Ceiling Fan", "area": "Bedroom", "domain": ["fan"], "percentage": 50}),
        ("Kitchen Radio", Act("volume", 30), "HassSetVolume",
         {"name": "Kitchen Radio", "area": "Kitchen", "domain": ["media_player"], "volume_level": 30}),
        ("Bedroom", Act("pause"), "HassMediaPause", {"name": "Bedroom", "domain": ["media_player"]}),
        ("Demo vacuum 0 ground floor", Act("dock"), "HassVacuumReturnToBase",
         {"name": "Demo vacuum 0 ground floor", "domain": ["vacuum"]}),
    ],
)  # fmt: skip
async def test_a_wish_is_a_call_for_one_entity(device: str, wish: Act, tool: str, args: dict[str, Any]):
    async with WrappedHomeAssistant(recorded_home()) as ha:
        assert ha.planned(device, wish) == Call(tool, args)


async def test_a_name_in_two_areas_goes_with_its_area():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        call = ha.planned("Lamp", Act("on"), "Living Room")
        assert call == Call("HassTurnOn", {"name": "Lamp", "area": "Living Room", "domain": ["light"]})


async def test_a_twin_without_an_area_is_reported():
    lamps = [Entity("light.one", "Lamp", "Hall"), Entity("light.two", "Lamp")]
    async with WrappedHomeAssistant(HomeAssistantHome(lamps)) as ha:
        nowhere = next(device for device in ha.listing.devices if not device.room)
        sentence = ha.source.act(nowhere, Act("on"), ha.picture())
        assert isinstance(sentence, str)
        assert "several devices" in sentence
        assert isinstance(ha.planned("Lamp", Act("on"), "Hall"), Call)


async def test_what_has_no_tool_is_reported():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        sentence = ha.planned("Hvac", Act("set", mode="heat"))
        assert sentence == (
            "Home Assistant offers no way to set the Hvac to heat; it can be turned on and off."
        )


async def test_an_older_version_says_what_it_lacks():
    home = recorded_home()
    lacking = tuple(
        tool["name"]
        for tool in WrappedHomeAssistant(home).tools.definitions()
        if tool["name"] not in OLD_TOOLS and tool["name"][:4] == "Hass"
    )
    async with WrappedHomeAssistant(home, without=lacking) as ha:
        assert ha.planned("Living Room Window", Act("stop")) == (
            "This Home Assistant does not offer a way to stop what moves."
        )
        assert ha.planned("Ceiling Fan", Act("speed", 40)) == (
            "This Home Assistant does not offer a way to set the speed of a fan."
        )
        assert isinstance(ha.planned("Bed Light", Act("dim", 40)), Call)


async def test_a_device_that_vanished_is_reported():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        ha.home["light.bed_light"].exposed = False
        await ha.source.read()
        assert (
            ha.planned("Bed Light", Act("on"))
            == "The Bed Light is no longer in Home Assistant's list of devices."
        )


async def test_scenes_and_scripts_are_started_by_name():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        assert ha.listing.scenes == ("Movie Night", "broken script", "good night")
        assert ha.source.scene("movie night") == Call(
            "HassTurnOn", {"name": "Movie Night", "domain": ["scene"]}
        )
        assert ha.source.scene("Good Night") == Call("good_night")
        assert ha.source.scene("dim kitchen") == Call(
            "dim_kitchen"
        )  # not offered as a scene: it needs a level
        assert ha.source.scene("party") is None


async def test_it_is_recognised_by_its_tools_also_where_it_shares_nothing():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        tools = ha.manager.all()
        assert recognise(tools)
        assert not recognise([tool for tool in tools if tool.name != "HassTurnOn"])
        for entity in ha.home.entities.values():
            entity.exposed = False
        ha.connect()
        assert recognise(ha.manager.all())
        refused = await ha.source.read()
        assert isinstance(refused, str)
        assert "shares no devices" in refused
