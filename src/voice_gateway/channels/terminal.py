"""The text door: lines from a terminal, a pipe or a file, answers on stdout."""

import asyncio
import contextlib
import json
import os
import stat
import sys
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TextIO

from voice_gateway.channels import Answer, json_text
from voice_gateway.channels.marks import Mark, mark_lines, without_marks
from voice_gateway.channels.progress_line import ProgressLine
from voice_gateway.channels.typed_history import TypedHistory
from voice_gateway.config.environment import wants_colours
from voice_gateway.events import Progressed, Waiting
from voice_gateway.turn import Reply, Utterance, new_id

LEAVING = frozenset({"quit", "exit"})  # at a terminal; anywhere else they are words like any other
END = None  # what the reader thread sends behind the last line
GREEN, YELLOW, RED, CYAN = "32", "33", "31", "36"
COLOURS = {Mark.DONE: GREEN, Mark.OPEN: YELLOW, Mark.NOT_DONE: RED}


class Source(StrEnum):
    """What stands behind standard input."""

    TERMINAL = "terminal"
    LINES = "lines"  # a pipe or a regular file: it ends, and then so do we
    NONE = "none"  # /dev/null or closed, as under a service manager


def source(stream: TextIO | None) -> Source:
    try:
        descriptor = stream.fileno() if stream else -1
        mode = os.fstat(descriptor).st_mode
    except (OSError, ValueError):
        return Source.NONE
    if stream is not None and stream.isatty():
        return Source.TERMINAL
    ends = stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)
    return Source.LINES if ends else Source.NONE


class InputPrompt:
    """Shows the room that one is in, if it is known; what comes unasked is printed above it."""

    standing: "InputPrompt | None" = None  # below which a line is being typed

    def __init__(self, room: str | None) -> None:
        self.text = f"{printable(room)} > " if room else "> "

    def read(self) -> str:
        InputPrompt.standing = self
        try:
            # Readline must know which characters take no room.
            return input(painted(self.text, CYAN, sys.stdout, start="\001", end="\002"))
        finally:
            InputPrompt.standing = None


class _Reader:
    """Reads lines in a thread: neither a terminal nor a file can be awaited everywhere.

    The thread is a daemon, because a read that never ends must not hold up the end of the program.
    """

    def __init__(self, stream: TextIO, prompt: InputPrompt | None) -> None:
        self._stream = stream
        self._prompt = prompt
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        # One line is read for each answer, so that the prompt stands below it.
        self._wanted = threading.Semaphore(0)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def next(self) -> str | None:
        self._wanted.release()
        return await self._queue.get()

    def _read(self) -> None:
        line: str | None = ""
        while line is not END:
            self._wanted.acquire()
            line = self._one()
            try:
                self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
            except RuntimeError:
                return  # the loop has ended, and nobody listens any more

    def _one(self) -> str | None:
        try:
            if self._prompt is not None:
                return self._prompt.read()
            line = self._stream.readline()
        except (EOFError, ValueError, OSError):
            return END
        return line.rstrip("\r\n") if line else END


async def lines(stream: TextIO, prompt: InputPrompt | None = None) -> AsyncIterator[str]:
    """Each line as it comes, until the input ends; at a prompt also until somebody wants to leave."""
    if prompt is not None:
        import readline  # noqa: F401 (gives input() its line editing)
    reader = _Reader(stream, prompt)
    while (line := await reader.next()) is not END:
        if prompt is not None and line.strip().lower() in LEAVING:
            return
        yield line
    if prompt is not None:
        print(flush=True)  # Ctrl-D ends no line


@contextlib.contextmanager
def _left_as_found(stream: TextIO) -> Iterator[None]:
    """Readline switches the echo off while a line is typed: who leaves then must get it back."""
    import termios

    before = termios.tcgetattr(stream)
    try:
        yield
    finally:
        if InputPrompt.standing is not None:
            print(flush=True)  # whatever comes next begins a line of its own
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(stream, termios.TCSANOW, before)


@dataclass(frozen=True, slots=True)
class TypedLine:
    text: str
    conversation_id: str
    problem: str = ""


def read_line(line: str, conversation_id: str, *, as_json: bool) -> TypedLine:
    """A JSON object says which conversation it belongs to; anything else is words."""
    if as_json and line.lstrip().startswith("{"):
        try:
            tree = json.loads(line)
        except json.JSONDecodeError:
            return TypedLine(line, conversation_id)
        except (ValueError, RecursionError):  # JSON, but a number of thousands of digits, or a nest of them
            return TypedLine(
                "", conversation_id, problem="I cannot read that JSON line: it is too deep or too big."
            )
        if isinstance(tree, dict):
            conversation_id = str(tree.get("conversation_id") or conversation_id)
            if isinstance(tree.get("text"), str):
                return TypedLine(tree["text"], conversation_id)
            return TypedLine("", conversation_id, problem='A JSON line needs "text", and it must be a text.')
    return TypedLine(line, conversation_id)


class TextChannel:
    """Turns lines into utterances, and replies into lines."""

    def __init__(
        self,
        answer: Answer,
        *,
        as_json: bool,
        room: str | None = None,
        out: TextIO | None = None,
        history: TypedHistory | None = None,
    ) -> None:
        self._answer = answer
        self._as_json = as_json
        self._room = room
        self._out = out or sys.stdout
        self._history = history
        self.conversation_id = new_id()
        self._progress = ProgressLine(self._out)

    async def run(self, stream: TextIO) -> bool:
        """Answer until the input ends. True when every line was answered well."""
        if source(stream) is not Source.TERMINAL:
            return await self._answer_all(lines(stream), None)
        if self._history is not None:
            self._history.load()
        try:
            with _left_as_found(stream):
                return await self._answer_all(lines(stream, InputPrompt(self._room)), self._history)
        finally:
            self._progress.end()  # it hides the cursor

    async def _answer_all(self, typed: AsyncIterator[str], history: TypedHistory | None) -> bool:
        all_ok = True
        async for line in typed:
            if not line.strip():
                continue
            asked = read_line(line, self.conversation_id, as_json=self._as_json)
            if asked.problem:
                all_ok = False
                self.show(Reply(asked.problem, ok=False, conversation_id=asked.conversation_id))
                continue
            reply = await self._answer(
                Utterance(asked.text, channel="cli", conversation_id=asked.conversation_id, room=self._room)
            )
            self.show(reply)
            # What was heard with dots in it has numbers that may be a PIN.
            if history is not None and reply.heard == asked.text:
                history.keep(line)
            all_ok = all_ok and reply.ok
        return all_ok

    def show(self, reply: Reply) -> None:
        self._progress.end()
        if self._as_json:
            print(json_text(reply.to_json()), file=self._out, flush=True)
        else:
            print_reply(reply.text, mark_lines(reply.outcomes), self._out)

    def tell_waiting(self, event: Waiting) -> None:
        """Only to who asked, and only where somebody sits and waits."""
        if self._out.isatty() and event.utterance.conversation_id == self.conversation_id:
            self.tell(event.text)

    def tell_progress(self, event: Progressed) -> None:
        asked = event.utterance is not None and event.utterance.conversation_id == self.conversation_id
        if asked and not self._as_json:
            self._progress.show(event.progress)

    def tell(self, text: str) -> None:
        """Something that was not asked for, such as a timer that rings."""
        self._progress.end()
        if not self._as_json:
            tell_unasked(text, self._out)


def tell_unasked(text: str, out: TextIO) -> None:
    """Above the prompt, if one stands there: what was typed so far stays."""
    text, prompt = _shown(text, out), InputPrompt.standing
    if prompt is None or not out.isatty():
        print(text, file=out, flush=True)
        return
    import readline

    typed = readline.get_line_buffer()
    over = f"\r{' ' * len(prompt.text + typed)}\r"
    print(f"{over}{text}\n{painted(prompt.text, CYAN, out)}{typed}", end="", file=out, flush=True)


def painted(text: str, colour: str, out: TextIO, start: str = "", end: str = "") -> str:
    if not out.isatty() or not wants_colours():
        return text
    return f"{start}\033[{colour}m{end}{text}{start}\033[0m{end}"


def printable(text: str) -> str:
    """A foreign text must not move the cursor, ring or colour the terminal."""
    return "".join(c for c in text if c.isprintable() or c in "\n\t")


def print_reply(text: str, marks: Iterable[str] = (), out: TextIO | None = None) -> None:
    """A terminal gets a line for each act, which no text can imitate there; a script gets the text alone."""
    out = out or sys.stdout
    acts = [painted(line, COLOURS[Mark(line[0])], out) for line in marks] if out.isatty() else []
    print("\n".join([_shown(text, out), *acts]), file=out, flush=True)


def _shown(text: str, out: TextIO) -> str:
    return without_marks(printable(text)) if out.isatty() else printable(text)


def print_json(value: Any) -> None:
    print(json_text(value), flush=True)
