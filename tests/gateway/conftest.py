"""Gateways as processes, with a broker of their own."""

from pathlib import Path

import pytest
from tests.fakes.gateway_process import commands_fixture  # noqa: F401
from tests.fakes.mosquitto import broker_fixture  # noqa: F401
from tests.fakes.redis_server import redis_fixture  # noqa: F401


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a gateway inside the test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
