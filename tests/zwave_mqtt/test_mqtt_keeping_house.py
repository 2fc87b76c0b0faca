"""Codes of locks on topics stay there."""

import json
from pathlib import Path

from tests.fakes.mosquitto import Broker
from tests.fakes.zwave_gateway import FakeGateway
from tests.fakes.zwave_server import owned, serving

CODE = "471100"


async def test_codes_on_topics_reach_no_log_and_no_resource(
    broker: Broker, gateway: FakeGateway, tmp_path: Path
) -> None:
    process = serving(broker.url, ZWAVE_LOG_LEVEL="DEBUG", XDG_DATA_HOME=str(tmp_path))
    async with owned(process) as server:
        await server.call("list_zwave_devices")
        for topic in ("user_code/endpoint_0/userCode/1", "99/0/userCode/1", "99/0/adminCode"):
            payload = json.dumps({"time": 1, "value": CODE, "nodeName": "Front Door Lock"})
            await gateway.publish(f"Hallway/Front_Door_Lock/{topic}", payload)
        reported = [
            (await server.call("get_zwave_device", deviceName="front door lock")).structured,
            *[
                (await server.session.read_resource(str(item.uri))).contents
                for item in (await server.session.list_resources()).resources
            ],
        ]
        assert CODE not in f"{reported} {server.stderr()}"
        assert not any(CODE.encode() in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
