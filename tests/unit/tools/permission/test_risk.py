"""The risk of a call: from settings, the devices it would reach, and a tool's own name and hints."""

from typing import Any

import pytest
from tests.fakes.zwave_reach import Device, zwave_reaches

from voice_gateway.config import PermissionSettings
from voice_gateway.tools.permission.risk import Risk, risk_of
from voice_gateway.turn import ToolCall, ToolTraits

CONTROL = "control_zwave_device"
GARAGE = Device("Garage Door", "garage_door")
HOME = {
    "garage door": [GARAGE],
    "node 15": [GARAGE],
    "window blind": [Device("Window Blind", "blind")],
    "door": [GARAGE, Device("Front Door", "lock")],
    "lamp": [Device("Lamp", "dimmer")],
    "the gate's lamp": [Device("Lamp", "dimmer")],
    "garden gate": [Device("Garden Gate", "switch")],
    "node 16": [Device("Garden Gate", "switch")],
    "house alarm": [Device("House Alarm", "switch")],
    "relay 2": [Device("Relay 2", "switch", "Gate")],
    "node 18": [Device("Torschalter", "switch", "Garten")],
    "node 19": [Device("Ventilator", "switch", "Motor")],
    "node 20": [Device("Box", "switch", "Alarm")],
    "node 21": [Device("Außensirene", "plug", "Hof")],
    "node 22": [Device("Main Valve", "switch", "Cellar")],
}
reaches = zwave_reaches(lambda name: HOME.get(name.lower(), []))


def judged(name: str, args: dict[str, Any], settings: PermissionSettings | None = None, **facts: Any) -> Risk:
    traits = ToolTraits(**{"source": "zwave", "original_name": name, **facts})
    call = ToolCall("1", name, args)
    return risk_of(call, traits, settings or PermissionSettings(), reaches(call, traits))


# device: the actions that are sensitive, the actions that are not
DEVICES = {
    "Garage Door": ("open on toggle dim", "close stop"),
    "Door": ("open", ""),
    "Window Blind": ("", "open"),
    "Lamp": ("", "on"),
    "Something New": ("open", ""),
    "the old gate": ("on", ""),
    "node 15": ("toggle", ""),
    "node 16": ("on", ""),
    "node 99": ("toggle on off", "close stop"),
    "node 21": ("on off", ""),
    "node 22": ("on", "off"),
    "Garden Gate": ("on", "off"),
    "Relay 2": ("on", ""),
    "the gate's lamp": ("on", ""),
    "node 18": ("toggle", ""),
    "node 19": ("", "on"),
    "node 20": ("off", ""),
    "House Alarm": ("off", "on"),
}


def test_a_device_is_judged_by_what_would_move_however_the_call_names_it():
    wrong = []
    for device, actions in DEVICES.items():
        for words, expected in zip(actions, (Risk.SENSITIVE, Risk.REVERSIBLE), strict=True):
            wrong += [
                f"{action} {device}: not {expected}"
                for action in words.split()
                if judged(CONTROL, {"deviceName": device, "action": action}) is not expected
            ]
    assert wrong == []


OTHERS: list[tuple[str, Any, Risk]] = [
    ("control_zwave_lock", {"deviceName": "Front Door", "action": "unlock"}, Risk.SENSITIVE),
    ("control_zwave_lock", {"deviceName": "Front Door", "action": "lock"}, Risk.REVERSIBLE),
    ("control_zwave_lock", {}, Risk.SENSITIVE),
    (CONTROL, {"deviceName": ["Lamp", "Garage Door"], "action": "on"}, Risk.SENSITIVE),
    ("set_zwave_thermostat", {"deviceName": "Gate House", "temperature": 21}, Risk.REVERSIBLE),
    ("set_alarm_state", {"state": "disarm"}, Risk.SENSITIVE),
    ("disarm_alarm", {}, Risk.SENSITIVE),
    ("open_garage", {}, Risk.SENSITIVE),
    ("open_curtains", {}, Risk.REVERSIBLE),
    ("wipe_disk", {}, Risk.SENSITIVE),
    ("water_plants", {"plant": "fern"}, Risk.REVERSIBLE),
    ("HassTurnOn", {"name": "Garage Door"}, Risk.SENSITIVE),
    ("HassTurnOff", {"name": "Garage Door"}, Risk.REVERSIBLE),
    ("HassTurnOn", {"name": "Desk Lamp"}, Risk.REVERSIBLE),
    ("HassTurnOff", {"name": "Siren"}, Risk.SENSITIVE),
    ("call_service", {"entity_id": "cover.front_gate", "command": "toggle"}, Risk.SENSITIVE),
    ("call_service", {"entity_id": "cover.front_gate", "command": "close"}, Risk.REVERSIBLE),
    ("call_service", {"data": {"service": "unlock"}}, Risk.SENSITIVE),
    ("call_service", {"steps": [{"do": "unlock", "what": "front"}]}, Risk.SENSITIVE),
    ("call_service", {"target": {"entity_id": ["Garage Door"]}, "action": ["toggle"]}, Risk.SENSITIVE),
    ("stop_or_start", {"target": "front gate", "action": "start"}, Risk.SENSITIVE),
    ("close_or_toggle", {"target": "front gate"}, Risk.SENSITIVE),
    ("turn_on_off", {"name": "Siren", "state": True}, Risk.SENSITIVE),
]


def test_other_calls_are_judged_by_names_and_arguments_however_deep_they_lie():
    assert [(name, args) for name, args, expected in OTHERS if judged(name, args) is not expected] == []


def test_a_reminder_to_unlock_the_gate_unlocks_nothing():
    args = {"name": "garage door", "message": "unlock the gate", "at": "7 pm"}

    assert judged("set_timer", args, source="builtin") is Risk.REVERSIBLE


def test_a_second_homes_devices_are_not_taken_for_those_of_the_first():
    traits = ToolTraits(source="cabin", original_name=CONTROL)
    for action, expected in (("on", Risk.SENSITIVE), ("close", Risk.REVERSIBLE)):
        call = ToolCall("1", f"cabin__{CONTROL}", {"deviceName": "Lamp", "action": action})
        assert risk_of(call, traits, PermissionSettings(), reaches(call, traits)) is expected


# name, untrusted without and with a read-only hint, trusted without and with it
FOREIGN = [
    ("get_weather", Risk.UNKNOWN, Risk.UNKNOWN, Risk.REVERSIBLE, Risk.LOOK),
    ("fortune", Risk.UNKNOWN, Risk.UNKNOWN, Risk.REVERSIBLE, Risk.LOOK),
    ("run_scene", Risk.UNKNOWN, Risk.UNKNOWN, Risk.REVERSIBLE, Risk.LOOK),
    ("toggle_relay", Risk.UNKNOWN, Risk.UNKNOWN, Risk.REVERSIBLE, Risk.LOOK),
    ("delete_notes", *[Risk.SENSITIVE] * 3, Risk.LOOK),
    ("transfer_money", *[Risk.SENSITIVE] * 3, Risk.LOOK),
    ("factoryReset", *[Risk.SENSITIVE] * 3, Risk.LOOK),
    ("disable_alarm", *[Risk.SENSITIVE] * 3, Risk.LOOK),
    ("toggle_gate", *[Risk.SENSITIVE] * 3, Risk.LOOK),
    ("close_gate", Risk.UNKNOWN, Risk.UNKNOWN, Risk.REVERSIBLE, Risk.LOOK),
    ("open_valve", *[Risk.SENSITIVE] * 4),
    ("trigger_siren", *[Risk.SENSITIVE] * 4),
    ("getOrOpenGarage", *[Risk.SENSITIVE] * 4),
    ("unlock_door", *[Risk.SENSITIVE] * 4),
    ("open_front_door", *[Risk.SENSITIVE] * 4),
    ("open_gate", *[Risk.SENSITIVE] * 4),
]


def test_hints_of_an_untrusted_server_only_raise_the_risk_and_no_hint_beats_a_name():
    wrong = []
    for name, *expected in FOREIGN:
        facts: list[Any] = [
            {"trusted": trusted, "read_only": look} for trusted in (False, True) for look in (False, True)
        ]
        wrong += [
            (name, how, risk)
            for how, risk in zip(facts, expected, strict=True)
            if judged(name, {}, source="strange", **how) is not risk
        ]
    assert wrong == []
    assert judged("tidy_up", {}, source="strange", trusted=False, destructive=True) is Risk.SENSITIVE
    assert judged("tidy_up", {}, source="mine", destructive=True) is Risk.SENSITIVE
    assert judged("delete_notes", {}, source="mine", destructive=False) is Risk.REVERSIBLE
    assert judged("delete_notes", {}, source="mine", destructive=False, trusted=False) is Risk.SENSITIVE


LAMP, GATE = {"deviceName": "Lamp", "action": "on"}, {"deviceName": "Garden Gate", "action": "on"}
DOORS = {"deviceName": "Door", "action": "open"}
# what the owner permits, the call, its risk
PERMITS: list[tuple[dict[str, Any], str, dict[str, Any], Risk]] = [
    ({"water_plants": "always"}, "water_plants", {}, Risk.ALWAYS),
    ({"Water Plants": "pin"}, "water_plants", {}, Risk.SENSITIVE),
    ({"water_plants": "ask"}, "water_plants", {}, Risk.UNKNOWN),
    ({"water_plants": "never"}, "water_plants", {}, Risk.NEVER),
    ({"lamp": "ask"}, CONTROL, LAMP, Risk.UNKNOWN),
    ({"Lamp": "pin"}, CONTROL, LAMP, Risk.SENSITIVE),
    ({"Lamp": "never"}, CONTROL, LAMP, Risk.NEVER),
    ({"Lamp": "never"}, CONTROL, GATE, Risk.SENSITIVE),
    ({"Garden Gate": "always"}, CONTROL, GATE, Risk.ALWAYS),
    ({"Garage Door": "always"}, CONTROL, DOORS, Risk.SENSITIVE),  # the front door moves, too
    ({"Garage Door": "always", "Front Door": "ask"}, CONTROL, DOORS, Risk.UNKNOWN),
    ({CONTROL: "always"}, CONTROL, GATE, Risk.ALWAYS),
    ({CONTROL: "always", "Garden Gate": "pin"}, CONTROL, GATE, Risk.SENSITIVE),
]


@pytest.mark.parametrize(("permit", "name", "args", "risk"), PERMITS)
def test_the_owners_permits_come_before_the_table(permit, name, args, risk):
    assert judged(name, args, PermissionSettings(permit=permit)) is risk


# The same for a device that only a foreign tool knows.
NAMED = [
    ({"Relay 3": "pin"}, {"name": "Relay 3"}, Risk.SENSITIVE),
    ({"Relay 3": "never"}, {"target": {"entity_id": ["switch.relay_3"]}}, Risk.NEVER),
    ({"Relay 3": "never", "toggle_relay": "always"}, {"name": "relay 3"}, Risk.NEVER),
    ({"Relay 3": "always"}, {"name": "Relay 3", "note": "unlock"}, Risk.SENSITIVE),
    ({"Relay 3": "never"}, {"name": "Relay 4"}, Risk.REVERSIBLE),
]


@pytest.mark.parametrize(("permit", "args", "risk"), NAMED)
def test_a_permit_for_a_device_holds_for_foreign_tools_that_name_it(permit, args, risk):
    assert judged("toggle_relay", args, PermissionSettings(permit=permit), source="shed") is risk


def test_a_permit_for_a_device_hides_no_look():
    settings = PermissionSettings(permit={"Lamp": "never", "list_lamps": "never"})

    assert judged("get_zwave_device_state", {"deviceName": "Lamp"}, settings, read_only=True) is Risk.LOOK
    assert judged("list_lamps", {}, settings, read_only=True) is Risk.NEVER
