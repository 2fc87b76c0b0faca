"""The clauses around a command: reasons, wishes that are no orders, exceptions, conditions of now."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from home_words import clause_words as around
from home_words import command_words as words
from home_words.wish_words import helped, unwrapped


def is_talk(text: str, *, parted: bool) -> bool:
    """Words beside an order that take nothing of it back; `parted`: a comma or a joint stands between."""
    if not text or around.BLOCKS.search(text):
        return not text
    if parted:
        return True
    return (
        bool(around.WHOLE.match(text))
        and not around.OPEN_END.search(text)
        and not around.NEGATED.search(text)
    )


@dataclass(frozen=True, slots=True)
class Condition:
    """How it must be now."""

    thing: str
    state: str = ""
    degrees: float | None = None
    above: bool = False
    place: str = ""
    unless: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """What is left of an utterance when the clauses around the orders are understood."""

    orders: tuple[str, ...]
    plain: bool = True  # put as an order, not as a remark or a question
    sure: bool = True  # what stands around it is plainly talk
    condition: Condition | None = None


def wishes(text: str, parts: Sequence[str]) -> Iterator[Wish]:
    """Ways to take the utterance apart, the plainest first; `parts` are parted by commas and full stops."""
    seen: set[tuple[str, ...]] = set()
    for made in (_conditional(text), *_told(parts), _complaint(text)):
        if made is not None and made.orders and (made.orders not in seen or made.condition):
            seen.add(made.orders)
            yield made


def _conditional(text: str) -> Wish | None:
    for pattern in around.CONDITIONS:
        if found := pattern.match(text):
            given = found.groupdict()
            order = re.sub(r"^(?:please|then|you can) ", "", given["order"]).strip()
            unless = (given["if"] == "unless") != bool(given.get("not"))
            return Wish((unwrapped(order) or order,), condition=_condition(given, unless=unless))
    return None


def _condition(given: Mapping[str, str | None], *, unless: bool) -> Condition:
    if state := given.get("state"):
        return Condition(given["thing"] or "", words.STATES[state], unless=unless)
    above = given["than"] in around.ABOVE
    return Condition("", "", float(given["degrees"] or 0), above, given.get("place") or "", unless)


def _complaint(text: str) -> Wish | None:
    inner = helped(text)
    return Wish((inner,), plain=False, sure=False) if inner else None


def _told(parts: Sequence[str]) -> Iterator[Wish]:
    pieces = _with_exceptions([piece for part in parts for piece in _pieces(part)])
    inner = [unwrapped(piece) for piece in pieces]
    orders = [plain or piece for plain, piece in zip(inner, pieces, strict=True)]
    plain = not any(inner)
    if orders != list(parts) or not plain:
        yield Wish(tuple(orders), plain)
    # Talk before or behind what is asked for.
    kept = [at for at, piece in enumerate(pieces) if not _aside(piece, parted=len(pieces) > 1)]
    asked = [orders[at] for at in kept]
    if 0 < len(kept) < len(orders):
        yield Wish(tuple(asked), not any(inner[at] for at in kept))
    if len(orders) > 1 and around.POINTING.search(orders[-1]):  # "the lamp by the bed, switch it on"
        yield Wish((around.POINTING.sub(orders[-2], orders[-1], count=1),), plain)
    if len(asked) == 1 and around.DESIRED.search(" ".join(parts)) and around.THING.match(asked[0]):
        yield Wish((f"{asked[0]} on",), plain, sure=False)  # "I could do with the fan"
    yield from _split(asked or orders, plain)


def _with_exceptions(pieces: Sequence[str]) -> list[str]:
    """What an exception beside an order names is put into the order."""
    made: list[str] = []
    for piece in pieces:
        if made and (left := _left(piece)):
            made[-1] = f"{made[-1]} except {left}"
        else:
            made.append(piece)
    return made


def _aside(piece: str, *, parted: bool) -> bool:
    patterns = (around.TALK_BEGINS, around.WHOLE, around.INTERJECTION)
    return is_talk(piece, parted=parted) and any(pattern.match(piece) for pattern in patterns)


_SHORT = 6  # words: a longer clause without a comma may be anything


def _split(orders: Sequence[str], plain: bool) -> Iterator[Wish]:
    """Without a comma: where a whole clause ends and a verb, or a thing, begins."""
    for at, order in enumerate(orders):
        said = order.split()
        for cut in range(1, len(said)):
            head, tail = " ".join(said[:cut]), " ".join(said[cut:])
            before, behind = list(orders[:at]), list(orders[at + 1 :])
            if around.UNFINISHED.search(head):
                continue
            inside = around.INSIDE.search(head) and not words.VERB.match(tail.removeprefix("please "))
            if around.BEGINS.match(tail) and not inside and is_talk(head, parted=False):
                yield Wish((*before, unwrapped(tail) or tail, *behind), plain, cut <= _SHORT)
            if around.SUBJECT.match(tail) and is_talk(tail, parted=False):
                yield Wish((*before, unwrapped(head) or head, *behind), plain, len(said) - cut <= _SHORT + 2)


def _pieces(part: str) -> list[str]:
    """One part between commas, cut at its joints."""
    if placed := around.PLACE_FIRST.match(part):
        part = f"{placed['order']} in {placed['place']}"
    if first := around.EXCEPT_FIRST.match(part):
        part = f"{first['order']} except {first['thing']}"
    if stays := around.BUT_STAYS.match(part):
        return [stays["order"], stays["thing"]]
    so, joint, then = part.partition(" so ")
    if joint and (around.BEGINS.match(then) or unwrapped(then)):
        return [*_pieces(so), *_pieces(then)]
    cut = [
        piece
        for half in around.BUT_LEAVE.split(part)
        for piece in ([half] if unwrapped(half) else around.JOINT.split(half))
    ]
    return [bare for piece in cut if (bare := around.CALLS.sub("", piece).strip())]


def _left(piece: str) -> str:
    """What an exception beside the order names: "leave the hall on", "only the lamp stays on"."""
    for pattern in (words.LEAVE, around.NOT_THE, around.STAYS):
        if found := pattern.match(piece):
            return re.sub(r" (?:though|please)$", "", found["thing"])
    return ""
