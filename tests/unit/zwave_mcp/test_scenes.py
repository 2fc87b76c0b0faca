"""A scene is judged value by value, each by its device: none opens the house or does who knows what."""

from itertools import product
from pathlib import Path

import pytest
import yaml
from tests.fakes.scripted_home import ScriptedHome, blind, bulb, dimmer, lock, sensor, switch, thermostat

from zwave_mcp.home import NoAnswer, Node, Scene, SceneValue, Value, ValueId
from zwave_mcp.mqtt.home import parse_scenes
from zwave_mcp.tools import Tools

DATA = yaml.safe_load(Path(__file__).with_name("scenes.yaml").read_text(encoding="utf-8"))


def covering(node: int, name: str, room: str = "") -> Node:
    """A motor on Window Covering."""
    current, target = ValueId(node, 106, 0, "currentValue", 13), ValueId(node, 106, 0, "targetValue", 13)
    values = (Value(current, 0, target=target), Value(target, 0, writeable=True))
    return Node(node, name, room, status="Alive", values=values)


def relays(node: int, name: str, room: str = "") -> Node:
    """Two relays in one node."""
    places = product((1, 2), ("currentValue", "targetValue"))
    values = tuple(Value(ValueId(node, 37, *place), False) for place in places)
    return Node(node, name, room, status="Alive", values=values)


HOUSE = (
    switch(2, "Desk Lamp", "Office"),
    dimmer(3, "Floor Lamp"),
    blind(4, "Window Blind"),
    thermostat(5, "Thermostat"),
    lock(6, "Front Door"),
    blind(7, "Garage Door"),
    covering(8, "Garage Door", "Yard"),
    covering(9, "Terrace Awning"),
    switch(10, "Gate Relay"),
    switch(11, "Relay 2", "Gate"),
    switch(12, "Siren"),
    dimmer(13, "Water Valve"),
    switch(14, "House Alarm"),
    blind(15, "Portail"),
    switch(16, "Ｇａｔｅ"),
    relays(17, "Garden Gate"),
    sensor(18, "Climate Sensor"),
    switch(19, "relay_gate"),
    blind(20, "Door", "Garage"),
)


async def start(
    *values: SceneValue, complete: bool = True, confirmed: bool = False, allow_unlock: bool = True
) -> tuple[str, ScriptedHome, str]:
    home = ScriptedHome(*HOUSE)
    home.known_scenes, home.polled = (Scene(4, "Leaving", values, complete),), [values[0].value]
    given = {"sceneName": "leaving", **({"confirmed": True} if confirmed else {})}
    answer = await Tools(home, allow_unlock=allow_unlock).call("activate_zwave_scene", given)
    return answer.structured["outcome"], home, answer.sentence


def values(name: str) -> list[SceneValue]:
    return [
        SceneValue(ValueId(node, command_class, endpoint[0] if endpoint else 0, prop), value)
        for node, command_class, prop, value, *endpoint in DATA[name]
    ]


HARMLESS, UNKNOWN = values("harmless"), values("unknown")


async def test_a_scene_that_opens_or_sounds_something_is_not_started():
    for value, confirmed in product(values("opening"), (False, True)):
        outcome, home, sentence = await start(HARMLESS[0], UNKNOWN[0], value, confirmed=confirmed)
        assert (outcome, home.sent) == ("unsupported", []), value
        assert sentence.endswith("which must be asked for by itself."), value


async def test_a_scene_that_does_what_nobody_knows_needs_the_users_yes():
    for value in UNKNOWN:
        outcome, home, sentence = await start(HARMLESS[0], value)
        assert (outcome, home.sent) == ("unsupported", []), value
        assert sentence == "It is not known all that the scene Leaving does, so it is not started from here."
        _, home, _ = await start(HARMLESS[0], value, confirmed=True)
        assert home.sent == [("scene", 4)], value


async def test_a_scene_that_shuts_or_lights_is_started():
    for value in HARMLESS:
        _, home, _ = await start(value)
        assert home.sent == [("scene", 4)], value


async def test_but_not_where_it_could_unlock_and_unlocking_is_switched_off():
    _, home, sentence = await start(HARMLESS[0], complete=False, confirmed=True, allow_unlock=False)
    assert home.sent == []
    assert "unlocking is switched off" in sentence


@pytest.mark.parametrize(
    "values",
    [None, "all", [{"nodeId": 7}], [{"nodeId": "7", "commandClass": 38, "property": "targetValue"}], [7]],
)
async def test_a_scene_that_cannot_be_read_whole_is_not_started(values):
    (scene,) = parse_scenes([{"sceneid": 1, "label": "Leaving", "values": values}])
    assert not scene.complete
    outcome, home, _ = await start(HARMLESS[0], complete=scene.complete)
    assert (outcome, home.sent) == ("unsupported", [])


BLUE = {"21-51-0-currentColor-2": 0, "21-51-0-currentColor-3": 0, "21-51-0-currentColor-4": 254}


def painted(value: object, prop: str = "targetColor", key: int | None = None) -> ScriptedHome:
    """A home with a scene that was read from the gateway."""
    written = {"nodeId": 21, "commandClass": 51, "endpoint": 0, "property": prop, "value": value}
    written |= {} if key is None else {"propertyKey": key}
    home = ScriptedHome(bulb(21, "Mood Light", {0: 0, 2: 255, 3: 0, 4: 0}))
    home.known_scenes = parse_scenes([{"sceneid": 1, "label": "Sea", "values": [written]}])
    home.polled, home.told = [NoAnswer("nobody tells a whole colour")], {**BLUE, "21-51-0-currentColor-0": 0}
    return home


async def test_a_colour_is_confirmed_component_by_component():
    for prop, key, value, shown in DATA["colours"]:
        tools = Tools(painted(value, prop, key))
        facts = (await tools.call("activate_zwave_scene", {"sceneName": "sea"})).structured
        expected = ("confirmed", []) if shown else ("unconfirmed", ["Mood Light"])
        assert (facts["outcome"], facts["notConfirmed"]) == expected, (prop, key, value)
