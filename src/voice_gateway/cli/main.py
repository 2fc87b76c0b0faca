"""The entry of the command line: streams, signals, and one exit code for each way to end."""

import argparse
import asyncio
import contextlib
import inspect
import io
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from voice_gateway import logs
from voice_gateway.cli.parser import PROGRAM, command_module, parsed, parser
from voice_gateway.errors import ConfigError, GatewayError, first_error

# Commands whose JSON has a shape of its own; the others print their error as JSON, too.
ANSWERING = ("run", "chat", "ask", "undo", "status")
# Packages of the extra `speech`.
SPEECH = ("sounddevice", "numpy", "wyoming", "hibari", "moonshine_voice", "soxr", "soundfile")


def main(argv: Sequence[str] | None = None) -> int:
    stopped: list[signal.Signals] = []
    options = argparse.Namespace(command=None, debug=False, json=False)
    try:
        options = parsed(argv)
        if options.command is None:
            parser().print_help(sys.stderr)
            return 2
        logs.set_up(options.log_level or "warning", debug=options.debug, file=_log_file(options))
        _set_up_streams(options)
        return asyncio.run(_stoppable(options, stopped))
    except asyncio.CancelledError:
        # A service manager's stop is a good end of `run`; everything else was cut off.
        return 0 if options.command == "run" and signal.SIGTERM in stopped else 128 + stopped[0]
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone
        return 1
    except Exception as error:
        if options.debug:
            raise
        lines = _lines(error)
        printed = isinstance(error, ConfigError) or options.command in ANSWERING
        if options.json and not printed:
            from voice_gateway.channels.terminal import print_json

            print_json({"ok": False, "problem": "\n".join(lines)})
        for line in lines:
            print(f"{PROGRAM}: {logs.one_line(line)}", file=sys.stderr)
        return 2 if isinstance(error, ConfigError) else 1


def _lines(error: Exception) -> list[str]:
    """One line for people, or one for each mistake in the settings; --debug shows the traceback."""
    if isinstance(error, ConfigError):
        return str(error).split("\n")
    if isinstance(error, GatewayError):
        return [str(error)]
    root = first_error(error)
    if isinstance(root, ModuleNotFoundError):
        package = (root.name or "").partition(".")[0]
        extra = "speech" if package in SPEECH else "gateway"
        install = f"run `make setup`, or `pip install 'voice-gateway[{extra}]'`"
        return [f"the package {package} is missing: {install}"]
    return [f"internal error: {type(root).__name__}: {root} (--debug shows more)"]


def _set_up_streams(options: argparse.Namespace) -> None:
    if options.no_color:
        from voice_gateway.config.environment import switch_off_colours

        switch_off_colours()
    for stream in (sys.stdout, sys.stderr):  # a character the terminal does not know must not cost the answer
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _log_file(options: argparse.Namespace) -> Path | None:
    """None logs to stderr: for scripts, for service managers, and when logs were asked for."""
    if options.debug or options.log_level or sys.stderr is None or not sys.stderr.isatty():
        return None
    from voice_gateway.config.folders import log_file

    return log_file()


async def _stoppable(options: argparse.Namespace, stopped: list[signal.Signals]) -> int:
    """Run the command; the first signal stops everything in order, further ones are ignored."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def stop(number: signal.Signals) -> None:
        if not stopped and task is not None:
            task.cancel()
        stopped.append(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # not on every platform, and not in every thread
        with contextlib.suppress(NotImplementedError, RuntimeError):
            loop.add_signal_handler(number, stop, number)
    module = command_module(options.command)
    result = getattr(module, module.__name__.rpartition(".")[2])(options)
    return int(await result if inspect.isawaitable(result) else result)
