"""What a call would touch: rather too much than too little."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from voice_gateway.config import PermissionSettings
from voice_gateway.integrations.home_assistant.calls import reach
from voice_gateway.integrations.home_assistant.live_context import Entity, read_live_context
from voice_gateway.tools.permission.risk import Risk, risk_of
from voice_gateway.turn import ToolCall, ToolTraits

TESTS = Path(__file__).parents[3]
HOME = read_live_context((TESTS / "fakes/home_assistant_data/live_context.txt").read_text())
CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())
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


def scenes(*places: tuple[str, str]) -> tuple[Entity, ...]:
    return tuple(Entity(name, "scene", "unknown", (area,) if area else ()) for name, area in places)


def started(entities: tuple[Entity, ...], tool: str = "HassTurnOn", **args: Any) -> str:
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
    home = (Entity("Relay 2, Front Gate", "switch", "off", ("Hall",)),)
    call, traits = ToolCall("1", "HassTurnOn", {"name": "Relay 2"}), ToolTraits(source="ha")
    touched = reach("HassTurnOn", call.args, home, "ha", {})
    assert risk_of(call, traits, PermissionSettings(), touched) is Risk.SENSITIVE
