"""The longest wait there is, which the quick tests leave out: a command that is never answered."""

import time

import pytest
from tests.fakes.mosquitto import Broker
from tests.fakes.zwave_gateway import FakeGateway
from tests.fakes.zwave_server import claims_success, serving

pytestmark = pytest.mark.zwave_driver


async def test_an_unanswered_command_keeps_its_limit_and_may_still_happen(tmp_path):
    broker = Broker(tmp_path)
    broker.start()
    try:
        async with FakeGateway(broker.port) as gateway, serving(broker.url) as server:
            gateway.silent.add("writeValue")
            started = time.perf_counter()
            answer = await server.control("floor lamp", "on")
            seconds = time.perf_counter() - started
    finally:
        broker.kill()

    assert 9 < seconds < 25
    assert (answer.outcome, answer.is_error) == ("unconfirmed", True)
    assert "not confirmed" in answer.text
    assert "may still happen" in answer.text
    assert not claims_success(answer)
