"""Alarms in plain words: in states, answers and health; a question about them is answered by who can tell."""

from pathlib import Path

import pytest

from voice_gateway.brain.local.alarm_answer import alarm_answer
from voice_gateway.integrations.listed import read_devices
from zwave_mcp.queries import Queries
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.view import Viewer

HOME_FILE = Path(__file__).parents[2] / "fakes" / "events_home.toml"


class House:
    def __init__(self) -> None:
        self.home = SimulatedHome(HOME_FILE)
        self.queries = Queries(self.home, Viewer(self.home))

    async def state(self, name: str) -> str:
        listed = (await self.queries.list(inactive=True)).structured["devices"]
        return next(str(one["state"]) for one in listed if one["name"] == name)

    async def answer(self, kind: str, room: str | None = None) -> str:
        listed = await self.queries.list(inactive=True)
        return alarm_answer(read_devices(listed.structured, "zwave"), kind, room)


@pytest.fixture
def house() -> House:
    return House()


async def test_smoke_is_told_in_plain_words_everywhere(house: House) -> None:
    assert await house.state("Smoke Alarm") == "no smoke"
    assert (await house.queries.device("smoke alarm")).sentence == "No smoke is detected in the Kitchen."

    house.home.fire("Smoke Alarm", "smoke")

    assert await house.state("Smoke Alarm") == "smoke detected"
    assert (await house.queries.device("smoke alarm")).sentence == "Smoke is detected in the Kitchen."
    health = await house.queries.health()
    assert health.sentence.startswith("Smoke is detected in the Kitchen. The simulated Z-Wave home is up")
    assert health.structured["alarms"] == ["Smoke is detected in the Kitchen."]


async def test_water_and_tampering_are_told_beside_each_other(house: House) -> None:
    assert await house.state("Leak Sensor") == "dry"
    house.home.fire("Leak Sensor", "water")
    house.home.fire("Smoke Alarm", "tamper")

    assert await house.state("Leak Sensor") == "water detected"
    assert await house.state("Smoke Alarm") == "no smoke, tampered with"


async def test_whether_there_is_any_is_answered_by_those_who_watch_for_it(house: House) -> None:
    assert await house.answer("smoke") == "No, no smoke is detected."
    assert (
        await house.answer("water", "Kitchen")
        == "Nothing here can tell me whether there is water in the Kitchen."
    )
    assert await house.answer("gas") == "Nothing here can tell me whether there is gas."
    house.home.fire("Smoke Alarm", "smoke")
    house.home.fire("Leak Sensor", "water")

    assert await house.answer("smoke") == "Yes: smoke is detected in the Kitchen."
    assert (
        await house.answer("")
        == "Yes: smoke is detected in the Kitchen and water is detected in the Bathroom."
    )


async def test_who_cannot_be_reached_says_nothing() -> None:
    house = House()
    house.home = SimulatedHome(HOME_FILE, faults={"smoke alarm": frozenset({"dead"})})
    house.queries = Queries(house.home, Viewer(house.home))

    assert await house.answer("smoke") == "I don't know: I can't reach the Smoke Alarm."


@pytest.mark.parametrize(
    "what", ["Smoke Alarm=flood", "Nobody=smoke", "Ceiling Light=1 pressed", "Wall Remote=9 pressed"]
)
def test_what_cannot_happen_is_refused(house: House, what: str) -> None:
    name, _, happening = what.partition("=")
    with pytest.raises(ValueError, match="there is"):
        house.home.fire(name, happening)
