"""Gateways as processes, with a broker of their own."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.fakes.gateway_process import Commands
from tests.fakes.mosquitto import Broker


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    broker = Broker(tmp_path)
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
async def commands(tmp_path) -> AsyncIterator[Commands]:
    commands = Commands(tmp_path)
    yield commands
    await commands.end()


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a gateway inside the test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
