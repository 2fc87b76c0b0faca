"""What a call risks: from configuration, device kind and a server's own hints."""

import logging
from dataclasses import dataclass

import pytest

from voice_gateway.config import PermissionSettings
from voice_gateway.tools.permission import FORBIDDEN, Tier, TurnGate, question, tier
from voice_gateway.turn import ALLOWED, ToolCall, ToolTraits


@dataclass
class Device:
    name: str
    kind: str
    room: str = ""


GARAGE, LAMP = Device("Garage Door", "garage_door"), Device("Lamp", "dimmer")
GATE, ALARM = Device("Garden Gate", "switch"), Device("House Alarm", "switch")
HOME = {
    "garage door": [GARAGE],
    "node 15": [GARAGE],
    "window blind": [Device("Window Blind", "blind")],
    "door": [GARAGE, Device("Front Door", "lock")],
    "lamp": [LAMP],
    "garden gate": [GATE],
    "node 16": [GATE],
    "house alarm": [ALARM],
    "node 17": [ALARM],
    "relay 2": [Device("Relay 2", "switch", "Gate")],
    "the gate's lamp": [LAMP],
    "node 18": [Device("Torschalter", "switch", "Garten")],
    "node 19": [Device("Ventilator", "switch", "Motor")],
    "node 20": [Device("Box", "switch", "Alarm")],
    "node 21": [Device("Außensirene", "plug", "Hof")],
    "node 22": [Device("Main Valve", "switch", "Cellar")],
}


def devices_named(name: str) -> list[Device]:
    return HOME.get(name.lower(), [])


def judged(name, args, settings=None, **facts):
    traits = ToolTraits(source="zwave", original_name=name, **facts)
    return tier(ToolCall("1", name, args), traits, settings or PermissionSettings(), devices_named)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("control_zwave_lock", {"deviceName": "Front Door", "action": "unlock"}, Tier.SENSITIVE),
        ("control_zwave_lock", {"deviceName": "Front Door", "action": "lock"}, Tier.ACT),
        ("control_zwave_lock", {}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "Garage Door", "action": "open"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "Garage Door", "action": "on"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "Garage Door", "action": "toggle"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "Garage Door", "action": "dim", "level": 50}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "Garage Door", "action": "close"}, Tier.ACT),
        ("control_zwave_device", {"deviceName": "Garage Door", "action": "stop"}, Tier.ACT),
        ("control_zwave_device", {"deviceName": "Door", "action": "open"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "Window Blind", "action": "open"}, Tier.ACT),
        ("control_zwave_device", {"deviceName": "Lamp", "action": "on"}, Tier.ACT),
        ("control_zwave_device", {"deviceName": "Something New", "action": "open"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "the old gate", "action": "on"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 15", "action": "toggle"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 16", "action": "on"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 17", "action": "off"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 99", "action": "toggle"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 99", "action": "on"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 99", "action": "off"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 99", "action": "close"}, Tier.ACT),
        ("control_zwave_device", {"deviceName": "node 99", "action": "stop"}, Tier.ACT),
        ("control_zwave_device", {"deviceName": "node 21", "action": "on"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 21", "action": "off"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 22", "action": "on"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 22", "action": "off"}, Tier.ACT),
        ("control_zwave_device", {"deviceName": ["Lamp", "Garage Door"], "action": "on"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "Garden Gate", "action": "on"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "Garden Gate", "action": "off"}, Tier.ACT),
        ("control_zwave_device", {"deviceName": "Relay 2", "action": "on"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "the gate's lamp", "action": "on"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 18", "action": "toggle"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "node 19", "action": "on"}, Tier.ACT),
        ("control_zwave_device", {"deviceName": "node 20", "action": "off"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "House Alarm", "action": "off"}, Tier.SENSITIVE),
        ("control_zwave_device", {"deviceName": "House Alarm", "action": "on"}, Tier.ACT),
        ("set_zwave_thermostat", {"deviceName": "Thermostat", "temperature": 21}, Tier.ACT),
        ("set_alarm_state", {"state": "disarm"}, Tier.SENSITIVE),
        ("disarm_alarm", {}, Tier.SENSITIVE),
        ("open_garage", {}, Tier.SENSITIVE),
        ("open_curtains", {}, Tier.ACT),
        ("water_plants", {"plant": "fern"}, Tier.ACT),
    ],
)
def test_a_call_is_judged_by_what_it_would_do(name, args, expected):
    assert judged(name, args) is expected


def test_hints_of_a_server_are_heeded():
    assert judged("read_meter", {}, read_only=True) is Tier.READ
    assert judged("wipe_disk", {}, destructive=True) is Tier.SENSITIVE


def test_configuration_has_the_last_word():
    settings = PermissionSettings(trusted_tools=("wipe_disk",), sensitive_tools=("water_plants",))

    assert judged("wipe_disk", {}, settings, destructive=True) is Tier.ACT
    assert judged("water_plants", {}, settings) is Tier.SENSITIVE


def test_every_decision_is_logged(caplog):
    caplog.set_level(logging.INFO)
    gate = TurnGate("cli", PermissionSettings(), devices_named)

    gate(ToolCall("1", "control_zwave_lock", {"action": "unlock", "deviceName": "Front Door"}), ToolTraits())

    assert caplog.records[-1].getMessage() == "permission decided"
    assert (caplog.records[-1].tier, caplog.records[-1].decision) == ("sensitive", "ask")


def test_forbidden_side_effects_spare_only_what_reads():
    gate = TurnGate("cli", PermissionSettings(), devices_named, forbid_side_effects=True)

    assert gate(ToolCall("1", "list", {}), ToolTraits(read_only=True)) is ALLOWED
    assert gate(ToolCall("1", "water_plants", {}), ToolTraits()) == FORBIDDEN


def test_several_wishes_become_one_question():
    calls = [
        ToolCall("1", "control_zwave_lock", {"deviceName": "the Front Door", "action": "unlock"}),
        ToolCall("2", "wipe_disk", {"disk": "b"}),
    ]

    text = question(calls, lambda name: ToolTraits(title="Wipe a disk"), devices_named, pin=True)

    assert text == "Unlock the front door and Wipe a disk with disk b? Say yes and your PIN to confirm."


def test_the_question_names_the_device_that_would_move():
    call = ToolCall("1", "control_zwave_device", {"deviceName": "node 15", "action": "toggle"})

    text = question([call], lambda name: ToolTraits(), devices_named, pin=False)

    assert text == "Toggle the garage door? Say yes to confirm."
