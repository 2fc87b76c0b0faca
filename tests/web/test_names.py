"""What others wrote is text, never code: names of devices and rooms, what was said, what tools answered."""

import json
import sys
from pathlib import Path

import pytest
from tests.fakes.browser import Console
from tests.fakes.gateway_process import Commands
from tests.fakes.running_gateway import ask

pytestmark = pytest.mark.web

SCRIPT = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"
BOLD = "<b>Lamp</b>"
TURNED = "\u202egnihton"


@pytest.fixture
def settings(tmp_path: Path) -> str:
    devices = [(BOLD, SCRIPT), ("\x1b[31mRed\x1b[0m Lamp", "Office"), (TURNED, "Office")]
    written = "".join(
        f'[[device]]\nname = {json.dumps(name)}\nroom = {json.dumps(room)}\nkind = "switch"\n\n'
        for name, room in devices
    )
    (tmp_path / "home.toml").write_text(written, encoding="utf-8")
    home = json.dumps(str(tmp_path / "home.toml"))
    start = f'["-m", "zwave_mcp", "--simulate", {home}]'
    return f'[mcpServers.zwave]\ncommand = "{sys.executable}"\nargs = {start}\n'


async def test_html_in_names_words_and_answers_is_shown_as_text(console: Console, commands: Commands) -> None:
    page = console.page
    await console.say(f"turn on {BOLD} {SCRIPT}")
    await console.answer()
    assert SCRIPT in await page.locator(".you").inner_text()
    for place in ("home", "turns", "health", "routines"):
        await console.open(place)
    await console.open("home")
    await page.get_by_text(BOLD, exact=True).wait_for()
    await ask(commands, f"turn on {SCRIPT}")
    await page.get_by_role("switch", name=BOLD).click()
    await page.locator("#toasts").get_by_text(BOLD).first.wait_for()
    await console.picture("names")

    assert "taken" not in await page.title()
    assert await page.locator("main b, main script, main img[src=x], aside img, .toast b").count() == 0
    names = await page.locator(".device-name").all_inner_texts()
    assert not any("\x1b" in name or "\u202e" in name for name in names)
