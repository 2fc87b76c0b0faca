"""The real Z-Wave driver with simulated devices behind a real broker, started once: it needs some seconds."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

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

    async def reports(self, node: int, **told: str | int) -> None:
        """A device tells something by itself."""
        await self._tell({"node": node, **told})

    async def _tell(self, facts: dict[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(facts).encode() + b"\n")
        await self.line()

    async def line(self, seconds: float = LINE_SECONDS) -> None:
        assert self.process.stdout is not None
        async with asyncio.timeout(seconds):
            assert await self.process.stdout.readline(), "the bridge ended"


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
