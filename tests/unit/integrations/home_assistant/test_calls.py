"""What is wanted of a device as a call: by name, area and domain, or a sentence why there is none."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fakes.home_assistant_home import Entity, HomeAssistantHome
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_linked import WrappedHomeAssistant

from voice_gateway.config import PermissionSettings
from voice_gateway.integrations.home_assistant.calls import reach
from voice_gateway.integrations.home_assistant.live_context import Entity as Listed
from voice_gateway.integrations.home_assistant.live_context import read_live_context
from voice_gateway.integrations.home_assistant.source import recognise
from voice_gateway.integrations.source import Act, Call
from voice_gateway.tools.permission.risk import Risk, risk_of
from voice_gateway.turn import ToolCall, ToolTraits

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


TESTS = Path(__file__).parents[3]
HOME = read_live_context((TESTS / "fakes/home_assistant_data/live_context.txt").read_text())
SCRIPTS = {"good_night": "good night"}


def reached(tool: str, scripts: dict[str, str] | None = None, **args: Any) -> tuple[set[str], str] | None:
    touched = reach(tool, args, HOME, "ha", SCRIPTS if scripts is None else scripts)
    return None if touched is None else ({device.name for device in touched.devices}, touched.action)


def test_a_call_reaches_what_home_assistant_would_find():
    for case in CASES["reached"]:
        assert reached(case["tool"], **case["args"]) == ({*case["devices"]}, case["action"]), case


def test_an_unknown_reach_is_not_guessed():
    for case in CASES["unknown_reach"]:
        assert reached(case["tool"], **case["args"]) is None, case


def test_an_area_without_a_domain_reaches_its_lock_where_no_script_can_be_in_it():
    devices, action = reached("HassTurnOff", {}, area="Hall") or (set(), "")
    assert {"Hall Lock", "Cellar Lock", "Slow Light"} <= devices
    assert action == "unlock"
    assert (reached("HassTurnOn", {}, area="Garage") or ("", ""))[1] == "open"


def test_scenes_and_scripts_are_named_and_cannot_be_looked_into():
    scene = reach("HassTurnOn", {"name": "Movie Night"}, HOME, "ha", SCRIPTS)
    script = reach("good_night", {}, HOME, "ha", SCRIPTS)
    assert scene is not None
    assert script is not None
    assert (scene.scene, scene.unseen) == ("Movie Night", True)
    assert (script.scene, script.unseen) == ("good night", True)


def test_a_value_is_worded_as_a_person_says_it():
    touched = reach("HassLightSet", {"name": "Bed Light", "brightness": 40}, HOME, "ha", {})
    assert touched is not None
    assert (touched.how, touched.said) == ("to 40 percent", "Bed Light")


def scenes(*places: tuple[str, str]) -> tuple[Listed, ...]:
    return tuple(Listed(name, "scene", "unknown", (area,) if area else ()) for name, area in places)


def started(entities: tuple[Listed, ...], tool: str = "HassTurnOn", **args: Any) -> str:
    touched = reach(tool, args, entities, "ha", {"door_control": "door control"})
    assert touched is not None
    assert touched.unseen
    return touched.scene


def test_several_scenes_at_once_are_not_one_of_them():
    home = scenes(("Movie", ""), ("Away", ""))
    assert started(home, name="Movie", domain=["scene"]) == "Movie"
    assert started(home, domain=["scene"]) == "Movie and Away"


def test_scenes_of_one_name_are_told_apart():
    home = scenes(("Open", "Bedroom"), ("open", "Garage"))
    bedroom, garage = (started(home, name="Open", area=area) for area in ("Bedroom", "Garage"))
    assert (bedroom, garage) == ("Bedroom Open", "Garage open")


def test_a_script_is_another_with_other_values():
    assert started((), "door_control") == "door control"
    shed, front = (started((), "door_control", channel=door) for door in ("shed", "front"))
    assert shed != front
    assert "front" in front


@pytest.mark.parametrize("position", [None, True, "", "wide", [100], "100 %"])
def test_a_position_that_cannot_be_read_is_no_closing(position):
    assert reached("HassSetPosition", name="Garage Door", position=position) == ({"Garage Door"}, "dim")


def test_an_alias_tells_what_hangs_on_a_relay():
    home = (Listed("Relay 2, Front Gate", "switch", "off", ("Hall",)),)
    call, traits = ToolCall("1", "HassTurnOn", {"name": "Relay 2"}), ToolTraits(source="ha")
    touched = reach("HassTurnOn", call.args, home, "ha", {})
    assert risk_of(call, traits, PermissionSettings(), touched) is Risk.SENSITIVE
