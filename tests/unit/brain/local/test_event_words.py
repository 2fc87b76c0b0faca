"""Words for what happens and is over: which device tells of it, and how the routine is repeated."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from voice_gateway.brain.local.routine_words import when_of
from voice_gateway.integrations.home import Home, build_home
from voice_gateway.integrations.listed import read_devices
from voice_gateway.routines.model import Event, Later, Missing
from voice_gateway.routines.schedule import Place
from voice_gateway.routines.wording import say_event, say_news
from zwave_mcp.queries import Queries
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.view import Viewer

HOME_FILE = Path(__file__).parents[3] / "fakes" / "events_home.toml"
NOW, PLACE = datetime(2026, 11, 16, 12, tzinfo=UTC), Place(ZoneInfo("UTC"), None, None)
ANY, REMOTE, SMOKE, LEAK, LOCK = (
    "zwave://events", "zwave://events/4/0", "zwave://events/2/0", "zwave://events/3/0", "zwave://events/6/0",
)  # fmt: skip


@pytest.fixture
async def home() -> Home:
    simulated = SimulatedHome(HOME_FILE)
    listed = await Queries(simulated, Viewer(simulated)).list(inactive=True)
    return build_home(read_devices(listed.structured, "zwave"))


@pytest.mark.parametrize(
    ("said", "resource", "becomes", "repeated"),
    [
        ("when the doorbell rings", ANY, "doorbell", "whenever the doorbell rings"),
        ("when somebody is at the door", ANY, "doorbell", "whenever the doorbell rings"),
        (
            "when I press button 2 of the wall remote twice", REMOTE, "button 2 pressed twice",
            "whenever button 2 of the Wall Remote is pressed twice",
        ),
        (
            "when I double click the wall remote", REMOTE, "button pressed twice",
            "whenever the Wall Remote is pressed twice",
        ),
        (
            "when I press button one on the wall remote", REMOTE, "button 1 pressed",
            "whenever button 1 of the Wall Remote is pressed",
        ),
        ("when the wall remote is pressed", REMOTE, "button pressed", "whenever the Wall Remote is pressed"),
        (
            "the next time I hold the first button of the wall remote", REMOTE, "button 1 held",
            "the next time button 1 of the Wall Remote is held",
        ),
        ("when there is smoke", ANY, "smoke on", "whenever smoke is detected"),
        ("when there is smoke in the kitchen", SMOKE, "smoke on", "whenever the Smoke Alarm detects smoke"),
        ("when there is water in the bathroom", LEAK, "water on", "whenever the Leak Sensor detects water"),
        ("if something leaks", ANY, "water on", "whenever water is detected"),
        (
            "when someone unlocks the front door with code 3", LOCK, "unlocked by user 3",
            "whenever the Front Door is unlocked by user 3",
        ),
        ("when the front door jams", LOCK, "lock jammed", "whenever the Front Door is jammed"),
        (
            "when somebody tampers with the smoke alarm", SMOKE, "tamper on",
            "whenever somebody tampers with the Smoke Alarm",
        ),
        (
            "when somebody unlocks the front door", "zwave://devices/6/0", "unlocked",
            "whenever the Front Door is unlocked",
        ),
    ],
)  # fmt: skip
def test_what_is_waited_for(home: Home, said: str, resource: str, becomes: str, repeated: str) -> None:
    later = when_of(said, home, None, NOW, PLACE)

    assert isinstance(later, Later), later
    assert isinstance(later.trigger, Event)
    assert (later.trigger.resource, later.trigger.becomes) == (resource, becomes)
    assert say_event(later.trigger) == repeated
    assert say_news(later.trigger).endswith(".")


@pytest.mark.parametrize(
    "said",
    ["when there is gas", "when I press button 7 of the wall remote", "when I press the ceiling light"],
)
def test_what_nobody_tells_is_not_waited_for(home: Home, said: str) -> None:
    later = when_of(said, home, None, NOW, PLACE)

    assert isinstance(later, Missing)
    assert "I kept nothing" in later.text


def test_the_button_is_that_of_the_only_remote(home: Home) -> None:
    later = when_of("when I press the button twice", home, None, NOW, PLACE)

    assert isinstance(later, Later)
    assert isinstance(later.trigger, Event)
    assert later.trigger.device == "Wall Remote"
