"""Maintenance with the real driver: codes without digits, names, ping."""

import pytest
from tests.zwave_driver.test_driver_truth import faulty

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]

HEATER = 5


async def test_codes_are_counted_and_their_digits_stay_inside(server):
    answer = await server.call("get_zwave_user_codes", deviceName="front door lock")
    assert answer.text == ("The Front Door Lock: codes of user 1 and user 3.")
    looked = await server.call("get_zwave_device", deviceName="front door lock")
    reply = f"{answer.structured} {looked.structured} {server.stderr()}"
    assert "471100" not in reply
    assert "081500" not in reply


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
    assert (await server.call("ping_zwave_device", deviceName="space heater")).outcome == "confirmed"
