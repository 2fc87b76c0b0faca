"""By the browser's own measure: it can be installed, and what a screen reader gets has names and roles."""

from typing import Any

import pytest
from tests.fakes.browser import Console

pytestmark = pytest.mark.web

OF_THE_TEST = {"in-incognito"}  # the browser of a test keeps nothing
NAMED = {"button", "link", "switch", "slider", "textbox", "searchbox", "image", "region", "table", "heading"}


async def test_it_can_be_installed(console: Console) -> None:
    devtools = await console.page.context.new_cdp_session(console.page)

    found = (await devtools.send("Page.getInstallabilityErrors"))["installabilityErrors"]
    manifest = await devtools.send("Page.getAppManifest")

    assert {one["errorId"] for one in found} <= OF_THE_TEST
    assert manifest["errors"] == []
    assert manifest["url"] == f"{console.address}manifest.webmanifest"
    await devtools.detach()


async def test_a_screen_reader_gets_names_roles_and_live_regions(console: Console) -> None:
    await console.say("turn on the kitchen light")
    await console.answer()
    talk = await tree(console)
    assert {("banner", ""), ("main", ""), ("navigation", "Pages"), ("list", "Conversation")} <= set(talk)
    assert {("textbox", "Say what should happen"), ("button", "Send"), ("button", "Undo")} <= set(talk)
    assert {("list", "What was done"), ("image", "done"), ("link", "State: Ready")} <= set(talk)
    live = await console.page.locator("[aria-live=polite], [role=alert]").count()
    assert live >= 3  # what is announced, what passes by below, alarms

    await console.open("home")
    await console.page.get_by_role("switch", name="Desk Lamp").wait_for()
    home = await tree(console)
    assert {("region", "Office"), ("switch", "Desk Lamp"), ("button", "Unlock Front Door")} <= set(home)
    for page in ("routines", "turns", "health"):
        await console.open(page)
        await tree(console)


async def tree(console: Console) -> list[tuple[str, str]]:
    """Roles and names; whatever can be used or shows something has a name, and one heading is the page's."""
    devtools = await console.page.context.new_cdp_session(console.page)
    nodes: list[Any] = (await devtools.send("Accessibility.getFullAXTree"))["nodes"]
    await devtools.detach()
    shown = [node for node in nodes if not node.get("ignored")]
    found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in shown]
    assert [role for role, name in found if role in NAMED and not name] == []
    levels = [one["value"]["value"] for node in shown for one in headings(node)]
    assert levels.count(1) == 1
    return found


def headings(node: Any) -> list[Any]:
    is_heading = node["role"]["value"] == "heading"
    return [one for one in node.get("properties", ()) if is_heading and one["name"] == "level"]
