"""Questions about the home: what is read, what is looked at, and what is said of it."""

import asyncio
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
ANSWERS = {
    "is the washer running": "Yes, the Washer is running.",
    "is the phone charger plugged in": "Yes, the Phone Charger is plugged in.",
    "what's unplugged": "Nothing's unplugged.",
    "who is home": "Anna is home.",
    "is ben away": "Yes, Ben is away.",
    "is everyone home": "No, Ben is away.",
    "how many people are home": "1: Anna is home.",
    "where is the coffee maker": "The Coffee Maker is in the Kitchen.",
    "which batteries are low": "The Hall Sensor and the Door are low on battery.",
    "is the battery of the hall sensor low": "Yes, the Hall Sensor is low on battery.",
    "are all batteries ok": "No, the Hall Sensor and the Door are low on battery.",
    "what's the battery of the hall sensor": "The Hall Sensor is at 12 percent.",
    "how much power does the washer use": "The Washer is using 412 watts.",
    "how much power are we using": "You're using 412 watts.",
    "what's the air pressure": "The Barometer says 1013 hPa.",
    "where is it coldest": "The Hallway, at 19 degrees Celsius.",
    "is the sink sensor wet": "No, the Sink Sensor is dry.",
    "which rooms are occupied": "The Living Room is occupied.",
    "do I have any windows open": "Yes, the Bedroom Window is open.",
    "is every light off": "Not all: the Ceiling Light and the Bedside Lamp are off.",
    "how many open windows are there": "1: the Bedroom Window is open.",
    "lights still on in the kitchen": "Yes, the Kitchen Light is on in the Kitchen.",
    "was the garage door left open": "No, the Garage Door is closed.",
    "what lights did I leave on": "The Floor Lamp, the Kitchen Light and the Desk Lamp are on.",
    "what temperature is it in the office": "The temperature in the Office is 21.5 degrees Celsius.",
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
    await brain.refresh()
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
        texts.append(wording.reply(step, wording.as_old(step), made, brain.home))
    return " ".join(texts)


def test_questions_about_the_home_are_answered() -> None:
    async def differing() -> list[tuple[str, str]]:
        brain = await brain_of(home_of_sensors())
        texts = [(said, await answered(brain, said), right) for said, right in ANSWERS.items()]
        return [(said, text) for said, text, right in texts if text != right]

    assert asyncio.run(differing()) == []


def test_what_nothing_in_the_home_measures_passes() -> None:
    async def read() -> list[str]:
        brain = await brain_of(ScriptedHome.default())
        return [said for said in PASSES if brain.read(said).refused is None]

    assert asyncio.run(read()) == []
