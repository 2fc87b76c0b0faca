"""What was: changes are kept, bounded, and told with the clock of the home."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.config import BrainSettings
from voice_gateway.integrations.device import Device
from voice_gateway.recorder import changes
from voice_gateway.recorder.changes import ChangeStore
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.understanding import wording
from voice_gateway.understanding.stage import UnderstandingStage

NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)  # a Wednesday
# (name, room, kind, state, available) of now, and what it was how many hours ago
HOME = (
    ("Back Window", "Kitchen", "sensor", "closed", True),
    ("Front Door", "Hall", "lock", "locked", True),
    ("Heater", "Bathroom", "switch", "on", True),
    ("Hall Light", "Hall", "switch", "off", True),
    ("Hall Motion", "Hall", "sensor", "no motion", True),
    ("Desk Lamp", "Study", "dimmer", "on, 40 %", True),
)
CHANGES = (
    ("Heater", 70, "on", "off"),
    ("Back Window", 30, "closed", "open"),
    ("Back Window", 29, "open", "closed"),
    ("Hall Motion", 14, "no motion", "motion"),
    ("Hall Motion", 13.9, "motion", "no motion"),
    ("Front Door", 6, "locked", "unlocked"),
    ("Front Door", 5.9, "unlocked", "locked"),
    ("Front Door", 3, "locked", "unlocked"),
    ("Front Door", 2.9, "unlocked", "locked"),
    ("Heater", 2.25, "off", "on"),
)
ANSWERS = {
    "when was the back window last opened": "The back window was last opened yesterday at 6:00 AM.",
    "when did someone last open the back window": "The back window was last opened yesterday at 6:00 AM.",
    "since when is the heater running": "Since today at 9:45 AM, so for 2 hours and 15 minutes.",
    "how long has the heater been on": "Since today at 9:45 AM, so for 2 hours and 15 minutes.",
    "has the front door been unlocked today": "Yes, 2 times, the last time today at 9:00 AM.",
    "was the back window opened today": "No, the back window wasn't opened today.",
    "how often was the front door unlocked today": "2 times, the last time today at 9:00 AM.",
    "was there any motion in the hall last night": "Yes, yesterday at 10:00 PM.",
    "how long has the hall light been on": "The hall light isn't on right now.",
    "since when is the desk lamp on": "Since before I started watching, Sunday at 2:00 PM.",
    "when was the hall light turned on": "Not since I started watching, Sunday at 2:00 PM.",
}


def device(name: str) -> Device:
    row, number = next((row, number) for number, row in enumerate(HOME, start=2) if row[0] == name)
    return Device(*row, node_id=number, source="zwave")


def kept(path: Path) -> ChangeStore:
    moment = [NOON.timestamp()]
    store = ChangeStore(path, 14, lambda: moment[0])
    for name, hours, before, after in CHANGES:
        moment[0] = (NOON - timedelta(hours=hours)).timestamp()
        store.note(device(name), before, after)
        store.written()
    moment[0] = NOON.timestamp()
    return store


def test_questions_about_what_was_are_answered(tmp_path: Path) -> None:
    async def answers() -> dict[str, str]:
        stage = UnderstandingStage(
            ToolExecutor(manager_for(ScriptedHome.of(HOME))),
            BrainSettings(),
            now=NOON.timestamp,
            place=Place(UTC),
            history=kept(tmp_path / "changes.sqlite"),
        )
        await stage.cache.refresh()
        found = {}
        for said in ANSWERS:
            understood = stage.read(said)
            steps = understood.steps
            found[said] = wording.reply(steps[0], (), stage.home) if steps else repr(understood)
        return found

    assert asyncio.run(answers()) == ANSWERS


def test_a_change_that_the_home_reports_is_kept(tmp_path: Path) -> None:
    async def seen() -> list[str]:
        home, store = ScriptedHome.of(HOME), ChangeStore(tmp_path / "changes.sqlite", 14)
        stage = UnderstandingStage(ToolExecutor(manager_for(home)), BrainSettings(), history=store)
        await stage.cache.refresh()
        home.find("Back Window")["state"] = "open"
        await stage.cache.refresh()
        store.written()
        return [one.after for one in store.of(device("Back Window"))]

    assert asyncio.run(seen()) == ["open"]


def test_numbers_alone_are_no_change_and_old_rows_go(tmp_path: Path) -> None:
    moment = [NOON.timestamp()]
    store = ChangeStore(tmp_path / "changes.sqlite", 2, lambda: moment[0])
    lamp = device("Desk Lamp")
    store.note(lamp, "on, 40 %", "on, 60 %")
    store.note(lamp, "off", "on, 60 %")
    store.written()
    assert [one.after for one in store.of(lamp)] == ["on, 60 %"]
    moment[0] += 3 * 86_400
    assert store.of(lamp) == ()
    assert ChangeStore(tmp_path / "none.sqlite", 0).began() is None


def test_the_file_stays_within_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "TRIM_EVERY", 5)
    monkeypatch.setattr(changes, "MOST_ROWS", 10)
    store = ChangeStore(tmp_path / "changes.sqlite", 14)
    for _ in range(20):
        store.note(device("Heater"), "off", "on")
        store.note(device("Heater"), "on", "off")
    store.written()
    assert len(store.of(device("Heater"))) <= 15
