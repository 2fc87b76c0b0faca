"""Commands as a person or a script runs them."""

import pytest
from tests.fakes.gateway_process import Commands


@pytest.fixture
def commands(tmp_path) -> Commands:
    return Commands(tmp_path)
