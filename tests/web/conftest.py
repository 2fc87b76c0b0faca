"""A gateway as a process with its console, and a real browser that looks at it."""

import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from tests.fakes.browser import DESK, Console, browser
from tests.fakes.gateway_process import Commands, Running, commands_fixture  # noqa: F401
from tests.fakes.ports import free_port

# Opens a page of the console; what it complains of fails the test, unless that is expected.
Open = Callable[..., Awaitable[Console]]


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Other runs do without these files, which need what only `make test-web` installs."""
    return None if config.option.markexpr == "web" else True


@pytest.fixture
def settings() -> str:
    """The settings file; a test may have its own."""
    return ""


@pytest.fixture
async def gateway(commands: Commands, settings: str) -> AsyncIterator[Running]:
    words = ["--config", str(commands.file("voice-gateway.toml", settings))] if settings else []
    commands.env |= {"VOICE_GATEWAY_WEB_ENABLED": "true", "VOICE_GATEWAY_WEB_PORT": str(free_port())}
    commands.env["VOICE_GATEWAY_MCP_CONNECT_TIMEOUT_SECONDS"] = "30"  # a browser keeps the machine busy
    async with Running.opened(commands, *words) as running:
        yield running


@pytest.fixture
def address(gateway: Running) -> str:
    """As the gateway says it on stderr."""
    found = re.search(r"http://127\.0\.0\.1:\d+/", "".join(gateway.said))
    assert found, gateway.said
    return found[0]


@pytest.fixture
async def open_console(address: str) -> AsyncIterator[Open]:
    async with contextlib.AsyncExitStack() as stack:
        consoles: list[Console] = []

        async def opened(
            page: str = "talk",
            size: tuple[int, int] = DESK,
            flags: tuple[str, ...] = (),
            *,
            ready: bool = True,  # False: whatever is shown first will do
            **how: Any,
        ) -> Console:
            chromium = await stack.enter_async_context(browser(*flags))
            viewport = {"width": size[0], "height": size[1]}
            context = await chromium.new_context(viewport=viewport, locale="en-GB", **how)
            console = Console(await context.new_page(), address)
            consoles.append(console)
            await (console.open(page) if ready else console.page.goto(address))
            return console

        yield opened
        for console in consoles:
            assert console.complaints == []
            assert console.outside == []


@pytest.fixture
async def console(open_console: Open) -> Console:
    return await open_console()
