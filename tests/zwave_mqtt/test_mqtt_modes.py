"""The same home in every mode of the gateway: topics differ, devices and commands do not."""

import pytest
from tests.fakes import zwave_recordings as recordings
from tests.fakes.zwave_gateway import FakeGateway

from zwave_mcp.home import Status, ValueId
from zwave_mcp.options import MqttOptions

FLOOR_LAMP = ValueId(3, 38, 0, "targetValue")


@pytest.mark.parametrize("mode", recordings.MODES)
async def test_a_mode_shows_the_home_and_switches_a_lamp(mode, broker, start_home):
    async with FakeGateway(broker.port, mode=mode) as gateway, start_home(MqttOptions(broker.url)) as home:
        snapshot = await home.snapshot()
        written = await home.write(FLOOR_LAMP, 42)

        assert [node.id for node in snapshot.nodes] == list(range(2, 14))
        assert {node.name: node.room for node in snapshot.nodes}["Window Blind"] == "Bedroom"
        assert written.status == Status.CONFIRMED
        assert gateway.house.writes == [(3, "38-0-targetValue", 42)]


def test_all_eight_modes_are_tried():
    assert len(recordings.MODES) == 8
