"""`voice-gateway mcp inputs`: ask for what only the user knows, once, and keep it."""

import argparse
import asyncio
import contextlib
import getpass
import signal
import sys
from collections.abc import Iterable, Iterator

from voice_gateway.channels.terminal import print_json, printable
from voice_gateway.cli.command import loaded, wants_json
from voice_gateway.cli.parser import PROGRAM
from voice_gateway.config import Loaded
from voice_gateway.config.kinds import did_you_mean
from voice_gateway.config.mcp_json.inputs import Answers, Input
from voice_gateway.errors import ConfigError, GatewayError


async def inputs(options: argparse.Namespace) -> int:
    """Exit code 0: nothing is missing any more. Without a terminal a line of stdin answers each question."""
    found = loaded(options)
    wanted, answers = _wanted(found, options.name), found.answers
    if answers is None:
        return _told(options, [], "No mcp.json is used, so nothing is asked.")
    if options.forget:
        for one in wanted:
            answers.forget(one.id)
        return _told(options, [], f"forgotten: {_named(wanted)}")
    if options.name is None:
        wanted = [one for one in wanted if answers.get(one.id) is None]
    if not wanted:
        return _told(options, [], "Nothing is asked.")
    try:
        left = ask_for(wanted, answers)
    except KeyboardInterrupt:
        await asyncio.sleep(1)  # the event loop has the signal, too, and stops this
        return 130
    if left:
        return _told(options, left, f"still missing: {_named(left)}")
    return _told(options, [], "All answered. A gateway that is running uses it after a restart.")


def _wanted(found: Loaded, server: str | None) -> list[Input]:
    if server is not None and server not in found.inputs:
        near = did_you_mean(server, found.inputs)
        raise ConfigError(f'no server "{server}" in an mcp.json that is used{near}')
    per_server = found.inputs.values() if server is None else [found.inputs[server]]
    return list({one.id: one for several in per_server for one in several}.values())


def _told(options: argparse.Namespace, left: list[Input], sentence: str) -> int:
    if wants_json(options):
        print_json({"ok": not left, "missing": [one.id for one in left]})
    else:
        print(sentence, file=sys.stderr)
    return 1 if left else 0


def _named(several: Iterable[Input]) -> str:
    return ", ".join(printable(one.id) for one in several) or "nothing"


def ask_for(wanted: Iterable[Input], answers: Answers) -> list[Input]:
    """Those that are still missing. Raises KeyboardInterrupt."""
    left: list[Input] = []
    with _interruptible():
        for one in wanted:
            answer = ""
            with contextlib.suppress(EOFError):
                answer = _answer(one)
            if answer:
                _keep(one, answer, answers)
            elif answers.get(one.id) is None:
                left.append(one)
    return left


def _keep(one: Input, answer: str, answers: Answers) -> None:
    try:
        place = answers.put(one.id, answer)
    except OSError as error:
        raise GatewayError(f"the answer cannot be kept: {error}") from error
    print(f"{PROGRAM}: {printable(one.id)} is kept in {place}", file=sys.stderr)


def _answer(one: Input) -> str:
    """Empty: it was passed over. Words of a file are shown without what could move the cursor."""
    for place, (shown, _) in enumerate(one.options, 1):
        print(f"  {place}. {printable(shown)}", file=sys.stderr)
    usual = f" [{printable(one.default)}]" if one.default and not one.password else ""
    prompt = f"{printable(one.question)}{usual}: "
    if one.password and sys.stdin.isatty():
        text = getpass.getpass(prompt, stream=sys.stderr)
    else:
        text = _line(prompt)
    text = text.strip("\r\n") or one.default
    return _chosen(one, text.strip()) if one.options else text


def _line(prompt: str) -> str:
    if sys.stdin.isatty():
        print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _chosen(one: Input, text: str) -> str:
    """By its number, or by its words."""
    if text.isdecimal() and 0 < int(text) <= len(one.options):
        return one.options[int(text) - 1][1]
    for shown, value in one.options:
        if text in (shown, value):
            return value
    if text:
        print(f"{PROGRAM}: {printable(text)} is none of these", file=sys.stderr)
    return ""


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """The event loop takes signals between two steps, and waiting for a line is one long step."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
