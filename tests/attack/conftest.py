"""Attacks on a gateway that runs as a process."""

import pytest
from tests.fakes.gateway_process import Commands


@pytest.fixture
def commands(tmp_path) -> Commands:
    return Commands(tmp_path)
