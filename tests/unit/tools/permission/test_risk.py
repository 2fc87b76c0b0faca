"""The risk of a call: from settings, the devices it would reach, and a tool's own name and hints."""

from pathlib import Path
from typing import Any

import yaml
from tests.fakes.zwave_reach import Device, zwave_reaches

from voice_gateway.config import PermissionSettings
from voice_gateway.tools.permission.risk import Risk, risk_of
from voice_gateway.turn import ToolCall, ToolTraits

RISKS = yaml.safe_load(Path(__file__).with_name("risks.yaml").read_text(encoding="utf-8"))
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


def test_a_device_is_judged_by_what_would_move_however_the_call_names_it():
    wrong = []
    for device, actions in RISKS["devices"].items():
        for words, expected in zip(actions, ("sensitive", "reversible"), strict=True):
            wrong += [
                f"{action} {device}: not {expected}"
                for action in words.split()
                if judged(CONTROL, {"deviceName": device, "action": action}) != expected
            ]
    assert wrong == []


def test_other_calls_are_judged_by_names_and_arguments_however_deep_they_lie():
    assert [row for row in RISKS["calls"] if judged(*row[:2]) != row[2]] == []


def test_a_reminder_to_unlock_the_gate_unlocks_nothing():
    args = {"name": "garage door", "message": "unlock the gate", "at": "7 pm"}

    assert judged("set_timer", args, source="builtin") is Risk.REVERSIBLE


def test_a_second_homes_devices_are_not_taken_for_those_of_the_first():
    for action, expected in (("on", Risk.SENSITIVE), ("close", Risk.REVERSIBLE)):
        args = {"deviceName": "Lamp", "action": action}
        assert judged(f"cabin__{CONTROL}", args, source="cabin", original_name=CONTROL) is expected


def test_hints_of_an_untrusted_server_only_raise_the_risk_and_no_hint_beats_a_name():
    wrong = []
    for name, expected in RISKS["foreign"].items():
        facts: list[Any] = [
            {"trusted": trusted, "read_only": look} for trusted in (False, True) for look in (False, True)
        ]
        wrong += [
            (name, how, risk)
            for how, risk in zip(facts, expected.split(), strict=True)
            if judged(name, {}, source="strange", **how) != risk
        ]
    assert wrong == []
    assert judged("tidy_up", {}, source="strange", trusted=False, destructive=True) is Risk.SENSITIVE
    assert judged("tidy_up", {}, source="mine", destructive=True) is Risk.SENSITIVE
    assert judged("delete_notes", {}, source="mine", destructive=False) is Risk.REVERSIBLE
    assert judged("delete_notes", {}, source="mine", destructive=False, trusted=False) is Risk.SENSITIVE


def test_the_owners_permits_come_before_the_table():
    wrong = [
        row for row in RISKS["permits"] if judged(row[1], row[2], PermissionSettings(permit=row[0])) != row[3]
    ]
    assert wrong == []


def test_a_permit_for_a_device_holds_for_foreign_tools_that_name_it():
    settings = [(PermissionSettings(permit=permit), args) for permit, args, _ in RISKS["named"]]
    got = [judged("toggle_relay", args, permits, source="shed") for permits, args in settings]
    assert got == [risk for *_, risk in RISKS["named"]]


def test_a_permit_for_a_device_hides_no_look():
    settings = PermissionSettings(permit={"Lamp": "never", "list_lamps": "never"})

    assert judged("get_zwave_device_state", {"deviceName": "Lamp"}, settings, read_only=True) is Risk.LOOK
    assert judged("list_lamps", {}, settings, read_only=True) is Risk.NEVER
