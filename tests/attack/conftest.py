"""Attacks on a gateway that runs as a process."""

from tests.gateway.conftest import broker, commands

__all__ = ["broker", "commands"]
