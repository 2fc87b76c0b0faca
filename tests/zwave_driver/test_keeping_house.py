"""Keeping house with the real driver: parameters read again, codes without digits, names, the network."""

import pytest

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]


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


async def test_who_answers_and_who_is_interviewed(server, driver):
    assert (await server.call("ping_zwave_device", deviceName="ceiling light")).outcome == "confirmed"
    await driver.fault(5, "dead")
    try:
        answer = await server.call("ping_zwave_device", deviceName="space heater")
    finally:
        await driver.fault(5, None)
    assert answer.outcome == "unreachable"
    await server.call("ping_zwave_device", deviceName="space heater")  # alive again


async def test_a_call_that_this_gateway_does_not_have_is_told(server):
    """It is not subscribed to by anybody, so the broker says so."""
    answer = await server.call("repair_zwave_device", action="routes")
    assert answer.outcome in ("unsupported", "system_down", "unconfirmed")
    assert answer.is_error


async def test_the_network_is_opened_and_closed(server):
    assert (await server.call("change_zwave_network", action="status")).text.startswith(
        "The network is closed"
    )
    assert (await server.call("change_zwave_network", action="add")).outcome == "working"
    assert "open for another" in (await server.call("change_zwave_network", action="status")).text
    assert (await server.call("change_zwave_network", action="stop")).text == "The network is closed."
    assert (await server.call("change_zwave_network", action="remove")).outcome == "working"
    assert (await server.call("change_zwave_network", action="stop")).outcome == "confirmed"
