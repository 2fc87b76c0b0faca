"""What is said of a broker that cannot be used: each trouble in words of its own."""

import asyncio

import pytest
from tests.fakes.certificates import Certificates
from tests.fakes.gateway_process import Running
from tests.fakes.mosquitto import Broker
from tests.mqtt.conftest import NO_SERVER

from voice_gateway.channels.mqtt.link import connected
from voice_gateway.config import MqttSettings
from voice_gateway.errors import LinkError


@pytest.fixture
def secure(tmp_path):
    (tmp_path / "b").mkdir()
    broker = Broker(tmp_path / "b", tls=Certificates(tmp_path / "b"))
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
async def plain():
    """A port on which no TLS is spoken."""

    async def welcome(_reader, writer) -> None:
        writer.write(b"220 welcome\r\n")
        writer.close()

    async with await asyncio.start_server(welcome, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize("case", ["unknown authority", "another name", "no TLS"])
async def test_each_failure_of_tls_names_what_to_check(commands, secure, plain, case):
    """In a process of its own: the MQTT library leaves the socket of a failed handshake to the collector."""
    url, env, advice = {
        "unknown authority": (secure.url, {}, "check mqtt.ca_file"),
        "another name": (
            f"mqtts://127.0.0.1:{secure.port}",
            {"VOICE_GATEWAY_MQTT_CA_FILE": str(secure.tls.ca)},
            "the name in mqtt.broker_url",
        ),
        "no TLS": (f"mqtts://127.0.0.1:{plain}", {}, "port for TLS"),
    }[case]
    commands.file("voice-gateway.toml", NO_SERVER)
    async with Running.opened(commands, MQTT_BROKER_URL=url, **env) as gateway:
        assert advice in "".join(gateway.said)


async def refused(url: str, ca_file: str | None = None) -> LinkError:
    with pytest.raises(LinkError) as caught:
        async with connected(MqttSettings(broker_url=url, ca_file=ca_file)):
            pass
    return caught.value


async def test_an_authority_file_that_cannot_be_used_is_named(secure, tmp_path):
    file = tmp_path / "ca.pem"
    for content in (None, "", "no certificate"):
        if content is not None:
            file.write_text(content)
        error = await refused(secure.url, str(file))
        assert "mqtt.ca_file" in str(error)
        assert f"mqtt.ca_file: {file}" in str(error)
        assert ("No such file" in str(error)) is (content is None)
