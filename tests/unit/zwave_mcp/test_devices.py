import json
import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.scripted_home import (
    ScriptedHome,
    bulb,
    chime,
    devices_of,
    dimmer,
    parse_nodes,
    siren,
    switch,
)

from zwave_mcp.devices import to_level, to_percent
from zwave_mcp.home import Node, Snapshot, Value, ValueId
from zwave_mcp.mqtt.home import duration_seconds, parse_scenes
from zwave_mcp.states import reading_text, state_text
from zwave_mcp.tools import Tools

RECORDED = Path(__file__).parents[2] / "zwave_data" / "getNodes.json"
DATA = yaml.safe_load(Path(__file__).with_name("devices.yaml").read_text(encoding="utf-8"))
PROPERTIES = sorted({tuple(value) for raw, _, _ in DATA["kinds"] for value in raw})
PROPERTIES += [(64, "mode"), (66, "state"), (49, "Air temperature"), (113, "Access Control"), (48, "Door")]


def test_a_recorded_home_becomes_its_devices():
    raw = json.loads(RECORDED.read_text(encoding="utf-8"))["result"]
    devices = devices_of(Snapshot(parse_nodes(raw)))
    assert [[it.name, it.room, it.kind, state_text(it)] for it in devices] == DATA["recorded"]


def test_the_riskier_kind_wins():
    for raw, name, kind in DATA["kinds"]:
        (device,) = devices_of(
            Snapshot((Node(9, name, values=tuple(Value(ValueId(9, cc, 0, prop)) for cc, prop in raw)),))
        )
        assert device.kind == kind, (raw, name)


def test_no_temperature_is_told_of_another_mode() -> None:
    texts: dict[int | bool | str, str] = {1: "Heat", 2: "Cool", 15: "Full power"}
    for mode, setpoints, state in DATA["modes"]:
        kept = [Value(ValueId(7, 67, 0, "setpoint", key), now, unit="°C") for key, now in setpoints.items()]
        modes = [Value(ValueId(7, 64, 0, "mode"), mode, states=texts)] if mode is not None else []
        [device] = devices_of(Snapshot((Node(7, "Thermostat", values=(*modes, *kept)),)))
        assert state_text(device) == state, (mode, setpoints)


def strip(*endpoints: int) -> Node:
    def outlet(endpoint: int) -> Value:
        target = ValueId(20, 37, endpoint, "targetValue")
        return Value(ValueId(20, 37, endpoint, "currentValue"), endpoint == 2, target=target)

    return Node(20, "Power Strip", "Office", "Alive", values=tuple(map(outlet, endpoints)))


def test_every_outlet_of_a_strip_is_a_device():
    devices = devices_of(Snapshot((strip(1, 2, 3),)))
    assert [(device.name, device.endpoint, state_text(device)) for device in devices] == [
        ("Power Strip 1", 1, "off"),
        ("Power Strip 2", 2, "on"),
        ("Power Strip 3", 3, "off"),
    ]
    assert [str(device.target) for device in devices] == [f"20-37-{n}-targetValue" for n in (1, 2, 3)]


def test_a_single_outlet_keeps_its_name_and_all_readings():
    node = strip(1)
    meter = Value(ValueId(20, 50, 2, "value", 66049), 12.5, "Electric Consumption [W]", "W")
    (device,) = devices_of(Snapshot((Node(20, "Plug", values=(*node.values, meter)),)))
    assert (device.name, device.kind, device.endpoint) == ("Plug", "plug", 1)
    assert device.readings == (meter,)


def test_a_target_is_guessed_when_the_gateway_names_none():
    node = Node(9, "Shutter", values=(Value(ValueId(9, 106, 0, "currentValue", 13), 40),))
    (device,) = devices_of(Snapshot((node,)))
    assert device.target == ValueId(9, 106, 0, "targetValue", 13)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 300) | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "id name loc status available virtual values commandClass endpoint property propertyKey "
                "value unit states min max lastUpdate isCurrentValue targetValue sceneid label nodeId".split()
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)


@settings(deadline=None)
@given(JSON)
def test_no_reply_of_a_gateway_breaks_the_picture(reply: Any):
    for result in (
        reply if isinstance(reply, list) else [],  # all else is refused before it is read
        [reply],
        [{"id": 5, "name": "X", "values": [reply, {"commandClass": 37, "property": "a"}]}],
    ):
        for device in devices_of(Snapshot(parse_nodes(result))):
            assert isinstance(state_text(device), str)
            assert all(isinstance(reading_text(value), str) for value in device.readings)
        parse_scenes(result)
        duration_seconds(reply)


@pytest.mark.parametrize(
    "none", [math.nan, math.inf, -math.inf, 10**400, -(10**400)], ids=lambda item: str(item)[:9]
)
async def test_a_number_that_is_none_is_no_value(none: float):
    numbers = {"value": none, "min": none, "max": none, "lastUpdate": none}
    raw = {"commandClass": 49, "property": "Air temperature", "label": "Air temperature", **numbers}
    (node,) = parse_nodes(
        [{"id": 5, "name": "Thing", "values": [raw, {**raw, "property": "x", "value": 21}]}]
    )
    assert [(value.value, value.minimum, value.maximum, value.updated) for value in node.values] == [
        (None, None, None, None),
        (21, None, None, None),
    ]
    assert duration_seconds({"value": none}) is None
    answer = await Tools(ScriptedHome(node)).call("get_device_sensor_data", {"deviceName": "thing"})
    assert answer.sentence == "The Thing: temperature 21."


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PROPERTIES), JSON, JSON, JSON), max_size=5))
async def test_no_value_of_a_device_breaks_a_tool(values: list[Any]):
    raw = [
        {"commandClass": cc, "property": prop, "value": value, "states": states}
        | dict.fromkeys(("targetValue", "min", "lastUpdate"), target)
        for (cc, prop), value, states, target in values
    ]
    home = ScriptedHome(*parse_nodes([{"id": 5, "name": "Thing", "values": raw}]))
    home.polled = [values[0][1] if values else None]
    tools = Tools(home, allow_unlock=True)
    calls: dict[str, dict[str, Any]] = {
        "list_zwave_devices": {},
        "get_zwave_device": {"deviceName": "thing"},
        "get_device_sensor_data": {"deviceName": "thing"},
        "control_zwave_device": {"deviceName": "thing", "action": "toggle"},
        "control_zwave_lock": {"deviceName": "thing", "action": "lock"},
        "set_zwave_thermostat": {"deviceName": "thing", "temperature": 20, "mode": "heat"},
        "check_zwave_health": {},
    }
    for name, arguments in calls.items():
        answer = await tools.call(name, arguments)
        json.dumps(answer.structured)
        assert answer.sentence


@pytest.mark.parametrize("number", [255, 4095, 4096])
def test_a_number_for_everybody_is_no_device_although_the_list_does_not_say_so(number: int) -> None:
    values = {"x": {"commandClass": 37, "endpoint": 0, "property": "currentValue", "value": True}}
    assert parse_nodes([{"id": number, "name": "Broadcast", "values": values}]) == ()


# --- percent


@settings(deadline=None)
@given(st.integers(0, 100))
def test_what_was_asked_for_is_what_is_said(percent: int):
    back = to_percent(to_level(percent))
    assert back == percent or (percent, back) == (51, 50)  # 101 percents share 100 levels


@settings(deadline=None)
@given(st.integers(1, 100))
def test_a_light_that_is_on_never_gets_the_level_of_off(percent: int):
    assert 1 <= to_level(percent) <= 99


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e6, max_value=1e6))
def test_any_level_a_device_reports_is_a_percentage(level: float):
    assert 0 <= to_percent(level) <= 100


TONES: dict[int | bool | str, str] = {
    1: "Ding Dong (3 sec)",
    2: "Westminster (8 sec)",
    3: "Siren (30 sec)",
    4: "Ding Ding",
}


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        (chime(5, "Door Chime", TONES), "chime"),
        (chime(5, "Hall Siren", TONES), "siren"),
        (chime(5, "Smoke Alarm", TONES), "siren"),
        (siren(5, "Relay 4"), "siren"),
        (Node(4, "Node 4", values=dimmer(4, "").values, classes={0: (17, 8)}), "fan"),
        (dimmer(4, "Ceiling Fan"), "fan"),
        (dimmer(4, "Ceiling Fan Light"), "dimmer"),
    ],
)
def test_device_class_or_name_tell_the_kind(node: Node, kind: str):
    (device,) = devices_of(Snapshot((node,)))
    assert device.kind == kind


def test_the_occasions_of_a_doorbell_are_one_device():
    first = chime(5, "Doorbell", TONES)
    more = [
        Value(ValueId(5, 121, endpoint, item.id.property), item.value, states=item.states, writeable=True)
        for endpoint in (1, 2)
        for item in first.values
    ]
    (device,) = devices_of(Snapshot((Node(5, "Doorbell", values=(*first.values, *more)),)))
    assert (device.name, device.kind, device.endpoint) == ("Doorbell", "chime", 0)


def test_device_classes_are_read_from_node_and_endpoints():
    reported = {"id": 4, "deviceClass": {"basic": 4, "generic": 17, "specific": 8}, "values": {}}
    ends = [{"index": 1, "deviceClass": {"generic": 17, "specific": 1}}, {"index": "x"}, 7, {"index": 2}]
    (node,) = parse_nodes([{**reported, "endpoints": ends}])
    assert node.classes == {0: (17, 8), 1: (17, 1)}
    (bare,) = parse_nodes([{"id": 4, "deviceClass": {"generic": None}, "endpoints": None}])
    assert bare.classes == {}


OFFICE = Node(4096, "Office Lights", members=(16, 17))


async def test_a_group_is_listed_with_what_it_can_do_and_what_its_members_do():
    home = ScriptedHome(switch(16, "Desk Lamp", "Office", on=True), switch(17, "Wall Lamp", "Office"), OFFICE)
    listed = await Tools(home).call("list_zwave_devices", {"filter": "office lights"})
    group = next(entry for entry in listed.structured["devices"] if entry["kind"] == "group")
    assert (group["name"], group["room"], group["state"]) == ("Office Lights", "Office", "partly on")
    assert group["abilities"] == ["on", "off"]


def test_groups_are_read_as_the_gateway_lists_them():
    nodes = [
        {"id": 16, "name": "Desk Lamp"}, {"id": 17, "name": "Wall Lamp"},
        {"id": 255, "name": "Broadcast", "virtual": True}, {"id": 4096, "virtual": True, "kind": "multicast"},
    ]  # fmt: skip
    groups = [
        {"id": 4096, "name": "Office Lights", "nodeIds": [16, 17]},
        {"id": 4097, "name": "Ghosts", "nodeIds": [16, 99]},
        {"id": "x"}, None, {"id": 4098, "name": "", "nodeIds": [16]},
    ]  # fmt: skip
    assert [(node.id, node.members) for node in parse_nodes(nodes, groups)] == [
        (16, ()), (17, ()), (4096, (16, 17)),
    ]  # fmt: skip
    assert [node.id for node in parse_nodes(nodes, {"not": "a list"})] == [16, 17]


async def test_a_plug_with_a_lamp_of_its_own_stays_as_it_is():
    """Many metering plugs show their power by a colour: what hangs on them must not be switched."""
    plain = switch(4, "Mood Light", on=False)
    more = bulb(4, "Mood Light", {0: 0, 2: 255, 3: 120, 4: 0}).values[4:]
    meter = Value(ValueId(4, 50, 0, "value", 66049), 12.0, unit="W")
    home = ScriptedHome(Node(4, "Mood Light", status="Alive", values=(*plain.values, *more, meter)))

    answer = await Tools(home).call("set_zwave_color", {"deviceName": "Mood Light", "color": "blue"})

    (device,) = devices_of(Snapshot(home.nodes))
    assert (device.kind, [target for target, _ in home.sent]) == ("plug", ["4-51-0-targetColor"])
    assert answer.structured["outcome"] == "confirmed"
