"""What is wanted of a device as a call: by name, area and domain, or a sentence why there is none."""

import json
from pathlib import Path

import yaml
from tests.fakes.home_assistant_home import Entity, HomeAssistantHome
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_linked import WrappedHomeAssistant

from voice_gateway.integrations.home_assistant.source import recognise
from voice_gateway.integrations.source import Act, Call

OLD_TOOLS = json.loads((Path(__file__).parents[3] / "home_assistant_data/tools-2025.4.4.json").read_text())
CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())


async def test_a_wish_is_a_call_for_one_entity():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        for case in CASES["calls"]:
            planned = ha.planned(case["device"], Act(**case["wish"]))
            assert planned == Call(case["tool"], case["args"]), (case["device"], case["wish"])


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
