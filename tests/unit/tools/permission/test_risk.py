"""The risk of a call: from settings, the devices it would reach, and a tool's own name and hints."""

from typing import Any

import pytest
from tests.fakes.zwave_reach import Device, zwave_reaches

from voice_gateway.config import PermissionSettings
from voice_gateway.tools.permission.risk import Tier, tier
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


def risk_of(
    name: str, args: dict[str, Any], settings: PermissionSettings | None = None, **facts: Any
) -> Tier:
    traits = ToolTraits(**{"source": "zwave", "original_name": name, **facts})
    call = ToolCall("1", name, args)
    return tier(call, traits, settings or PermissionSettings(), reaches(call, traits))


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
        for words, expected in zip(actions, (Tier.SENSITIVE, Tier.ACT), strict=True):
            wrong += [
                f"{action} {device}: not {expected}"
                for action in words.split()
                if risk_of(CONTROL, {"deviceName": device, "action": action}) is not expected
            ]
    assert wrong == []


OTHERS: list[tuple[str, Any, Tier]] = [
    ("control_zwave_lock", {"deviceName": "Front Door", "action": "unlock"}, Tier.SENSITIVE),
    ("control_zwave_lock", {"deviceName": "Front Door", "action": "lock"}, Tier.ACT),
    ("control_zwave_lock", {}, Tier.SENSITIVE),
    (CONTROL, {"deviceName": ["Lamp", "Garage Door"], "action": "on"}, Tier.SENSITIVE),
    ("set_zwave_thermostat", {"deviceName": "Gate House", "temperature": 21}, Tier.ACT),
    ("set_alarm_state", {"state": "disarm"}, Tier.SENSITIVE),
    ("disarm_alarm", {}, Tier.SENSITIVE),
    ("open_garage", {}, Tier.SENSITIVE),
    ("open_curtains", {}, Tier.ACT),
    ("water_plants", {"plant": "fern"}, Tier.ACT),
    ("HassTurnOn", {"name": "Garage Door"}, Tier.SENSITIVE),
    ("HassTurnOff", {"name": "Garage Door"}, Tier.ACT),
    ("HassTurnOn", {"name": "Desk Lamp"}, Tier.ACT),
    ("HassTurnOff", {"name": "Siren"}, Tier.SENSITIVE),
    ("call_service", {"entity_id": "cover.front_gate", "command": "toggle"}, Tier.SENSITIVE),
    ("call_service", {"entity_id": "cover.front_gate", "command": "close"}, Tier.ACT),
    ("call_service", {"data": {"service": "unlock"}}, Tier.SENSITIVE),
    ("call_service", {"steps": [{"do": "unlock", "what": "front"}]}, Tier.SENSITIVE),
    ("call_service", {"target": {"entity_id": ["Garage Door"]}, "action": ["toggle"]}, Tier.SENSITIVE),
    ("stop_or_start", {"target": "front gate", "action": "start"}, Tier.SENSITIVE),
    ("close_or_toggle", {"target": "front gate"}, Tier.SENSITIVE),
    ("turn_on_off", {"name": "Siren", "state": True}, Tier.SENSITIVE),
]


def test_other_calls_are_judged_by_names_and_arguments_however_deep_they_lie():
    assert [(name, args) for name, args, expected in OTHERS if risk_of(name, args) is not expected] == []


def test_hints_of_a_trusted_server_are_heeded():
    assert risk_of("read_meter", {}, read_only=True) is Tier.READ
    assert risk_of("wipe_disk", {}, destructive=True) is Tier.SENSITIVE


def test_a_reminder_to_unlock_the_gate_unlocks_nothing():
    args = {"name": "garage door", "message": "unlock the gate", "at": "7 pm"}

    assert risk_of("set_timer", args, source="builtin") is Tier.ACT


def test_a_second_homes_devices_are_not_taken_for_those_of_the_first():
    traits = ToolTraits(source="cabin", original_name=CONTROL)
    for action, expected in (("on", Tier.SENSITIVE), ("close", Tier.ACT)):
        call = ToolCall("1", f"cabin__{CONTROL}", {"deviceName": "Lamp", "action": action})
        assert tier(call, traits, PermissionSettings(), reaches(call, traits)) is expected


def test_the_settings_have_the_last_word():
    settings = PermissionSettings(trusted_tools=("wipe_disk",), sensitive_tools=("water_plants",))

    assert risk_of("wipe_disk", {}, settings, destructive=True) is Tier.ACT
    assert risk_of("water_plants", {}, settings) is Tier.SENSITIVE


@pytest.mark.parametrize(
    ("name", "hinted", "unhinted"),
    [
        ("get_weather", Tier.READ, Tier.ACT),
        ("listNotes", Tier.READ, Tier.ACT),
        ("fortune", Tier.ACT, Tier.ACT),
        ("delete_notes", Tier.ACT, Tier.ACT),
        ("get_and_delete_notes", Tier.ACT, Tier.ACT),
        ("getOrOpenGarage", Tier.SENSITIVE, Tier.SENSITIVE),
        ("unlock_door", Tier.SENSITIVE, Tier.SENSITIVE),
        ("open_gate", Tier.SENSITIVE, Tier.SENSITIVE),
        ("run_scene", Tier.SENSITIVE, Tier.SENSITIVE),
    ],
)
def test_an_untrusted_tool_only_reads_if_both_its_name_and_its_hint_say_so(name, hinted, unhinted):
    assert risk_of(name, {}, source="strange", trusted=False, read_only=True) is hinted
    assert risk_of(name, {}, source="strange", trusted=False) is unhinted
    if hinted is Tier.SENSITIVE:
        assert risk_of(name, {}, source="s", read_only=True) is Tier.SENSITIVE, "no hint beats the name"
