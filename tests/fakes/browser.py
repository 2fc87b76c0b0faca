"""Debian's Chromium, driven by Playwright, as `scripts/browser setup` installs both."""

import contextlib
import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.fakes.counterparts import missing
from tests.fakes.waiting import LIMIT_SECONDS, until

NOT_UNIT = "a browser"

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "voice-gateway" / "browser"
AXE = CACHE / "axe" / "node_modules" / "axe-core" / "axe.min.js"
PICTURES = Path(__file__).parents[2] / "build" / "web"
DESK, PHONE = (1360, 860), (390, 844)
QUIET = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic"),
    *("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"),
    "--autoplay-policy=no-user-gesture-required",
)


class Console:
    """One open page of the console, with what it complained of and what it asked for elsewhere."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        page.set_default_timeout(LIMIT_SECONDS * 1000)
        self.complaints: list[str] = []
        self.outside: list[str] = []
        page.on("console", self._logged)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._requested)

    def _logged(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def _requested(self, request: Any) -> None:
        if not request.url.startswith((self.address, self.address.replace("http", "ws", 1), "blob:")):
            self.outside.append(request.url)

    async def open(self, page: str = "talk") -> None:
        await self.page.goto(f"{self.address}#{page}")
        await self.page.locator("#state[data-state=ok]").wait_for()  # its servers are there, too

    async def until(self, script: str, *given: Any) -> None:
        """Not Playwright's own way to wait, which the page's policy forbids."""
        await until(lambda: self.page.evaluate(script, *given))

    async def say(self, text: str) -> None:
        await self.page.get_by_label("Say what should happen").fill(text)
        await self.page.keyboard.press("Enter")

    async def answer(self) -> Any:
        """The last one, when it is whole."""
        last = self.page.locator(".turns-talk > li").last.locator(".reply:not([data-busy])")
        await last.wait_for()
        return last

    async def picture(self, name: str) -> None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        await self.until("document.fonts.status === 'loaded'")
        await self.page.screenshot(path=PICTURES / f"{name}.png", animations="disabled")

    async def findings(self) -> list[str]:
        """What axe-core calls serious or critical. The debugger puts it in, past the policy."""
        await self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = await self.page.evaluate("async () => (await axe.run()).violations")
        return [
            f"{one['id']}: {node['target']} {node['failureSummary']}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]


@contextlib.asynccontextmanager
async def browser(*flags: str) -> AsyncIterator[Any]:
    program = shutil.which("chromium")
    if program is None or not AXE.exists():
        missing("there is no browser (scripts/browser setup)")
    if str(CACHE / "playwright") not in sys.path:
        sys.path.append(str(CACHE / "playwright"))
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=program, args=[*QUIET, *flags])
        try:
            yield opened
        finally:
            await opened.close()
