"""What is asked of the gateway, how it is sent, and what becomes of the answer."""

import asyncio
import json

import pytest

from zwave_mcp.home import GatewayError, NoAnswer, Status, ValueId
from zwave_mcp.mqtt.connection import Api

FLOOR_LAMP = ValueId(3, 38, 0, "targetValue")
COFFEE_MAKER = ValueId(10, 37, 0, "targetValue")
BLIND = ValueId(11, 38, 0, "targetValue")
HEATER = ValueId(9, 37, 0, "targetValue")


def value_of(snapshot, node_id, text):
    node = next(node for node in snapshot.nodes if node.id == node_id)
    return next(value.value for value in node.values if str(value.id) == text)


async def test_a_command_is_sent_once_with_qos_1_not_retained_and_soon_expires(home, gateway):
    await home.write(FLOOR_LAMP, 42)

    request = await gateway.asked("writeValue")
    assert request.body["args"] == [
        {"nodeId": 3, "commandClass": 38, "endpoint": 0, "property": "targetValue"},
        42,
    ]
    assert isinstance(request.body["id"], str)
    assert (request.qos, request.retain) == (1, False)
    assert 0 < request.expiry_seconds <= 5
    assert gateway.count("writeValue") == 1


@pytest.mark.parametrize(
    ("value_id", "value", "status", "message"),
    [
        (FLOOR_LAMP, 42, Status.CONFIRMED, ""),
        (COFFEE_MAKER, False, Status.ACKNOWLEDGED, ""),
        (BLIND, 0, Status.WORKING, ""),
        (ValueId(2, 37, 3, "targetValue"), True, 3, "Endpoint 3 does not exist on Node 2"),
        (ValueId(5, 49, 0, "Air temperature"), 3, 4, "does not support setting values"),
        (ValueId(2, 37, 0, "targetValue"), "banana", 5, 'must be of type "boolean"'),
    ],
)
async def test_status_and_words_are_what_the_gateway_recorded(home, value_id, value, status, message):
    result = await home.write(value_id, value)

    assert result.status == status
    assert message in result.message


async def test_a_dead_device_fails_and_is_marked(home, gateway):
    gateway.house.dead.add(9)

    assert (await home.write(HEATER, True)).status == Status.FAILED
    assert await home.ping(9) is False
    with pytest.raises(GatewayError, match="did not acknowledge"):
        await home.poll(ValueId(9, 37, 0, "currentValue"))
    heater = next(node for node in (await home.snapshot()).nodes if node.id == 9)
    assert heater.dead


async def test_a_dead_device_does_not_hold_up_what_needs_no_radio(home, gateway):
    await home.snapshot()
    gateway.house.dead.add(9)
    async with gateway.house.radio:  # looked for all the while
        write = asyncio.create_task(home.write(HEATER, True))
        await gateway.asked("writeValue")

        await asyncio.gather(home.snapshot(0), home.scenes())

        assert not write.done()
    assert (await write).status == Status.FAILED


async def test_scenes_are_listed_and_activated(home, gateway):
    (scene,) = await home.scenes()
    await home.activate_scene(scene.id)

    assert (scene.id, scene.name) == (1, "Movie Night")
    assert [str(value.id) for value in scene.values] == ["3-38-0-targetValue", "2-37-0-targetValue"]
    assert gateway.activated == [1]


async def test_a_write_makes_the_list_old(home, gateway):
    await home.snapshot()
    await home.write(FLOOR_LAMP, 42)

    assert value_of(await home.snapshot(), 3, "3-38-0-currentValue") == 42
    assert gateway.count("getNodes") == 2


async def test_callers_share_one_question_for_the_list(home, gateway):
    await home.snapshot()
    await asyncio.gather(*(home.snapshot(0) for _ in range(50)))

    assert gateway.count("getNodes") <= 3


async def test_a_cancelled_caller_does_not_take_the_list_from_the_others(home, gateway):
    await home.snapshot()
    gateway.silent.add("getNodes")
    first = asyncio.create_task(home.snapshot(0))
    await gateway.asked("getNodes", 2)
    second = asyncio.create_task(home.snapshot(0))
    gateway.silent.clear()

    first.cancel()

    assert len((await second).nodes) == 12


async def test_200_calls_at_once_get_their_own_answers(home, gateway):
    gateway.house.pace = 0.0
    levels = [number % 99 for number in range(200)]

    results = await asyncio.gather(*(home.write(FLOOR_LAMP, level) for level in levels))

    assert {result.status for result in results} == {Status.CONFIRMED}
    assert sorted(value for _, _, value in gateway.house.writes) == sorted(levels)
    ids = [request.body["id"] for request in gateway.requests if request.api == "writeValue"]
    assert len(set(ids)) == 200


async def test_answers_of_others_are_not_taken_for_ours(home, gateway):
    gateway.silent.add("pingNode")
    ping = asyncio.create_task(home.ping(2, timeout_seconds=0.3))
    request = await gateway.asked("pingNode")
    other = {"success": True, "result": True, "origin": {"args": [2], "id": "somebody-else"}}
    await gateway.answer_raw("pingNode", json.dumps(other))
    await gateway.answer_raw("pingNode", json.dumps({**other, "origin": {"args": [2]}}))
    await gateway.answer_raw("pingNode", json.dumps({**other, "note": request.body["id"]}))

    with pytest.raises(NoAnswer):
        await ping


async def test_a_late_answer_is_dropped(home, gateway):
    gateway.silent.add("pingNode")
    with pytest.raises(NoAnswer):
        await home.ping(2, timeout_seconds=0.1)
    request = await gateway.asked("pingNode")
    late = {"success": True, "result": True, "origin": request.body}
    await gateway.answer_raw("pingNode", json.dumps(late))
    gateway.silent.clear()

    assert await home.ping(2) is True


async def test_health_names_gateway_and_version(home):
    health = await home.health()

    assert health.ok
    assert (health.broker, health.gateway, health.driver) == (True, True, True)
    assert health.gateway_name == "Home_Gateway"
    assert health.version.startswith("11.22.2")


def test_nothing_else_can_be_sent():
    assert {str(api) for api in Api} == {
        "getInfo", "getNodes", "writeValue", "pollValue", "pingNode", "_getScenes", "_getGroups",
        "_activateScene", "setNodeName", "setNodeLocation",
        "accessControlRefreshUsers",
    }  # fmt: skip
    with pytest.raises(ValueError, match="hardReset"):
        Api("hardReset")
