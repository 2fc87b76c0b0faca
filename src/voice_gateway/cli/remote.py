"""The running gateway, as other commands see it."""

import argparse
from typing import Any

from voice_gateway.config import control_file, data_folder
from voice_gateway.doors.control import Silent, greet, request
from voice_gateway.errors import LinkError


async def ask_running(options: argparse.Namespace, message: dict[str, Any]) -> Any:
    """Its answer, or None when none is running that this command may speak for.

    Once the request is sent, no answer is an error: doing it a second time here could act twice.
    """
    return await request(control_file(), message) if await _speaks_for(options) else None


async def _speaks_for(options: argparse.Namespace) -> bool:
    """Settings given on this command line are meant for this command, unless they name the very file that the
    running gateway uses. A gateway with another data folder is another home."""
    if getattr(options, "provider", None):
        return False
    try:
        hello = await greet(control_file())
    except Silent:
        raise  # a second gateway beside one that only sleeps could act twice
    except LinkError:
        return False
    config = getattr(options, "config", None)
    same_config = config is None or hello["config"] == str(config.resolve())
    return bool(same_config and hello["data_folder"] == str(data_folder()))
