"""What an action on a device risks, by its kind and by what people call it."""

import pytest

from home_names.kinds import device_class, mover_kind
from home_names.risk import is_guarded, is_sensitive
from voice_gateway.integrations.device import Device

WAYS_IN = [
    "Gate", "Gate 1", "gate1", "Front Gates", "Relay_Gate", "RelayGate", "ＧＡＴＥ", "Garage Door",
    "Garden Gate Motor",
    "Hoftor", "Torschalter", "Garagentor 2", "Türöffner", "Haustür", "Portail", "Portón", "Cancello", "Poort",
    "Garageport", "Brama wjazdowa", "Ворота", "Front Door", "Door 2", "Garage Opener", "Driveway Barrier",
    "Water Valve",
    "Hauptventil", "Válvula de gas",
]  # fmt: skip
LOCKS = [
    "Shed Lock", "Maglock", "Magnetic Lock 2", "Front Door Lock", "Deadbolt", "Door Strike", "Gun Safe",
    "Gate Latch Relay", "Türschloss", "Serrure", "Cerradura", "Замок",
]  # fmt: skip
SIRENS = [
    "Siren",
    "Outdoor Siren",
    "Außensirene",
    "Sirène",
    "Sirena esterna",
    "Alarm Siren",
    "Сирена",
    "Air Horn",
]
PLAIN = [
    "Desk Lamp", "Door Lamp", "Doorbell Chime", "Motor", "Ventilator", "Gateway", "Navigator",
    "Hornet Fan", "Tortoise Heater",
    "Kitchen Light", "Coffee Maker", "Window Blind", "Clock", "Lock Light", "Safe Light",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["switch", "plug", "dimmer"])
def test_a_relay_that_opens_something_is_asked_about_before_it_opens(kind):
    for name in WAYS_IN:
        for action in ("on", "toggle", "open", "dim", ""):
            assert is_sensitive(kind, [name], action), (name, action)
        for action in ("off", "close", "stop", "lock"):
            assert not is_sensitive(kind, [name], action), (name, action)


@pytest.mark.parametrize("name", LOCKS)
def test_a_relay_with_a_lock_on_it_may_open_by_either_word(name):
    assert all(is_sensitive("switch", [name], action) for action in ("on", "off", "toggle"))
    assert not any(is_sensitive("switch", [name], action) for action in ("close", "stop", "lock"))


@pytest.mark.parametrize("name", SIRENS)
def test_a_siren_is_asked_about_whatever_is_done_with_it(name):
    assert all(is_sensitive("switch", [name], action) for action in ("on", "off", "toggle"))


@pytest.mark.parametrize("kind", ["switch", "dimmer", "blind", "thermostat", "sensor"])
def test_what_opens_nothing_is_not_asked_about(kind):
    assert [name for name in PLAIN if is_guarded(kind, [name])] == []


@pytest.mark.parametrize(
    "name", ["Garage", "Portail", "Garden Gate", "Hoftor", "Sliding Door", "Garage Shutter", "Einfahrt"]
)
def test_a_motor_that_is_a_way_in_is_one_for_everybody(name):
    assert mover_kind(name) == "garage_door"


@pytest.mark.parametrize(
    "name", ["Window Blind", "Patio Door Blind", "Curtain", "Awning", "Projector Screen"]
)
def test_a_motor_in_front_of_a_window_is_a_blind(name):
    assert mover_kind(name) == "blind"


def test_everything_means_neither_sirens_nor_gates():
    devices = [
        Device("Desk Lamp", "Office", "switch"),
        Device("Siren", "", "switch"),
        Device("R", "Gate", "plug"),
    ]
    everything = device_class("everything")
    assert everything is not None
    assert [device.name for device in everything.among(devices)] == ["Desk Lamp"]


@pytest.mark.parametrize("kind", ["smart_lock", "Lock", "door_lock", "entry", "switch", "light", ""])
def test_unlocking_is_asked_about_whatever_a_server_calls_the_device(kind):
    assert is_sensitive(kind, ["Front"], "unlock")


@pytest.mark.parametrize("kind", ["relay", "button", "outlet", "gate_opener", "garage", "shutter"])
@pytest.mark.parametrize("name", ["Front Door", "Gate", "Garage Door"])
def test_a_kind_that_nobody_knows_is_judged_by_its_names(kind, name):
    assert all(is_sensitive(kind, [name], action) for action in ("on", "open", "toggle"))
    assert not is_sensitive(kind, [name], "close")


@pytest.mark.parametrize("kind", ["gate_opener", "smart_lock", "garage", "door_strike"])
def test_such_a_kind_is_one_of_its_names(kind):
    assert is_sensitive(kind, ["Relay 2"], "open")
    assert not is_sensitive("humidifier", ["Relay 2"], "on")


@pytest.mark.parametrize(
    "name",
    ["Front Door Unlock", "Unlock", "Disarm", "Front Door Open", "Front Door Open Relay", "Door Button",
     "Haustür öffnen", "Haustür entriegeln"],
)  # fmt: skip
def test_a_button_that_is_called_by_what_it_opens(name):
    assert is_sensitive("other", [name], "on")
