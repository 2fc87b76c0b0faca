"""Everything between server and devices fails once: said at once, never replayed, and back by itself."""

import asyncio
import contextlib
import json
import socket

import pytest
from tests.fakes.mosquitto import Broker
from tests.fakes.ports import free_port
from tests.fakes.waiting import until
from tests.fakes.zwave_gateway import FakeGateway

from zwave_mcp.home import HomeDown, HomeError, NoAnswer, NotUnderstood, Status, ValueId
from zwave_mcp.mqtt.home import Limits
from zwave_mcp.options import MqttOptions
from zwave_mcp.tools import Tools

FLOOR_LAMP = ValueId(3, 38, 0, "targetValue")
LOCK = ValueId(6, 98, 0, "targetMode")
LIMIT_SECONDS = 30.0  # a loaded machine may need long; a hang never ends


async def back(home):
    """The first list of devices after a fault; a home comes back by itself."""
    async with asyncio.timeout(LIMIT_SECONDS):
        while True:
            with contextlib.suppress(HomeError):
                return await home.snapshot(0)
            await asyncio.sleep(0.02)


async def down(home):
    async with asyncio.timeout(LIMIT_SECONDS):
        while (await home.health()).ok:
            await asyncio.sleep(0.02)


async def test_without_a_broker_a_call_says_so_at_once(start_home):
    options = MqttOptions(f"mqtt://localhost:{free_port()}")
    async with start_home(options, first_delay_seconds=600.0) as home, asyncio.timeout(LIMIT_SECONDS):
        await until(home._connection._settled.is_set)  # the first attempt has failed
        with pytest.raises(HomeDown, match="cannot be reached: connection refused") as caught:
            await home.snapshot()  # does not wait for the next one
        health = await home.health()

        assert not caught.value.sent
        assert (health.ok, health.broker, health.gateway) == (False, False, None)
        assert "cannot be reached" in health.problem


async def test_a_broker_that_never_answers_holds_up_no_call(start_home):
    """Something accepts the connection and stays silent, as a wrong port or a hung machine does."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        async with start_home(MqttOptions(f"mqtt://127.0.0.1:{port}")) as home:
            with pytest.raises(HomeDown, match=r"has not answered|does not answer"):
                async with asyncio.timeout(LIMIT_SECONDS):
                    await home.snapshot()


async def test_a_call_does_not_wait_for_the_next_attempt_when_the_broker_is_back(tmp_path, start_home):
    broker = Broker(tmp_path)
    options = MqttOptions(broker.url)
    async with start_home(options, first_delay_seconds=0.05, longest_delay_seconds=60.0) as home:
        for _ in range(12):  # the delay between attempts has grown to minutes
            with contextlib.suppress(HomeDown):
                await home.snapshot()
            await asyncio.sleep(0.06)
        broker.start()
        try:
            async with FakeGateway(broker.port):
                assert len((await back(home)).nodes) == 12
        finally:
            broker.kill()


async def test_a_killed_broker_fails_calls_in_flight_at_once(home, gateway, broker):
    await home.snapshot()
    gateway.silent.add("writeValue")
    calls = [asyncio.create_task(home.write(FLOOR_LAMP, level, 600)) for level in range(20)]
    await gateway.asked("writeValue", 20)

    broker.kill()
    async with asyncio.timeout(LIMIT_SECONDS):
        failures = await asyncio.gather(*calls, return_exceptions=True)

    assert {type(failure) for failure in failures} == {HomeDown}
    assert all(failure.sent for failure in failures)


async def test_a_restarted_broker_gets_a_new_list_and_no_old_command(home, gateway, broker):
    await home.snapshot()
    gateway.silent.add("writeValue")
    call = asyncio.create_task(home.write(FLOOR_LAMP, 50))
    await gateway.asked("writeValue")
    broker.kill()
    with pytest.raises(HomeDown):
        await call
    with pytest.raises(HomeDown):
        await home.write(FLOOR_LAMP, 60)  # while it is away: refused, not kept
    lists = gateway.count("getNodes")

    broker.start()
    gateway.silent.clear()
    await gateway.connected()
    await gateway.asked("getNodes", lists + 1)  # by itself
    assert (await home.write(FLOOR_LAMP, 70)).status == Status.CONFIRMED

    assert [value for _, _, value in gateway.house.writes] == [70]
    assert gateway.count("writeValue") == 2


async def test_a_hung_broker_is_given_up_and_nothing_is_sent_to_it_later(home, gateway, broker):
    await home.snapshot()
    home.limits = Limits(there=600)
    broker.freeze()

    calls = (home.write(FLOOR_LAMP, 50, 600), home.ping(2, 600), home.write(FLOOR_LAMP, 51, 600))
    async with asyncio.timeout(LIMIT_SECONDS):
        failures = await asyncio.gather(*calls, return_exceptions=True)

    assert all("does not answer" in str(failure) for failure in failures)
    assert not any(failure.sent for failure in failures)
    broker.thaw()
    assert len((await back(home)).nodes) == 12
    assert (await home.write(FLOOR_LAMP, 70)).status == Status.CONFIRMED
    assert [value for _, _, value in gateway.house.writes] == [70]


async def test_a_gateway_that_starts_is_asked_until_it_knows_its_nodes(broker, gateway, start_home):
    gateway.house.forget()
    seen = asyncio.Queue()
    async with start_home(MqttOptions(broker.url)) as home:
        home.on_snapshot(seen.put_nowait)
        async with asyncio.timeout(LIMIT_SECONDS):
            first = {node.id: node for node in (await seen.get()).nodes}
            gateway.house.remember(3)
            while not {node.id: node for node in (await seen.get()).nodes}[3].values:
                pass
    assert (first[3].values, first[3].starting) == ((), True)


async def test_a_killed_gateway_is_said_and_its_return_is_noticed(home, gateway, broker):
    await home.snapshot()
    home.limits = Limits(there=600)
    await gateway.vanish()
    await down(home)

    with pytest.raises(HomeDown, match="Z-Wave JS UI is not connected") as caught:
        async with asyncio.timeout(LIMIT_SECONDS):
            await home.write(FLOOR_LAMP, 50, 600)
    health = await home.health()

    assert not caught.value.sent
    assert (health.broker, health.gateway) == (True, False)
    async with FakeGateway(broker.port) as returned:
        assert len((await back(home)).nodes) == 12
        assert returned.house.writes == []


async def test_a_gateway_that_dies_in_mid_act_is_noticed_by_its_last_will(home, gateway):
    await home.snapshot()
    gateway.silent.add("writeValue")
    call = asyncio.create_task(home.write(FLOOR_LAMP, 50, timeout_seconds=600))
    await gateway.asked("writeValue")
    await gateway.vanish()

    with pytest.raises(HomeDown, match="not connected") as caught:
        async with asyncio.timeout(LIMIT_SECONDS):
            await call

    assert caught.value.sent, "it may still happen"


async def test_a_name_is_looked_up_anew_for_every_act(home, gateway):
    tools = Tools(home)
    await tools.call("list_zwave_devices", {})
    gateway.house.rename(3, "Reading Lamp", "Office")

    answer = await tools.call("control_zwave_device", {"deviceName": "floor lamp", "action": "on"})

    assert (answer.structured["outcome"], gateway.house.writes) == ("not_found", [])


async def test_a_gateway_that_takes_a_question_along_when_it_stops_is_not_waited_for(home, gateway):
    """It had the question and ends before it answers; nobody is told of that."""
    await home.snapshot()
    home.limits = Limits(there=600)
    gateway.silent.add("getInfo")
    call = asyncio.create_task(home.write(FLOOR_LAMP, 50))
    await gateway.asked("getInfo")
    await gateway.stop_cleanly()

    with pytest.raises(HomeDown, match="not connected to the MQTT broker") as caught:
        async with asyncio.timeout(LIMIT_SECONDS):
            await call

    assert not caught.value.sent


async def test_a_hung_gateway_gives_no_answer_within_the_limit(home, gateway):
    await home.snapshot()
    home.limits = Limits(snapshot=0.2, info=0.2, there=0.2)
    gateway.silent.add("*")

    with pytest.raises(HomeDown, match="does not answer") as caught:
        await home.write(FLOOR_LAMP, 50, timeout_seconds=0.2)
    with pytest.raises(HomeDown, match="did not answer"):
        await home.snapshot(0)
    assert not (await home.health()).ok
    assert not caught.value.sent
    assert gateway.count("writeValue") == 0, "it would do it when it comes back to life"


async def test_what_was_opened_without_an_answer_is_taken_back_behind_it(home, gateway):
    home.limits = Limits(take_back=0.05)
    gateway.silent.add("writeValue")

    assert await home.take_back(LOCK, 255)  # nobody answers, and the broker has it

    assert (await gateway.asked("writeValue")).body["args"] == [LOCK.to_wire(), 255]


async def test_what_was_opened_is_taken_back_as_soon_as_the_connection_is_there_again(home, gateway, broker):
    await home.snapshot()
    broker.kill()
    with pytest.raises(HomeDown):
        await home.snapshot(0)

    assert not await home.take_back(LOCK, 255)
    broker.start()

    assert (await gateway.asked("writeValue")).body["args"] == [LOCK.to_wire(), 255]


async def test_a_driver_of_another_gateway_that_is_away_is_not_ours(home, gateway):
    """A second gateway under the same prefix was stopped, or an old `false` is retained."""
    await home.snapshot()
    await gateway.publish("driver/status", "false", retain=True)
    await until(lambda: home._gateways.driver is False)
    gateway.house.pace = 20.0  # 1.8 s: longer than anything is given that is taken for dead

    assert (await home.write(FLOOR_LAMP, 42)).status == Status.CONFIRMED
    assert len((await home.snapshot(0)).nodes) == 12
    assert ((await home.health()).ok, (await home.health()).driver) == (True, True)


async def test_a_lost_stick_is_said_and_its_return_is_noticed(home, gateway):
    await home.snapshot()
    await gateway.lose_stick()

    with pytest.raises(HomeDown, match="no connection to its Z-Wave stick"):
        await home.snapshot(0)
    health = await home.health()
    assert (health.ok, health.gateway, health.driver) == (False, True, False)

    await gateway.find_stick()
    assert len((await back(home)).nodes) == 12
    assert (await home.health()).ok


async def test_a_gateway_that_was_stopped_is_said_to_be_although_its_status_stays_true(home, gateway):
    await home.snapshot()
    await gateway.stop_cleanly()
    await until(lambda: home._gateways.driver is False)

    with pytest.raises(HomeDown, match="not connected"):
        await home.snapshot(0)
    with pytest.raises(HomeDown, match="not connected") as caught:
        await home.write(FLOOR_LAMP, 42)
    assert not caught.value.sent
    health = await home.health()
    assert (health.problem, health.gateway, health.driver) == (
        "Z-Wave JS UI is not connected to the MQTT broker.",
        False,
        None,
    )


async def test_a_renamed_device_is_noticed_although_nobody_asks(broker, gateway, start_home):
    seen = asyncio.Queue()
    async with start_home(MqttOptions(broker.url), refresh_seconds=0.1) as home:
        home.on_snapshot(lambda snapshot: seen.put_nowait({node.id: node.name for node in snapshot.nodes}))
        async with asyncio.timeout(LIMIT_SECONDS):
            assert (await seen.get())[13] == ""
            gateway.house.rename(13, "Desk Lamp", "Office")
            while (await seen.get())[13] != "Desk Lamp":
                pass
        assert (await home.write(ValueId(13, 37, 0, "targetValue"), True)).status == 254


async def test_a_stick_that_hangs_is_noticed_although_the_driver_is_ready(home, gateway):
    home.limits = Limits(ping=0.2)
    await home.snapshot()
    gateway.silent.add("pingNode")  # the driver waits for its stick, and the gateway for its driver

    health = await home.health()

    assert (health.ok, health.gateway, health.driver) == (False, True, False)
    assert health.problem == "Z-Wave JS UI is there, but its Z-Wave stick does not answer."


BAD_ANSWERS = {
    "not JSON": b"{value:50",
    "empty": b"",
    "not text": b"\xff\xfe\x00",
    "a bare word": b"true",
    "a list": b"[1, 2]",
    "nested without end": b"[" * 200_000,
    "endless digits": b'{"success": 1' + b"0" * 10_000 + b"}",
}


@pytest.mark.parametrize("payload", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
async def test_a_malformed_message_does_no_harm(home, gateway, payload):
    await home.snapshot()
    for api in ("getNodes", "writeValue"):
        await gateway.answer_raw(api, payload)
    await gateway.publish("_CLIENTS/ZWAVE_GATEWAY-Other/status", payload, retain=True)
    await gateway.publish("driver/status", b"maybe", retain=True)

    assert (await home.write(FLOOR_LAMP, 42)).status == Status.CONFIRMED
    assert len((await home.snapshot(0)).nodes) == 12


BAD_RESULTS = [None, True, 7, "text", {"a": 1}]


@pytest.mark.parametrize("result", BAD_RESULTS)
async def test_a_malformed_list_of_devices_is_an_error_and_no_empty_home(home, gateway, result):
    await home.snapshot()
    gateway.silent.add("getNodes")
    call = asyncio.create_task(home.snapshot(0))
    request = await gateway.asked("getNodes", 2)
    await gateway.answer_raw(
        "getNodes", json.dumps({"success": True, "result": result, "origin": request.body})
    )

    with pytest.raises(HomeDown, match="could not be understood"):
        await call


@pytest.mark.parametrize("result", [*BAD_RESULTS, {"status": "255"}, {"status": True}, {"status": None}, {}])
async def test_a_malformed_answer_to_a_command_does_not_say_what_happened(home, gateway, result):
    await home.snapshot()
    gateway.silent.add("writeValue")
    call = asyncio.create_task(home.write(FLOOR_LAMP, 50))
    request = await gateway.asked("writeValue")
    answer = {"success": True, "result": result, "origin": request.body}
    await gateway.answer_raw("writeValue", json.dumps(answer))

    with pytest.raises(NotUnderstood):
        await call


async def test_a_huge_message_does_not_break_the_connection(home, gateway):
    await home.snapshot()
    gateway.silent.add("pingNode")
    ping = asyncio.create_task(home.ping(2, timeout_seconds=0.3))
    request = await gateway.asked("pingNode")
    huge = {"success": True, "result": "x" * 33 * 1024 * 1024, "origin": request.body}
    await gateway.answer_raw("pingNode", json.dumps(huge))
    with pytest.raises(NoAnswer):  # the broker keeps it back: we said how much we take
        await ping
    large = {"success": True, "result": "x" * 8 * 1024 * 1024, "origin": {"id": "other"}}
    await gateway.answer_raw("pingNode", json.dumps(large))

    assert (await home.write(FLOOR_LAMP, 42)).status == Status.CONFIRMED


async def test_a_cancelled_call_ends_at_once_and_the_next_one_works(home, gateway):
    await home.snapshot()
    gateway.silent.add("writeValue")
    call = asyncio.create_task(home.write(FLOOR_LAMP, 50))
    await gateway.asked("writeValue")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    gateway.silent.clear()

    assert (await home.write(FLOOR_LAMP, 42)).status == Status.CONFIRMED
