"""An utterance in clauses: where it can be cut, what is wished for in a clause, and what is only talk."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from home_names.kinds import device_class
from home_words import clause_words as around
from home_words.command_words import PLAIN_VERB, STATE, STATES, VERB
from home_words.wish_words import HINTS, WANTED, settled, unwrapped
from voice_gateway.brain.local.normalise import strip_politeness

# --- where it can be cut


@dataclass(frozen=True, slots=True)
class Piece:
    """Words between two cuts."""

    text: str
    joint: str = ""  # the word before it
    hard: bool = True  # a comma, a full stop or a joint parts it from what was before


def joined(pieces: Sequence[Piece]) -> str:
    words = [pieces[0].text, *(word for piece in pieces[1:] for word in (piece.joint, piece.text))]
    return " ".join(filter(None, words))


def cut(parts: Sequence[str]) -> list[Piece]:
    """Everywhere where a clause may begin; names of this home are single words that end in "_"."""
    pieces: list[Piece] = []
    for said in parts:
        first = around.FIRST.match(said)
        part = f"{first['order']} {first['place'] or 'except ' + first['thing']}" if first else said
        joint, start = "", 0
        for found in around.JOINT.finditer(part):
            pieces += _softly(part[start : found.start()].strip(), joint)
            joint, start = found[0], found.end()
        pieces += _softly(part[start:].strip(), joint)
    plain = [replace(piece, text=" ".join(piece.text.replace("_", " ").split())) for piece in pieces]
    return _with_exceptions(plain)


def _softly(text: str, joint: str) -> Iterator[Piece]:
    """Speech has no commas: a clause begins at a verb, at somebody, and at a name behind a value."""
    start = 0
    for end in (*(found.start() for found in around.BEGINS.finditer(text)), len(text)):
        piece = text[start:end].strip()
        if piece and (
            end == len(text) or not (around.UNFINISHED.search(piece) or around.NO_CLAUSE.search(piece))
        ):
            yield Piece(piece, "" if start else joint, not start)
            start = end


def _with_exceptions(pieces: Sequence[Piece]) -> list[Piece]:
    """What an exception beside an order names is put into the order: "leave the hall on"."""
    for at, first in enumerate(pieces):
        for size in range(len(pieces) - at, 0, -1):
            before, behind = pieces[:at], pieces[at + size :]
            parted = first.hard and (not behind or behind[0].hard or VERB.match(behind[0].text))
            left = _left(joined(pieces[at : at + size])) if parted and (before or behind) else ""
            if left:
                others = [*before, *behind]
                rest = (place for place, piece in enumerate(others) if around.REST.search(piece.text))
                order = next(rest, max(0, at - 1))
                others[order] = replace(others[order], text=_without(others[order].text, left))
                return _with_exceptions(others)
    return [piece for piece in pieces if piece.text]


def _left(text: str) -> str:
    """What an exception beside the order names: "leave the hall on", "only the lamp stays on"."""
    for pattern in around.LEFT:
        found = pattern.match(text)
        if found and not re.search(rf"\b(?:{PLAIN_VERB}|(?:{STATE}) and)\b", found["thing"]):
            return found["thing"]
    return ""


def _without(order: str, left: str) -> str:
    """ "The rest" are all of the sort that is named: of "leave the lamp on" the lights."""
    sort = device_class(left.rpartition(" ")[2])

    def others(rest: re.Match[str]) -> str:
        noun = rest["kind"] or (sort.noun if sort and rest[0].startswith("the ") else "")
        return f"all {noun.removesuffix('s')}s" if noun else "everything"

    return f"{around.REST.sub(others, order)} except {left}"


# --- what is wished for


@dataclass(frozen=True, slots=True)
class Inner:
    """A clause, read as an order."""

    order: str
    plain: bool = True  # it was put as an order, not as a remark or a question
    sure: bool = True


def wished(text: str, *, after_wish: bool = False, hints: bool = False) -> Iterator[Inner]:
    """What may be meant, the plainest first; `after_wish`: "it would be nice if …, and …"."""
    bare = strip_politeness(text)[0].removeprefix("to ")
    yield Inner(bare)
    if inner := unwrapped(bare) or unwrapped(text):
        yield Inner(inner, plain=False)
        if WANTED.match(text):  # "I could do with the fan"
            yield Inner(f"{inner} on", plain=False, sure=False)
    if after_wish:
        yield Inner(settled(text), plain=False)
    if hints and (hint := hinted(bare)):
        yield Inner(hint, plain=False, sure=False)


def hinted(text: str) -> str | None:
    """What would help who only suggests or complains."""
    return unwrapped(text, HINTS)


def is_talk(text: str, *, parted: bool, behind: bool) -> bool:
    """Words beside an order that take nothing of it back; `parted`: a comma or a joint stands on both sides,
    `behind`: nothing parts it from the order before it."""
    spoken = around.SPOKEN.match(text)
    if not (parted and spoken) and not (around.TALK.match(text) and (spoken or not behind)):
        return False
    if any(
        mood.search(text)
        for mood in (around.SAYING, around.SUPPOSING, around.TIMED, around.ASKED, around.EVENT)
    ):
        return False
    return parted or not (around.OPEN_END.search(text) or around.NEGATED.search(text))


# --- conditions of now, and corrections within a sentence


@dataclass(frozen=True, slots=True)
class SpokenCondition:
    """How it must be now."""

    thing: str
    state: str = ""
    degrees: float | None = None
    above: bool = False
    place: str = ""
    unless: bool = False


def conditional(text: str) -> tuple[SpokenCondition, str] | None:
    """A condition of now, and the order that hangs on it."""
    for pattern in around.CONDITIONS:
        if found := pattern.match(text):
            given = found.groupdict()
            unless = (given["if"] == "unless") != bool(given.get("not"))
            thing, state = given.get("thing") or "", STATES.get(given.get("state") or "", "")
            degrees = float(given["degrees"]) if given.get("degrees") else None
            above, place = bool(given.get("above")), given.get("place") or ""
            return SpokenCondition(thing, state, degrees, above, place, unless), given["order"]
    return None


def repair_in(text: str) -> tuple[str, str] | None:
    """ "Off, no wait, on": what was said first, and what stands for it; nothing where it is taken back."""
    found = around.REPAIR.search(text)
    if not found:
        return None
    first, instead = text[: found.start()], text[found.end() :]
    # "turn on the lamp, sorry"
    return first, instead if instead or around.TAKEN_BACK.search(found[0]) else first


def mended(first: str, instead: str, things: Sequence[str]) -> Iterator[str]:
    """Ways to put the second part in the place of the first; `things` are what the first is about."""
    yield instead
    value = re.sub(r"^(?:to|at|by) ", "", instead)
    for kind in (STATE, r"\d+(?:\.\d+)?(?: (?:percent|degrees))?"):
        places = list(re.finditer(rf"\b(?:{kind})\b", first))
        if places and re.fullmatch(kind, value):
            yield f"{first[: places[-1].start()]}{value}{first[places[-1].end() :]}"
    yield from (first.replace(thing, instead) for thing in things if thing)
