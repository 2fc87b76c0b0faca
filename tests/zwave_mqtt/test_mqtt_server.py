"""The whole server as a client meets it: a real process, a real broker, and answers that are true."""

import asyncio

import pytest
import pytest_asyncio
from tests.fakes.mosquitto import Broker
from tests.fakes.zwave_gateway import FakeGateway
from tests.fakes.zwave_house import House
from tests.fakes.zwave_server import claims_success, owned, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(tmp_path_factory):
    """One server and one gateway for all tests of this file: a start takes a second."""
    broker = Broker(tmp_path_factory.mktemp("broker"))
    broker.start()
    try:
        async with (
            FakeGateway(broker.port) as gateway,
            owned(serving(broker.url, ZWAVE_ALLOW_UNLOCK="true")) as server,
        ):
            yield server, gateway
    finally:
        broker.kill()


@pytest.fixture
def server(both):
    return both[0]


@pytest_asyncio.fixture(loop_scope="module")
async def gateway(both):
    """The recorded home as it was, for every test; the stick's return makes the server look again."""
    gateway = both[1]
    gateway.house = House()
    gateway.requests.clear()
    gateway.activated.clear()
    await gateway.publish("driver/status", "false", retain=True)
    await gateway.publish("driver/status", "true", retain=True)
    await gateway.asked("getNodes")
    gateway.requests.clear()
    return gateway


async def test_a_lamp_goes_on_and_the_answer_says_so(server, gateway):
    answer = await server.control("floor lamp", "on")

    assert (answer.outcome, answer.is_error) == ("confirmed", False)
    assert "Floor Lamp" in answer.text or "floor lamp" in answer.text
    assert gateway.house.writes == [(3, "38-0-targetValue", 255)]
    assert (answer.structured["nodeId"], answer.structured["endpoint"]) == (3, 0)


async def test_a_device_that_does_nothing_is_not_called_done(server, gateway):
    gateway.house.ignoring.add(10)

    answer = await server.control("Coffee Maker", "off")

    assert (answer.outcome, answer.is_error) == ("failed", True)
    assert not claims_success(answer) or "still on" in answer.text


async def test_a_dead_device_is_said_and_success_is_never_claimed(server, gateway):
    gateway.house.dead.add(9)

    for _ in range(2):  # the second time it is known to be dead
        answer = await server.control("Space Heater", "on")
        assert (answer.outcome, answer.is_error) == ("unreachable", True)
        assert not claims_success(answer)


async def test_scenes_and_sensors_and_health_are_answered(server, gateway):
    scene = await server.call("activate_zwave_scene", sceneName="movie night")
    sensor = await server.call("get_device_sensor_data", deviceName="Climate Sensor")
    health = await server.call("check_zwave_health")

    assert not scene.is_error
    assert gateway.activated == [1]
    assert "21.4" in sensor.text
    assert "46" in sensor.text
    assert not health.is_error


async def test_a_command_to_a_sleeping_device_is_queued_and_holds_nobody_up(server, gateway):
    gateway.house.fall_asleep(4)
    command = asyncio.create_task(server.control("Bedside Lamp", "on"))
    await gateway.asked("writeValue")

    assert (await server.call("list_zwave_devices")).structured["total"] >= 12
    assert not command.done()
    answer = await command
    assert (answer.outcome, answer.is_error) == ("queued", False)
    assert not claims_success(answer)
