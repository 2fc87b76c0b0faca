"""Templates matched over tokens: every reading of a span, with its value and its cost.

A template is a tree of tuples, so that a compiled language can be cached as plain data:

    ("w", word)  ("l", leaf, key)  ("r", rule, key)  ("s", parts)  ("a", options)  ("o", part)

A reading's value is a tuple of (key, value) pairs; a node is a `Built` until the reader makes its dataclass.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Final, NamedTuple, Protocol

Pairs = tuple[tuple[str, Any], ...]
Match = tuple[int, Pairs, float]  # end, value, cost
Tree = tuple[Any, ...]
Words = frozenset[str]
MOST_READINGS: Final = 32  # kept of one rule at one place
MOST_KEPT: Final = 8192  # rules by words of utterances
NOTHING: Final[Pairs] = ()
NONE: Final[Words] = frozenset()
EMPTY: Final[Tree] = ("s", ())


class Built(NamedTuple):
    """A node before the reader makes its dataclass."""

    kind: str
    pairs: Pairs


class Alternative(NamedTuple):
    """One template of a rule."""

    tree: Tree
    says: Pairs
    cost: float
    source: str  # file, line and template, for --explain and for errors
    words: Words = NONE  # that it may begin with
    leaves: tuple[str, ...] = ()  # that it may begin with
    open: bool = False  # it may be empty, so anything may follow
    needs: tuple[Words, ...] = ()  # one word of each set must be in the utterance


class Leaves(Protocol):
    """Words and typed leaves of one utterance."""

    words: tuple[str, ...]

    def leaf(self, kind: str, at: int) -> Sequence[tuple[int, Any, float]]: ...

    def text(self, start: int, end: int) -> str: ...


class GrammarError(ValueError):
    """A language file that cannot be used; the text names file, line and template."""


def walk(tree: Tree, kind: str) -> Iterator[Tree]:
    """Every part of this kind in a template."""
    if tree[0] == kind:
        yield tree
    if tree[0] in "sa":
        for part in tree[1]:
            yield from walk(part, kind)
    elif tree[0] == "o":
        yield from walk(tree[1], kind)


class Grammar:
    """Compiled rules. `add` templates, then `compile` once."""

    def __init__(self) -> None:
        self.rules: dict[str, list[Alternative]] = defaultdict(list)
        self._words: dict[str, Words] = {}  # that some template of a rule needs
        self._possible: dict[tuple[str, Words], Possible] = {}

    def add(self, rule: str, tree: Tree, says: Pairs = (), cost: float = 0.0, source: str = "") -> None:
        self.rules[rule].append(Alternative(tree, says, cost, source))

    def compile(self) -> None:
        """Checks the references and computes what each template begins with and needs."""
        for name, alternatives in self.rules.items():
            for one in alternatives:
                if unknown := [part[1] for part in walk(one.tree, "r") if part[1] not in self.rules]:
                    raise GrammarError(f"{one.source}: there is no rule {unknown[0]!r} (in {name})")
        firsts = self._firsts()
        if circular := [name for name in self.rules if f"@{name}" in firsts[name]]:
            raise GrammarError(f"rule {circular[0]!r} begins with itself")
        known: dict[str, list[Words]] = {}
        for name, alternatives in self.rules.items():
            self.rules[name] = [self._finished(one, firsts, known) for one in alternatives]
        self.rules = dict(self.rules)

    def _finished(
        self, one: Alternative, firsts: Mapping[str, Words], known: dict[str, list[Words]]
    ) -> Alternative:
        first = _first(one.tree, firsts)
        return one._replace(
            words=frozenset(word for word in first if word and word[0] not in "#@"),
            leaves=tuple(sorted(leaf[1:] for leaf in first if leaf[:1] == "#")),
            open="" in first,
            needs=tuple(sorted(set(self._needs(one.tree, known)), key=len)),
        )

    def possible(self, rule: str, said: Words) -> "Possible":
        """The templates of a rule that can be in an utterance with these words."""
        templates = self.rules.get(rule, ())
        if rule not in self._words:
            self._words[rule] = NONE.union(*(need for one in templates for need in one.needs))
        words = self._words[rule] & said
        if (rule, words) not in self._possible:
            if len(self._possible) >= MOST_KEPT:
                self._possible.clear()
            some = [one for one in templates if not any(map(words.isdisjoint, one.needs))]
            self._possible[rule, words] = Possible(some)
        return self._possible[rule, words]

    def _firsts(self) -> dict[str, Words]:
        """What each rule may begin with, as a fixed point: "" is nothing, "#" a leaf, "@" a rule."""
        firsts: dict[str, Words] = dict.fromkeys(self.rules, NONE)
        changed = True
        while changed:
            changed = False
            for name, alternatives in self.rules.items():
                now = NONE.union(*(_first(one.tree, firsts) for one in alternatives))
                if now != firsts[name]:
                    firsts[name], changed = now, True
        return firsts

    def _needs(self, tree: Tree, known: dict[str, list[Words]]) -> list[Words]:
        """Sets of words of which an utterance must have one each."""
        kind = tree[0]
        if kind == "w":
            return [frozenset((tree[1],))]
        if kind == "s":
            return [need for part in tree[1] for need in self._needs(part, known)]
        if kind == "a":
            return _either([self._needs(part, known) for part in tree[1]])
        if kind != "r":
            return []
        if tree[1] not in known:
            known[tree[1]] = []  # under recursion: nothing is needed, which loses speed and no reading
            known[tree[1]] = _either([self._needs(one.tree, known) for one in self.rules[tree[1]]])
        return known[tree[1]]


def _first(tree: Tree, firsts: Mapping[str, Words]) -> Words:
    kind = tree[0]
    if kind in "wl":
        return frozenset((tree[1] if kind == "w" else f"#{tree[1]}",))
    if kind == "o":
        return _first(tree[1], firsts) | {""}
    if kind == "r":
        return firsts[tree[1]] | {f"@{tree[1]}"}
    if kind == "a":
        return NONE.union(*(_first(part, firsts) for part in tree[1]))
    found: Words = frozenset(("",))
    for part in tree[1]:
        found = (found - {""}) | _first(part, firsts)
        if "" not in found:
            break
    return found


class Possible(dict[str, list[tuple[Alternative, tuple[str, ...]]]]):
    """Templates by the word where they would begin, with the leaves of which one must be there."""

    def __init__(self, whole: Sequence[Alternative]) -> None:
        self.whole, self._firsts = whole, NONE.union(*(one.words for one in whole))

    def __missing__(self, word: str) -> list[tuple[Alternative, tuple[str, ...]]]:
        if word and word not in self._firsts:
            return self[""]  # what no template begins with is not kept
        begins = ((one, one.open or word in one.words) for one in self.whole)
        self[word] = [(one, () if sure else one.leaves) for one, sure in begins if sure or one.leaves]
        return self[word]


def _either(needs: list[list[Words]]) -> list[Words]:
    return [NONE.union(*(min(need, key=len) for need in needs))] if needs and all(needs) else []


@dataclass
class Diagnosis:
    """Where the longest prefix that fits some template ends, and what could have followed there."""

    end: int = 0
    expected: set[str] = field(default_factory=set)

    def reached(self, at: int, expected: Iterable[str]) -> None:
        if at > self.end:
            self.end, self.expected = at, set()
        if at == self.end:
            self.expected |= set(expected)


class Chart:
    """All readings of one utterance, remembered by rule and position."""

    def __init__(self, grammar: Grammar, leaves: Leaves, diagnosis: Diagnosis | None = None) -> None:
        self._grammar, self._leaves, self._diagnosis = grammar, leaves, diagnosis
        self._words = (*leaves.words, "")
        self._said = frozenset(leaves.words)
        self._known: dict[tuple[str, int], list[Match]] = {}
        self._possible: dict[str, Possible] = {}

    def whole(self, rule: str) -> list[tuple[float, Built]]:
        """Every reading of the whole utterance, the cheapest first."""
        kind, size = rule.partition(".")[0], len(self._words) - 1
        return [(cost, Built(kind, pairs)) for end, pairs, cost in self.rule(rule, 0) if end == size]

    def rule(self, name: str, at: int) -> list[Match]:
        found = self._known.get((name, at))
        if found is not None:
            return found
        best: dict[tuple[int, Pairs], float] = {}
        word, leaf = self._words[at], self._leaves.leaf
        possible = self._possible.get(name)
        if possible is None:
            possible = self._possible[name] = self._grammar.possible(name, self._said)
        for one in possible.whole if self._diagnosis is not None else ():
            if not one.open:
                self._missed(at, *one.words, *(f"{{{kind}}}" for kind in one.leaves))
        for one, leaves in possible[word]:
            if leaves and not any(map(leaf, leaves, repeat(at))):
                continue
            says, extra = one.says, one.cost
            for end, pairs, cost in self.match(one.tree, at):
                key = (end, says + pairs if says else pairs)
                if cost + extra < best.get(key, 1e9):
                    best[key] = cost + extra
        if not best:
            return self._known.setdefault((name, at), [])
        matches = sorted(((end, pairs, cost) for (end, pairs), cost in best.items()), key=_by_cost)
        self._known[name, at] = matches if len(matches) <= MOST_READINGS else _best_by_end(matches)
        return self._known[name, at]

    def _missed(self, at: int, *expected: str) -> None:
        if self._diagnosis is not None:
            self._diagnosis.reached(at, expected)

    def match(self, tree: Tree, at: int) -> list[Match]:  # noqa: PLR0911 (one for each kind)
        kind = tree[0]
        if kind == "w":
            if self._words[at] == tree[1]:
                return [(at + 1, NOTHING, 0.0)]
            self._missed(at, tree[1])
            return []
        if kind == "s":
            return self._sequence(tree[1], at)
        if kind == "a":
            return [match for part in tree[1] for match in self.match(part, at)]
        if kind == "o":
            return [*self.match(tree[1], at), (at, NOTHING, 0.0)]
        if kind == "r":
            return self._reference(tree[1], tree[2], at)
        found = self._leaves.leaf(tree[1], at)
        if not found:
            self._missed(at, f"{{{tree[1]}}}")
        return [(end, ((tree[2], value),), cost) for end, value, cost in found]

    def _sequence(self, parts: Sequence[Tree], at: int) -> list[Match]:
        found: list[Match] = [(at, NOTHING, 0.0)]
        for part in parts:
            found = [
                (end, pairs + more if more else pairs, cost + extra)
                for start, pairs, cost in found
                for end, more, extra in self.match(part, start)
            ]
            if not found:
                break
        return found

    def _reference(self, name: str, key: str, at: int) -> list[Match]:
        matches = self.rule(name, at)
        if name[0].isupper():
            kind = name.partition(".")[0]
            bound = key or kind.lower()
            return [(end, ((bound, Built(kind, pairs)),), cost) for end, pairs, cost in matches]
        if key:
            return [(end, ((key, self._leaves.text(at, end)),), cost) for end, _, cost in matches]
        return matches


def _by_cost(match: Match) -> float:
    return match[2]


def _best_by_end(matches: Sequence[Match]) -> list[Match]:
    """The cheapest matches of each end, so that many short ones do not crowd out a long one."""
    by_end: dict[int, list[Match]] = defaultdict(list)
    for match in matches:
        by_end[match[0]].append(match)
    return sorted((match for some in by_end.values() for match in some[:MOST_READINGS]), key=_by_cost)
