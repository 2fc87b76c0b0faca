"""The text door: lines from a terminal, a pipe or a file, answers on stdout."""

import asyncio
import json
import os
import stat
import sys
import threading
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TextIO

from voice_gateway.doors import Answer
from voice_gateway.doors.json_text import json_text
from voice_gateway.doors.marks import mark_lines, without_marks
from voice_gateway.turn import Reply, Utterance, new_id

PROMPT = "> "
END = None  # what the reader thread sends behind the last line
_at_prompt = threading.Event()  # a line is being typed


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


class _Reader:
    """Reads lines in a thread: neither a terminal nor a file can be awaited everywhere.

    The thread is a daemon, because a read that never ends must not hold up the end of the program.
    """

    def __init__(self, stream: TextIO, *, prompt: bool) -> None:
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
            if self._prompt:
                _at_prompt.set()
                return input(PROMPT)
            line = self._stream.readline()
        except (EOFError, ValueError, OSError):
            return END
        finally:
            _at_prompt.clear()
        return line.rstrip("\r\n") if line else END


async def lines(stream: TextIO, *, prompt: bool) -> AsyncIterator[str]:
    """Each line as it comes, until the input ends."""
    if prompt:
        import readline  # noqa: F401 (gives input() its line editing)
    reader = _Reader(stream, prompt=prompt)
    while (line := await reader.next()) is not END:
        yield line


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    conversation_id: str
    problem: str = ""


def read_line(line: str, conversation_id: str, *, as_json: bool) -> Asked:
    """A JSON object says which conversation it belongs to; anything else is words."""
    if as_json and line.lstrip().startswith("{"):
        try:
            tree = json.loads(line)
        except json.JSONDecodeError:
            return Asked(line, conversation_id)
        except (ValueError, RecursionError):  # JSON, but a number of thousands of digits, or a nest of them
            return Asked(
                "", conversation_id, problem="I cannot read that JSON line: it is too deep or too big."
            )
        if isinstance(tree, dict):
            conversation_id = str(tree.get("conversation_id") or conversation_id)
            if isinstance(tree.get("text"), str):
                return Asked(tree["text"], conversation_id)
            return Asked("", conversation_id, problem='A JSON line needs "text", and it must be a text.')
    return Asked(line, conversation_id)


class TextDoor:
    """Turns lines into utterances, and replies into lines."""

    def __init__(
        self, answer: Answer, *, as_json: bool, room: str | None = None, out: TextIO | None = None
    ) -> None:
        self._answer = answer
        self._as_json = as_json
        self._room = room
        self._out = out or sys.stdout
        self._conversation_id = new_id()

    async def run(self, stream: TextIO, *, prompt: bool) -> bool:
        """Answer until the input ends. True when every line was answered well."""
        all_ok = True
        async for line in lines(stream, prompt=prompt):
            if not line.strip():
                continue
            asked = read_line(line, self._conversation_id, as_json=self._as_json)
            if asked.problem:
                all_ok = False
                self.show(Reply(asked.problem, ok=False, conversation_id=asked.conversation_id))
                continue
            reply = await self._answer(
                Utterance(asked.text, door="cli", conversation_id=asked.conversation_id, room=self._room)
            )
            self.show(reply)
            all_ok = all_ok and reply.ok
        return all_ok

    def show(self, reply: Reply) -> None:
        if self._as_json:
            print(json_text(reply.to_json()), file=self._out, flush=True)
        else:
            print_reply(reply.text, mark_lines(reply.outcomes), self._out)

    def tell(self, text: str) -> None:
        """Something that was not asked for, such as a timer that rings."""
        if not self._as_json:
            tell_unasked(text, self._out)


def tell_unasked(text: str, out: TextIO) -> None:
    """Above the prompt, if one stands there: what was typed so far stays."""
    text = _shown(text, out)
    if not _at_prompt.is_set() or not out.isatty():
        print(text, file=out, flush=True)
        return
    import readline

    typed = f"{PROMPT}{readline.get_line_buffer()}"
    print(f"\r{' ' * len(typed)}\r{text}\n{typed}", end="", file=out, flush=True)


def printable(text: str) -> str:
    """A foreign text must not move the cursor, ring or colour the terminal."""
    return "".join(c for c in text if c.isprintable() or c in "\n\t")


def print_reply(text: str, marks: Iterable[str] = (), out: TextIO | None = None) -> None:
    """A terminal gets a line for each act, which no text can imitate there; a script gets the text alone."""
    out = out or sys.stdout
    lines = [_shown(text, out), *(marks if out.isatty() else ())]
    print("\n".join(lines), file=out, flush=True)


def _shown(text: str, out: TextIO) -> str:
    return without_marks(printable(text)) if out.isatty() else printable(text)


def print_json(value: Any) -> None:
    print(json_text(value), flush=True)
