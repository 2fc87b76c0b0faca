"""The owner decides in the console: about the calls of programs, and what may run without a question."""

import asyncio
from pathlib import Path

import pytest
from mcp.client import Client
from tests.fakes.browser import Console

pytestmark = pytest.mark.web
UNLOCK = {"name": "control_zwave_lock", "arguments": {"deviceName": "Front Door", "action": "unlock"}}


@pytest.fixture
def settings() -> str:
    return '[permission]\nsensitive_channels = ["web"]\n'


async def test_a_button_answers_what_a_program_asks_for(console: Console, address: str) -> None:
    async with Client(f"{address}mcp") as session:
        waiting = asyncio.create_task(session.call_tool("call_tool", UNLOCK))
        card = console.page.locator(".turns-talk .notice", has_text="Another program asks")
        await card.get_by_role("button", name="Yes").wait_for()
        await console.picture("program-asks")
        assert await console.findings() == []
        await card.get_by_role("button", name="Yes").click()
        result = await waiting

    assert result.structured_content["ok"]
    await console.page.locator(".acts").get_by_text("Front Door: unlocked").wait_for()
    assert await card.get_by_role("button").count() == 0


async def test_a_permit_is_set_and_kept(console: Console, tmp_path: Path) -> None:
    await console.open("health")
    form = console.page.locator(".permit-form")
    await form.get_by_label("Name of a device or tool").fill("Relay 3")
    await form.get_by_label("Permission", exact=True).select_option("pin")
    await form.get_by_role("button", name="Save").click()
    row = console.page.locator(".permit", has_text="Relay 3")
    await row.wait_for()
    await row.scroll_into_view_if_needed()
    await console.picture("permissions")
    assert await console.findings() == []
    assert 'Relay 3" = "pin"' in (tmp_path / "voice-gateway.toml").read_text()

    await row.get_by_role("combobox").select_option("default")
    await row.wait_for(state="detached")
    assert "Relay 3" not in (tmp_path / "voice-gateway.toml").read_text()
