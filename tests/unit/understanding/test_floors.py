"""Floors: by the name that the home gives them, by other words, and by the names of rooms."""

import asyncio

from tests.fakes.home_tools import ScriptedHome
from tests.unit.understanding.test_looks import brain_of

FIRST, GROUND = {"Bedroom", "Office", "Study"}, {"Living Room", "Kitchen", "Hallway"}
# What is said, and the devices that are called; nothing where the floor is not known.
ORDERS = {
    "turn off the lights upstairs": "Bedside Lamp, Desk Lamp",
    "turn off the upstairs lights": "Bedside Lamp, Desk Lamp",
    "switch off all lights on the first floor": "Bedside Lamp, Desk Lamp",
    "first floor lights off": "Bedside Lamp, Desk Lamp",
    "turn on all the downstairs lights": "Ceiling Light, Floor Lamp, Kitchen Light",
    "close the blinds on the second floor": "",
    "switch off everything in the basement": "",
}


def home_of_two_floors() -> ScriptedHome:
    home = ScriptedHome.default()
    for device in home.devices:
        floor = "First Floor" if device["room"] in FIRST else "Ground Floor"
        device["floor"] = floor if device["room"] in FIRST | GROUND else ""
    return home


def home_of_named_rooms() -> ScriptedHome:
    home = ScriptedHome.default()
    for device in home.devices:
        device["room"] = {"Bedroom": "Upstairs Bedroom", "Office": "Upstairs Office"}.get(
            device["room"], device["room"]
        )
    return home


def test_a_floor_is_the_rooms_that_are_on_it() -> None:
    async def called(said: str) -> str:
        brain = await brain_of(home_of_two_floors())
        understood = brain.read(said)
        requests = [request for step in understood.steps for request in step.requests]
        return ", ".join(sorted(request.args["deviceName"] for request in requests))

    assert {said: asyncio.run(called(said)) for said in ORDERS} == ORDERS


def test_rooms_named_after_a_floor_are_on_it() -> None:
    async def rooms() -> set[str]:
        brain = await brain_of(home_of_named_rooms())
        steps = brain.read("turn off the lights upstairs").steps
        return {request.device.room for step in steps for request in step.requests if request.device}

    assert asyncio.run(rooms()) == {"Upstairs Bedroom", "Upstairs Office"}
