"""What commands share: the settings that their options choose, and the running gateway."""

import argparse
import contextlib
import sys
from pathlib import Path
from typing import Any

from voice_gateway.channels.control import Silent, greet, request
from voice_gateway.cli.parser import PROGRAM
from voice_gateway.config import Loaded, control_file, data_folder, load
from voice_gateway.errors import ConfigError, LinkError
from voice_gateway.logs import one_line
from voice_gateway.problems.machine import SETTINGS_OPEN
from voice_gateway.progress import OnProgress

OPENED = ("/dev/", "/proc/self/fd/")


def loaded(options: argparse.Namespace, *, ask: bool = False) -> Loaded:
    """`ask`: what the servers of an mcp.json have to be told is asked for at a terminal first."""
    overrides: dict[str, Any] = {}
    if provider := getattr(options, "provider", None):
        overrides["brain.provider"] = provider
    if room := getattr(options, "room", None):
        overrides["brain.room"] = room
    file = checked_file(getattr(options, "config", None))
    found = load(file, overrides=overrides)
    if ask and _asked(found):
        found = load(file, overrides=overrides)
    if found.ignored:
        print(f"{PROGRAM}: {one_line(found.ignored)}", file=sys.stderr)
    for sentence in found.readable:
        print(f"{PROGRAM}: {one_line(sentence)} {SETTINGS_OPEN.advice} ends that.", file=sys.stderr)
    return found


def _asked(found: Loaded) -> bool:
    """Whether anything was asked: without a terminal nobody could answer."""
    missing = {name for one in found.settings.left_out for name in one.asks}
    if not missing or found.answers is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    from voice_gateway.cli.inputs import ask_for

    several = {one.id: one for ones in found.inputs.values() for one in ones if one.id in missing}
    print(f"{PROGRAM}: servers of your mcp.json ask for what only you know (Enter: not now)", file=sys.stderr)
    with contextlib.suppress(KeyboardInterrupt):  # the event loop has the signal, too, and stops the command
        ask_for(several.values(), found.answers)
    return True


def checked_file(file: Path | None) -> Path | None:
    """A pipe that nobody writes to cannot even be opened, and no signal ends that; what the shell has opened
    itself (/dev/stdin, <(…)) has a writer."""
    if file is not None and file.exists() and not file.is_file() and not str(file).startswith(OPENED):
        raise ConfigError(f"{file} is not a regular file")
    return file


def wants_json(options: argparse.Namespace) -> bool:
    return bool(getattr(options, "json", False))


async def ask_running(
    options: argparse.Namespace, message: dict[str, Any], on_progress: OnProgress | None = None
) -> Any:
    """Its answer, or None when none is running that this command may speak for.

    Once the request is sent, no answer is an error: doing it a second time here could act twice.
    """
    if not await _speaks_for(options):
        return None
    return await request(control_file(), message, on_progress=on_progress)


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
