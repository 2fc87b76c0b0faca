"""A routine that would start itself is seen beforehand, as far as its calls tell."""

import pytest

from voice_gateway.routines.book import starts_itself
from voice_gateway.routines.model import Event, Routine


def routine(number: int, waits_for: str, becomes: str, acts_on: str, action: str) -> Routine:
    call = {"name": "control_zwave_device", "args": {"deviceName": acts_on, "action": action}}
    return Routine("x", Event("zwave", f"r/{waits_for}", becomes, device=waits_for), (call,), id=number)


@pytest.mark.parametrize(
    ("becomes", "action", "loops"),
    [("off", "toggle", True), ("on", "toggle", True), ("on", "on", False), ("on", "off", False)],
)
def test_one_that_switches_what_it_waits_for(becomes, action, loops):
    assert starts_itself(routine(0, "Lamp", becomes, "lamp", action), []) is loops


def test_two_that_start_each_other():
    there = routine(1, "Lamp A", "on", "Lamp B", "on")
    assert not starts_itself(routine(0, "Lamp B", "off", "Lamp A", "on"), [there])
    back = routine(2, "Lamp B", "on", "Lamp A", "off")
    assert not starts_itself(back, [there])
    assert starts_itself(routine(0, "Lamp A", "off", "Lamp A", "on"), [there, back])


def test_a_ring_of_many_comes_to_an_end():
    others = [routine(n, f"Lamp {n}", "on", f"Lamp {n + 1}", "on") for n in range(1, 50)]
    assert starts_itself(routine(0, "Lamp 50", "on", "Lamp 1", "on"), others)
    assert not starts_itself(routine(0, "Lamp 50", "on", "Lamp 90", "on"), others)
