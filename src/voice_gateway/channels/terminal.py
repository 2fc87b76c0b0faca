"""The text channel: lines from a terminal, a pipe or a file; answers on stdout."""

import asyncio
import contextlib
import json
import os
import stat
import sys
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TextIO

from voice_gateway.channels import Answer, json_text
from voice_gateway.channels.marks import Mark, mark_lines
from voice_gateway.config.environment import wants_colours
from voice_gateway.events import Event, Notice, Waiting
from voice_gateway.languages.outcomes import without_marks
from voice_gateway.turn import PartSource, Reply, Utterance, new_id

LEAVING = frozenset({"quit", "exit"})  # at a terminal only
END = None  # read after the last line
GREEN, YELLOW, RED, CYAN, DIM = "32", "33", "31", "36", "2"
COLOURS = {Mark.DONE: GREEN, Mark.OPEN: YELLOW, Mark.NOT_DONE: RED}


class Source(StrEnum):
    """The kind of standard input."""

    TERMINAL = "terminal"
    LINES = "lines"  # a pipe or a regular file
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
    """The prompt, with the room if it is known. Unprompted messages are printed above it."""

    standing: "InputPrompt | None" = None  # where a line is being typed

    def __init__(self, room: str | None) -> None:
        self.text = f"{printable(room)} > " if room else "> "

    def read(self) -> str:
        InputPrompt.standing = self
        try:
            # Readline must know which characters have no width.
            return input(painted(self.text, CYAN, sys.stdout, start="\001", end="\002"))
        finally:
            InputPrompt.standing = None


async def _next_line(stream: TextIO, prompt: InputPrompt | None) -> str | None:
    """The next line, or END. It is read in a daemon thread: a terminal or file cannot be awaited on every
    system, and a read that never ends must not hold up the exit."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str | None] = loop.create_future()

    def deliver(text: str | None) -> None:
        if not line.done():
            line.set_result(text)

    def read() -> None:
        text: str | None = END
        with contextlib.suppress(EOFError, ValueError, OSError):
            text = prompt.read() if prompt is not None else stream.readline() or END
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(deliver, text)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    text = await line
    return text.rstrip("\r\n") if text is not END else END


async def lines(stream: TextIO, prompt: InputPrompt | None = None) -> AsyncIterator[str]:
    """Each line, until the input ends or, at a prompt, until `quit` or `exit`."""
    if prompt is not None:
        import readline  # noqa: F401 (gives input() its line editing)
    while (line := await _next_line(stream, prompt)) is not END:
        if prompt is not None and line.strip().lower() in LEAVING:
            return
        yield line
    if prompt is not None:
        print(flush=True)  # Ctrl-D ends no line


def _forget_last_line() -> None:
    """The arrow keys do not bring a PIN back."""
    import readline

    if length := readline.get_current_history_length():
        readline.remove_history_item(length - 1)


@contextlib.contextmanager
def _terminal_restored(stream: TextIO) -> Iterator[None]:
    """Readline switches the echo off while a line is typed; leaving then must switch it on again."""
    import termios

    before = termios.tcgetattr(stream)
    try:
        yield
    finally:
        if InputPrompt.standing is not None:
            print(flush=True)
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(stream, termios.TCSANOW, before)


def read_line(line: str, name: str, *, as_json: bool, room: str | None = None) -> Utterance | Reply:
    """A line of text, or with `as_json` an object with `text` and `conversation_id`; a reply if it cannot be
    read. `name` is the conversation of lines that name none."""
    tree: Any = None
    text: Any = line
    if as_json and line.lstrip().startswith("{"):
        try:
            tree = json.loads(line)
        except json.JSONDecodeError:
            """It is plain text."""
        except (ValueError, RecursionError):  # thousands of digits, or nested too deep
            problem = "I cannot read that JSON line: it is too deep or too big."
            return Reply(problem, ok=False, conversation_id=name)
    if isinstance(tree, dict):
        name, text = str(tree.get("conversation_id") or name), tree.get("text")
        if not isinstance(text, str):
            problem = 'A JSON line needs "text", and it must be a text.'
            return Reply(problem, ok=False, conversation_id=name)
    return Utterance(text, "cli", name, room=room)


@dataclass(eq=False)
class TextChannel:
    """Turns lines into utterances, and replies into lines."""

    answer: Answer
    as_json: bool
    room: str | None = None
    out: TextIO = field(default_factory=lambda: sys.stdout)
    conversation_id: str = field(default_factory=new_id)

    async def run(self, stream: TextIO) -> bool:
        """Answers until the input ends. True if every reply was ok."""
        if source(stream) is not Source.TERMINAL:
            return await self._answer_all(lines(stream), typed=False)
        with _terminal_restored(stream):
            return await self._answer_all(lines(stream, InputPrompt(self.room)), typed=True)

    async def _answer_all(self, asked_lines: AsyncIterator[str], *, typed: bool) -> bool:
        all_ok = True
        async for line in asked_lines:
            if not line.strip():
                continue
            asked = read_line(line, self.conversation_id, as_json=self.as_json, room=self.room)
            reply = asked if isinstance(asked, Reply) else await self.answer(asked)
            # `heard` differs from the text where numbers that may be a PIN were masked.
            if typed and isinstance(asked, Utterance) and reply.heard != asked.text:
                _forget_last_line()
            self.show(reply)
            all_ok = all_ok and reply.ok
        return all_ok

    def show(self, reply: Reply) -> None:
        facts = reply.to_json()
        if self.as_json:
            print(json_text(facts), file=self.out, flush=True)
        else:
            print_reply(reply.text, mark_lines(reply.outcomes), self.out, facts["parts"])

    def on_event(self, event: Event) -> None:
        """Shows notices; and at a terminal what its own conversation waits for."""
        if isinstance(event, Notice) or (
            isinstance(event, Waiting)
            and event.utterance.conversation_id == self.conversation_id
            and self.out.isatty()
        ):
            self.tell(event.text)

    def tell(self, text: str) -> None:
        """An unprompted message, such as a ringing timer."""
        if not self.as_json:
            tell_unasked(text, self.out)


def tell_unasked(text: str, out: TextIO) -> None:
    """Prints above the prompt, if there is one, and keeps what was typed so far."""
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
    """The text without characters that move the cursor, ring or colour the terminal."""
    return "".join(c for c in text if c.isprintable() or c in "\n\t")


def print_reply(
    text: str,
    marks: Iterable[str] = (),
    out: TextIO | None = None,
    parts: Sequence[Mapping[str, str]] = (),
) -> None:
    """A terminal gets a line for each act, and marks the words of a model; a script gets the text alone."""
    out = out or sys.stdout
    acts = [painted(line, COLOURS[Mark(line[0])], out) for line in marks] if out.isatty() else []
    words = [_part(part, out) for part in parts] if out.isatty() and parts else [_shown(text, out)]
    print("\n".join([*words, *acts]), file=out, flush=True)


def _part(part: Mapping[str, str], out: TextIO) -> str:
    text = _shown(part["text"], out)
    if part["source"] != PartSource.MODEL:
        return text
    if wants_colours():
        return painted(text, DIM, out)
    return "\n".join(f"model: {line}" if line.strip() else line for line in text.split("\n"))


def _shown(text: str, out: TextIO) -> str:
    return without_marks(printable(text)) if out.isatty() else printable(text)


def print_json(value: Any) -> None:
    print(json_text(value), flush=True)
