"""The real Z-Wave driver with simulated devices behind a real broker, started once: it needs some seconds."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.fakes.counterparts import missing
from tests.fakes.mosquitto import Broker
from tests.fakes.zwave_server import Server, owned, serving

FOLDER = Path(__file__).parent
START_SECONDS = 60.0
LINE_SECONDS = 10.0


def need_driver() -> str:
    node = shutil.which("node")
    if node is None or not (FOLDER / "node_modules" / "zwave-js").is_dir():
        missing("the Z-Wave driver is not installed (scripts/zwave-driver setup)")
    return node


@dataclass
class Driver:
    """The bridge process; a fault or a report is one line to it, and one line back when that is in force."""

    process: asyncio.subprocess.Process
    broker: Broker

    async def fault(self, node: int, fault: str | None) -> None:
        await self._tell({"node": node, "fault": fault})

    async def reports(self, node: int, **reported: Any) -> None:
        """A device tells something by itself."""
        await self._tell({"node": node, **reported})

    async def by_hand(self, node: int, **state: Any) -> None:
        """Somebody is at the device, and it does not tell."""
        await self._tell({"node": node, "hand": state})

    async def held(self, node: int, state: str) -> Any:
        """What the device itself has, whatever the driver believes."""
        return (await self._tell({"node": node, "held": state}))["value"]

    async def stop(self) -> None:
        """The gateway is there, its driver is not."""
        await self._tell({"driver": "stop"})

    async def start(self) -> None:
        """From its cache; no device has answered yet."""
        await self._tell({"driver": "start"})

    async def answer(self) -> None:
        """Now they do, and all are known again."""
        await self._tell({"driver": "answer"})

    async def _tell(self, facts: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(facts).encode() + b"\n")
        return await self.line()

    async def line(self, seconds: float = LINE_SECONDS) -> dict[str, Any]:
        assert self.process.stdout is not None
        async with asyncio.timeout(seconds):
            line = await self.process.stdout.readline()
        assert line, "the bridge ended"
        answer: dict[str, Any] = json.loads(line)
        return answer


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def driver(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Driver]:
    node = need_driver()
    broker = Broker(tmp_path_factory.mktemp("broker"))
    broker.start()
    process = await asyncio.create_subprocess_exec(
        node,
        str(FOLDER / "bridge.mjs"),
        broker.url,
        str(tmp_path_factory.mktemp("driver")),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    driver = Driver(process, broker)
    try:
        await driver.line(START_SECONDS)
        yield driver
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
        broker.kill()


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def server(driver: Driver) -> AsyncIterator[Server]:
    async with owned(serving(driver.broker.url, ZWAVE_ALLOW_UNLOCK="true")) as server:
        yield server
