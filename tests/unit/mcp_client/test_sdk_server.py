"""A server on the SDK itself: what our own requests beside its session have to agree with."""

import asyncio
import sys

import pytest
from langchain_core.tools import StructuredTool
from tests.fakes.linked import FAKES, linked

from voice_gateway.config import ServerSettings
from voice_gateway.errors import ToolError

SERVER = ServerSettings(command=sys.executable, args=(str(FAKES / "sdk_server.py"),))


@pytest.mark.slow
async def test_definitions_results_errors_and_cancellation_of_an_sdk_server():
    async with linked({"sdk": SERVER}, stop_timeout_seconds=3.0) as link:
        dim = link.tools["sdk"]["dim"]
        assert isinstance(dim, StructuredTool)
        assert dim.coroutine is not None
        traits = dim.metadata["traits"]
        assert (traits.title, traits.idempotent, traits.read_only) == ("Dim a light", True, False)
        assert traits.output_schema["properties"].keys() == {"name", "level"}
        assert dim.args_schema["properties"].keys() == {"device_name", "level"}
        assert link.tools["sdk"]["was_cancelled"].metadata["traits"].read_only

        _, artifact = await dim.coroutine(device_name="Lamp", level=30)
        assert artifact["structured"] == {"name": "Lamp", "level": 30}
        with pytest.raises(ToolError, match="device not found"):
            await link.call("fail", "sdk")
        with pytest.raises(ToolError, match="less than or equal to 100"):
            await link.call("dim", "sdk", device_name="Lamp", level=300)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await link.call("long_work", "sdk")
        assert await link.call("was_cancelled", "sdk") == "long_work"
        assert link.status("sdk").restarts == 0
