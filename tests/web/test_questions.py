"""What needs a yes is asked about, where it was wished and nowhere else."""

import pytest
from tests.fakes.browser import Console
from tests.web.conftest import Open

pytestmark = pytest.mark.web


@pytest.fixture
def pin() -> str:
    return ""


@pytest.fixture
def settings(pin: str) -> str:
    """Locks may be opened from here; a test may want a PIN for it."""
    return '[permission]\nsensitive_channels = ["web"]\n' + (f'pin = "{pin}"\n' if pin else "")


async def test_a_lock_is_opened_only_after_yes(console: Console) -> None:
    await console.say("unlock the front door")

    answer = await console.answer()
    yes = answer.get_by_role("button", name="Yes")
    await yes.wait_for()
    assert await console.page.locator("#trace .badge:visible").get_by_text("asks first").count() == 1
    await console.picture("question")
    await yes.click()

    await console.page.locator(".acts").get_by_text("Front Door: unlocked").wait_for()
    assert await answer.get_by_role("button", name="Yes").count() == 0


async def test_a_press_is_done_after_a_yes_only_and_can_be_undone(console: Console) -> None:
    await console.open("home")
    unlock = console.page.get_by_role("button", name="Unlock Front Door")
    dialog = console.page.get_by_role("dialog")
    door = console.page.locator(".device", has_text="Front Door")
    await unlock.click()
    await dialog.get_by_text("Front Door", exact=False).wait_for()
    assert await console.page.evaluate("document.activeElement.innerText") == "No"  # a second Enter is no yes
    await dialog.get_by_role("button", name="No").click()
    await console.page.locator("#toasts .toast").wait_for()
    assert "Locked" in await door.inner_text()

    await unlock.click()
    await dialog.get_by_role("button", name="Yes").click()
    await door.get_by_text("Unlocked").wait_for()
    await console.page.locator("#toasts").get_by_role("button", name="Undo").click()
    await door.get_by_text("Locked").wait_for()


async def test_two_windows_are_two_conversations(open_console: Open) -> None:
    one, other = await open_console(), await open_console()
    await one.say("unlock the front door")
    await (await one.answer()).get_by_role("button", name="Yes").wait_for()

    await other.say("yes")

    assert await (await other.answer()).locator(".acts").count() == 0
    await one.open("home")
    assert "Locked" in await one.page.locator(".device", has_text="Front Door").inner_text()


@pytest.mark.parametrize("pin", ["2468"])
async def test_a_pin_is_typed_unseen_and_not_shown(console: Console, pin: str) -> None:
    await console.say("unlock the front door")
    await console.page.get_by_label("PIN").fill(pin)

    await console.page.get_by_role("button", name="Confirm").click()

    await console.page.locator(".acts").get_by_text("Front Door: unlocked").wait_for()
    await console.page.locator("#trace").get_by_text("Answer", exact=True).wait_for()
    assert pin not in await console.page.content()
