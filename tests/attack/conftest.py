"""Attacks on a gateway that runs as a process."""

from tests.fakes.gateway_process import commands_fixture
from tests.fakes.mosquitto import broker_fixture

__all__ = ["broker_fixture", "commands_fixture"]
