"""A scene is judged value by value, each by its device: none opens the house or does who knows what."""

from itertools import product

import pytest
from tests.fakes.scripted_home import ScriptedHome, blind, bulb, dimmer, lock, sensor, switch, thermostat

from zwave_mcp.home import NoAnswer, Node, Scene, SceneValue, Value, ValueId
from zwave_mcp.mqtt.home import parse_scenes
from zwave_mcp.tools import Tools


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


def to(
    node: int, command_class: int, prop: str, *values: object, endpoint: int = 0
) -> tuple[SceneValue, ...]:
    where = ValueId(node, command_class, endpoint, prop)
    return tuple(SceneValue(where, value) for value in values)


OPENING = [
    *to(6, 98, "targetMode", 0, 16, None),
    *to(6, 99, "userCode", "1234"),
    *to(7, 38, "targetValue", 99, 1),
    *(value for way in ("Up", "restorePrevious") for value in to(7, 38, way, True)),
    *(value for node in (7, 10, 17) for value in to(node, 32, "targetValue", 255)),
    *to(8, 106, "targetValue", 99),
    *to(8, 106, "levelChangeUp", True),
    *(value for relay in (10, 11, 12, 16, 19) for value in to(relay, 37, "targetValue", True)),
    *(value for alarm in (12, 14) for value in to(alarm, 37, "targetValue", False)),
    *to(13, 38, "targetValue", 50),
    *(value for motor in (15, 20) for value in to(motor, 38, "targetValue", 99)),
    *to(17, 37, "targetValue", True, endpoint=2),
    *to(2, 102, "targetState", 255),
    *to(2, 98, "targetMode", 0),
]
UNKNOWN = [
    *(value for node in (99, 255) for value in to(node, 37, "targetValue", True)),
    *to(2, 112, "3", 1),
    *to(3, 121, "toneId", 5),
    *to(3, 43, "sceneId", 2),
]
HARMLESS = [
    *to(2, 37, "targetValue", True),
    *to(3, 38, "targetValue", 10),
    *to(3, 38, "On", True),
    *to(3, 51, "targetColor", None),
    *to(4, 38, "targetValue", 99),
    *to(5, 67, "setpoint", 18),
    *to(6, 98, "targetMode", 255),
    *to(7, 38, "targetValue", 0),
    *to(7, 38, "Up", False),
    *to(8, 106, "targetValue", 0),
    *to(9, 106, "targetValue", 99),
    *to(10, 37, "targetValue", False),
    *to(13, 38, "targetValue", 0),
]


@pytest.mark.parametrize("value", OPENING, ids=lambda value: f"{value.id}={value.value}")
@pytest.mark.parametrize("confirmed", [False, True])
async def test_a_scene_that_opens_or_sounds_something_is_not_started(value, confirmed):
    outcome, home, sentence = await start(HARMLESS[0], UNKNOWN[0], value, confirmed=confirmed)
    assert (outcome, home.sent) == ("unsupported", [])
    assert sentence.endswith("which must be asked for by itself.")


@pytest.mark.parametrize("value", UNKNOWN, ids=lambda value: f"{value.id}={value.value}")
async def test_a_scene_that_does_what_nobody_knows_needs_the_users_yes(value):
    outcome, home, sentence = await start(HARMLESS[0], value)
    assert (outcome, home.sent) == ("unsupported", [])
    assert sentence == "It is not known all that the scene Leaving does, so it is not started from here."
    _, home, _ = await start(HARMLESS[0], value, confirmed=True)
    assert home.sent == [("scene", 4)]


async def test_but_not_where_it_could_unlock_and_unlocking_is_switched_off():
    _, home, sentence = await start(HARMLESS[0], complete=False, confirmed=True, allow_unlock=False)
    assert home.sent == []
    assert "unlocking is switched off" in sentence


@pytest.mark.parametrize("value", HARMLESS, ids=lambda value: f"{value.id}={value.value}")
async def test_a_scene_that_shuts_or_lights_is_started(value):
    _, home, _ = await start(value)
    assert home.sent == [("scene", 4)]


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


@pytest.mark.parametrize(
    ("prop", "key", "value", "shown"),
    [
        ("targetColor", None, {"red": 0, "green": 0, "blue": 255}, True),
        ("targetColor", None, {"warmWhite": 0, "coldWhite": 0, "red": 0, "green": 0, "blue": 255}, True),
        ("targetColor", 4, 255, True),
        ("hexColor", None, "0000ff", True),
        ("hexColor", None, "#0000FF", True),
        ("targetColor", None, {"red": 255, "blue": 255}, False),
        ("targetColor", None, {"coldWhite": 255, "blue": 255}, False),  # it has none
        ("targetColor", None, {"amber": 3}, False),
        ("targetColor", None, {}, False),
        ("targetColor", 3, 255, False),
        ("targetColor", 9, 255, False),
        ("hexColor", None, "0000f0", False),
        ("hexColor", None, "sea", False),
        ("hexColor", None, 7, False),
    ],
)
async def test_a_colour_is_confirmed_component_by_component(prop, key, value, shown):
    facts = (
        await Tools(painted(value, prop, key)).call("activate_zwave_scene", {"sceneName": "sea"})
    ).structured
    expected = ("confirmed", []) if shown else ("unconfirmed", ["Mood Light"])
    assert (facts["outcome"], facts["notConfirmed"]) == expected
