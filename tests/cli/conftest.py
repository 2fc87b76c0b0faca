"""Commands as a person or a script runs them."""

from tests.fakes.gateway_process import commands_fixture  # noqa: F401
