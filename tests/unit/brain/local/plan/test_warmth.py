"""How warm it shall be, where a thermostat keeps between two temperatures."""

from typing import Any

import pytest

from voice_gateway.brain.local.meaning import Context, Step
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.brain.local.understand import Reader
from voice_gateway.integrations.home import build_home
from voice_gateway.integrations.listed import read_devices

TOOLS = frozenset({"set_zwave_thermostat"})
AUTO = "auto, set to 20 °C for heating and 25 °C for cooling"


def steps(said: str, state: str, *readings: str) -> list[Step]:
    device = {"name": "Thermostat", "room": "Hallway", "kind": "thermostat", "nodeId": 7, "state": state}
    home = build_home(read_devices({"devices": [{**device, "readings": list(readings)}]}, "zwave"))
    return list(Reader(Context(home=home, tools=TOOLS)).read(normalise(said)).steps)


def asked(said: str, state: str, *readings: str) -> list[dict[str, Any]]:
    calls = [dict(one.args) for step in steps(said, state, *readings) for one in step.requests]
    return [{name: value for name, value in call.items() if name != "deviceName"} for call in calls]


@pytest.mark.parametrize(
    ("said", "now", "operating", "wanted"),
    [
        ("make it warmer", "24", "operating cooling", (26, "cooling")),
        ("make it cooler", "24", "operating cooling", (24, "cooling")),
        ("make it warmer", "21", "operating heating", (21, "heating")),
        ("make it 2 degrees cooler", "21", "operating heating", (18, "heating")),
        ("make it warmer", "25.5", "", (26, "cooling")),
        ("make it warmer", "19", "", (21, "heating")),
        ("make it warmer", "22", "operating idle", (21, "heating")),
        ("make it cooler", "22", "operating idle", (24, "cooling")),
        ("lower the cooling by 2 degrees", "22", "operating heating", (23, "cooling")),
    ],
)
def test_warmer_is_of_the_temperature_that_applies(
    said: str, now: str, operating: str, wanted: tuple[int, str]
) -> None:
    [call] = asked(said, f"{AUTO}, now {now} °C", *filter(None, [operating]))
    assert call == {"temperature": wanted[0], "setpoint": wanted[1]}


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("set the cooling to 24", [{"temperature": 24, "setpoint": "cooling"}]),
        ("set the heating to 21 degrees", [{"temperature": 21, "setpoint": "heating"}]),
        ("set the cooling temperature in the hallway to 24", [{"temperature": 24, "setpoint": "cooling"}]),
        ("set the thermostat to 22", [{"temperature": 22}]),
        (
            "heat to 20 and cool to 25",
            [{"temperature": 20, "setpoint": "heating"}, {"temperature": 25, "setpoint": "cooling"}],
        ),
    ],
)
def test_which_of_the_two_may_be_named(said: str, wanted: list[dict[str, Any]]) -> None:
    assert asked(said, AUTO) == wanted


def test_of_one_that_only_cools_the_cooling_is_meant() -> None:
    [call] = asked("make it warmer", "auto, set to 25 °C for cooling")
    assert call == {"temperature": 26, "setpoint": "cooling"}


@pytest.mark.parametrize("said", ["set the cooling to 25", "cool to 25"])
def test_the_heating_is_not_set_in_place_of_the_cooling(said: str) -> None:
    [step] = steps(said, "heat, set to 20 °C, now 20.5 °C")
    assert not step.requests
    assert step.say == "The Thermostat does not cool now. Set it to cool or to auto first."


@pytest.mark.parametrize(
    ("said", "state", "degrees"),
    [
        ("set the cooling to 25", "cool, set to 24 °C", 25),
        ("cool the hallway to 18 degrees", "heat, set to 20 °C", 18),
        ("set the heating to 22", "heat, set to 20 °C", 22),
        ("make it warmer", "heat, set to 20 °C, now 25 °C", 21),
        ("set the cooling to 25", "auto, set to 24 °C, now 27 °C", 25),
        ("set the cooling to 25", "energy save cool, set to 24 °C", 25),
    ],
)
def test_where_there_is_only_one_it_is_meant(said: str, state: str, degrees: int) -> None:
    assert asked(said, state) == [{"temperature": degrees}]
