"""Templates matched over tokens: every reading of a span, with its value and its cost.

A template is a tree of tuples, so that a compiled language can be cached as plain data:

    ("w", word)  ("l", leaf, key)  ("r", rule, key)  ("s", parts)  ("a", options)  ("o", part)

A reading's value is a tuple of (key, value) pairs; a node is a `Built` until the reader makes its dataclass.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

Pairs = tuple[tuple[str, Any], ...]
Match = tuple[int, Pairs, float]  # end, value, cost
Tree = tuple[Any, ...]
MOST_READINGS: Final = 32  # kept of one rule at one place
NOTHING: Final[Pairs] = ()


class Built(NamedTuple):
    """A node to be."""

    kind: str
    pairs: Pairs


class Alternative(NamedTuple):
    """One template of a rule."""

    tree: Tree
    says: Pairs
    cost: float
    source: str  # file, line and template, for --explain and for errors
    words: frozenset[str] = frozenset()  # that it may begin with
    leaves: tuple[str, ...] = ()  # that it may begin with
    open: bool = False  # it may be empty, so anything may follow
    needs: tuple[frozenset[str], ...] = ()  # one word of each set must be in the utterance


class Leaves(Protocol):
    """Words and typed leaves of one utterance."""

    words: tuple[str, ...]

    def leaf(self, kind: str, at: int) -> Sequence[tuple[int, Any, float]]: ...

    def text(self, start: int, end: int) -> str: ...


class GrammarError(ValueError):
    """A language file that cannot be used; the text names file, line and template."""


class Grammar:
    """Compiled rules. `add` templates, then `compile` once."""

    def __init__(self) -> None:
        self.rules: dict[str, list[Alternative]] = defaultdict(list)
        self._always: dict[str, list[int]] = {}
        self._index: dict[str, dict[str, list[int]]] = {}

    def add(self, rule: str, tree: Tree, says: Pairs = (), cost: float = 0.0, source: str = "") -> None:
        self.rules[rule].append(Alternative(tree, says, cost, source))

    def compile(self) -> None:
        """Checks the references and computes what each template begins with and needs."""
        for name, alternatives in self.rules.items():
            for alternative in alternatives:
                for reference in references(alternative.tree):
                    if reference not in self.rules:
                        raise GrammarError(
                            f"{alternative.source}: there is no rule {reference!r} (in {name})"
                        )
        firsts = self._firsts()
        self._refuse_left_recursion()
        known: dict[str, list[frozenset[str]]] = {}
        for name in self.rules:
            self._needs_of_rule(name, known)
        for name, alternatives in self.rules.items():
            self.rules[name] = [self._finished(alternative, firsts, known) for alternative in alternatives]
        self.index()

    def _finished(
        self,
        alternative: Alternative,
        firsts: Mapping[str, frozenset[str]],
        known: dict[str, list[frozenset[str]]],
    ) -> Alternative:
        first = _first(alternative.tree, firsts)
        needs = sorted(set(self._needs(alternative.tree, known)), key=len)
        return alternative._replace(
            words=frozenset(one for one in first if one and one[0] != "#"),
            leaves=tuple(sorted(one[1:] for one in first if one[:1] == "#")),
            open="" in first,
            needs=tuple(needs),
        )

    def index(self) -> None:
        """By a word that a template cannot do without."""
        self.rules = dict(self.rules)
        for name, alternatives in self.rules.items():
            always: list[int] = []
            by_word: dict[str, list[int]] = defaultdict(list)
            for place, alternative in enumerate(alternatives):
                if not alternative.needs:
                    always.append(place)
                    continue
                for word in alternative.needs[0]:
                    by_word[word].append(place)
            self._always[name], self._index[name] = always, dict(by_word)

    def alive(self, rule: str, words: frozenset[str]) -> list[Alternative]:
        """The templates of a rule that can be in an utterance with these words."""
        index, alternatives = self._index[rule], self.rules[rule]
        places = set(self._always[rule])
        for word in words:
            places.update(index.get(word, ()))
        return [
            alternatives[place]
            for place in sorted(places)
            if all(not need.isdisjoint(words) for need in alternatives[place].needs)
        ]

    # --- sets

    def _firsts(self) -> dict[str, frozenset[str]]:
        """What each rule may begin with, as a fixed point; "" stands for nothing, "#name" for a leaf."""
        firsts: dict[str, frozenset[str]] = dict.fromkeys(self.rules, frozenset())
        changed = True
        while changed:
            changed = False
            for name, alternatives in self.rules.items():
                now = frozenset[str]().union(*(_first(one.tree, firsts) for one in alternatives))
                if now != firsts[name]:
                    firsts[name], changed = now, True
        self._empty = frozenset(name for name, first in firsts.items() if "" in first)
        return firsts

    def _refuse_left_recursion(self) -> None:
        edges = {
            name: {target for one in alternatives for target in _leftmost(one.tree, self._empty)}
            for name, alternatives in self.rules.items()
        }
        done: set[str] = set()

        def visit(name: str, path: tuple[str, ...]) -> None:
            if name in path:
                raise GrammarError(f"rule {name!r} begins with itself: {' > '.join((*path, name))}")
            if name not in done:
                for target in edges[name]:
                    visit(target, (*path, name))
                done.add(name)

        for name in edges:
            visit(name, ())

    def _needs_of_rule(self, name: str, known: dict[str, list[frozenset[str]]]) -> list[frozenset[str]]:
        if name not in known:
            known[name] = []  # under recursion: nothing is needed, which loses speed and no reading
            known[name] = _either([self._needs(one.tree, known) for one in self.rules[name]])
        return known[name]

    def _needs(self, tree: Tree, known: dict[str, list[frozenset[str]]]) -> list[frozenset[str]]:
        kind = tree[0]
        if kind == "w":
            return [frozenset((tree[1],))]
        if kind == "s":
            return [need for part in tree[1] for need in self._needs(part, known)]
        if kind == "a":
            return _either([self._needs(part, known) for part in tree[1]])
        if kind == "r":
            return self._needs_of_rule(tree[1], known)
        return []

    # --- as plain data, for the cache

    def dump(self) -> dict[str, Any]:
        return {name: [tuple(one) for one in alternatives] for name, alternatives in self.rules.items()}

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> "Grammar":
        grammar = cls()
        for name, alternatives in data.items():
            grammar.rules[name] = [Alternative(*one) for one in alternatives]
        grammar.index()
        return grammar


def references(tree: Tree) -> Iterable[str]:
    if tree[0] == "r":
        yield tree[1]
    elif tree[0] in ("s", "a"):
        for part in tree[1]:
            yield from references(part)
    elif tree[0] == "o":
        yield from references(tree[1])


def leaves_of(tree: Tree) -> Iterable[tuple[str, str]]:
    """Leaf and the key that it is bound to."""
    if tree[0] == "l":
        yield tree[1], tree[2]
    elif tree[0] in ("s", "a"):
        for part in tree[1]:
            yield from leaves_of(part)
    elif tree[0] == "o":
        yield from leaves_of(tree[1])


def _first(tree: Tree, firsts: Mapping[str, frozenset[str]]) -> frozenset[str]:
    kind = tree[0]
    if kind == "w":
        return frozenset((tree[1],))
    if kind == "l":
        return frozenset((f"#{tree[1]}",))
    if kind == "o":
        return _first(tree[1], firsts) | {""}
    if kind == "r":
        return firsts[tree[1]]
    if kind == "a":
        return frozenset[str]().union(*(_first(part, firsts) for part in tree[1]))
    found: frozenset[str] = frozenset(("",))
    for part in tree[1]:
        found = (found - {""}) | _first(part, firsts)
        if "" not in found:
            break
    return found


def _leftmost(tree: Tree, empty: frozenset[str]) -> Iterable[str]:
    """Rules with which it may begin."""
    if tree[0] == "r":
        yield tree[1]
    elif tree[0] == "o":
        yield from _leftmost(tree[1], empty)
    elif tree[0] == "a":
        for part in tree[1]:
            yield from _leftmost(part, empty)
    elif tree[0] == "s":
        for part in tree[1]:
            yield from _leftmost(part, empty)
            if not _may_be_empty(part, empty):
                break


def _may_be_empty(tree: Tree, empty: frozenset[str]) -> bool:
    kind = tree[0]
    if kind == "r":
        return tree[1] in empty
    if kind == "a":
        return any(_may_be_empty(part, empty) for part in tree[1])
    return kind == "o" or (kind == "s" and all(_may_be_empty(part, empty) for part in tree[1]))


def _either(needs: list[list[frozenset[str]]]) -> list[frozenset[str]]:
    return [frozenset[str]().union(*(min(need, key=len) for need in needs))] if needs and all(needs) else []


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

    def __init__(
        self,
        grammar: Grammar,
        leaves: Leaves,
        diagnosis: Diagnosis | None = None,
        alive: dict[str, list[Alternative]] | None = None,
    ) -> None:
        """`alive` may be shared by the charts of utterances with the same words."""
        self._grammar, self._leaves, self._diagnosis = grammar, leaves, diagnosis
        self._words = leaves.words
        self._said = frozenset(leaves.words)
        self._known: dict[tuple[str, int], list[Match]] = {}
        self._alive: dict[str, list[Alternative]] = {} if alive is None else alive

    def whole(self, rule: str) -> list[tuple[float, Built]]:
        """Every reading of the whole utterance, the cheapest first."""
        size = len(self._words)
        kind = rule.partition(".")[0]
        return [(cost, Built(kind, pairs)) for end, pairs, cost in self.rule(rule, 0) if end == size]

    def rule(self, name: str, at: int) -> list[Match]:
        found = self._known.get((name, at))
        if found is not None:
            return found
        if name not in self._alive:
            self._alive[name] = self._grammar.alive(name, self._said)
        best: dict[tuple[int, Pairs], float] = {}
        word = self._words[at] if at < len(self._words) else ""
        for alternative in self._alive[name]:
            fits = alternative.open or word in alternative.words
            if not fits and not any(self._leaves.leaf(leaf, at) for leaf in alternative.leaves):
                if self._diagnosis is not None:
                    leaves = (f"{{{leaf}}}" for leaf in alternative.leaves)
                    self._diagnosis.reached(at, (*alternative.words, *leaves))
                continue
            says, extra = alternative.says, alternative.cost
            for end, pairs, cost in self.match(alternative.tree, at):
                key = (end, says + pairs if says else pairs)
                if cost + extra < best.get(key, 1e9):
                    best[key] = cost + extra
        matches = [(end, pairs, cost) for (end, pairs), cost in best.items()]
        if len(matches) > MOST_READINGS:
            matches = _best_by_end(matches)
        else:
            matches.sort(key=_by_cost)
        self._known[name, at] = matches
        return matches

    def match(self, tree: Tree, at: int) -> list[Match]:  # noqa: PLR0911 (one for each kind)
        kind = tree[0]
        if kind == "w":
            if at < len(self._words) and self._words[at] == tree[1]:
                return [(at + 1, NOTHING, 0.0)]
            if self._diagnosis is not None:
                self._diagnosis.reached(at, (tree[1],))
            return []
        if kind == "s":
            return self._sequence(tree[1], at)
        if kind == "a":
            return [match for part in tree[1] for match in self.match(part, at)]
        if kind == "o":
            return [*self.match(tree[1], at), (at, NOTHING, 0.0)]
        if kind == "r":
            return self._reference(tree[1], tree[2], at)
        key = tree[2]
        found = self._leaves.leaf(tree[1], at)
        if self._diagnosis is not None and not found:
            self._diagnosis.reached(at, (f"{{{tree[1]}}}",))
        return [(end, ((key, value),), cost) for end, value, cost in found]

    def _sequence(self, parts: Sequence[Tree], at: int) -> list[Match]:
        found: list[Match] = [(at, NOTHING, 0.0)]
        for part in parts:
            following: list[Match] = []
            for start, pairs, cost in found:
                for end, more, extra in self.match(part, start):
                    following.append((end, pairs + more if more else pairs, cost + extra))
            if not following:
                return following
            found = following
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


def _best_by_end(matches: list[Match]) -> list[Match]:
    """The cheapest of each end: a long reading is not crowded out by many short ones."""
    by_end: dict[int, list[Match]] = defaultdict(list)
    for match in sorted(matches, key=_by_cost):
        if len(by_end[match[0]]) < MOST_READINGS:
            by_end[match[0]].append(match)
    return sorted((match for some in by_end.values() for match in some), key=_by_cost)
