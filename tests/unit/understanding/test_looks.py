"""Questions about the home: what is read, what is looked at, and what is said of it."""

import asyncio
import re
from typing import Any

from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.config import BrainSettings
from voice_gateway.integrations.listed import told_of
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import ToolCall
from voice_gateway.understanding import wording
from voice_gateway.understanding.stage import UnderstandingStage

# (name, room, kind, state, watches, domain)
SENSORS = (
    ("Washer Running", "Kitchen", "sensor", "yes", ("running",), ""),
    ("Washer Power", "Kitchen", "sensor", "412 W", (), ""),
    ("Phone Charger", "Bedroom", "sensor", "yes", ("plug",), ""),
    ("Anna", "", "sensor", "home", (), "person"),
    ("Ben", "", "sensor", "not home", (), "person"),
    ("Nursery Motion", "Living Room", "sensor", "motion", ("motion",), ""),
    ("Hall Sensor Battery", "Hallway", "sensor", "12 % battery", (), ""),
    ("Hall Sensor", "Hallway", "sensor", "19 °C, 45 % humidity", (), ""),
    ("Door Battery", "Kitchen", "sensor", "low", ("battery",), ""),
    ("Barometer", "Office", "sensor", "1013 hPa", (), ""),
    ("Sink Sensor", "Kitchen", "sensor", "dry", ("water",), ""),
    ("Bedroom Window", "Bedroom", "sensor", "open", ("window",), ""),
)
INDOORS = (("Radiator", "Office", "thermostat", "heat, set to 21 °C, now 20.5 °C"),)
# The words of an answer that are its facts; how it is worded is tested with the replies.
ANSWERS = {
    "is the washer running": "yes washer running",
    "is the phone charger plugged in": "yes phone charger plugged",
    "what's unplugged": "nothing unplugged",
    "who is home": "anna home",
    "is ben away": "yes ben away",
    "is everyone home": "no ben away",
    "how many people are home": "one anna home",
    "where is the coffee maker": "coffee maker kitchen",
    "which batteries are low": "hall sensor door low on battery",
    "is the battery of the hall sensor low": "yes hall sensor low on battery",
    "are all batteries ok": "no hall sensor door low on battery",
    "what's the battery of the hall sensor": "hall sensor 12 percent",
    "how much power does the washer use": "washer using 412 watts",
    "how much power are we using": "you using 412 watts",
    "what's the air pressure": "barometer says 1013",
    "where is it coldest": "hallway 19",
    "is the sink sensor wet": "no sink sensor dry",
    "which rooms are occupied": "living room occupied",
    "do I have any windows open": "yes bedroom window open",
    "is every light off": "no floor lamp kitchen light desk on",
    "how many open windows are there": "one bedroom window open",
    "lights still on in the kitchen": "yes kitchen light on",
    "was the garage door left open": "no garage door closed",
    "what lights did I leave on": "floor lamp kitchen light desk on",
    "what temperature is it in the office": "office 21.5",
}
# Without such sensors another part of the gateway may know.
PASSES = (
    "is the house empty",
    "which batteries are low",
    "who is home",
    "what's the air pressure",
    "is anything plugged in",
)


async def brain_of(home: ScriptedHome) -> UnderstandingStage:
    brain = UnderstandingStage(ToolExecutor(manager_for(home)), BrainSettings())
    await brain.cache.refresh()
    return brain


def home_of_sensors() -> ScriptedHome:
    home = ScriptedHome.default()
    keys = ("name", "room", "kind", "state", "watches", "domain")
    for number, row in enumerate(SENSORS, start=50):
        device: dict[str, Any] = dict(zip(keys, row, strict=True))
        home.devices.append({**device, "watches": list(row[4]), "nodeId": number, "endpoint": 0})
    return home


async def answered(brain: UnderstandingStage, said: str) -> str:
    understood = brain.read(said)
    if understood.question is not None or understood.refused is not None or understood.acts:
        return repr(understood.refused or understood.question or "acts")
    texts = []
    for step in understood.steps:
        calls = [ToolCall("1", request.tool, dict(request.args)) for request in step.requests]
        made = [await brain._executor.execute(call) for call in calls]
        made = [
            told_of(outcome, request.device, step.room)
            for request, outcome in zip(step.requests, made, strict=True)
        ]
        texts.append(wording.reply(step, made, brain.home))
    return " ".join(texts)


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[\w.]*\w", text.lower()))


def test_questions_about_the_home_are_answered() -> None:
    async def differing() -> list[tuple[str, str]]:
        brain = await brain_of(home_of_sensors())
        texts = [(said, await answered(brain, said), right) for said, right in ANSWERS.items()]
        return [(said, text) for said, text, right in texts if not set(right.split()) <= words_of(text)]

    assert asyncio.run(differing()) == []


def test_several_sensors_of_a_room_are_told_apart() -> None:
    def reading(device: str, label: str, text: str) -> dict[str, str]:
        return {"device": device, "label": label, "text": text}

    def told(*readings: dict[str, str]) -> list[str]:
        return wording._measured({"readings": readings}, ("temperature",))

    hall, stove = (
        reading(name, "Air temperature", text) for name, text in (("Hall", "20 °C"), ("Stove", "21 °C"))
    )
    assert told(hall, reading("Hall", "Humidity", "40 %")) == ["20 degrees"]
    assert told(hall, reading("Stove", "Temperature", "20 °C")) == ["20 degrees"]
    assert told(hall, stove) == ["20 degrees at the hall", "21 degrees at the stove"]
    assert told() == []


def test_what_nothing_in_the_home_measures_passes() -> None:
    async def read() -> list[str]:
        brain = await brain_of(ScriptedHome.default())
        return [said for said in PASSES if brain.read(said).refused is None]

    assert asyncio.run(read()) == []


def test_a_garden_sensor_tells_only_of_the_outside() -> None:
    async def looked() -> dict[str, set[str]]:
        home = ScriptedHome.of([("Outdoor Thermometer", "Garden", "sensor", "7.5 °C"), *INDOORS])
        brain = await brain_of(home)
        asked = ("what is the temperature", "how warm is it inside", "how warm is it outside")
        return {said: {r.device.room for r in brain.read(said).requests if r.device} for said in asked}

    rooms = asyncio.run(looked())
    assert rooms == {
        "what is the temperature": {"Office"},
        "how warm is it inside": {"Office"},
        "how warm is it outside": {"Garden"},
    }
