"""The whole server while broker, gateway or stick are away; each test has a server of its own."""

import asyncio

LIMIT_SECONDS = 30.0  # a loaded machine may need long; a hang never ends
AT_ONCE_SECONDS = 8.0  # a command that is waited for takes ten


async def test_a_stopped_broker_is_said_at_once_and_it_may_return(server, gateway, broker):
    assert (await server.control("floor lamp", "on")).outcome == "confirmed"
    broker.stop()
    async with asyncio.timeout(AT_ONCE_SECONDS):
        answer = await server.control("floor lamp", "off")

    assert (answer.outcome, answer.is_error) == ("system_down", True)
    assert "MQTT broker" in answer.text
    broker.start()
    await gateway.connected()
    async with asyncio.timeout(LIMIT_SECONDS):
        while (await server.control("floor lamp", "off")).outcome != "confirmed":
            await asyncio.sleep(0.2)
    assert [value for _, _, value in gateway.house.writes] == [255, 0]
