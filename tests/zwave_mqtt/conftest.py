"""Each test has a broker of its own, so that it may be stopped and killed: a part of `make test-zwave`."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.fakes.mosquitto import Broker, broker_fixture  # noqa: F401
from tests.fakes.zwave_gateway import FakeGateway
from tests.fakes.zwave_server import Server, owned, running, serving

from zwave_mcp.mqtt.home import MqttHome
from zwave_mcp.options import MqttOptions


@pytest.hookimpl(tryfirst=True)  # before it is decided which marks are run
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.zwave_mqtt)


@pytest.fixture
async def gateway(broker: Broker) -> AsyncIterator[FakeGateway]:
    async with FakeGateway(broker.port) as gateway:
        yield gateway


@pytest.fixture
async def home(broker: Broker, gateway: FakeGateway) -> AsyncIterator[MqttHome]:
    async with running(MqttOptions(broker.url, gateway="Home Gateway")) as home:
        yield home


@pytest.fixture
def start_home() -> Callable[..., contextlib.AbstractAsyncContextManager[MqttHome]]:
    return running


@pytest.fixture
async def server(broker: Broker, gateway: FakeGateway) -> AsyncIterator[Server]:
    """The real server as a process of its own, connected to the gateway."""
    async with owned(serving(broker.url, ZWAVE_ALLOW_UNLOCK="true")) as server:
        yield server
