"""What a call risks: from configuration, device kind and a server's own hints."""

import logging
from dataclasses import dataclass
from typing import Any

import pytest
from tests.fakes.zwave_reach import zwave_reaches

from voice_gateway.config import PermissionSettings
from voice_gateway.tools.permission.gate import FORBIDDEN, Fit, TurnGate
from voice_gateway.tools.permission.question import question
from voice_gateway.tools.permission.risk import Tier, tier
from voice_gateway.turn import Autonomy, ToolCall, ToolTraits
from voice_gateway.verdict import ALLOWED, Decision


@dataclass
class Device:
    name: str
    kind: str
    room: str = ""
    node_id: int | None = None


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


reaches = zwave_reaches(devices_named)


def judged(name, args, settings=None, **facts):
    traits = ToolTraits(source="zwave", original_name=name, **facts)
    return tier(
        ToolCall("1", name, args),
        traits,
        settings or PermissionSettings(),
        reaches(ToolCall("1", name, args), traits),
    )


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
        ("HassTurnOn", {"name": "Garage Door"}, Tier.SENSITIVE),
        ("HassTurnOff", {"name": "Garage Door"}, Tier.ACT),
        ("HassTurnOn", {"name": "Desk Lamp"}, Tier.ACT),
        ("HassTurnOff", {"name": "Siren"}, Tier.SENSITIVE),
        ("call_service", {"entity_id": "cover.front_gate", "command": "toggle"}, Tier.SENSITIVE),
        ("call_service", {"entity_id": "cover.front_gate", "command": "close"}, Tier.ACT),
        ("stop_or_start", {"target": "front gate", "action": "start"}, Tier.SENSITIVE),
        ("close_or_toggle", {"target": "front gate"}, Tier.SENSITIVE),
        ("turn_on_off", {"name": "Siren", "state": True}, Tier.SENSITIVE),
        ("set_zwave_thermostat", {"deviceName": "Gate House", "temperature": 21}, Tier.ACT),
    ],
)
def test_a_call_is_judged_by_what_it_would_do(name, args, expected):
    assert judged(name, args) is expected


def test_hints_of_a_server_are_heeded():
    assert judged("read_meter", {}, read_only=True) is Tier.READ
    assert judged("wipe_disk", {}, destructive=True) is Tier.SENSITIVE


def test_a_reminder_to_unlock_the_gate_unlocks_nothing():
    call = ToolCall("1", "set_timer", {"name": "garage door", "message": "unlock the gate", "at": "7 pm"})

    assert tier(call, ToolTraits(), PermissionSettings(), reaches(call, ToolTraits())) is Tier.ACT


def test_a_second_homes_devices_are_not_taken_for_those_of_the_first():
    args = {"deviceName": "Lamp", "action": "on"}
    traits = ToolTraits(source="cabin", original_name="control_zwave_device")
    call = ToolCall("1", "cabin__control_zwave_device", args)

    assert tier(call, traits, PermissionSettings(), reaches(call, traits)) is Tier.SENSITIVE
    close = ToolCall("1", "cabin__control_zwave_device", {**args, "action": "close"})
    assert tier(close, traits, PermissionSettings(), reaches(close, traits)) is Tier.ACT


def test_configuration_has_the_last_word():
    settings = PermissionSettings(trusted_tools=("wipe_disk",), sensitive_tools=("water_plants",))

    assert judged("wipe_disk", {}, settings, destructive=True) is Tier.ACT
    assert judged("water_plants", {}, settings) is Tier.SENSITIVE


def test_every_decision_is_logged(caplog):
    caplog.set_level(logging.INFO)
    gate = TurnGate("cli", PermissionSettings(), reaches)

    gate(ToolCall("1", "control_zwave_lock", {"action": "unlock", "deviceName": "Front Door"}), ToolTraits())

    assert caplog.records[-1].getMessage() == "permission decided"
    assert (caplog.records[-1].tier, caplog.records[-1].decision) == ("sensitive", "ask")


def test_forbidden_side_effects_spare_only_what_reads():
    gate = TurnGate("cli", PermissionSettings(), reaches, read_only=True)

    assert gate(ToolCall("1", "list", {}), ToolTraits(read_only=True)) == ALLOWED
    assert gate(ToolCall("1", "water_plants", {}), ToolTraits()) == FORBIDDEN


def test_several_wishes_become_one_question():
    calls = [
        ToolCall("1", "control_zwave_lock", {"deviceName": "the Front Door", "action": "unlock"}),
        ToolCall("2", "wipe_disk", {"disk": "b"}),
    ]

    text = question(calls, lambda name: ToolTraits(title="Wipe a disk"), reaches, pin=True)

    assert text == "Unlock the front door and Wipe a disk with disk b? Say yes and your PIN to confirm."


def test_the_question_names_the_device_that_would_move():
    call = ToolCall("1", "control_zwave_device", {"deviceName": "node 15", "action": "toggle"})

    text = question([call], lambda name: ToolTraits(), reaches, pin=False)

    assert text == "Toggle the garage door? Say yes to confirm."


def stranger(name: str, **facts: Any) -> ToolTraits:
    return ToolTraits(source="strange", original_name=name, trusted=False, **facts)


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
        ("doUnlock", Tier.SENSITIVE, Tier.SENSITIVE),
        ("open_gate", Tier.SENSITIVE, Tier.SENSITIVE),
        ("run_scene", Tier.SENSITIVE, Tier.SENSITIVE),
        ("activate_zwave_scene", Tier.SENSITIVE, Tier.SENSITIVE),
    ],
)
def test_of_a_stranger_name_and_hint_must_say_that_it_only_looks(name, hinted, unhinted):
    call = ToolCall("1", name, {})

    for read_only, expected in ((True, hinted), (False, unhinted)):
        traits = stranger(name, read_only=read_only)
        assert tier(call, traits, PermissionSettings(), reaches(call, traits)) is expected


@pytest.mark.parametrize("trusted", [False, True])
def test_no_hint_beats_a_sensitive_name(trusted):
    traits = ToolTraits(source="s", original_name="unlock_door", read_only=True, trusted=trusted)
    gate = TurnGate("mqtt", PermissionSettings(), reaches)

    assert gate(ToolCall("1", "unlock_door", {}), traits).reason == "this is not allowed from here"


def test_a_strangers_hint_does_not_act_in_a_forbidden_turn():
    gate = TurnGate("cli", PermissionSettings(), reaches, read_only=True)

    assert gate(ToolCall("1", "wipe", {}), stranger("wipe", read_only=True)) == FORBIDDEN
    assert gate(ToolCall("1", "get_news", {}), stranger("get_news", read_only=True)) == ALLOWED


CONTROL = "control_zwave_device"
LAMP_ON = ToolCall("1", CONTROL, {"deviceName": "Lamp", "action": "on"})
WATER = ToolCall("1", "water_plants", {"plant": "fern"})
OUTSIDE = {"heard_outside": lambda: True}
STRANGERS = {"told_by_strangers": lambda: True}


def of_model(fit: Fit = Fit.MEANT, autonomy=Autonomy.LOOK, settings=None, **facts) -> TurnGate:
    return TurnGate(
        "mqtt",
        settings or PermissionSettings(),
        reaches,
        fits=lambda _call, _traits, _reach: fit,
        by_model=True,
        autonomy=lambda: autonomy,
        **facts,
    )


@pytest.mark.parametrize("autonomy", Autonomy)
@pytest.mark.parametrize(
    ("call", "source", "trusted", "read", "fit", "decision"),
    [
        # A home's call, which the words can be read as an order for.
        (LAMP_ON, "zwave", True, OUTSIDE, Fit.MEANT, Decision.ALLOWED),
        (LAMP_ON, "zwave", True, OUTSIDE, Fit.NEAR, Decision.ASK),
        (LAMP_ON, "zwave", True, OUTSIDE, Fit.FAR, Decision.ASK),
        (LAMP_ON, "zwave", True, STRANGERS, Fit.MEANT, Decision.ALLOWED),
        (LAMP_ON, "zwave", True, STRANGERS, Fit.NEAR, Decision.ASK),
        (LAMP_ON, "zwave", False, {}, Fit.MEANT, Decision.ALLOWED),
        # A foreign tool, whose arguments no words can be compared with.
        (WATER, "garden", True, {}, Fit.MEANT, Decision.ALLOWED),
        (WATER, "garden", True, OUTSIDE, Fit.MEANT, Decision.ASK),
        (WATER, "garden", False, {}, Fit.MEANT, Decision.ALLOWED),
        (WATER, "garden", False, {}, Fit.NEAR, Decision.ASK),
        (WATER, "garden", False, OUTSIDE, Fit.MEANT, Decision.ASK),
    ],
)
def test_after_text_from_outside_an_act_runs_only_if_the_words_were_read_as_an_order_for_it(
    call, source, trusted, read, fit, decision, autonomy
):
    traits = ToolTraits(source=source, original_name=call.name, trusted=trusted)

    assert of_model(fit, autonomy, **read)(call, traits).decision is decision


def test_text_from_outside_does_not_count_for_trusted_tools_or_the_users_own_words():
    settings = PermissionSettings(trusted_tools=("water_plants",))
    traits = stranger("water_plants")

    assert of_model(Fit.FAR, settings=settings, **OUTSIDE)(WATER, traits) == ALLOWED
    local = TurnGate("cli", PermissionSettings(), reaches, heard_outside=lambda: True)
    assert local(WATER, traits) == ALLOWED, "the local brain acts on the user's words alone"


def test_what_may_come_from_outside_is_asked_about_even_where_confirmation_is_switched_off():
    gate = of_model(Fit.NEAR, settings=PermissionSettings(confirm=False), **OUTSIDE)

    assert gate(LAMP_ON, ToolTraits(source="zwave", original_name=CONTROL)).decision is Decision.ASK


def test_a_strangers_title_does_not_put_words_into_the_question():
    traits = ToolTraits(original_name="wipe_disk", title="Say hello", trusted=False)

    text = question([ToolCall("1", "wipe_disk", {})], lambda name: traits, reaches, pin=False)

    assert text == "Wipe disk? Say yes to confirm."


def test_an_asking_gate_asks_about_every_act_and_about_no_look():
    gate = TurnGate("mqtt", PermissionSettings(), reaches)
    asking = gate.asking()
    on = ToolCall("1", "control_zwave_device", {"deviceName": "lamp", "action": "on"})

    assert asking(on, ToolTraits(source="zwave")).decision is Decision.ASK
    look = ToolCall("2", "get_zwave_device_state", {})
    assert asking(look, ToolTraits(source="zwave", read_only=True)) == ALLOWED
    assert gate.asked == [on]  # the turn's own gate knows of it


@pytest.mark.parametrize(
    "args",
    [
        {"data": {"service": "unlock"}},
        {"steps": [{"do": "unlock", "what": "front"}]},
        {"name": ["Garage Door"]},
        {"target": {"entity_id": ["Garage Door"]}, "action": ["toggle"]},
    ],
)
def test_what_a_foreign_tool_is_told_is_read_however_deep_it_lies(args):
    call, known = (
        ToolCall("1", "call_service", args),
        ToolTraits(source="other", original_name="call_service"),
    )
    assert tier(call, known, PermissionSettings(), None) is Tier.SENSITIVE
