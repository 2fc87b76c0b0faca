"""What the README shows is what one sees."""

import re
from pathlib import Path

from tests.fakes.terminal import Terminal

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
CTRL_D = "\x04"


def shown() -> list[tuple[str, list[str]]]:
    """Each line that is typed in the transcript, and the lines that follow it."""
    (transcript,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    turns = [turn.splitlines() for turn in transcript.split("> ")[1:]]
    return [(lines[0], lines[1:]) for lines in turns]


async def test_the_transcript_is_real(commands):
    turns = shown()
    assert len(turns) > 4, "it is found at all"

    async with Terminal.opened(commands, "chat", "--log-level", "error") as terminal:
        await terminal.until("> ")
        seen = []
        for typed, _ in turns:
            terminal.type(f"{typed}\n")
            answer = await terminal.until("\n> ", behind=f"{typed}\r\n")
            seen.append((typed, answer.splitlines()[:-1]))
        terminal.type(CTRL_D)
        await terminal.ends()

    assert seen == turns
