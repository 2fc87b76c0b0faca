"""The gateway restarts: nodes without values keep what was known, and who knew nothing of them says so."""

import asyncio

import pytest
from tests.fakes.waiting import until
from tests.fakes.zwave_server import Server, serving
from tests.zwave_driver.test_events import kept, telling

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]

DOOR = 8


async def pictured(server: Server) -> dict[int, tuple[str, str, str]]:
    listed = await server.call("list_zwave_devices", includeInactive=True)
    return {
        item["nodeId"]: (item["name"], item["kind"], item["state"]) for item in listed.structured["devices"]
    }


async def test_a_restart_keeps_what_was_known_and_tells_nothing_as_new(driver, server):
    await driver.reports(DOOR, door="closed")
    await server.control("ceiling light", "on")
    async with telling(server, driver) as earlier:
        await earlier.all(driver)
    async with telling(server, driver) as reported:
        await driver.reports(DOOR, door="open")
        await reported.has("The Back Door in the Hallway was opened.")
        before, events = await pictured(server), await reported.events()
        assert before[DOOR][2] == "open"
        await driver.stop()
        down = await server.control("ceiling light", "off")
        assert (down.outcome, down.is_error) == ("system_down", True)
        assert down.text == "Z-Wave JS UI has no connection to its Z-Wave stick."

        await driver.start()
        try:
            assert await pictured(server) == before, "its nodes have no values yet"
            command = asyncio.create_task(server.control("ceiling light", "off"))
            async with serving(driver.broker.url) as stranger:
                await knows_nothing_yet(stranger)
                await driver.answer()
                await knows_all_soon(stranger, before)
        finally:
            await driver.answer()
        assert (await command).outcome == "confirmed"
        await driver.reports(DOOR, door="closed")
        await reported.has("The Back Door in the Hallway was closed.")
        since = [item["text"] for item in (await reported.events())[len(events) :]]
    assert since == ["The Back Door in the Hallway was closed."]
    assert (await kept(server))["alarms"] == []


async def knows_nothing_yet(stranger: Server) -> None:
    """A server that starts with the gateway: no device is called unable, or is missing."""
    names = [name for name, _, _ in (await pictured(stranger)).values()]
    assert "Coffee Maker" in names
    answer = await stranger.control("coffee maker", "on")
    assert answer.is_error
    assert answer.structured["starting"] is True
    assert answer.text.endswith("is not known yet: Z-Wave JS UI is just starting.")


async def knows_all_soon(stranger: Server, before: dict[int, tuple[str, str, str]]) -> None:
    async def knows() -> bool:
        now = await pictured(stranger)
        return {number: item[:2] for number, item in now.items()} == {
            number: item[:2] for number, item in before.items()
        }

    await until(knows)
    assert (await stranger.control("coffee maker", "off")).outcome == "confirmed"
