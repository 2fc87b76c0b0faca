"""What is said of a broker that cannot be used: each trouble in words of its own."""

import socket

from tests.fakes.gateway_process import Running
from tests.mqtt.conftest import NO_SERVER


async def test_a_broker_that_says_nothing_is_named_when_ready_is_told(commands):
    commands.file("voice-gateway.toml", NO_SERVER)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        async with Running.opened(commands, MQTT_BROKER_URL=f"mqtt://127.0.0.1:{port}") as gateway:
            ready = gateway.said[-1]

    assert f"The MQTT broker at 127.0.0.1:{port} has not answered yet." in ready
