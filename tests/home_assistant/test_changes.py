"""Home Assistant that restarts, refuses, renames and loses things under a running gateway."""

import contextlib
import json

import pytest
import pytest_asyncio
from tests.fakes.running_gateway import parts
from tests.fakes.waiting import until
from tests.home_assistant.conftest import House, gateway_for
from tests.home_assistant.real import RealHomeAssistant, changed
from websockets.exceptions import ConnectionClosed

pytestmark = pytest.mark.asyncio(loop_scope="package")

STRANGE = 'Küche, Decke: "hell"'


@pytest_asyncio.fixture(loop_scope="package")
async def renamed(house: House):
    """Whatever a test calls a device, its name is put back."""
    touched: list[str] = []

    async def rename(entity_id: str, **fields):
        touched.append(entity_id)
        await house.ha.ask("config/entity_registry/update", entity_id=entity_id, **fields)

    yield rename
    for entity_id in touched:
        back = {"entity_id": entity_id, "name": None, "disabled_by": None}
        await house.ha.ask("config/entity_registry/update", **back)


async def heard(house: House, text: str) -> bool:
    return (await house.hears(text))["ok"]


async def test_a_new_name_is_known_and_the_old_one_no_longer(house: House, renamed):
    await renamed("light.desk_lamp", name="Chandelier")

    async def known() -> bool:
        return "chandelier is on" in (await house.hears("is the chandelier on"))["text"].lower()

    await until(known)
    await house.becomes("turn off the chandelier", {"light.desk_lamp": {"state": "off"}})
    reply = await house.becomes("turn on the desk lamp", {})
    assert not reply["ok"] or reply["expects_answer"], reply


async def test_a_name_with_commas_and_quotes_switches_nothing_else(house: House, renamed):
    await renamed("light.kitchen_light", name=STRANGE)
    before = await house.ha.states()

    async def is_off() -> bool:
        """At first its old name may still be known: then it is said to be gone."""
        reply = await house.hears("turn off the light in the kitchen")
        assert "MatchFailed" not in reply["text"]
        done = [outcome for outcome in reply["outcomes"] if outcome["ok"]]
        assert not done or "Küche" in str(done), reply
        return bool(done)

    await until(is_off)
    off = {"light.kitchen_light": {"state": "off", "brightness": None}}
    assert changed(before, await house.ha.states()) == off


async def test_what_is_no_longer_exposed_is_gone(house: House):
    expose = {"assistants": ["conversation"], "entity_ids": ["switch.coffee_maker"]}
    await house.ha.ask("homeassistant/expose_entity", **expose, should_expose=False)
    try:
        reply = await house.becomes("turn on the coffee maker", {})
        assert not reply["ok"] or reply["expects_answer"], reply
        assert "MatchFailed" not in reply["text"], "no repr is ever said"
    finally:
        await house.ha.ask("homeassistant/expose_entity", **expose, should_expose=True)
    await until(lambda: heard(house, "is the coffee maker on"))


async def test_an_mcp_server_that_is_disabled_is_told_of_and_comes_back(house: House):
    entries = await house.ha.ask("config_entries/get", domain="mcp_server")
    entry = entries[0]["entry_id"]
    await house.ha.ask("config_entries/disable", entry_id=entry, disabled_by="user")
    try:
        reply = await house.becomes("turn off the kitchen light", {})
        assert not reply["ok"], reply

        async def told() -> bool:
            return "no MCP server set up" in (await house.part())["sentence"]

        await until(told, 60)
    finally:
        await house.ha.ask("config_entries/disable", entry_id=entry, disabled_by=None)
    await until(lambda: heard(house, "turn off the kitchen light"), 60)


@pytest_asyncio.fixture(loop_scope="package")
async def own(tmp_path, home_assistant):
    """A Home Assistant for one test, which may break it."""
    ha = RealHomeAssistant(tmp_path / "home")
    ha.launch()
    await ha.up()
    yield ha
    ha.kill()


async def test_a_restart_in_the_middle_and_a_token_that_is_revoked(own: RealHomeAssistant, tmp_path):
    async with gateway_for(tmp_path / "gateway", own.settings()) as commands:
        house = House(own, commands)
        await house.becomes(
            "turn on the bedside lamp", {"light.bedside_lamp": {"state": "on", "brightness": 255}}
        )

        own.kill()
        reply = await house.hears("switch off the bedside lamp")
        assert not reply["ok"], reply

        own.launch()
        await own.up()
        await until(lambda: heard(house, "is the bedside lamp on"), 60)
        await house.becomes("turn on the desk lamp", {})
        await house.becomes("turn off the desk lamp", {"light.desk_lamp": {"state": "off"}})

        async with own.socket() as socket:
            tokens = await socket.ask("auth/refresh_tokens")
            mine = next(one for one in tokens if one["client_name"] == "voice-gateway")
            with contextlib.suppress(ConnectionClosed):  # this one used it, too
                await socket.ask("auth/delete_refresh_token", refresh_token_id=mine["id"])
        reply = await house.hears("turn on the desk lamp")
        assert not reply["ok"], reply

        async def told() -> bool:
            return "does not accept my token" in (await parts(commands))["server ha"]["sentence"]

        await until(told, 60)
        shown = json.dumps([await parts(commands), reply])
        assert own.token not in shown
