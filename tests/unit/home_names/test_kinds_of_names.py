"""What a name says of its device, in the languages that names are given in."""

import pytest

from home_names.kinds import WINDOW, DeviceClass, device_class, is_fan, is_light
from voice_gateway.integrations.device import Device


@pytest.mark.parametrize(
    "name",
    [
        "Lámpara", "Luz", "Luces del patio", "Ljus", "Taklampa", "Свет", "Ночник свет", "Люстра",
        "Kuchyně světlo",
        "Światło", "Żarówka", "Kattovalo", "Valot", "Køkkenlys", "Luce cucina", "Faretti",
        "Lumière", "LUMIÈRE",
        "Éclairage", "Plafonnier", "Işık", "Avize", "Lámpa", "Csillár", "Candeeiro",
        "Schreibtischleuchte", "Beleuchtung",
        "Verlichting", "Φώτα", "客厅灯", "キッチンの照明", "거실 조명", "Світло", "kitchen_light",
    ],
)  # fmt: skip
def test_a_relay_that_is_called_a_light_is_one(name: str) -> None:
    assert is_light("switch", name)
    assert DeviceClass("light", "lights", plural=True).has(Device(name, "", "plug"))


@pytest.mark.parametrize(
    "name",
    [
        "Isıtıcı", "Heater", "Aluminium Gate", "Aluminium Rack", "Portón luz", "Sirena luz",
        "Garagentor", "Замок", "Serratura",
        "Świat", "Coffee Maker", "Φωτοβολταϊκά", "Bulaşık makinesi", "Pumpe", "Цветок", "Рассвет",
        "Brama światło",
    ],
)  # fmt: skip
def test_what_is_none_is_not_taken_for_one(name: str) -> None:
    assert not is_light("switch", name)


@pytest.mark.parametrize("kind", ["lock", "garage_door", "siren", "blind", "sensor", "chime", "fan"])
def test_no_name_makes_a_light_of_another_kind(kind: str) -> None:
    assert not any(is_light(kind, name) for name in ("Luz", "Light", "Свет", "灯"))


@pytest.mark.parametrize(
    "name", ["Ventilador", "Deckenventilator", "Lüfter", "Fläkt", "Вентилятор", "Wentylator", "Fan"]
)
def test_a_fan_is_no_light(name: str) -> None:
    assert is_fan(name)
    assert not is_light("dimmer", name)
    fans = device_class("fans")
    assert fans is not None
    assert fans.has(Device(name, "", "switch"))


@pytest.mark.parametrize("name", ["Ceiling Fan Light", "Ventilador luz", "Deckenventilator Licht"])
def test_the_light_of_a_fan_is_one(name: str) -> None:
    assert is_light("switch", name)
    assert not is_fan(name)


@pytest.mark.parametrize("name", ["Calefactor", "Pompe", "Verwarming", "Обогреватель", "Heizung Bad"])
def test_what_heats_or_pumps_on_a_dimmer_is_no_light(name: str) -> None:
    assert not is_light("dimmer", name)


@pytest.mark.parametrize(
    "name",
    [
        "Raam", "Keukenraam", "Okno", "Окно", "Ventana", "Fenêtre", "Ikkuna", "Fönster",
        "Köksfönster", "Vindu",
        "Finestra bagno", "Janela", "Ablak", "Pencere", "Dachfenster", "Skylight", "窗",
    ],
)  # fmt: skip
def test_windows_are_known_in_many_languages(name: str) -> None:
    windows = DeviceClass(WINDOW, "windows", plural=True)
    assert windows.has(Device(name, "", "sensor"))
    assert not windows.has(Device(f"Cortina {name}", "", "blind"))


@pytest.mark.parametrize(
    "name", ["Luce's Heater", "Svetlana Pump", "Светлана обогреватель", "Valor Fireplace", "Lysol Pump"]
)
def test_a_persons_name_makes_no_lamp_of_a_machine(name):
    assert not is_light("plug", name)
