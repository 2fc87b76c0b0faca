"""Reads the files of wishes and their held-out halves: what is said, and how the home is then."""

import re
from dataclasses import dataclass
from pathlib import Path

from tests.eval.cases import Call, Right, parse_calls, parse_right

HERE = Path(__file__).parent
NOTHING = (Right("none"),)


@dataclass(frozen=True)
class Wish:
    """One conversation; `rights` are the ways in which it may end."""

    kind: str
    turns: tuple[str, ...]
    rights: tuple[Right, ...]
    home: str
    held_out: bool
    wanted: bool  # False: it only looks like a wish
    start: tuple[Call, ...] = ()
    room: str | None = None

    @property
    def line(self) -> str:
        return f"{self.kind} | {' >> '.join(self.turns)}"

    @property
    def is_talk(self) -> bool:
        return self.kind == "talk"


def read_wishes() -> list[Wish]:
    """Seen first, then held out; wishes first, then what only looks alike."""
    return [
        wish
        for wanted, name in ((True, "wishes"), (False, "no_wishes"))
        for held_out, file in ((False, f"{name}.txt"), (True, f"{name}_held_out.txt"))
        for wish in _read(HERE / file, held_out=held_out, wanted=wanted)
    ]


def read_forms() -> list[Wish]:
    """What the grammar does not read, in six languages: wishes, and what is none."""
    return [
        wish
        for wanted, name in ((True, "forms"), (False, "no_forms"))
        for held_out, file in ((False, f"{name}.txt"), (True, f"{name}_held_out.txt"))
        for wish in _read(HERE / file, held_out=held_out, wanted=wanted)
    ]


def read_natural() -> list[Wish]:
    """Wishes as people of all ages and moods say them; seen first, then held out."""
    return [
        wish
        for held_out, name in ((False, "natural.txt"), (True, "natural_held_out.txt"))
        for wish in _read(HERE / name, held_out=held_out, wanted=True)
    ]


def read_conversations() -> list[Wish]:
    """Conversations of three to six turns; seen first, then held out."""
    return [
        talk
        for held_out, name in ((False, "conversations.txt"), (True, "conversations_held_out.txt"))
        for talk in _read(HERE / name, held_out=held_out, wanted=True)
    ]


def _read(path: Path, *, held_out: bool, wanted: bool) -> list[Wish]:
    found, home = [], "default"
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("= "):
            home = line[2:].strip()
        elif line.strip() and not line.startswith("#"):
            found.append(_wish(line, home, held_out=held_out, wanted=wanted))
    return found


_SAID = re.compile(r"(?:\{(?P<start>[^}]*)\} )?(?:@(?P<room>(?:[A-Z]\w+ ?)+?) (?=[a-z]))?(?P<said>.+)")


def _wish(line: str, home: str, *, held_out: bool, wanted: bool) -> Wish:
    kind, words, *right = (part.strip() for part in line.split(" | "))
    assert len(right) == wanted, line
    match = _SAID.fullmatch(words)
    assert match, line
    return Wish(
        kind,
        tuple(part.strip() for part in match["said"].split(">>")),
        tuple(parse_right(way) for way in right[0].split(" or ")) if wanted else NOTHING,
        home,
        held_out,
        wanted,
        parse_calls(match["start"]) if match["start"] else (),
        match["room"],
    )
