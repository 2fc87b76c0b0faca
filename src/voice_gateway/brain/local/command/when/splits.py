"""Parts an utterance in two: when, and what."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from home_words import when_words as words
from home_words.command_words import VERB
from voice_gateway.brain.local.command.when.phrases import phrases


@dataclass(frozen=True, slots=True)
class Split:
    """An utterance in two: when, and what."""

    when: str
    order: str


def splits(text: str) -> Iterator[Split]:
    """Every way to part it into when and what, the longest "when" first."""
    for pattern in (words.AT_DARK, words.BESIDE):
        if (beside := pattern.search(text)) and beside.start():
            parts = splits(text[: beside.start()])
            yield from (replace(one, when=f"{one.when} {beside[0].strip()}") for one in parts)
            return
    said = text.split()
    front = max((size for size in range(1, len(said)) if phrases(" ".join(said[:size]))), default=0)
    for start in (front, 0) if front else (0,):
        rest = said[start:]
        cut = _cut(rest)
        when = " ".join((*said[:start], *rest[cut:]))
        if when and rest[:cut]:
            yield Split(when, _order(" ".join(rest[:cut])))
    yield from _of_events(text)


def _cut(said: Sequence[str]) -> int:
    """Where the longest phrases at its end begin."""
    return next((at for at in range(1, len(said)) if phrases(" ".join(said[at:]))), len(said))


_ASIDE = re.compile(r"^(?:then |please |also |i want you to |you should |you can )+")


_THING = re.compile(r"(?:say|tell|announce|let me know|the|all|my)\b")


def _of_events(text: str) -> Iterator[Split]:
    """ "When the door opens turn on the lamp", and the other way round."""
    said = text.split()
    if words.HAPPENING.match(text):
        for cut in range(2, len(said)):
            rest = _ASIDE.sub("", " ".join(said[cut:])).split()
            if VERB.match(f"{' '.join(rest)} ") or _THING.match(" ".join(rest)):
                end = _cut(rest)
                yield Split(" ".join((*said[:cut], *rest[end:])), _order(" ".join(rest[:end])))
    for cut in range(1, len(said)):
        tail = " ".join(said[cut:])
        if words.HAPPENING.match(tail) and not phrases(" ".join(said[:cut])):
            front = max((size for size in range(1, cut) if phrases(" ".join(said[:size]))), default=0)
            yield Split(" ".join((tail, *said[:front])), _order(" ".join(said[front:cut])))


def _order(text: str) -> str:
    return re.sub(r"^(?:then|and|please|also|to) |(?<=\S) (?:then|and|please|but|only|again)$", "", text)
