"""Smoke stands above every page until somebody has heard it, also for who comes later; a bell passes by."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.browser import Console
from tests.fakes.gateway_process import Commands
from tests.fakes.running_gateway import ask
from tests.web.conftest import Open

pytestmark = pytest.mark.web

HOME = Path(__file__).parents[1] / "fakes" / "events_home.toml"


@pytest.fixture
def simulated(tmp_path: Path) -> list[str]:
    return ["-m", "zwave_mcp", "--simulate", str(HOME), "--state-file", str(tmp_path / "state.json")]


@pytest.fixture
def settings(simulated: list[str]) -> str:
    return f'[mcpServers.zwave]\ncommand = "{sys.executable}"\nargs = {json.dumps(simulated)}\n'


def shown(console: Console) -> Any:
    """What tells of an event, wherever it stands."""
    return console.page.locator(".notice, .toast, #alarms li").locator("visible=true")


async def test_smoke_stands_on_every_page_until_acknowledged(
    console: Console, open_console: Open, commands: Commands, simulated: list[str]
) -> None:
    async def fire(what: str) -> None:
        process = await asyncio.create_subprocess_exec(sys.executable, *simulated, "--fire", what)
        assert await process.wait() == 0

    assert (await ask(commands, "is the ceiling light on"))["ok"]  # the home is followed
    await fire("Doorbell=1 pressed")
    await console.page.locator(".notice").get_by_text("somebody is at the door").wait_for()
    assert await shown(console).count() == 1
    await console.page.get_by_text("What should happen?").wait_for()  # a newcomer is still told what to do
    elsewhere = await open_console("home")
    await fire("Doorbell=1 pressed")
    await elsewhere.page.locator("#toasts").get_by_text("somebody is at the door").wait_for()
    assert await shown(elsewhere).count() == 1

    await fire("Smoke Alarm=smoke")

    alarm = console.page.get_by_role("alert")
    await alarm.get_by_text("Smoke is detected in the Kitchen").wait_for()
    assert await shown(console).filter(has_text="Smoke").count() == 1
    await console.picture("alarm")
    assert await console.findings() == []
    later = await open_console("home")
    await later.page.get_by_role("alert").get_by_role("button", name="I heard it").click()
    await console.page.locator("#alarms[data-state=heard]").wait_for()
    assert await alarm.get_by_role("button").count() == 0
