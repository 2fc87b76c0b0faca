"""From another machine: the page that asks for the token, and tabs whose token is void."""

import pytest
from tests.fakes.browser import DESK, PHONE, Console
from tests.fakes.gateway_process import Commands
from tests.web.conftest import Open

pytestmark = pytest.mark.web

REFUSED = "the server responded with a status of 401"  # the browser's own words on what was refused


@pytest.fixture
def settings() -> str:
    return '[web]\nhost = "0.0.0.0"\n'


@pytest.fixture
async def token(commands: Commands, gateway: object) -> str:
    return await made(commands)


async def made(commands: Commands) -> str:
    ended = await commands.run("web", "token", "--json")
    return str(ended.json["token"])


async def sign_in(console: Console, token: str) -> None:
    page = console.page
    await page.get_by_label("Token").fill(token)
    await page.keyboard.press("Enter")


async def in_the_console(console: Console) -> None:
    await console.page.locator("#state[data-state=ok]").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
async def test_the_login_page_fits_and_is_accessible(
    open_console: Open, token: str, scheme: str, size: tuple[int, int]
) -> None:
    console = await open_console(size=size, color_scheme=scheme, ready=False)
    page = console.page
    await page.get_by_role("heading", name="Voice Gateway").wait_for()
    assert page.url == f"{console.address}login.html"
    wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    await console.picture(f"login-{'phone' if size == PHONE else 'desk'}-{scheme}")
    assert await console.findings() == []

    await sign_in(console, "vg_wrong")

    await page.get_by_role("alert").get_by_text("That is not the token.").wait_for()
    assert await console.findings() == []
    console.complaints = [one for one in console.complaints if REFUSED not in one]
    await sign_in(console, token)
    await in_the_console(console)


async def test_an_open_tab_asks_for_the_new_token(open_console: Open, commands: Commands, token: str) -> None:
    console = await open_console(ready=False)
    await sign_in(console, token)
    await in_the_console(console)
    await console.open("home")
    for _ in range(30):  # other tabs of this browser, which wait with their old cookie
        await console.page.evaluate(
            "fetch('/api/health', {headers: {Authorization: 'Bearer vg_old'}, credentials: 'omit'})"
        )

    another = await made(commands)

    await console.page.get_by_label("Token").wait_for()  # as soon as the stream ends, which it does by itself
    await console.picture("login-again")
    await sign_in(console, another)
    await in_the_console(console)
    await console.page.get_by_role("switch", name="Desk Lamp").wait_for()  # where one was
    console.complaints.clear()
