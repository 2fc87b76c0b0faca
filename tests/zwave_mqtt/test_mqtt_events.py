"""Events through a real broker and the real server: what a device tells is in the resource a moment later."""

import json
import warnings
from typing import Any

import pytest
from tests.fakes.mosquitto import Broker
from tests.fakes.waiting import until
from tests.fakes.zwave_gateway import FakeGateway
from tests.fakes.zwave_server import Server, serving

EVENTS = "zwave://events"
KEYPAD = "Hallway/Front_Door_Lock/113/0/Access_Control/Keypad_unlock_operation"


async def reported(server: Server) -> list[str]:
    read: Any = await server.session.read_resource(EVENTS)
    return [event["text"] for event in json.loads(read.contents[0].text)["events"]]


@pytest.mark.slow
async def test_what_devices_tell_is_told_once_and_what_was_kept_is_no_news(tmp_path) -> None:
    broker = Broker(tmp_path)
    broker.start()
    try:
        async with FakeGateway(broker.port) as gateway:
            await gateway.publish(KEYPAD, json.dumps({"time": 1, "value": {"userId": 9}}), retain=True)
            async with serving(broker.url) as server:
                await server.call("list_zwave_devices")
                with warnings.catch_warnings(action="ignore"):  # clients of the handshake protocol say it so
                    await server.session.subscribe_resource(EVENTS)
                await gateway.asked("getNodes")
                for number in (1, 2):
                    message = json.dumps({"time": number + 10, "value": {"userId": 2}})

                    async def comes(count: int = number, text: str = message) -> bool:
                        await gateway.publish(KEYPAD, text)
                        return len(await reported(server)) >= count

                    await until(comes, 20)
                reply = await reported(server)
    finally:
        broker.kill()
    assert reply == ["The Front Door Lock in the Hallway was unlocked at the keypad by user 2."] * 2
