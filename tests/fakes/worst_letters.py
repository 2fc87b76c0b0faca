"""For a regular expression the letters that it has most trouble with, read from its own parse tree."""

import re
import string
from collections.abc import Callable, Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
MANY = 16  # a repetition up to this is a constant, however long the text
# One of each kind comes first, so that the first fitting ones differ.
ALPHABET = "a1 _.-*\"'/,:;!?\n\t=<>()[]{}|#@&%$+~^\\`" + string.ascii_letters + string.digits + "é°–→"
# What may stand behind the repeated letters so that they do not fit in the end.
ENDS = ("", "\0", "\n")
MOST_WAYS = 3

Node = tuple[Any, Any]


def worst_letters(pattern: re.Pattern[str]) -> list[Callable[[int], str]]:
    """Makers of texts of a given length."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    pumps = {(before, pump) for before, pump in _pumps(list(tree), [""]) if pump}
    return [_maker(before, pump, end) for before, pump in sorted(pumps) for end in ENDS]


def _maker(before: str, pump: str, end: str) -> Callable[[int], str]:
    def made(length: int) -> str:
        return before + pump * (length // len(pump)) + end

    made.__doc__ = f"{before!r} + {pump!r} * n + {end!r}"
    return made


def _pumps(nodes: list[Node], before: list[str]) -> Iterator[tuple[str, str]]:
    """What can be repeated, and what has to stand before it: the inside of each repetition, alone and with
    the way to it, so that the search begins anew and anew."""
    for position, (kind, value) in enumerate(nodes):
        ways = {start + way for start in before for way in _samples(nodes[:position])}
        ways = set(sorted(ways, key=len)[:MOST_WAYS])
        if kind in REPEATS and value[1] > MANY:
            for letters in _letters(list(value[2])):
                yield "", letters
                for way in ways:
                    yield way, letters
                    yield "", way + letters
                    yield "", f" {way}{letters}"
        for below in _below(kind, value):
            yield from _pumps(below, sorted(ways))
    if nodes and any(kind in REPEATS for kind, _ in nodes):
        yield "", before[0] + _sample(nodes)
        yield "", before[0] + _sample(nodes[:-1])


def _samples(nodes: list[Node]) -> list[str]:
    """Beside the first choice everywhere the shortest one."""
    return list({_sample(nodes), _sample(nodes, shortest=True)})


def _below(kind: Any, value: Any) -> list[list[Node]]:
    if kind in REPEATS:
        return [list(value[2])]
    if kind is op.SUBPATTERN:
        return [list(value[3])]
    if kind is op.BRANCH:
        return [list(one) for one in value[1]]
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return [list(value[1])]
    if kind is op.ATOMIC_GROUP:
        return [list(value)]
    if kind is op.GROUPREF_EXISTS:
        return [list(one) for one in value[1:] if one is not None]
    return []


def _letters(nodes: list[Node]) -> set[str]:
    """Several, if it is a set of characters or a choice: each kind may be the worst."""
    if len(nodes) == 1:
        [(kind, value)] = nodes
        if kind is op.IN:
            return set(_members(value)[:3])
        if kind is op.BRANCH:
            return {_sample(list(one)) for one in value[1]}
        if kind is op.SUBPATTERN:
            return _letters(list(value[3]))
        if kind is op.ANY:
            return {"a", " "}
    return {_sample(nodes)}


def _sample(nodes: list[Node], *, shortest: bool = False) -> str:
    """A short text that fits, more or less."""
    return "".join(_one(kind, value, shortest) for kind, value in nodes)


def _one(kind: Any, value: Any, shortest: bool) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.NOT_LITERAL:
        return next(letter for letter in ALPHABET if ord(letter) != value)
    if kind is op.IN:
        return next(iter(_members(value)), "")
    if kind is op.ANY:
        return "a"
    if kind in REPEATS:
        return _sample(list(value[2]), shortest=shortest) * (value[0] if shortest else max(1, value[0]))
    if kind in (op.ASSERT, op.ASSERT_NOT, op.AT, op.GROUPREF):
        return ""
    choices = [_sample(one, shortest=shortest) for one in _below(kind, value)] or [""]
    return min(choices, key=len) if shortest else choices[0]


def _members(items: list[Node]) -> list[str]:
    own = [chr(value) for kind, value in items if kind is op.LITERAL]
    own += [chr(value[0]) for kind, value in items if kind is op.RANGE]
    return [letter for letter in (*own, *ALPHABET) if _is_in(letter, items)]


def _is_in(letter: str, items: list[Node]) -> bool:
    negated = bool(items) and items[0][0] is op.NEGATE
    return any(_fits(letter, kind, value) for kind, value in items) != negated


def _fits(letter: str, kind: Any, value: Any) -> bool:
    if kind is op.LITERAL:
        return ord(letter) == value
    if kind is op.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    if kind is op.CATEGORY:
        return re.match(_CATEGORIES[value], letter) is not None
    return False


_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
