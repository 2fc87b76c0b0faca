"""Commands as a person or a script runs them."""

import pytest
from tests.fakes.gateway_process import Commands, Running


@pytest.fixture
def commands(tmp_path) -> Commands:
    return Commands(tmp_path)


@pytest.fixture
async def running(commands):
    async with Running.opened(commands) as gateway:
        yield gateway
