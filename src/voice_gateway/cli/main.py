"""The command line: one function for each command, one exit code for each way to end."""

import argparse
import asyncio
import contextlib
import importlib
import inspect
import io
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from voice_gateway import logs, quick_start
from voice_gateway.cli.parser import PROGRAM, parsed, parser
from voice_gateway.errors import ConfigError, GatewayError, first_error

# Commands that need the packages for speech, which are an extra, and what for.
OF_SPEECH = {"transcribe": "hearing", "listen": "hearing", "say": "speaking"}
PACKAGES = "run `make setup`, or `pip install 'voice-gateway[speech]'`"


def main(argv: Sequence[str] | None = None) -> int:
    options = parsed(argv)
    if options.command is None:
        parser().print_help(sys.stderr)
        return 2
    debug = getattr(options, "debug", False)
    logs.set_up(getattr(options, "log_level", "warning"), debug=debug, file=_log_file(options))
    _set_up_streams(options)
    stopped: list[signal.Signals] = []
    quick_start.begin()
    try:
        return asyncio.run(_stoppable(options, stopped))
    except GatewayError as error:
        if debug:
            raise
        for line in str(error).split("\n") if isinstance(error, ConfigError) else [str(error)]:
            print(f"{PROGRAM}: {logs.one_line(line)}", file=sys.stderr)
        return 2 if isinstance(error, ConfigError) else 1
    except asyncio.CancelledError:
        # A service manager's stop is a good end of `run`; everything else was cut off.
        return 0 if options.command == "run" and signal.SIGTERM in stopped else 128 + stopped[0]
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone; there is nobody to complain to
        return 1
    except Exception as error:  # a bug: one line for people, everything for whoever asked for it
        if debug:
            raise
        root = first_error(error)
        bug = logs.one_line(f"{type(root).__name__}: {root}")
        print(f"{PROGRAM}: internal error: {bug} (--debug shows more)", file=sys.stderr)
        return 1
    finally:
        quick_start.end()


def _set_up_streams(options: argparse.Namespace) -> None:
    if getattr(options, "no_color", False):
        from voice_gateway.config.environment import switch_off_colours

        switch_off_colours()
    for stream in (sys.stdout, sys.stderr):  # a character the terminal does not know must not cost the answer
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _log_file(options: argparse.Namespace) -> Path | None:
    """None: to stderr, for scripts and service managers, and for who asks for logs at a terminal."""
    asked_for = hasattr(options, "debug") or hasattr(options, "log_level")
    if asked_for or sys.stderr is None or not sys.stderr.isatty():
        return None
    from voice_gateway.config.folders import log_file

    return log_file()


async def _stoppable(options: argparse.Namespace, stopped: list[signal.Signals]) -> int:
    """The first signal stops everything in order; a second one would only disturb that."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def stop(number: signal.Signals) -> None:
        if not stopped and task is not None:
            task.cancel()
        stopped.append(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with contextlib.suppress(
            NotImplementedError, RuntimeError
        ):  # not on every platform, not in every thread
            loop.add_signal_handler(number, stop, number)
    return await _command(options)


async def _command(options: argparse.Namespace) -> int:
    """Each command is a function in a file of its name, imported here: `--help` and mistakes cost nothing."""
    name = "run" if options.command == "chat" else options.command
    try:
        command = getattr(importlib.import_module(f"voice_gateway.cli.{name}"), name)
    except ModuleNotFoundError as error:
        if name not in OF_SPEECH:
            raise
        raise GatewayError(f"{OF_SPEECH[name]} needs {error.name}: {PACKAGES}") from error
    result = command(options)
    return int(await result if inspect.isawaitable(result) else result)
