"""Keeping house with the real driver: parameters read again, codes without digits, names, the network."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator

import aiomqtt
import pytest
from tests.fakes.waiting import until
from tests.zwave_driver.test_driver_truth import faulty

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]

HEATER, COFFEE_MAKER = 5, 7
SECONDS = 20.0


@contextlib.asynccontextmanager
async def heard(driver, *wanted: str) -> AsyncIterator[AsyncIterator[tuple[str, int]]]:
    """Events of the gateway, each with the number of its node."""

    async def events(client: aiomqtt.Client) -> AsyncGenerator[tuple[str, int], None]:
        async with asyncio.timeout(SECONDS):
            async for message in client.messages:
                name = str(message.topic).rpartition("/")[2]
                if name in wanted:
                    yield name, json.loads(bytes(message.payload))["data"][0]["id"]  # type: ignore[arg-type]

    async with aiomqtt.Client("localhost", driver.broker.port) as client:
        await client.subscribe("zwave/_EVENTS/#", qos=1)
        async with contextlib.aclosing(events(client)) as found:
            yield found


async def test_a_parameter_is_changed_and_read_back_from_the_device(server):
    given = {"deviceName": "coffee maker", "parameter": "power limit"}
    answer = await server.call("set_zwave_parameter", **given, value="3000")
    assert (answer.outcome, answer.text) == ("confirmed", "Power Limit of the Coffee Maker is now 3000.")
    assert "Power Limit is 3000" in (await server.call("get_zwave_parameters", **given)).text
    assert (await server.call("set_zwave_parameter", **given, value="2500")).outcome == "confirmed"


@pytest.mark.parametrize(
    ("parameter", "value", "outcome"),
    [("power limit", "5000", "invalid"), ("99", "1", "not_found"), ("report threshold", "warm", "invalid")],
)
async def test_what_the_device_does_not_allow_is_not_sent(server, parameter, value, outcome):
    answer = await server.call(
        "set_zwave_parameter", deviceName="coffee maker", parameter=parameter, value=value
    )
    assert answer.outcome == outcome


async def test_codes_are_counted_and_their_digits_stay_inside(server):
    answer = await server.call("get_zwave_user_codes", deviceName="front door lock")
    assert answer.text == (
        "The Front Door Lock has 2 codes in use, by user 1 and user 3; there is room for 5."
    )
    looked = await server.call("get_zwave_device", deviceName="front door lock")
    said = f"{answer.structured} {looked.structured} {server.stderr()}"
    assert "471100" not in said
    assert "081500" not in said


async def test_a_new_name_works_at_once_and_the_old_one_no_more(server):
    answer = await server.call(
        "rename_zwave_device", deviceName="coffee maker", newName="Espresso", room="Bar"
    )
    assert answer.outcome == "confirmed"
    assert (await server.control("espresso", "on")).outcome == "confirmed"
    assert (await server.control("coffee maker", "on")).outcome == "not_found"
    back = answer.structured["before"][0]
    assert (await server.call(back["name"], **back["args"])).outcome == "confirmed"
    assert (await server.control("coffee maker", "off")).outcome == "confirmed"


async def test_who_answers_a_ping(server, driver):
    assert (await server.call("ping_zwave_device", deviceName="ceiling light")).outcome == "confirmed"
    async with faulty(driver, HEATER, "dead"):
        answer = await server.call("ping_zwave_device", deviceName="space heater")
        assert (answer.outcome, answer.is_error) == ("unreachable", True)
        interview = await server.call("repair_zwave_device", action="interview", deviceName="space heater")
        assert interview.outcome == "unreachable", "and nothing was begun"
    assert (await server.call("ping_zwave_device", deviceName="space heater")).outcome == "confirmed"


async def test_a_device_is_interviewed_again_and_stays_known_meanwhile(server, driver):
    """It really is: it is asked for all that it can do, and what it was set to by hand is found."""
    await server.control("coffee maker", "off")
    await driver.by_hand(COFFEE_MAKER, BinarySwitch_currentValue=True)
    async with heard(driver, "node_interview_started", "node_interview_completed") as events:
        answer = await server.call("repair_zwave_device", action="interview", deviceName="coffee maker")
        assert (answer.outcome, answer.is_error) == ("working", False)
        assert answer.text == "The interview of the Coffee Maker has begun; it may take some minutes."
        assert await anext(events) == ("node_interview_started", COFFEE_MAKER)
        meanwhile = await server.call("list_zwave_devices", filter="coffee maker")
        assert [one["kind"] for one in meanwhile.structured["devices"]] == ["switch"]
        assert await anext(events) == ("node_interview_completed", COFFEE_MAKER)

    async def is_found() -> bool:
        listed = await server.call("list_zwave_devices", filter="coffee maker")
        return [one["state"] for one in listed.structured["devices"]] == ["on"]

    await until(is_found)
    assert (await server.control("coffee maker", "off")).outcome == "confirmed"


async def test_a_stick_that_cannot_rebuild_the_routes_of_a_device_says_so(server):
    """The simulated one: recorded from the gateway, too."""
    answer = await server.call("repair_zwave_device", action="routes", deviceName="coffee maker")
    assert (answer.outcome, answer.is_error) == ("failed", True)
    assert answer.text == "The routes of the Coffee Maker could not be rebuilt."


async def test_the_routes_of_the_whole_network_are_begun(server):
    answer = await server.call("repair_zwave_device", action="routes")
    assert (answer.outcome, answer.is_error) == ("working", False)
    assert (await server.control("coffee maker", "off")).outcome == "confirmed"


async def test_a_call_that_this_version_does_not_have_is_told(driver, server):
    await driver.lacks("beginRebuildingRoutes", "rebuildNodeRoutes", "refreshInfo")
    try:
        answers = [
            await server.call("repair_zwave_device", action="routes"),
            await server.call("repair_zwave_device", action="routes", deviceName="coffee maker"),
            await server.call("repair_zwave_device", action="interview", deviceName="coffee maker"),
        ]
    finally:
        await driver.lacks()
    for answer in answers:
        assert (answer.outcome, answer.is_error) == ("unsupported", True)
        assert answer.text == "This version of Z-Wave JS UI cannot do that, so nothing was done."


async def test_the_network_is_opened_and_closed(server):
    assert (await server.call("change_zwave_network", action="status")).text.startswith(
        "The network is closed"
    )
    assert (await server.call("change_zwave_network", action="add")).outcome == "working"
    assert "open for another" in (await server.call("change_zwave_network", action="status")).text
    assert (await server.call("change_zwave_network", action="stop")).text == "The network is closed."
    assert (await server.call("change_zwave_network", action="remove")).outcome == "working"
    assert (await server.call("change_zwave_network", action="stop")).outcome == "confirmed"
