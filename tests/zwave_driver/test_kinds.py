"""Colours, fans and chimes with the real driver: what it sends, what the device then holds, what is said."""

import pytest
from tests.fakes.zwave_server import running

from zwave_mcp.home import ValueId
from zwave_mcp.options import MqttOptions

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]


async def held(driver, node: int) -> dict[int, int]:
    """The components as the device itself has them."""
    keys = {20: (0, 2, 3, 4), 21: (0, 1)}[node]
    async with running(MqttOptions(driver.broker.url)) as home:
        return {key: await home.poll(ValueId(node, 51, 0, "currentColor", key)) for key in keys}


async def state_of(server, device: str) -> str:
    return (await server.call("get_zwave_device", deviceName=device)).structured["state"]


async def test_a_colour_reaches_the_bulb_and_its_white_goes_out(driver, server):
    white = await server.call("set_zwave_color", deviceName="mood light", color="warm white", brightness=40)
    assert (white.outcome, await held(driver, 20)) == ("confirmed", {0: 255, 2: 0, 3: 0, 4: 0})

    blue = await server.call("set_zwave_color", deviceName="mood light", color="#0000ff")
    assert (blue.outcome, await held(driver, 20)) == ("confirmed", {0: 0, 2: 0, 3: 0, 4: 255})
    assert await state_of(server, "mood light") == "on, 40 %, blue"

    for call in blue.structured["before"]:
        assert (await server.call(call["name"], **call["args"])).outcome == "confirmed"
    assert await held(driver, 20) == {0: 255, 2: 0, 3: 0, 4: 0}


async def test_a_fan_is_known_by_its_class_alone(driver, server):
    answer = await server.control("airflow", "on", level=33)
    assert (answer.outcome, answer.structured["state"]) == ("confirmed", "on, 33 %")
    listed = await server.call("list_zwave_devices", filter="fan")
    assert [(item["name"], item["kind"]) for item in listed.structured["devices"]] == [("Airflow", "fan")]


async def test_a_chime_plays_as_loud_as_it_was_told_and_stops(driver, server):
    answer = await server.call(
        "play_zwave_sound", deviceName="door chime", action="play", tone="westminster", volume=15
    )
    assert answer.text == "The Door Chime is playing Westminster at 15 percent."
    stopped = await server.call("play_zwave_sound", deviceName="door chime", action="stop")
    assert (stopped.outcome, stopped.structured["state"]) == ("confirmed", "silent")

    unknown = await server.call("play_zwave_sound", deviceName="door chime", action="play", tone="banana")
    assert (unknown.outcome, unknown.is_error) == ("invalid", True)
