"""Undo by MQTT: what one room did, another does not take back; its calls are told as any other."""

import pytest
from tests.fakes.gateway_process import Running
from tests.mqtt.conftest import Listener


@pytest.fixture
async def at_home(broker, commands):
    async with Running.opened(commands, MQTT_BROKER_URL=broker.url) as gateway:
        yield gateway


@pytest.mark.slow
async def test_a_room_takes_back_what_it_did(broker, at_home):
    async with Listener.on(broker) as listener:

        async def asks(text: str, room: str, name: str):
            await listener.send(
                "voice/req", {"text": text, "room": room, "id": name, "conversation_id": name}
            )
            return await listener.gets("voice/res", id=name)

        await asks("turn on the kitchen light", "Kitchen", "one")
        elsewhere = await asks("undo", "Office", "two")
        await listener.send("voice/req", {"text": "undo", "room": "Kitchen", "id": "three"})
        tool = await listener.gets("voice/tool", id="three")
        here = await listener.gets("voice/res", id="three")

    assert elsewhere["text"] == "There is nothing that I could take back."
    assert here["text"] == "The Kitchen Light is now off."
    assert (tool["name"], tool["ok"]) == ("control_zwave_device", True)
