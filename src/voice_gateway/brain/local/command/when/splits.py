"""Parts an utterance in two: when, and what."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from home_words import when_words as words
from home_words.command_words import VERB
from home_words.wish_words import infinitive
from voice_gateway.brain.local.command.when.phrases import phrases

MOST_WORDS = 16  # with a time in the middle: each place is looked at


@dataclass(frozen=True, slots=True)
class Split:
    """An utterance in two: when, and what."""

    when: str
    order: str


def splits(text: str) -> Iterator[Split]:
    """Every way to part it into when and what, the longest "when" first."""
    text = words.ASKED_FOR.sub("", words.WAITING.sub(r"in \g<span> ", text))
    text = words.STILL_FOR.sub(r"when there is no \g<what>\g<where> for \g<span>", text)
    text = words.ENDS_THEN.sub(r"\g<while>", text)
    if holding := words.HOLDING.match(text):
        parts = splits(f"{holding['word']} {text[holding.end() :]}")
        yield from (replace(one, when=f"{one.when} if {holding['so']}") for one in parts)
    for pattern in (words.AT_DARK, words.BESIDE):
        if (beside := pattern.search(text)) and beside.start():
            parts = splits(text[: beside.start()])
            yield from (replace(one, when=f"{one.when} {beside[0].strip()}") for one in parts)
            return
    said = text.split()
    front = _front(said)
    for start in (front, 0) if front else (0,):
        rest = said[start:]
        cut = _cut(rest)
        when = " ".join((*said[:start], *rest[cut:]))
        if when and rest[:cut]:
            yield Split(when, _order(" ".join(rest[:cut])))
            if rest[cut:][:1] == ["on"]:  # "turn the lamp on tomorrow": it may be the order's
                when = " ".join((*said[:start], *rest[cut + 1 :]))
                yield Split(when, _order(" ".join(rest[: cut + 1])))
    yield from _of_events(said[front:], " ".join(said[:front]))
    yield from _in_the_middle(said)


def _front(said: Sequence[str]) -> int:
    """Where the longest phrases at its beginning end."""
    return max((size for size in range(1, len(said)) if phrases(" ".join(said[:size]))), default=0)


def _in_the_middle(said: Sequence[str]) -> Iterator[Split]:
    """ "Turn off at 9 the lamp", "turn on the lamp at 9 at 50 percent"."""
    if not VERB.match(f"{' '.join(said)} "):
        return
    for start in range(1, len(said) - 1) if len(said) <= MOST_WORDS else (1, 2):
        for end in range(len(said) - 1, start, -1):
            if said[end] not in ("and", "or", "but") and phrases(" ".join(said[start:end])):
                rest = (*said[:start], *said[end:])
                yield Split(" ".join(said[start:end]), _order(" ".join(rest)))


def _cut(said: Sequence[str]) -> int:
    """Where the longest phrases at its end begin."""
    return next((at for at in range(1, len(said)) if phrases(" ".join(said[at:]))), len(said))


_ASIDE = re.compile(r"^(?:then |please |also |i want you to |you should |you can )+")


_THING = re.compile(
    r"(?:say|tell|announce|let|notify|alert|warn|the|all|both|my|our|(?:i|we) (?:want|need|would like))\b"
)


def _of_events(said: Sequence[str], before: str) -> Iterator[Split]:
    """ "When the door opens turn on the lamp", and the other way round; `before`: hours and days in front."""
    text = " ".join(said)
    if words.HAPPENING.match(text):
        for cut in range(2, len(said)):
            rest = _ASIDE.sub("", " ".join(said[cut:])).split()
            if VERB.match(f"{' '.join(rest)} ") or _THING.match(" ".join(rest)):
                end = _cut(rest)
                if any(kind == "for" for kind, _ in phrases(" ".join(rest[end:])) or ()):
                    end = len(
                        rest
                    )  # "turn it on for 5 minutes": how long it is done, not how long it must be so
                when = " ".join((*said[:cut], *rest[end:], before)).strip()
                yield Split(when, _order(" ".join(rest[:end])))
    for cut in range(1, len(said)):
        tail = " ".join(said[cut:])
        if words.HAPPENING.match(tail):
            yield Split(f"{tail} {before}".strip(), _order(" ".join(said[:cut])))


_AROUND = re.compile(
    r"^(?:(?:then|and|please|also|to) ){1,3}|(?<=\S)(?: (?:then|and|please|but|only|again)){1,3}$"
)


def _order(text: str) -> str:
    text = _AROUND.sub("", text)
    if found := words.ARRANGED.match(text):
        verb = found["verb"] or (found["does"] or "")[:-1]
        return f"{verb or 'turn ' + found['state']} {found['thing']}"
    first, _, rest = text.partition(" ")
    return f"{infinitive(first)} {rest}".strip()
