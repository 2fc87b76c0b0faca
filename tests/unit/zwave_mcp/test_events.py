"""Events out of recorded traffic: each once, by every kind of topic; what stands is no news."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fakes import zwave_recordings as recordings
from tests.fakes.scripted_home import ScriptedHome, parse_nodes, switch
from tests.fakes.zwave_events import SMOKE, TWO_HOURS, Player

from zwave_mcp.home import Home, Node, Value, ValueId
from zwave_mcp.notifications import is_bell
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.tools import Tools

DATA = yaml.safe_load(Path(__file__).with_name("events.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def home() -> Player:
    player = Player()
    player.look()
    return player


@pytest.mark.parametrize("name", ["named", "valueid"])
def test_every_recorded_event_is_told_once(home: Player, name: str) -> None:
    home.play(name)

    assert home.texts == DATA["recorded"]


def test_a_list_tells_what_no_message_told(home: Player) -> None:
    home.with_value(SMOKE, 2)
    home.wait(1)
    home.look()

    assert home.texts == ["Smoke is detected in the Kitchen."]
    assert [alarm.text for alarm in home.log.alarms.values()] == home.texts


def test_a_list_that_was_asked_for_before_does_not_take_an_alarm_back(home: Player) -> None:
    home.wait(1)
    home.message("Kitchen/Smoke_Alarm/113/0/Smoke_Alarm/Sensor_status", {"time": 1, "value": 2})
    home.look(taken=home.moment - 0.5)

    assert home.texts == ["Smoke is detected in the Kitchen."]
    assert home.log.alarms


def test_what_stands_when_the_server_starts_is_told_as_standing() -> None:
    home = Player()
    home.with_value(SMOKE, 2, updated=home.moment - TWO_HOURS)
    home.look()
    home.message("Kitchen/Smoke_Alarm/113/0/Smoke_Alarm/Sensor_status", {"time": 1, "value": 2})

    assert [(event.text, event.standing) for event in home.told] == [
        ("Smoke is detected in the Kitchen.", True)
    ]


def test_a_gateway_that_forgets_its_values_for_a_moment_takes_nothing_back(home: Player) -> None:
    home.with_value(SMOKE, 2)
    home.look()
    home.with_value(SMOKE, None)
    home.wait(1)
    home.look()
    home.with_value(SMOKE, 2)
    home.look()

    assert home.texts == ["Smoke is detected in the Kitchen."]


def test_an_alarm_that_ended_and_came_again_is_told_again(home: Player) -> None:
    topic = "Kitchen/Smoke_Alarm/113/0/Smoke_Alarm/Sensor_status"
    for number, value in enumerate((2, 0, 2)):
        home.wait(1)
        home.message(topic, {"time": number, "value": value})

    assert [event.state for event in home.told] == ["on", "off", "on"]


def test_a_device_that_has_left_takes_its_alarm_along(home: Player) -> None:
    home.message("Kitchen/Smoke_Alarm/113/0/Smoke_Alarm/Sensor_status", {"time": 1, "value": 2})
    assert home.log.alarms
    nodes = home.snapshot.nodes
    home.snapshot = replace(home.snapshot, nodes=tuple(entry for entry in nodes if entry.id != SMOKE.node_id))
    home.wait(1)
    home.look()

    assert home.log.alarms == {}
    watched = home.log.to_json()["watched"]
    assert {item["state"] for item in watched if item["nodeId"] == SMOKE.node_id} == {"off"}
    assert [entry.kind for entry in home.told] == ["smoke"]


def test_a_group_does_not_repeat_what_its_members_tell(home: Player) -> None:
    nodes = home.snapshot.nodes
    lock = next(entry for entry in nodes if entry.name == "Front Door")
    home.snapshot = replace(home.snapshot, nodes=(*nodes, Node(4096, "Doors", members=(lock.id, 7))))
    home.look()
    home.message("Doors/98/0/currentMode", {"time": 1, "value": 0})
    whole = {"nodeId": 4096, "commandClass": 98, "endpoint": 0, "property": "currentMode", "value": 0}
    home.message("Doors/door_lock/endpoint_0/currentMode", whole)
    home.wait(5)
    home.look()
    home.wait(5)

    assert home.texts == []


def test_a_lock_that_tells_nothing_but_its_mode_is_believed_when_it_stays_so(home: Player) -> None:
    topic = "Entrance/Front_Door/98/0/currentMode"
    home.message(topic, {"time": 1, "value": 0})
    home.wait(1)
    home.message(topic, {"time": 2, "value": 255})  # it was only a wish
    home.wait(5)
    assert home.texts == []

    home.message(topic, {"time": 3, "value": 0})
    home.wait(5)

    assert home.texts == ["The Front Door in the Entrance was unlocked."]


# --- every layout of the gateway, as it was recorded

CYCLES = [mode for mode in recordings.MODES if mode != "manual"]  # which has topics for two lamps only


def in_mode(nodes: Any = None) -> Player:
    player = Player()
    player.snapshot = replace(player.snapshot, nodes=parse_nodes(nodes or recordings.nodes()))
    player.look()
    return player


@pytest.mark.parametrize("mode", CYCLES)
def test_events_are_told_in_every_recorded_mode(mode: str) -> None:
    home = in_mode()

    home.play(f"../modes/{mode}_cycle")

    assert home.texts == [
        "The Front Door Lock in the Hallway was unlocked.",
        "The Front Door Lock in the Hallway was locked.",
    ]


@pytest.mark.parametrize("mode", CYCLES)
def test_whose_a_topic_is_is_known_in_every_recorded_mode(mode: str) -> None:
    reports = in_mode().reports
    matches: dict[int, set[int]] = {}
    for line in recordings.lines(f"modes/{mode}_retained.jsonl"):
        report = reports.read(line["topic"], line["payload"].encode())
        for node in report.nodes if report is not None else ():
            matches.setdefault(node, set()).add(report.command_class if report is not None else 0)

    assert {node: matches[node] & {48, 98, 113} for node in (6, 8, 12)} == {
        6: {98, 113},
        8: {113},
        12: {48, 113},
    }


# --- devices that share a topic


BUTTON = {"commandClass": 91, "endpoint": 0, "property": "scene", "propertyKey": "001"}
RELAY = {"commandClass": 37, "endpoint": 0, "property": "currentValue", "value": False}
EITHER = "Button 1 of the Датчик in the Кухня or the Звонок in the Зал was pressed."


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (RELAY, ("doorbell", "Звонок", 6, "The Звонок in the Зал rang: somebody is at the door.")),
        (BUTTON, ("button", "", None, EITHER)),  # it may have been either: none is named as the one
    ],
)
def test_of_names_that_lose_all_their_letters_the_one_that_has_such_a_button_is_told(
    first: dict[str, Any], expected: object
) -> None:
    nodes = (3, "Датчик", "Кухня", first), (6, "Звонок", "Зал", BUTTON)
    home = in_mode(
        [
            {
                "id": number,
                "name": name,
                "loc": room,
                "status": "Alive",
                "ready": True,
                "values": {"x": value},
            }
            for number, name, room, value in nodes
        ]
    )
    home.message("//91/0/scene/001", {"time": 5, "value": 0})
    assert [(event.kind, event.device, event.node, event.text) for event in home.told] == [expected]


# --- topics, payloads and names


def told_by(message: dict[str, Any]) -> list[str]:
    home = Player()
    home.look()
    payload = message["payload"]
    home.message(message["topic"], payload.encode("latin-1") if isinstance(payload, str) else payload)
    return home.texts


def test_a_press_is_understood_by_every_kind_of_topic_and_payload() -> None:
    pressed = ["Button 3 of the Wall Remote in the Stairs was pressed."]
    assert [message for message in DATA["presses"] if told_by(message) != pressed] == []


def test_what_is_no_event_is_none() -> None:
    assert [message for message in DATA["none"] if told_by(message)] == []


def test_a_bell_is_known_by_its_name_in_many_languages() -> None:
    assert [name for name in DATA["bells"] if not is_bell(name)] == []


HOME_FILE = Path(__file__).parents[2] / "fakes" / "events_home.toml"


async def states(home: Home) -> dict[str, str]:
    listed = await Tools(home).call("list_zwave_devices", {"includeInactive": True})
    return {device["name"]: device["state"] for device in listed.structured["devices"]}


async def test_smoke_water_and_tampering_show_in_states_answers_and_health() -> None:
    home = SimulatedHome(HOME_FILE)
    before = await states(home)
    for name, what in (("Smoke Alarm", "smoke"), ("Smoke Alarm", "tamper"), ("Leak Sensor", "water")):
        home.fire(name, what)
    now = await states(home)

    assert (before["Smoke Alarm"], before["Leak Sensor"]) == ("no smoke", "dry")
    assert (now["Smoke Alarm"], now["Leak Sensor"]) == ("smoke detected, tampered with", "water detected")
    device = await Tools(home).call("get_zwave_device", {"deviceName": "smoke alarm"})
    assert device.sentence.startswith("Smoke is detected in the Kitchen.")
    health = await Tools(home).call("check_zwave_health", {})
    assert "Water is detected in the Bathroom." in health.structured["alarms"]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Smoke Alarm", "flood"), ("Nobody", "smoke"),
        ("Ceiling Light", "1 pressed"), ("Wall Remote", "9 pressed"),
    ],
)  # fmt: skip
def test_an_event_that_cannot_happen_is_refused(name: str, what: str) -> None:
    with pytest.raises(ValueError, match="there is"):
        SimulatedHome(HOME_FILE).fire(name, what)


def alarm(node: int, room: str, *more: Value) -> Node:
    where = ValueId(node, 113, 0, "Smoke Alarm", "Sensor status")
    smoke = Value(where, 2, "Sensor status", states={0: "idle", 2: "Smoke detected"})
    return replace(switch(node, "Smoke Alarm", room), values=(*more, smoke))


async def test_the_source_that_reports_trouble_wins_and_health_names_both_alarms_of_one_name() -> None:
    calm = Value(ValueId(2, 48, 0, "Smoke"), False, "Sensor state (Smoke)")
    home = ScriptedHome(alarm(2, "Hall", calm), alarm(3, "Attic"))
    assert await states(home) == {"Smoke Alarm": "smoke detected"}
    health: Any = (await Tools(home).call("check_zwave_health", {})).structured
    assert health["alarms"] == [f"Smoke is detected in the {room}." for room in ("Hall", "Attic")]
