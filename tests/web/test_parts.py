"""Health: a server that dies and comes back, the doctor; and a gateway that is away."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.browser import Console
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.others import with_children
from tests.fakes.waiting import LIMIT_SECONDS
from tests.web.conftest import Open

pytestmark = pytest.mark.web


@pytest.fixture
def settings(tmp_path: Path) -> str:
    """A Z-Wave server that starts only while the file `present` is there."""
    (tmp_path / "present").touch()
    start = f'test -e present && exec {sys.executable} -m zwave_mcp --simulate; echo "the stick is away" >&2'
    return f'[mcpServers.zwave]\ncommand = "sh"\nargs = ["-c", \'{start}\']\ncwd = "{tmp_path}"\n'


def kill_server(gateway: Running) -> None:
    for pid in with_children(gateway.process.pid):
        if b"zwave" in Path(f"/proc/{pid}/cmdline").read_bytes() and pid != gateway.process.pid:
            os.kill(pid, signal.SIGKILL)


async def test_a_server_that_dies_and_returns_is_shown(
    console: Console, gateway: Running, tmp_path: Path
) -> None:
    page = console.page
    await page.locator("#state[data-state=ok]").wait_for()
    await console.say("turn on the kitchen light")
    await console.answer()
    await console.open("health")
    await page.locator(".part", has_text="Server zwave").get_by_text("Well").wait_for()
    (tmp_path / "present").unlink()

    kill_server(gateway)

    await page.locator("#state[data-state=degraded]").wait_for()
    part = page.locator(".part", has_text="Server zwave")
    await part.get_by_text("Degraded").wait_for()
    await part.locator("summary").click()
    await part.get_by_text("the stick is away").first.wait_for()
    await console.picture("health-degraded")
    (tmp_path / "present").touch()
    await page.locator("#state[data-state=ok]").wait_for(timeout=90_000)  # the waits between tries grow
    await part.get_by_text("Well").wait_for()
    await console.open("home")
    await page.get_by_role("switch", name="Desk Lamp").wait_for()


async def test_a_late_health_answer_does_not_hide_a_change(
    open_console: Open, gateway: Running, tmp_path: Path
) -> None:
    console = await open_console()
    page, held = console.page, asyncio.Event()

    async def late(route: Any) -> None:
        answer = await route.fetch()
        held.set()
        await console.until("document.getElementById('state').dataset.state === 'degraded'")
        await route.fulfill(response=answer)

    await page.route("**/api/health", late)
    await page.reload()
    async with asyncio.timeout(LIMIT_SECONDS):
        await held.wait()
    (tmp_path / "present").unlink()
    async with page.expect_response("**/api/health"):
        kill_server(gateway)

    await console.say("what time is it")  # the late answer was taken by then
    await console.answer()
    assert await page.locator("#state").get_attribute("data-state") == "degraded"


async def test_the_doctor_is_run_by_a_button(console: Console) -> None:
    page = console.page
    await console.open("health")

    await page.get_by_role("button", name="Run the doctor").click()

    await page.get_by_role("button", name="Run the doctor again").wait_for()
    assert await page.locator(".checks [data-mark=ok]").count() > 3
    await console.picture("health")


async def test_a_stopped_gateway_is_shown_until_it_is_back(
    console: Console, gateway: Running, commands: Commands
) -> None:
    await gateway.stop()

    await console.page.locator("#state[data-state=lost]").wait_for()
    await console.say("turn on the kitchen light")
    assert "cannot be reached" in await (await console.answer()).inner_text()
    async with Running.opened(commands):
        await console.page.locator("#state[data-state=ok], #state[data-state=degraded]").wait_for()
        await console.say("turn on the kitchen light")
        assert " on." in await (await console.answer()).inner_text()
    console.complaints.clear()  # the browser's own words on what could not be reached
